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

/// What reading says: records, or a sentence of one line that names the file.
fn said(directory: &Path) -> Result<usize, String> {
    match read(directory) {
        Ok(run) => Ok(run.records.len()),
        Err(error) => {
            let said = error.to_string();
            assert!(said.starts_with(&directory.display().to_string()), "{said}");
            Err(said)
        }
    }
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
    assert!(said.contains("trials.jsonl line 4124: "), "{said}");
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    for (spoiled, message) in [
        (LINE.replace("\"round\":0", "\"round\":-1"), "invalid value: integer `-1`"),
        (LINE.replace("\"round\":0", "\"round\":4294967296"), "invalid value: integer `4294967296`"),
        (LINE.replace("2.0", "1e999"), "number out of range"),
        (LINE.replace("2.0", "NaN"), "expected value"),
        (
            LINE.replace("\"4KiB\"", &deep),
            "values.bs: invalid type: sequence, expected a number, true or false",
        ),
        (LINE.replace("2.0", &deep), "wall_s: invalid type: sequence, expected f64 at column"),
        (LINE.replace("\"one\"", "[]"), "invalid type: sequence, expected a string"),
        (LINE.replace("unsupported", "excused"), "unknown variant `excused`"),
        (LINE.replace("\"format_version\":1", "\"format_version\":\"1\""), "it has no format_version"),
        (
            LINE.replace("\"format_version\":1", "\"format_version\":2"),
            "trials.jsonl line 2: format version 2",
        ),
        (LINE.replace("\"seed\":1,", ""), "missing field `seed`"),
        ("\u{0}\u{1}\u{2}".to_owned(), "expected value"),
        ("null".to_owned(), "invalid type: null, expected an object"),
        ("{}".to_owned(), "it has no format_version"),
    ] {
        let directory = run_with(format!("{LINE}\n{spoiled}\n").as_bytes());
        let said = said(directory.path()).unwrap_err();
        assert!(said.contains(message), "{said}\nwas to say: {message}");
        assert!(said.contains("trials.jsonl line 2: "), "{said}");
    }
}

/// It said "data did not match any variant of untagged enum" and named neither the field nor what it may hold.
#[test]
fn a_field_that_does_not_fit_is_named_with_what_is_accepted() {
    let directory = run_with(format!("{LINE}\n").as_bytes());
    for (governor, message) in [
        ("3", "host.json: not a syncline record (governor: invalid type: integer `3`, expected a string"),
        ("[]", "governor: invalid type: sequence, expected a string"),
        (r#"{"unsupported":{}}"#, "governor"),
    ] {
        let host = HOST.replace(r#"{"unsupported":"untold"}"#, governor);
        fs::write(directory.path().join("host.json"), host).unwrap();
        let said = said(directory.path()).unwrap_err();
        assert!(said.contains(message) && !said.contains("untagged"), "{said}\nwas to say: {message}");
    }
    fs::write(directory.path().join("host.json"), HOST).unwrap();
    fs::write(directory.path().join("plan.json"), PLAN.replace("\"/data\"", "3")).unwrap();
    let said = said(directory.path()).unwrap_err();
    assert!(said.contains("directory: invalid type: integer `3`, expected a path"), "{said}");
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
        (line.replace("\"ranks\":2", "\"ranks\":-2"), "invalid value: integer `-2`"),
        (line.replace("0.49", "1e999"), "number out of range"),
        (
            line.replace("\"format_version\":1", "\"format_version\":2"),
            "shared.jsonl line 2: format version 2",
        ),
        (line.replace("\"slices\":26,", ""), "missing field `slices`"),
        ("{}\n".to_owned(), "it has no format_version"),
    ] {
        fs::write(&path, format!("{line}{spoiled}")).unwrap();
        let said = shared().unwrap_err().to_string();
        assert!(
            said.contains(message) && said.contains("shared.jsonl line 2: "),
            "{said}\nwas to say: {message}"
        );
    }
    fs::File::create(&path).unwrap().set_len(8 << 30).unwrap();
    let said = shared().unwrap_err().to_string();
    assert!(said.contains("it has 8589934592 bytes"), "{said}");
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
    assert!(
        run.records.len() == 1 && run.remarks[0].contains("is incomplete (104857600 bytes"),
        "{:?}",
        run.remarks
    );
    file.write_all(b"\n").unwrap();
    let said = said(directory.path()).unwrap_err();
    assert!(said.contains("trials.jsonl line 2: ") && said.contains("more than 4194304 bytes"), "{said}");
}

#[test]
fn files_beyond_all_reason_are_not_read() {
    let directory = run_with(b"");
    for name in ["trials.jsonl", "plan.json", "host.json"] {
        let path = directory.path().join(name);
        let before = fs::read(&path).unwrap();
        // Sparse: it takes no space.
        fs::File::create(&path).unwrap().set_len(8 << 30).unwrap();
        let said = said(directory.path()).unwrap_err();
        assert!(said.contains(name) && said.contains("it has 8589934592 bytes"), "{said}");
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
            prop_assert!(said.contains(" line ") || said.contains("format version"), "{}", said);
        }
    }

    #[test]
    fn any_spoiled_plan_or_host_is_read_or_refused(of_plan in any::<bool>(), spoil in spoil()) {
        let directory = run_with(b"");
        let (name, text) = if of_plan { ("plan.json", PLAN) } else { ("host.json", HOST) };
        fs::write(directory.path().join(name), spoiled(text, &spoil)).unwrap();
        if let Err(said) = said(directory.path()) {
            prop_assert!(said.contains(name), "{}", said);
        }
    }
}
