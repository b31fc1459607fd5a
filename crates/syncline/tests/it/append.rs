//! The append workload through the whole program on the real disk: files and engines at their durability levels.

use crate::laboratory;

use laboratory::trial::{figure, moved_and_expected};
use laboratory::{Laboratory, WITHOUT_WAITING, assert_line, prints, refuses, text};
use model::description::Direction;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::trial::{TrialOutcome, TrialRecord};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const ENTRIES: f64 = 2000.0;

const ARMS: &str = r#"
question = "Does every arm append?"
workload = "append"
baseline = { arm = "pwrite" }
[fixed]
entries = 2000
[[arm]]
name = "user_buffer"
buffer_size = "4KiB"
[[arm]]
name = "pwrite"
[[arm]]
name = "seed"
writes_per_entry = 2
values = "constant"
[[arm]]
name = "sync_at_end"
durability = "sync_at_end"
[[arm]]
name = "fdatasync"
durability = "fdatasync"
runtime = "50ms"
[[arm]]
name = "o_dsync"
durability = "o_dsync"
runtime = "50ms"
[[arm]]
name = "fjall"
engine = "fjall"
durability = "buffer"
threads = 2
[[arm]]
name = "lmdb"
engine = "lmdb"
durability = "nosync"
[[arm]]
name = "redb"
engine = "redb"
durability = "immediate"
runtime = "50ms"
[[arm]]
name = "sqlite"
engine = "sqlite"
durability = "full"
runtime = "50ms"
[[arm]]
name = "memory"
engine = "memory"
[profile.quick]
rounds = 1
warmup_rounds = 0
"#;

#[test]
fn every_arm_appends_declares_its_class_and_tells_what_is_exposed() {
    let lab = Laboratory::new();
    let started = Instant::now();
    let records = lab.measure(ARMS);
    let took = started.elapsed();
    assert_eq!(records.len(), 11);
    for record in &records {
        let arm = record.values.text("arm").unwrap();
        assert_eq!(record.outcome, TrialOutcome::Ok, "{arm}");
        let measurement = record.measurement.as_ref().unwrap();
        let phase = &measurement.phases[0];
        let class = match arm.as_str() {
            "user_buffer" | "memory" => DurabilityClass::None,
            "fdatasync" | "o_dsync" | "redb" | "sqlite" => DurabilityClass::Power,
            _ => DurabilityClass::Process,
        };
        assert_eq!(measurement.durability, class, "{arm}");
        assert!(phase.operations > 0 && phase.operations as f64 <= ENTRIES, "{arm}: {}", phase.operations);
        let rate = figure(record, "entries_per_s");
        let acknowledged = rate * phase.duration_s;
        assert!((acknowledged - phase.operations as f64).abs() < 0.5, "{arm}: {acknowledged} entries");
        assert!((figure(record, "user_bytes_per_s") / rate - 116.0).abs() < 1e-6, "{arm}");
        assert!(figure(record, "instrument_overhead_ns") > 0.0, "{arm}");
        if let "user_buffer" | "pwrite" | "seed" | "sync_at_end" = arm.as_str() {
            // With a buffer of 4 KiB the dry run expected 35 times as many.
            let (written, expected) = moved_and_expected(record, "append", Direction::Write);
            assert_eq!((written, expected), (2000 * 116, 2000 * 116), "{arm}");
        }
        check_kill(record, &arm, class);
        check_exposure(record, &arm, phase.operations, took);
    }
    // Any one may be met by a sync of the whole file system: other laboratories make them before each trial.
    let unsynced = |record: &&TrialRecord| {
        let arm = record.values.text("arm").unwrap();
        matches!(arm.as_str(), "pwrite" | "user_buffer" | "seed")
    };
    let most = |record: &TrialRecord| record.metric("exposed_bytes_max").unwrap().clone();
    let told: Vec<Measured<f64>> = records.iter().filter(unsynced).map(most).collect();
    let exposed = |most: &Measured<f64>| most.value().is_none_or(|bytes| *bytes > 0.0);
    assert!(told.len() == 3 && told.iter().any(exposed), "nobody synced: {told:?}");
}

/// A process is killed while it appends: what is lost must fit the class that the arm declares.
fn check_kill(record: &TrialRecord, arm: &str, class: DurabilityClass) {
    if arm == "memory" {
        assert!(record.metric("lost_after_kill").unwrap().reason().is_some(), "{arm} has nothing to reopen");
        return;
    }
    // The kill alone comes 5 ms after the first acknowledgement or later.
    assert!(record.measurement.as_ref().unwrap().aftermath_s > 0.005, "{arm}");
    let lost = figure(record, "lost_after_kill");
    match class {
        // Up to a whole buffer of it.
        DurabilityClass::None => assert!((0.0..4096.0 / 116.0).contains(&lost), "{arm} lost {lost}"),
        DurabilityClass::Process | DurabilityClass::Power => assert!(lost == 0.0, "{arm} lost {lost}"),
    }
}

/// Nothing is exposed that was not acknowledged, and what an arm leaves in memory is.
fn check_exposure(record: &TrialRecord, arm: &str, entries: u64, took: Duration) {
    let most = record.metric("exposed_bytes_max").unwrap();
    if arm == "memory" {
        assert_line(most.reason().unwrap(), "memory has no files: all that it holds dies with the process");
        return;
    }
    if most.reason().is_some_and(|why| why.contains("cachestat")) {
        skip::because(format_args!("{arm}: {most:?}"));
        return;
    }
    let most = figure(record, "exposed_bytes_max");
    assert!(most <= (entries * 116) as f64, "{arm}: {most} bytes");
    // For an arm that is done with its entries in a few milliseconds there is no mean.
    match record.metric("exposed_bytes_mean").unwrap() {
        Measured::Value(mean) => assert!(*mean <= most, "{arm}: {mean} of {most} bytes"),
        Measured::Unsupported { unsupported } => {
            assert_line(
                unsupported,
                "the trial was over after [..] looks at its files, and a mean needs 8: take more entries",
            );
        }
    }
    // Whatever the disk: a trial's part is no longer than the run.
    let drain_s = figure(record, "exposed_drain_s");
    assert!((0.0..took.as_secs_f64()).contains(&drain_s), "{arm}: {drain_s} s of {took:?}");
}

#[test]
fn a_level_that_is_not_there_is_said_before_the_run() {
    let lab = Laboratory::new();
    let study = |arm: &str| format!("workload = \"append\"\n[factors]\nentries = [10]\n[fixed]\n{arm}\n");
    let refused = |arm: &str, message: &str| {
        fs::write(lab.path().join("wrong.toml"), study(arm)).unwrap();
        let mut run = lab.syncline(&["run", "wrong.toml", "--dir", "disk", "--out", "run"]);
        refuses(&lab, &mut run, 2, message);
    };
    refused(
        "engine = \"sqlite\"\ndurability = \"ful\"",
        "study wrong: unknown durability of engine = sqlite \"ful\"; did you mean \"full\"?",
    );
    refused(
        "engine = \"fjall\"\ndurability = \"wal\"",
        "study wrong: unknown durability of engine = fjall \"wal\"; there are: manual, buffer, syncdata, syncall, default",
    );
}

#[test]
fn the_arms_of_a_study_can_be_chosen() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("arms.toml"), ARMS).unwrap();
    let run = |arms: &str| {
        lab.syncline(&["run", "arms.toml", "--dir", "disk", "--out", "run", "--vary", arms])
            .args(WITHOUT_WAITING)
            .output()
            .unwrap()
    };
    let output = run("arm=pwrit");
    prints(&lab, &output, "syncline: study arms: unknown arm \"pwrit\"; did you mean \"pwrite\"?");
    run("arm=pwrite,memory");
    assert_eq!(lab.records().len(), 2);
}

/// One arm of many that this machine cannot do is a result; a study of nothing else is refused.
#[test]
fn without_io_uring_the_arm_that_needs_it_is_unsupported() {
    let lab = Laboratory::new();
    let example =
        Path::new(env!("CARGO_BIN_EXE_syncline")).with_file_name("examples").join("without_io_uring");
    if !example.exists() {
        skip::because("the example without_io_uring is not built (cargo test --workspace builds it)");
        return;
    }
    let arms = "question = \"?\"\nworkload = \"append\"\nbaseline = { arm = \"pwrite\" }\n[fixed]\nentries = 10\n\
                [[arm]]\nname = \"pwrite\"\n[[arm]]\nname = \"ring\"\nioengine = \"uring\"\niodepth = 4\n\
                [[ask]]\ncompare = \"arm\"\non = [\"entries_per_s\"]\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    fs::write(lab.path().join("ring.toml"), arms).unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(&example);
        command.arg(env!("CARGO_BIN_EXE_syncline"));
        command.args(["run", "ring.toml", "--dir", "disk", "--out", "run"]);
        command.args(more).current_dir(lab.path());
        command
    };
    refuses(
        &lab,
        &mut run(&["--vary", "arm=ring"]),
        1,
        "study ring: it needs io_uring, which this machine lacks: io_uring: this kernel has no io_uring, or seccomp hides it (Function not implemented (os error 38)); use ioengine = psync; psync cannot replace it: ioengine = psync has one write in flight, but iodepth is 4: set iodepth = 1 or ioengine = uring",
    );
    let output = run(&[]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    prints(
        &lab,
        &output,
        "study ring: no io_uring here (io_uring: this kernel has no io_uring, or seccomp hides it (Function not implemented (os error 38)); use ioengine = psync); 1 of 2 configurations are recorded as unsupported",
    );
    let records = lab.records();
    let of = |arm: &str| &records.iter().find(|record| record.values.is("arm", arm)).unwrap().outcome;
    let TrialOutcome::Unsupported(why) = of("ring") else { panic!("{:?}", of("ring")) };
    assert_line(
        why,
        "io_uring: this kernel has no io_uring, or seccomp hides it (Function not implemented (os error 38)); use ioengine = psync",
    );
    assert_eq!(*of("pwrite"), TrialOutcome::Ok);
    lab.assert_clean();
}

/// Page 003 called RocksDB with `manual_wal_flush` durable: what it acknowledges is in its own memory.
#[test]
fn a_kill_takes_what_manual_wal_flush_acknowledged_and_nothing_of_the_default() {
    if cfg!(not(feature = "rocksdb")) {
        skip::because("built without the feature rocksdb");
        return;
    }
    let lab = Laboratory::new();
    let records = lab.measure(
        "question = \"?\"\nworkload = \"append\"\nbaseline = { arm = \"wal\" }\n[fixed]\nengine = \"rocksdb\"\n\
         entries = 1000\n[[arm]]\nname = \"wal\"\ndurability = \"wal\"\n[[arm]]\nname = \"manual\"\n\
         durability = \"manual_wal_flush\"\n[[ask]]\ncompare = \"arm\"\non = [\"entries_per_s\"]\n\
         [profile.quick]\nrounds = 3\nwarmup_rounds = 0\n",
    );
    let lost = |arm: &str| -> Vec<f64> {
        let of_arm = records.iter().filter(|record| record.values.is("arm", arm));
        of_arm.map(|record| figure(record, "lost_after_kill")).collect()
    };
    // Three kills of each at least: the buffer may have been written the moment before one of them, not before all.
    assert!(lost("wal").len() >= 3 && lost("wal").iter().all(|lost| *lost == 0.0), "{:?}", lost("wal"));
    assert!(lost("manual").iter().any(|lost| *lost > 0.0), "{:?}", lost("manual"));
    let class = |arm: &str| {
        let record = records.iter().find(|record| record.values.is("arm", arm)).unwrap();
        record.measurement.as_ref().unwrap().durability
    };
    assert_eq!((class("wal"), class("manual")), (DurabilityClass::Process, DurabilityClass::None));
}

#[test]
fn page_003s_flaws_are_flagged_in_its_profile_and_not_in_the_default() {
    let lab = Laboratory::new();
    let audits = |profile: &str, arms: &str| -> Value {
        let output = lab
            .syncline(&[
                "run",
                "append",
                "--profile",
                profile,
                "--dir",
                "disk",
                "--out",
                profile,
                "--rounds",
                "1",
            ])
            .args(["--vary", "entries=500", "--vary", "key_order=sequential", "--vary", arms])
            .args(["--fix", "runtime=20ms"])
            .args(WITHOUT_WAITING)
            .output()
            .unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
        lab.assert_clean();
        let output = lab.syncline(&["report", profile, "--format", "json"]).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["studies"][0].take()
    };
    let status = |study: &Value, name: &str| -> String {
        let audit = study["audits"].as_array().unwrap().iter().find(|audit| audit["name"] == name);
        audit.unwrap()["status"].as_str().unwrap().to_owned()
    };
    let seed = audits("seed", "arm=user_buffer_64k,pwrite,pwrite_two_calls,fdatasync");
    let classes = |study: &Value| -> Vec<String> {
        let promises = study["promises"].as_array().unwrap().iter();
        promises.map(|promise| promise["class"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(classes(&seed), ["none", "process", "power"]);
    assert_eq!(status(&seed, "same-knobs"), "warn");
    // What the audit compressible-data makes of it is the disk's to say: a device may handle zeros no faster.
    assert!(lab.records_of("seed").iter().all(|record| record.values.is("values", "constant")), "{seed:#}");
    let default = audits("quick", "arm=user_buffer_64k,pwrite,fdatasync,lmdb_sync");
    assert_eq!(classes(&default), ["none", "process", "power"]);
    assert_eq!(status(&default, "same-knobs"), "pass");
    assert!(lab.records_of("quick").iter().all(|record| record.values.is("values", "random")), "{default:#}");
}
