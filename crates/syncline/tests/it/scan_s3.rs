//! The scan workload on S3 through the whole program, against a real server: objects prepared, read, deleted.

#![cfg(feature = "object-store")]

#[path = "../../../object/tests/it/gateway/mod.rs"]
mod gateway;
use crate::laboratory;

use gateway::{Fault, Gateway, Proxy, SECRET};
use laboratory::trial::figure;
use laboratory::{Laboratory, text};
use model::trial::Outcome;
use std::fs;
use std::path::Path;
use std::process::Command;

const STUDY: &str = r#"
question = "Does it read S3?"
workload = "scan"
baseline = { multipart = "false" }
[factors]
multipart = ["false", "true"]
[fixed]
target = "s3://data/set"
prepare = true
files = 4
file_size = "300KiB"
block_size = "100KiB"
range_size = "64KiB"
passes = 2
concurrency = 2
[profile.quick]
rounds = 1
warmup_rounds = 0
"#;

fn run(lab: &Laboratory, study: &str, address: &str) -> Command {
    fs::write(lab.path().join("s3.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "s3.toml", "--dir", "disk", "--out", "run"]);
    command.envs(Gateway::environment(address));
    command
}

/// Nothing below this path holds the secret.
fn assert_no_secret(path: &Path) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_no_secret(&path);
        } else {
            let bytes = fs::read(&path).unwrap();
            let holds = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
            assert!(!holds, "{} holds the secret", path.display());
        }
    }
}

fn objects(gateway: &Gateway) -> usize {
    let below = |path: &Path| fs::read_dir(path).map_or(0, |entries| entries.flatten().count());
    let prefixes = fs::read_dir(gateway.bucket().join("set")).into_iter().flatten().flatten();
    prefixes.map(|prefix| below(&prefix.path())).sum()
}

#[test]
fn prepared_objects_are_read_in_reads_and_in_ranges_and_deleted() {
    let Some(gateway) = Gateway::start() else { return };
    let lab = Laboratory::new();
    let output = run(&lab, STUDY, gateway.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let records = lab.records();
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!(record.outcome, Outcome::Ok);
        let phases = &record.measurement.as_ref().unwrap().phases;
        let reads = if record.values.flag("multipart") == Ok(true) { 5 } else { 3 };
        for phase in phases {
            assert_eq!(phase.operations, 4 * reads);
            assert_eq!(phase.metrics["pass_read_bytes"].value(), Some(&(4.0 * 300.0 * 1024.0)));
            assert!(
                phase.metrics["pass_hit_share"].reason().is_some(),
                "a store's cache is not ours to know"
            );
        }
        assert!(figure(record, "request_retries").abs() < f64::EPSILON);
    }
    assert_eq!(objects(&gateway), 0, "objects are left behind");
    lab.assert_clean();
    assert!(!text(&output).contains(SECRET));
    assert_no_secret(&lab.run_directory());
}

/// A retry is in the record: its time is in the figures, and nobody can take it for the store's usual speed.
#[test]
fn retries_are_counted_and_said_in_the_record() {
    let Some(gateway) = Gateway::start() else { return };
    let proxy = Proxy::before(&gateway);
    fs::create_dir(gateway.bucket().join("theirs")).unwrap();
    fs::write(gateway.bucket().join("theirs/object"), vec![1; 100_000]).unwrap();
    let lab = Laboratory::new();
    let study = STUDY.replace("s3://data/set", "s3://data/theirs").replace("prepare = true", "");
    let study = study.replace("concurrency = 2", "concurrency = 1").replace("files = 4", "files = 1");
    proxy.inject(&[Fault::SlowDown, Fault::Reset]);
    let output = run(&lab, &study, proxy.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let records = lab.records();
    let retries: f64 = records.iter().map(|record| figure(record, "request_retries")).sum();
    assert!((retries - 2.0).abs() < f64::EPSILON, "{retries}");
    let notes = &records[0].measurement.as_ref().unwrap().notes;
    assert!(notes.iter().any(|note| note.starts_with("2 requests were retried: ")), "{notes:?}");
    assert!(gateway.bucket().join("theirs/object").exists(), "what is not ours stays");
}

#[test]
fn a_read_that_fails_in_the_end_fails_its_trial() {
    let Some(gateway) = Gateway::start() else { return };
    let proxy = Proxy::before(&gateway);
    fs::write(gateway.bucket().join("object"), vec![1; 100_000]).unwrap();
    let lab = Laboratory::new();
    let study = STUDY.replace("s3://data/set", "s3://data").replace("prepare = true", "");
    let study = study.replace("concurrency = 2", "concurrency = 1").replace("files = 4", "files = 1");
    proxy.inject(&[Fault::Skewed]);
    let output = run(&lab, &study, proxy.address()).output().unwrap();
    let records = lab.records();
    let failed = records.iter().filter_map(|record| match &record.outcome {
        Outcome::Failed(why) => Some(why),
        _ => None,
    });
    let failed: Vec<&String> = failed.collect();
    assert_eq!(failed.len(), 1, "{}", text(&output));
    assert!(failed[0].contains("s3://data/object") && failed[0].contains("clock"), "{}", failed[0]);
}

#[test]
fn what_is_wrong_with_a_bucket_is_said_before_the_first_trial() {
    let Some(gateway) = Gateway::start() else { return };
    for (target, secret, message) in [
        ("s3://nothing/set", SECRET, "the bucket does not exist"),
        ("s3://data/set", "wrong-and-never-to-be-seen", "does not accept the credentials"),
    ] {
        let lab = Laboratory::new();
        let mut command = run(&lab, &STUDY.replace("s3://data/set", target), gateway.address());
        command.env("AWS_SECRET_ACCESS_KEY", secret);
        assert!(!text(&command.output().unwrap()).contains(secret));
        laboratory::refuses(&lab, &mut command, 2, message);
    }
}
