//! Syncline's own store as a subject of the kv workload: its reads in flight, its settings, and the studies that have
//! it.

use crate::laboratory;

use laboratory::trial::figure;
use laboratory::{Laboratory, WITHOUT_WAITING, assert_line, text};
use model::description::LogWrites;
use model::plan::Plan;
use model::trial::{TrialOutcome, TrialRecord};
use std::fs;

/// Far fewer keys and less time than the profiles have.
const SMALL: [&str; 6] = ["--rounds", "1", "--fix", "keys=2000", "--fix", "phase_runtime=20ms"];

/// The records of a built-in study in one small round.
fn small(lab: &Laboratory, study: &[&str]) -> Vec<TrialRecord> {
    let arguments = [&["run"], study, &SMALL, &WITHOUT_WAITING, &["--dir", "disk", "--out", "run"]].concat();
    let output = lab.syncline(&arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    lab.records()
}

/// With eight gets at once a thread reads the same keys as with one at a time.
#[test]
fn gets_that_are_handed_over_together_are_read_together() {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\niodepth = [1, 8]\nengine = [\"store\", \"fjall\"]\n[fixed]\nkeys = 20000\n\
                 durability = \"process\"\nthreads = 2\nreads = 2001\nwrite_buffer_size = \"1MiB\"\nphase_runtime = \"0s\"\n\
                 [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    for record in lab.measure(study) {
        let (engine, depth) =
            (record.values.text("engine").unwrap(), record.values.count("iodepth").unwrap());
        if (engine.as_str(), depth) == ("fjall", 8) {
            let TrialOutcome::Unsupported(why) = &record.outcome else { panic!("{record:?}") };
            assert_line(why, "fjall: a thread has one read in flight in this engine: more threads have more");
            continue;
        }
        assert_eq!(record.outcome, TrialOutcome::Ok, "{engine} {depth}");
        let phases = &record.measurement.as_ref().unwrap().phases;
        assert!(phases[1..].iter().all(|phase| phase.operations == 2001), "{engine} {depth}");
        assert!(figure(&record, "hit_latency_mean_us") > 0.0);
    }
}

/// A misspelt setting must not measure the default.
#[test]
fn a_setting_that_the_store_does_not_have_fails_the_trial_with_its_name() {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nsettings = [\"log.layout = append\", \"log.lay = append\"]\n[fixed]\n\
                 engine = \"store\"\nkeys = 100\nreads = 10\nphase_runtime = \"0s\"\n\
                 [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    for record in lab.measure(study) {
        match &record.outcome {
            TrialOutcome::Ok => assert!(record.values.is("settings", "log.layout = append"), "{record:?}"),
            TrialOutcome::Failed(why) => {
                assert!(record.values.is("settings", "log.lay = append"), "{record:?}");
                assert_line(
                    why,
                    "phase open: store: log.lay = append: unknown option \"log.lay\"; there are: [..]",
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Page 001's table: each engine direct and buffered, if it has both, with as many reads in flight and as much cache.
/// The store's log is mapped and the others' are written, which the audit names; before, it passed.
#[test]
fn the_hedge_profile_names_what_its_engines_do_not_have_alike() {
    let lab = Laboratory::new();
    let rehearsal =
        lab.syncline(&["run", "kv", "--profile", "hedge", "--dry-run", "--dir", "disk"]).output().unwrap();
    assert!(rehearsal.status.success(), "{}", text(&rehearsal));
    let records = small(&lab, &["kv", "--profile", "hedge"]);
    let built_in = if cfg!(feature = "rocksdb") { 2 } else { 1 };
    // Direct and buffered of each, buffered fjall, and the like-for-like rows.
    assert_eq!(records.len(), 2 * built_in + 1 + built_in);
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
        assert!(figure(record, "load_and_drain_operations_per_s") > 0.0);
    }
    let plan: Plan =
        serde_json::from_str(&fs::read_to_string(lab.run_directory().join("plan.json")).unwrap()).unwrap();
    let uses: Vec<_> = plan.studies[0]
        .descriptions
        .iter()
        .map(|description| description.engine_use.clone().unwrap())
        .collect();
    assert!(
        uses.iter().all(|used| [2, 8].contains(&used.reads_in_flight) && used.cache_bytes == Some(8 << 20)),
        "{uses:?}"
    );
    for used in &uses {
        let is_usual_store = used.engine == "store" && used.reads_in_flight == 8;
        let log = if is_usual_store { LogWrites::Mapped } else { LogWrites::Written };
        assert_eq!(used.log, Some(log), "{used:?}");
    }
    assert_same_knobs(&lab, "warn");
}

#[test]
fn the_default_comparison_uses_engines_alike_but_for_their_logs() {
    let lab = Laboratory::new();
    let records = small(&lab, &["kv"]);
    assert!(records.iter().all(|record| record.outcome == TrialOutcome::Ok), "{records:?}");
    let engines = if cfg!(feature = "rocksdb") { 4 } else { 3 };
    assert_eq!(records.len(), engines);
    assert_same_knobs(&lab, "warn");
}

/// The patterns of db_bench in one trial of each engine, and what the writers do is not in the rate of the readers.
#[test]
fn the_study_db_bench_measures_its_four_patterns() {
    let lab = Laboratory::new();
    let records = small(&lab, &["db-bench"]);
    let engines = if cfg!(feature = "rocksdb") { 4 } else { 3 };
    assert_eq!(records.len(), engines);
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
        let phases = &record.measurement.as_ref().unwrap().phases;
        let names: Vec<&str> = phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["load", "read_hit", "scan", "read_while_writing"]);
        assert!(figure(record, "load_operations_per_s") > 0.0);
        for (phase, rate) in [("read_hit", "hit_operations_per_s"), ("scan", "scan_operations_per_s")] {
            assert!(record.metric_of(phase, rate).is_some(), "{phase}");
        }
        let beside = &phases[3];
        let per_s = ["read_while_writing_operations_per_s", "write_while_reading_operations_per_s"]
            .map(|rate| *record.metric_of("read_while_writing", rate).unwrap().value().unwrap());
        let operations = per_s.iter().sum::<f64>() * beside.duration_s;
        assert!((operations - beside.operations as f64).abs() < 0.5, "{operations} {}", beside.operations);
    }
    assert_same_knobs(&lab, "warn");
}

/// One thread more of one engine, and one durability class less: the ranking is withheld, with the reason.
#[test]
fn engines_that_are_not_used_alike_are_not_ranked() {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\nbaseline = { arm = \"store\" }\n[fixed]\nkeys = 500\nreads = 100\nphase_runtime = \"0s\"\n\
                 durability = \"process\"\n[[arm]]\nname = \"store\"\nengine = \"store\"\niodepth = 16\n\
                 [[arm]]\nname = \"fjall\"\nengine = \"fjall\"\n[[ask]]\ncompare = \"arm\"\n\
                 on = [\"load_operations_per_s\", \"hit_operations_per_s\"]\n\
                 [profile.quick]\nrounds = 2\nwarmup_rounds = 0\n";
    lab.measure(study);
    assert_same_knobs(&lab, "fail");
    let plan: Plan =
        serde_json::from_str(&fs::read_to_string(lab.run_directory().join("plan.json")).unwrap()).unwrap();
    let descriptions = plan.studies[0].descriptions.iter();
    let in_flight: Vec<u64> =
        descriptions.map(|description| description.engine_use.as_ref().unwrap().reads_in_flight).collect();
    assert_eq!(in_flight, [16, 1]);
}

#[track_caller]
fn assert_same_knobs(lab: &Laboratory, status: &str) {
    let output = lab.syncline(&["audit", "run", "--format", "json"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let audits: serde_json::Value =
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {}", text(&output)));
    let found = find(&audits, "same-knobs").unwrap_or_else(|| panic!("{said}"));
    assert_eq!(found["status"], status, "{found}");
}

/// The audit of this name, wherever it is.
fn find<'a>(value: &'a serde_json::Value, name: &str) -> Option<&'a serde_json::Value> {
    match value {
        serde_json::Value::Object(fields) if value["name"] == name && fields.contains_key("status") => {
            Some(value)
        }
        serde_json::Value::Object(fields) => fields.values().find_map(|field| find(field, name)),
        serde_json::Value::Array(items) => items.iter().find_map(|item| find(item, name)),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => None,
    }
}

/// Every decision of the study is one that the store takes, or that this machine does not have.
#[test]
fn every_arm_of_the_store_knobs_runs() {
    let lab = Laboratory::new();
    let records = small(&lab, &["store-knobs", "--profile", "standard"]);
    assert!(records.len() > 25, "{}", records.len());
    for record in &records {
        let arm = record.values.text("arm").unwrap();
        match &record.outcome {
            TrialOutcome::Ok => assert!(figure(record, "hit_operations_per_s") > 0.0, "{arm}"),
            TrialOutcome::Unsupported(why) => assert!(arm.contains("dontcache"), "{arm}: {why}"),
            other => panic!("{arm}: {other:?}"),
        }
    }
}
