//! Records that somebody spoiled: one sentence with file and line, no panic, and no more memory than the limits say.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lab::run_directory::{RunError, read, read_sidecar};
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

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    for (spoiled, message) in [
        (LINE.replace("\"round\":0", "\"round\":-1"), "invalid value: integer `-1`"),
        (LINE.replace("\"round\":0", "\"round\":4294967296"), "invalid value: integer `4294967296`"),
        (LINE.replace("2.0", "1e999"), "number out of range"),
        (LINE.replace("2.0", "NaN"), "expected value"),
        (LINE.replace("\"4KiB\"", &deep), "recursion limit exceeded at column"),
        (LINE.replace("2.0", &deep), "invalid type: sequence, expected f64 at column"),
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

#[test]
fn a_line_of_a_hundred_megabytes_is_passed_over() {
    let directory = run_with(format!("{LINE}\n").as_bytes());
    let path = directory.path().join("trials.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let block = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| file.write_all(&block).unwrap());
    // Without its end it is torn, whatever its length.
    let run = read(directory.path()).unwrap();
    assert!(run.records.len() == 1 && run.remarks[0].contains("torn (104857600 bytes"), "{:?}", run.remarks);
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
    assert!(said(directory.path()).unwrap_err().contains("plan.json: cannot read: "), "it is there");
    fs::rename(directory.path().join("kept"), directory.path().join("plan.json")).unwrap();
    fs::remove_file(directory.path().join("trials.jsonl")).unwrap();
    fs::create_dir(directory.path().join("trials.jsonl")).unwrap();
    assert!(said(directory.path()).unwrap_err().contains("it is no regular file"));
    fs::remove_file(directory.path().join("host.json")).unwrap();
    assert!(matches!(read(directory.path()), Err(RunError::Io { .. })), "half a run");
}

#[test]
fn a_trial_that_repeats_a_thousand_times_is_one_remark() {
    let run = read(run_with(format!("{LINE}\n").repeat(1000).as_bytes()).path()).unwrap();
    assert_eq!(run.records.len(), 1);
    assert_eq!(
        run.remarks,
        ["trials.jsonl line 2 repeats a trial that is recorded already; it is left out, and so do 998 more"]
    );
}

#[test]
fn a_study_cannot_name_a_sidecar_elsewhere() {
    let directory = run_with(b"");
    let sidecar = r#"{"histograms":{},"interval_s":0.1,"series":{}}"#;
    fs::create_dir(directory.path().join("sidecars")).unwrap();
    let key =
        |study: &str| TrialKey { study: study.to_owned(), round: 0, configuration: 0, duplicate: false };
    for place in ["sidecars/one-r000-c000.json", "one-r000-c000.json"] {
        fs::write(directory.path().join(place), sidecar).unwrap();
    }
    assert!(read_sidecar(directory.path(), &key("one")).is_some());
    assert!(read_sidecar(directory.path(), &key("../one")).is_none());
    assert!(
        read_sidecar(directory.path(), &key(&directory.path().join("one").display().to_string())).is_none()
    );
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
