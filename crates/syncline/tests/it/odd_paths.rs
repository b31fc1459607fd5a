//! A path is bytes: a `--dir` that is not UTF-8 is measured like any other.

use crate::laboratory::{ENGINE_ARMS, Laboratory, WITHOUT_WAITING, text};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// The worker's answer was "EOF while parsing a value at line 1 column 0".
#[test]
fn a_directory_that_is_not_utf_8_is_measured_and_resumed() {
    let lab = Laboratory::new();
    let odd = lab.path().join(OsStr::from_bytes(b"odd-\xff\n"));
    fs::create_dir(&odd).unwrap();
    let mut command =
        lab.syncline(&["run", "tiny.toml", "--out", "run", "--rounds", "1", "--interleave", "off", "--dir"]);
    let output = command.arg(&odd).args(WITHOUT_WAITING).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let plan: serde_json::Value =
        serde_json::from_slice(&fs::read(lab.run_directory().join("plan.json")).unwrap()).unwrap();
    let bytes = plan["directory"]["bytes"].as_str().unwrap();
    assert!(bytes.ends_with("6f64642dff0a"), "{bytes}");
    // The plan alone says where to go on.
    let trials = lab.run_directory().join("trials.jsonl");
    let lines = fs::read_to_string(&trials).unwrap();
    fs::write(&trials, lines.split_inclusive('\n').take(2).collect::<String>()).unwrap();
    let output = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_eq!(lab.trials(), lines.lines().count());
    assert_eq!(fs::read_dir(&odd).unwrap().count(), 0, "something was left behind");
}

#[test]
fn every_engine_finds_its_store_below_such_a_directory() {
    let lab = Laboratory::new();
    let odd = lab.path().join(OsStr::from_bytes(b"odd-\xff"));
    fs::create_dir(&odd).unwrap();
    let study = format!(
        "workload = \"append\"\nbaseline = {{ arm = \"sqlite\" }}\n[fixed]\nentries = 200\n{ENGINE_ARMS}\
         [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    );
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "study.toml", "--out", "run", "--dir"]);
    let output = command.arg(&odd).args(WITHOUT_WAITING).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    for record in lab.records() {
        assert_eq!(record.outcome, model::trial::TrialOutcome::Ok, "{record:?}");
    }
    let names: Vec<_> = fs::read_dir(lab.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let beside = names.iter().filter(|name| name.as_bytes().starts_with(b"odd-")).count();
    assert_eq!(beside, 1, "a store was made beside the directory: {names:?}");
}
