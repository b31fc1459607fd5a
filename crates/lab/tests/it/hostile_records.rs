//! Records that somebody spoiled: one sentence with file and line, no panic, and no more memory than the limits say.

use lab::open_directory::Refusal;
use lab::run_directory::{RunDirectory, RunError, RunFiles, read};
use model::trial::TrialKey;
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::path::Path;

const PLAN: &str =
    r#"{"format_version":1,"program_version":"0","created_at":"","directory":"/data","seed":7,"studies":[]}"#;
const HOST: &str = r#"{"name":"here","distribution":"","kernel":"6.18","kernel_command_line":"","processor":"","cpus":2,"memory_bytes":0,"virtualisation":"none","governor":{"unsupported":"untold"},"clock_source":"tsc","dirty_settings":[],"root":false}"#;
const LINE: &str = r#"{"format_version":1,"study":"one","round":0,"configuration":1,"duplicate":false,"position":0,"warmup":false,"session":1,"values":{"bs":"4KiB","iodepth":8},"seed":1,"started_at":"2026-11-21T10:00:00Z","wall_s":2.0,"prepare_s":1.0,"outcome":{"unsupported":"a toy measures nothing"}}"#;

fn run_with(trials: &[u8]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in
        [("plan.json", PLAN.as_bytes()), ("host.json", HOST.as_bytes()), ("trials.jsonl", trials)]
    {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

/// What reading says: records, or a sentence of one line that begins with the file's path, from the directory on.
fn said(directory: &Path) -> Result<usize, String> {
    read(directory).map(|run| run.records.len()).map_err(|error| below(directory, &error))
}

/// The sentence of an error, its path from the directory on.
fn below(directory: &Path, error: &RunError) -> String {
    let said = error.to_string();
    let rest = said.strip_prefix(&directory.display().to_string()).expect(&said);
    rest.trim_start_matches('/').to_owned()
}

#[test]
fn the_line_these_tests_spoil_is_sound() {
    assert_eq!(said(run_with(format!("{LINE}\n").as_bytes()).path()), Ok(1));
}

/// Lines are parsed by several threads: their order and the first thing that is wrong are the file's.
#[test]
fn records_keep_the_order_of_their_lines() {
    let line = |round: usize| LINE.replace("\"round\":0", &format!("\"round\":{round}")) + "\n";
    let all: String = (0..5000).map(line).collect();
    let run = read(run_with(all.as_bytes()).path()).unwrap();
    let rounds: Vec<usize> = run.records.iter().map(|record| record.key.round as usize).collect();
    assert_eq!(rounds, (0..5000).collect::<Vec<_>>());
    let mut lines: Vec<String> = (0..5000).map(line).collect();
    "broken\n".clone_into(&mut lines[4123]);
    lines[4124] = format!("{}\n", "x".repeat(5 << 20));
    let said = said(run_with(lines.concat().as_bytes()).path()).unwrap_err();
    insta::assert_snapshot!(said, @"trials.jsonl line 4124: not a syncline record (expected value at column 1): something else changed the file; restore it or start a new run");
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    for (spoiled, message) in [
        (
            LINE.replace("\"round\":0", "\"round\":-1"),
            "trials.jsonl line 2: not a syncline record (invalid value: integer `-1`, expected u32 at column 281): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("\"round\":0", "\"round\":4294967296"),
            "trials.jsonl line 2: not a syncline record (invalid value: integer `4294967296`, expected u32 at column 289): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("2.0", "1e999"),
            "trials.jsonl line 2: not a syncline record (wall_s: number out of range at column 214): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("2.0", "NaN"),
            "trials.jsonl line 2: not a syncline record (wall_s: expected value at column 210): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("\"4KiB\"", &deep),
            "trials.jsonl line 2: not a syncline record (values.bs: invalid type: sequence, expected a number, true or false, or text such as 4KiB, 250ms or a name at column 136): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("2.0", &deep),
            "trials.jsonl line 2: not a syncline record (wall_s: invalid type: sequence, expected f64 at column 209): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("\"one\"", "[]"),
            "trials.jsonl line 2: not a syncline record (invalid type: sequence, expected a string at column 277): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("unsupported", "excused"),
            "trials.jsonl line 2: not a syncline record (outcome: unknown variant `excused`, expected one of `ok`, `failed`, `unsupported`, `killed` at column 249): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("\"format_version\":1", "\"format_version\":\"1\""),
            "trials.jsonl line 2: not a syncline record (it has no format_version): something else changed the file; restore it or start a new run",
        ),
        (
            LINE.replace("\"format_version\":1", "\"format_version\":2"),
            "trials.jsonl line 2: format version 2, but this syncline reads up to 1: use the syncline that wrote it, or a newer one",
        ),
        (
            LINE.replace("\"seed\":1,", ""),
            "trials.jsonl line 2: not a syncline record (missing field `seed` at column 271): something else changed the file; restore it or start a new run",
        ),
        (
            "\u{0}\u{1}\u{2}".to_owned(),
            "trials.jsonl line 2: not a syncline record (expected value at column 1): something else changed the file; restore it or start a new run",
        ),
        (
            "null".to_owned(),
            "trials.jsonl line 2: not a syncline record (invalid type: null, expected an object at column 4): something else changed the file; restore it or start a new run",
        ),
        (
            "{}".to_owned(),
            "trials.jsonl line 2: not a syncline record (it has no format_version): something else changed the file; restore it or start a new run",
        ),
    ] {
        let directory = run_with(format!("{LINE}\n{spoiled}\n").as_bytes());
        let said = said(directory.path()).unwrap_err();
        assert_eq!(said, message);
    }
}

/// It said "data did not match any variant of untagged enum" and named neither the field nor what it may hold.
#[test]
fn a_field_that_does_not_fit_is_named_with_what_is_accepted() {
    let directory = run_with(format!("{LINE}\n").as_bytes());
    for (governor, message) in [
        (
            "3",
            "host.json: not a syncline record (governor: invalid type: integer `3`, expected a string at line 1 column 151): something else changed the file; restore it or start a new run",
        ),
        (
            "[]",
            "host.json: not a syncline record (governor: invalid type: sequence, expected a string at line 1 column 152): something else changed the file; restore it or start a new run",
        ),
        (
            r#"{"unsupported":{}}"#,
            "host.json: not a syncline record (governor.unsupported: invalid type: map, expected a string at line 1 column 165): something else changed the file; restore it or start a new run",
        ),
    ] {
        let host = HOST.replace(r#"{"unsupported":"untold"}"#, governor);
        fs::write(directory.path().join("host.json"), host).unwrap();
        let said = said(directory.path()).unwrap_err();
        assert_eq!(said, message);
    }
    fs::write(directory.path().join("host.json"), HOST).unwrap();
    fs::write(directory.path().join("plan.json"), PLAN.replace("\"/data\"", "3")).unwrap();
    let said = said(directory.path()).unwrap_err();
    insta::assert_snapshot!(said, @r#"plan.json: not a syncline record (directory: invalid type: integer `3`, expected a path, or {"bytes": "its bytes in hexadecimal"} at line 1 column 71): something else changed the file; restore it or start a new run"#);
}

/// What ranks measured together is read as the records are.
#[test]
fn what_is_wrong_with_shared_trials_is_said_with_its_line() {
    let line = include_str!("../../../hostile/seeds/shared/two-ranks.json");
    let directory = run_with(b"");
    let path = directory.path().join("shared.jsonl");
    let shared = || RunFiles::open(directory.path()).unwrap().shared();
    fs::write(&path, line).unwrap();
    assert_eq!(shared().unwrap().len(), 1);
    for (spoiled, message) in [
        (
            line.replace("\"ranks\":2", "\"ranks\":-2"),
            "shared.jsonl line 2: not a syncline record (ranks: invalid value: integer `-2`, expected u32 at column 101): something else changed the file; restore it or start a new run",
        ),
        (
            line.replace("0.49", "1e999"),
            "shared.jsonl line 2: not a syncline record (common_s: number out of range at column 203): something else changed the file; restore it or start a new run",
        ),
        (
            line.replace("\"format_version\":1", "\"format_version\":2"),
            "shared.jsonl line 2: format version 2, but this syncline reads up to 1: use the syncline that wrote it, or a newer one",
        ),
        (
            line.replace("\"slices\":26,", ""),
            "shared.jsonl line 2: not a syncline record (missing field `slices` at column 699): something else changed the file; restore it or start a new run",
        ),
        (
            "{}\n".to_owned(),
            "shared.jsonl line 2: not a syncline record (it has no format_version): something else changed the file; restore it or start a new run",
        ),
    ] {
        fs::write(&path, format!("{line}{spoiled}")).unwrap();
        let said = below(directory.path(), &shared().unwrap_err());
        assert_eq!(said, message);
    }
    fs::File::create(&path).unwrap().set_len(8 << 30).unwrap();
    insta::assert_snapshot!(below(directory.path(), &shared().unwrap_err()), @"shared.jsonl: not a syncline record (it has 8589934592 bytes, more than the limit of 1073741824): something else changed the file; restore it or start a new run");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("trials.jsonl", &path).unwrap();
    let Err(RunError::Io { source, .. }) = shared() else { panic!("it followed a link") };
    assert_eq!(Refusal::behind(&source), Some(Refusal::SymbolicLink));
}

#[test]
fn a_line_of_a_hundred_megabytes_is_passed_over() {
    let directory = run_with(format!("{LINE}\n").as_bytes());
    let path = directory.path().join("trials.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let block = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| file.write_all(&block).unwrap());
    // Without its end it is torn, whatever its length.
    let run = read(directory.path()).unwrap();
    assert_eq!(run.records.len(), 1);
    insta::assert_snapshot!(run.remarks.join("\n"), @"the last line of trials.jsonl is incomplete (104857600 bytes, written by a killed process) and is dropped; that trial runs again");
    file.write_all(b"\n").unwrap();
    let said = said(directory.path()).unwrap_err();
    insta::assert_snapshot!(said, @"trials.jsonl line 2: not a syncline record (it has more than 4194304 bytes): something else changed the file; restore it or start a new run");
}

#[test]
fn files_beyond_all_reason_are_not_read() {
    let directory = run_with(b"");
    for (name, limit) in [("trials.jsonl", 1 << 30), ("plan.json", 64 << 20), ("host.json", 64 << 20)] {
        let path = directory.path().join(name);
        let before = fs::read(&path).unwrap();
        // Sparse: it takes no space.
        fs::File::create(&path).unwrap().set_len(8 << 30).unwrap();
        let said = said(directory.path()).unwrap_err();
        assert_eq!(
            said,
            format!(
                "{name}: not a syncline record (it has 8589934592 bytes, more than the limit of {limit}): something \
                 else changed the file; restore it or start a new run"
            )
        );
        fs::write(&path, before).unwrap();
    }
    fs::rename(directory.path().join("plan.json"), directory.path().join("kept")).unwrap();
    std::os::unix::fs::symlink("plan.json", directory.path().join("plan.json")).unwrap();
    assert_eq!(refusal(directory.path()), Refusal::SymbolicLink, "it is there");
    fs::rename(directory.path().join("kept"), directory.path().join("plan.json")).unwrap();
    fs::remove_file(directory.path().join("trials.jsonl")).unwrap();
    fs::create_dir(directory.path().join("trials.jsonl")).unwrap();
    assert_eq!(refusal(directory.path()), Refusal::NotRegular);
    fs::remove_file(directory.path().join("host.json")).unwrap();
    assert!(matches!(read(directory.path()), Err(RunError::Io { .. })), "half a run");
}

/// Why a file of the run is not touched.
#[track_caller]
fn refusal(directory: &Path) -> Refusal {
    match read(directory) {
        Err(RunError::Io { source, .. }) => Refusal::behind(&source).unwrap_or_else(|| panic!("{source}")),
        other => panic!("{other:?}"),
    }
}

/// What is beside the run directory, and what it holds.
fn victim(directory: &Path) -> std::path::PathBuf {
    let victim = directory.join("victim");
    fs::write(&victim, "without an end").unwrap();
    victim
}

fn run_beside_a_victim(trials: &[u8]) -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let run = outer.path().join("run");
    fs::rename(run_with(trials).keep(), &run).unwrap();
    let victim = victim(outer.path());
    (outer, run, victim)
}

/// Issue: `--resume` wrote through a linked trials.jsonl, and a target without a final newline was truncated to
/// nothing.
#[test]
fn records_that_are_a_link_or_have_another_name_are_not_appended_to() {
    for is_hard in [true, false] {
        let (_outer, run, victim) = run_beside_a_victim(b"");
        fs::remove_file(run.join("trials.jsonl")).unwrap();
        let link = run.join("trials.jsonl");
        if is_hard {
            fs::hard_link(&victim, &link).unwrap();
        } else {
            std::os::unix::fs::symlink(&victim, &link).unwrap();
        }
        match RunDirectory::resume(&run) {
            Err(RunError::Io { path, source, .. }) => {
                assert_eq!(path, run.join("trials.jsonl"));
                assert!(
                    matches!(
                        Refusal::behind(&source),
                        Some(Refusal::SymbolicLink | Refusal::SeveralNames(2))
                    ),
                    "{source}"
                );
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "without an end");
    }
}

/// Issue: `--resume` with a pipe as trials.jsonl waited without end. So would every other file of a run.
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_at_once() {
    for name in ["plan.json", "host.json", "trials.jsonl"] {
        let directory = run_with(b"");
        let path = directory.path().join(name);
        fs::remove_file(&path).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
        assert_eq!(refusal(directory.path()), Refusal::NotRegular, "{name}");
        assert!(matches!(RunDirectory::resume(directory.path()), Err(RunError::Io { .. })), "{name}");
    }
}

/// Issue: a study named `../../victim/esc` in plan.json wrote outside the run directory.
#[test]
fn a_study_whose_name_is_a_path_is_refused_with_the_plan() {
    let directory = run_with(b"");
    let study = r#"{"name":"../../victim/esc","question":"","workload":"toy","profile":"quick","factors":[],"configurations":[],"baseline":{},"duplicate":0,"asks":[],"warmup_rounds":0,"rounds":1,"fresh_placement":false,"excluded":[]}"#;
    let plan = PLAN.replace("\"studies\":[]", &format!("\"studies\":[{study}]"));
    fs::write(directory.path().join("plan.json"), &plan).unwrap();
    for error in
        [read(directory.path()).unwrap_err(), RunDirectory::resume(directory.path()).map(|_| ()).unwrap_err()]
    {
        let RunError::Foreign { path, .. } = &error else { panic!("{error}") };
        assert_eq!(*path, directory.path().join("plan.json"));
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    fs::write(directory.path().join("plan.json"), plan.replace("../../victim/esc", "esc")).unwrap();
    assert!(read(directory.path()).is_ok(), "nothing else is wrong with it");
}

/// Issue: sidecars were written through links.
#[test]
fn a_sidecar_is_not_read_or_written_through_a_link() {
    let (outer, run, victim) = run_beside_a_victim(b"");
    fs::write(&victim, r#"{"histograms":{},"interval_s":0.1,"series":{}}"#).unwrap();
    let before = fs::read(&victim).unwrap();
    let files = RunFiles::open(&run).unwrap();
    let record: model::trial::TrialRecord = serde_json::from_str(LINE).unwrap();
    fs::create_dir(run.join("sidecars")).unwrap();
    let name = record.key.sidecar_name();
    std::os::unix::fs::symlink("../../victim", run.join("sidecars").join(&name)).unwrap();
    assert!(files.sidecar(&record.key).is_none());
    let sidecar = model::sidecar::Sidecar::default();
    RunDirectory::resume(&run).unwrap().append(record.clone(), Some(&sidecar)).unwrap();
    assert!(files.sidecar(&record.key).is_some(), "in the place of the link");
    assert_eq!(fs::read(&victim).unwrap(), before);
    // The whole directory a link.
    fs::remove_dir_all(run.join("sidecars")).unwrap();
    std::os::unix::fs::symlink(outer.path(), run.join("sidecars")).unwrap();
    assert!(files.sidecar(&record.key).is_none());
    assert!(RunDirectory::resume(&run).is_err());
    assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 2, "the run and the victim");
}

#[test]
fn a_trial_that_repeats_a_thousand_times_is_one_remark() {
    let run = read(run_with(format!("{LINE}\n").repeat(1000).as_bytes()).path()).unwrap();
    assert_eq!(run.records.len(), 1);
    assert_eq!(
        run.remarks,
        ["trials.jsonl line 2 repeats a recorded trial and is left out, and so do 998 more"]
    );
}

#[test]
fn a_study_cannot_name_a_sidecar_elsewhere() {
    let directory = run_with(b"");
    let sidecar = r#"{"histograms":{},"interval_s":0.1,"series":{}}"#;
    fs::create_dir(directory.path().join("sidecars")).unwrap();
    let key = |study: &str| TrialKey {
        study: study.to_owned(),
        round: 0,
        configuration: 0,
        duplicate: false,
        block: 0,
    };
    for place in ["sidecars/one-r000-c000.json", "one-r000-c000.json"] {
        fs::write(directory.path().join(place), sidecar).unwrap();
    }
    let files = RunFiles::open(directory.path()).unwrap();
    assert!(files.sidecar(&key("one")).is_some());
    assert!(files.sidecar(&key("../one")).is_none());
    assert!(files.sidecar(&key(&directory.path().join("one").display().to_string())).is_none());
}

/// One change to a sound line.
#[derive(Clone, Debug)]
enum Spoil {
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Number(prop::sample::Index, &'static str),
}

fn spoil() -> impl Strategy<Value = Spoil> {
    const NUMBERS: [&str; 10] = [
        "-1",
        "1e400",
        "18446744073709551616",
        "0.1",
        "null",
        "[]",
        "{}",
        "\"\"",
        "true",
        "99999999999999999999999999",
    ];
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Spoil::Cut),
        (any::<prop::sample::Index>(), 0..8_u8).prop_map(|(place, bit)| Spoil::Flip(place, bit)),
        (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(place, bytes)| Spoil::Insert(place, bytes)),
        (any::<prop::sample::Index>(), prop::sample::select(&NUMBERS[..]))
            .prop_map(|(place, number)| Spoil::Number(place, number)),
    ]
}

fn spoiled(line: &str, spoil: &Spoil) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    match spoil {
        Spoil::Cut(place) => bytes.truncate(place.index(bytes.len())),
        Spoil::Flip(place, bit) => {
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
        }
        Spoil::Insert(place, inserted) => {
            let place = place.index(bytes.len());
            bytes.splice(place..place, inserted.iter().copied());
        }
        Spoil::Number(place, number) => {
            let values: Vec<usize> = line.match_indices(':').map(|(at, _)| at + 1).collect();
            let start = values[place.index(values.len())];
            let end = line[start..].find([',', '}']).map_or(line.len(), |length| start + length);
            bytes.splice(start..end, number.bytes());
        }
    }
    bytes
}

proptest! {
    #[test]
    fn any_spoiled_line_is_read_or_refused(spoil in spoil()) {
        let mut trials = format!("{LINE}\n").into_bytes();
        trials.extend(spoiled(LINE, &spoil));
        trials.push(b'\n');
        let directory = run_with(&trials);
        if let Err(said) = said(directory.path()) {
            prop_assert!(said.starts_with("trials.jsonl line 2: "), "{}", said);
        }
    }

    #[test]
    fn any_spoiled_plan_or_host_is_read_or_refused(of_plan in any::<bool>(), spoil in spoil()) {
        let directory = run_with(b"");
        let (name, text) = if of_plan { ("plan.json", PLAN) } else { ("host.json", HOST) };
        fs::write(directory.path().join(name), spoiled(text, &spoil)).unwrap();
        if let Err(said) = said(directory.path()) {
            prop_assert!(said.starts_with(name), "{}", said);
        }
    }
}
