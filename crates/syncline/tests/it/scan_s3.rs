//! The scan workload on S3 through the whole program, against a real server: objects prepared, read, deleted.

#![cfg(feature = "object-store")]

#[path = "../../../dataset/tests/it/gateway/mod.rs"]
pub(crate) mod gateway;
use crate::laboratory;

use disk::work_directory::WorkDirectory;
use gateway::{Fault, Gateway, Proxy, SECRET};
use laboratory::trial::figure;
use laboratory::{Laboratory, assert_line, text};
use model::host::Placement;
use model::trial::{TrialOutcome, TrialSpec, WorkerReply, WorkerRequest};
use model::turns::{Turn, TurnOrder};
use model::{FORMAT_VERSION, Value};
use serde::Serialize;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use workload::scan::SCHEMA;

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
        assert_eq!(record.outcome, TrialOutcome::Ok);
        let measured = record.measurement.as_ref().unwrap();
        assert_eq!(measured.placement, Placement::in_object_store(), "the local disk has no part in it");
        assert!(measured.quiesce_s == 0.0, "nor is it waited for");
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

fn worker(lab: &Laboratory, gateway: &Gateway, request: &WorkerRequest) -> Child {
    let mut command = lab.syncline(&["worker"]);
    command.envs(Gateway::environment(gateway.address())).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    tell(&mut child, request);
    child
}

fn tell(worker: &mut Child, message: &impl Serialize) {
    let line = serde_json::to_string(message).unwrap() + "\n";
    worker.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
}

/// The ranks of a shared run begin a pass together: until then none of them reads.
#[test]
fn a_worker_that_is_told_when_to_begin_reads_each_pass_in_one_whole_turn() {
    let Some(gateway) = Gateway::start() else { return };
    let set = gateway.bucket().join("set");
    fs::create_dir(&set).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(set.join(name), vec![1; 300_000]).unwrap();
    }
    let lab = Laboratory::new();
    let work = WorkDirectory::create(&lab.disk()).unwrap();
    let mut configuration = SCHEMA.defaults();
    let levels = [
        ("target", Value::Name("s3://data/set".to_owned())),
        ("files", Value::Count(3)),
        ("file_size", Value::Bytes(300_000)),
        ("block_size", Value::Bytes(100_000)),
        ("passes", Value::Count(2)),
        ("concurrency", Value::Count(2)),
    ];
    configuration.0.extend(levels.map(|(name, level)| (name.to_owned(), level)));
    let spec = TrialSpec {
        format_version: FORMAT_VERSION,
        workload: "scan".to_owned(),
        configuration,
        seed: 1,
        work_directory: work.path().to_owned(),
        placement_round: None,
        image_bytes: 0,
        memory_group: None,
        io_group: None,
        parent_process: std::process::id(),
        quiesce_max_s: None,
        server: None,
        other_work_directory: None,
        seat: None,
        takes_turns: true,
        is_traced: false,
        has_whole_turns: false,
        rank: 0,
    };
    let prepared = worker(&lab, &gateway, &WorkerRequest::Prepare(spec.clone())).wait_with_output().unwrap();
    let reply: WorkerReply = serde_json::from_slice(&prepared.stdout).unwrap();
    assert!(matches!(reply, WorkerReply::Prepared { .. }), "{reply:?}");
    let mut child = worker(&lab, &gateway, &WorkerRequest::Trial(spec));
    let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut hear = || -> WorkerReply { serde_json::from_str(&replies.next().unwrap().unwrap()).unwrap() };
    for pass in ["pass_1", "pass_2"] {
        let waiting = hear();
        assert!(matches!(&waiting, WorkerReply::Waiting { phase } if phase == pass), "{waiting:?}");
        tell(&mut child, &TurnOrder::Turn(Turn::WHOLE));
        let turned = hear();
        let WorkerReply::Turned(slice) = turned else { panic!("{turned:?}") };
        assert!(slice.is_over && slice.began_s > 0.0 && slice.window_s > 0.0, "{slice:?}");
        assert_eq!(slice.quarters.iter().sum::<u64>(), 9);
        assert_eq!(slice.progress.unwrap().operations.iter().sum::<u64>(), 9);
        tell(&mut child, &TurnOrder::End);
    }
    let measured = hear();
    let WorkerReply::Measured(measurement) = measured else { panic!("{measured:?}") };
    for phase in &measurement.phases {
        assert_eq!(phase.operations, 9);
        assert_eq!(phase.metrics["pass_read_bytes"].value(), Some(&900_000.0));
        assert_eq!(phase.turns.as_ref().map(|turns| (turns.slices, turns.operations)), Some((1, 9)));
    }
    assert!(child.wait().unwrap().success());
    work.remove().unwrap();
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
        TrialOutcome::Failed(why) => Some(why),
        _ => None,
    });
    let failed: Vec<&String> = failed.collect();
    assert_eq!(failed.len(), 1, "{}", text(&output));
    assert_line(
        failed[0],
        "pass 1: s3://data/object: read of [..] bytes at offset [..] of file 0: this machine's clock is too far from the store's: set it (NTP), signatures depend on it (RequestTimeTooSkewed)",
    );
}

#[test]
fn what_is_wrong_with_a_bucket_is_said_before_the_first_trial() {
    let Some(gateway) = Gateway::start() else { return };
    for (target, secret, message) in [
        (
            "s3://nothing/set",
            SECRET,
            "study s3: s3://nothing/set/: cannot list the objects: the bucket does not exist: check its name in target, or create it (NoSuchBucket)",
        ),
        (
            "s3://data/set",
            "wrong-and-never-to-be-seen",
            "study s3: s3://data/set/: cannot list the objects: the store does not accept the credentials: check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN (SignatureDoesNotMatch)",
        ),
    ] {
        let lab = Laboratory::new();
        let mut command = run(&lab, &STUDY.replace("s3://data/set", target), gateway.address());
        command.env("AWS_SECRET_ACCESS_KEY", secret);
        assert!(!text(&command.output().unwrap()).contains(secret));
        laboratory::refuses(&lab, &mut command, 2, message);
    }
}
