//! The object workload through the whole program: files of the run's directory, buffered and direct.

use crate::laboratory;

use laboratory::trial::figure;
use laboratory::{Laboratory, text};
use model::trial::{TrialOutcome, TrialRecord};
use std::path::PathBuf;

/// Two clients, 40 operations on 20 objects of 10,000 bytes in four folders.
pub(crate) fn study(factors: &str, fixed: &str) -> String {
    format!(
        "question = \"Does it work on objects?\"\nworkload = \"object\"\nbaseline = {{}}\n[factors]\n{factors}\n\
         [fixed]\nobjects = 20\nobject_size = \"10000B\"\nprefixes = 2\nprefix_depth = 2\nlist_page = 3\nclients = 2\n\
         kept_objects = 8\noperations_max = 200\nruntime = \"0s\"\n{fixed}\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    )
}

const MIX: &str = "mix = \"get/30:get_range/10:put/20:stat/10:list/20:delete/10\"\nrange_size = \"4KiB\"";

/// Operations of one kind in the measured time, from its rate.
pub(crate) fn count(record: &TrialRecord, rate: &str) -> u64 {
    let phase = &record.measurement.as_ref().unwrap().phases[0];
    (figure(record, rate) * phase.duration_s).round() as u64
}

/// Every operation of the mix took place, all are counted once, and each has its latency.
pub(crate) fn assert_mixed(record: &TrialRecord, rates: &[&str]) {
    let phase = &record.measurement.as_ref().unwrap().phases[0];
    assert_eq!(phase.operations, 200, "{}", record.values);
    assert_eq!(count(record, "object_operations_per_s"), 200);
    let counts: Vec<u64> = rates.iter().map(|rate| count(record, rate)).collect();
    assert_eq!(counts.iter().sum::<u64>(), 200, "{}: {counts:?}", record.values);
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    let (first_us, whole_us) =
        (figure(record, "object_first_byte_latency_mean_us"), figure(record, "object_get_latency_mean_us"));
    assert!(first_us > 0.0 && whole_us > 0.0);
    assert!(figure(record, "failed_operations").abs() < f64::EPSILON);
    // Names of a folder: five objects in two pages.
    let names = count(record, "object_names_per_s");
    assert_eq!(names, 5 * count(record, "object_lists_per_s"));
}

#[test]
fn files_are_read_written_listed_and_removed_buffered_and_direct() {
    let lab = Laboratory::new();
    let factors = "io = [\"buffered\", \"direct\"]\nsync_puts = [\"false\", \"true\"]";
    let records = lab.measure(&study(factors, MIX));
    assert_eq!(records.len(), 4);
    for record in &records {
        match &record.outcome {
            TrialOutcome::Ok => {}
            TrialOutcome::Unsupported(why) if record.values.is("io", "direct") => {
                skip::because(why);
                continue;
            }
            other => panic!("{}: {other:?}", record.values),
        }
        let rates = [
            "object_gets_per_s",
            "object_ranges_per_s",
            "object_puts_per_s",
            "object_stats_per_s",
            "object_lists_per_s",
            "object_deletes_per_s",
        ];
        assert_mixed(record, &rates);
        let measurement = record.measurement.as_ref().unwrap();
        let [dataset] = &measurement.files[..] else { panic!("{:?}", measurement.files) };
        assert_eq!(dataset.size_bytes, 200_000);
        assert!(dataset.cached_share_before.value().is_some_and(|share| *share < 0.01), "{dataset:?}");
        assert!(record.metric("request_retries").unwrap().reason().is_some(), "files are not retried");
    }
    lab.assert_clean();
}

#[test]
fn sizes_popularity_and_arrivals_are_those_of_the_study() {
    let lab = Laboratory::new();
    let fixed = "popularity = \"zipf\"\nsize_distribution = \"log_normal\"\ncompressible = 50\nduplicates = 20\n\
                 rate_ops = 5000";
    let records = lab.measure(&study("mix = [\"get/100\", \"get/50:put/50\"]", fixed));
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
        let phase = &record.measurement.as_ref().unwrap().phases[0];
        assert_eq!(phase.operations, 200);
        assert!(figure(record, "bandwidth_bytes_per_s") > 0.0);
    }
    lab.assert_clean();
}

/// Objects of two classes of sizes: the record has both, and so has the report.
#[test]
fn latencies_are_recorded_and_reported_by_size() {
    let lab = Laboratory::new();
    let fixed = "mix = \"get/50:put/50\"\nsize_table = \"4KiB/50:20KiB/50\"";
    let records = lab.measure(&study("io = [\"buffered\"]", fixed));
    let [record] = &records[..] else { panic!("one trial") };
    assert_eq!(record.outcome, TrialOutcome::Ok);
    let classes = &record.measurement.as_ref().unwrap().phases[0].size_classes;
    for (operation, rate) in [("get", "object_gets_per_s"), ("put", "object_puts_per_s")] {
        let of: Vec<_> = classes.iter().filter(|class| class.operation == operation).collect();
        assert_eq!(
            of.iter().map(|class| class.bytes_max).collect::<Vec<_>>(),
            [Some(16 << 10), Some(128 << 10)]
        );
        assert_eq!(of.iter().map(|class| class.operations).sum::<u64>(), count(record, rate));
        assert!(of.iter().all(|class| class.mean_us > 0.0 && class.max_us >= class.mean_us));
    }
    let report = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["studies"][0]["sized_latencies"].as_array().unwrap().len(), 4);
    assert!(report["studies"][0]["costs"].is_null(), "nobody charges for files");
}

/// A checkpoint: several writers, files that are renamed when they are complete, read again cold.
#[test]
fn what_was_put_is_restored_cold_and_as_it_was_written() {
    let lab = Laboratory::new();
    let factors = "io = [\"buffered\", \"direct\"]\nrename_puts = [\"false\", \"true\"]";
    let fixed = "mix = \"multipart_put/100\"\npart_size = \"1MiB\"\nsync_puts = true\nrestore = true";
    let text = study(factors, fixed).replace("operations_max = 200", "operations_max = 6");
    let text = text.replace("object_size = \"10000B\"", "object_size = \"2500000B\"");
    let text = text.replace("objects = 20", "objects = 1");
    for record in &lab.measure(&text) {
        if let TrialOutcome::Unsupported(why) = &record.outcome {
            skip::because(why);
            continue;
        }
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
        let measurement = record.measurement.as_ref().unwrap();
        assert_eq!(measurement.durability, model::DurabilityClass::Power);
        let [puts, restore] = &measurement.phases[..] else { panic!("{:?}", measurement.phases) };
        assert_eq!((puts.operations, restore.operations), (6, 6));
        let bytes = |rate: &str, seconds: &str| (figure(record, rate) * figure(record, seconds)).round();
        let expected = 6.0 * 2_500_000.0;
        assert!((bytes("object_puts_bytes_per_s", "object_puts_seconds") - expected).abs() < 2.0);
        assert!((bytes("object_restore_bytes_per_s", "object_restore_seconds") - expected).abs() < 2.0);
        assert!(figure(record, "object_puts_seconds") <= puts.duration_s);
        assert!(figure(record, "object_restore_cached_share") < 0.01);
    }
    lab.assert_clean();
}

/// Direct reads leave nothing behind: such arms take turns.
#[test]
fn direct_readers_take_turns() {
    let lab = Laboratory::new();
    let fixed = "io = \"direct\"\nruntime = \"200ms\"\noperations_max = 0";
    let text =
        study("read_size = [\"4KiB\", \"8KiB\"]", "").replace("operations_max = 200\nruntime = \"0s\"\n", "");
    let text = text.replace("[profile", &format!("{fixed}\n[profile"));
    for record in &lab.measure_in_turns(&text) {
        if let TrialOutcome::Unsupported(why) = &record.outcome {
            skip::because(why);
            continue;
        }
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
        let phase = &record.measurement.as_ref().unwrap().phases[0];
        assert!(phase.turns.is_some() && phase.operations > 0);
    }
    lab.assert_clean();
}

/// A log of 200 operations in half a second, in each format.
fn logged(lab: &Laboratory) -> Vec<(TrialRecord, PathBuf)> {
    let fixed = format!("{MIX}\nlog_operations = 1000\nrate_ops = 200");
    let records = lab.measure(&study("log_format = [\"csv\", \"op_log\", \"warp\"]", &fixed));
    let path = |record: &TrialRecord| {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
        let log = record.measurement.as_ref().unwrap().operation_log.as_ref().unwrap();
        assert_eq!((log.operations, log.left_out), (200, 0));
        lab.run_directory().join(&log.name)
    };
    let with_path = |record: TrialRecord| {
        let path = path(&record);
        (record, path)
    };
    records.into_iter().map(with_path).collect()
}

/// What one run logs another one repeats, with the same bytes if the format has them.
#[test]
fn a_log_is_written_and_replayed_on_files_buffered_and_direct() {
    let lab = Laboratory::new();
    for (recorded, log) in logged(&lab) {
        let format = &recorded.values.get("log_format").unwrap().to_string();
        let again = Laboratory::new();
        let fixed = format!("replay = \"{}\"", log.display());
        for record in &again.measure(&study("io = [\"buffered\", \"direct\"]", &fixed)) {
            if let TrialOutcome::Unsupported(why) = &record.outcome {
                skip::because(why);
                continue;
            }
            assert_eq!(record.outcome, TrialOutcome::Ok, "{format} {}", record.values);
            assert_eq!(record.measurement.as_ref().unwrap().phases[0].operations, 200, "{format}");
            for bytes in ["object_read_bytes_per_s", "object_written_bytes_per_s"] {
                assert_eq!(count(record, bytes), count(&recorded, bytes), "{format} {bytes}");
            }
        }
    }
}

#[test]
fn a_replay_is_shown_beside_its_log() {
    let lab = Laboratory::new();
    let (_, log) = logged(&lab).remove(0);
    let again = Laboratory::new();
    let replay = format!("replay={}", log.display());
    let arguments = ["run", "object-replay", "--fix", &replay, "--fix", "io=buffered", "--rounds", "1"];
    let mut command = again.syncline(&arguments);
    let output = command.args(["--dir", "disk", "--out", "run", "--budget", "1h"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let report = again.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let replayed = report["studies"][0]["replayed"].as_array().unwrap();
    for metric in ["object_operations_per_s", "object_read_bytes_per_s", "object_puts_per_s"] {
        let of = replayed.iter().find(|of| of["metric"] == metric).unwrap_or_else(|| panic!("{replayed:#?}"));
        assert!(of["observed"].as_f64().unwrap() > 0.0 && of["replayed"]["point"].as_f64().unwrap() > 0.0);
        assert!((of["tolerance"].as_f64().unwrap() - 0.05).abs() < 1e-9);
    }
}

#[test]
fn a_replay_without_a_log_that_can_be_read_is_refused_before_the_first_trial() {
    let lab = Laboratory::new();
    let refused = |more: &[&str]| {
        let mut command = lab.syncline(&["run", "object-replay", "--dir", "disk", "--out", "run"]);
        let output = command.args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        text(&output)
    };
    assert!(refused(&[]).contains("replay=FILE"));
    std::fs::write(lab.path().join("log.csv.zst"), [0x28, 0xb5, 0x2f, 0xfd, 0, 0]).unwrap();
    assert!(refused(&["--fix", "replay=log.csv.zst"]).contains("the compressed log is damaged, or cut"));
    assert!(refused(&["--fix", "replay=nothing.csv"]).contains("nothing.csv"));
}

/// As sai3-bench and warp leave theirs.
#[test]
fn a_compressed_log_is_replayed_like_its_text() {
    let seed = "../hostile/seeds/operation_log/own.csv";
    let operations = |log: &str| -> Vec<u64> {
        let lab = Laboratory::new();
        let log = std::path::absolute(log).unwrap();
        let fixed = format!("replay = \"{}\"", log.display());
        let records = lab.measure(&study("io = [\"buffered\"]", &fixed));
        assert!(records.iter().all(|record| record.outcome == TrialOutcome::Ok), "{records:?}");
        records.iter().map(|record| record.measurement.as_ref().unwrap().phases[0].operations).collect()
    };
    let of_text = operations(seed);
    assert!(of_text.iter().all(|operations| *operations > 0));
    assert_eq!(operations(&format!("{seed}.zst")), of_text);
}
