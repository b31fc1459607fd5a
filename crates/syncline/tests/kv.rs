//! The kv workload through the whole program on the real disk: every engine that is built in by default.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod laboratory;

use laboratory::Laboratory;
use laboratory::trial::figure;
use model::trial::Outcome;

const KEYS: u64 = 500;

/// Levels that survive a killed process, or nothing, so that a load of single puts takes no second.
const PHASES: &str = r#"
question = "Does every engine go through every phase?"
workload = "kv"
baseline = { arm = "fjall" }
[fixed]
keys = 500
reads = 200
phase_runtime = "0s"
threads = 2
[[arm]]
name = "memory"
engine = "memory"
[[arm]]
name = "fjall"
engine = "fjall"
durability = "buffer"
[[arm]]
name = "lmdb"
engine = "lmdb"
durability = "nosync"
[[arm]]
name = "redb"
engine = "redb"
durability = "none"
[[arm]]
name = "sqlite"
engine = "sqlite"
durability = "normal"
[profile.quick]
rounds = 1
warmup_rounds = 0
"#;

#[test]
fn every_engine_goes_through_every_phase() {
    let lab = Laboratory::new();
    let records = lab.measure(PHASES);
    assert_eq!(records.len(), 5);
    for record in &records {
        let arm = record.values.text("arm").unwrap();
        assert_eq!(record.outcome, Outcome::Ok, "{arm}");
        let phases = &record.measurement.as_ref().unwrap().phases;
        let ran: Vec<(&str, u64)> =
            phases.iter().map(|phase| (phase.name.as_str(), phase.operations)).collect();
        let reads = 200;
        let expected =
            [("load", KEYS), ("read_hit", reads), ("read_miss", reads), ("mixed", reads), ("scan", reads)];
        assert_eq!(ran, expected, "{arm}");
        for phase in ["load", "hit", "miss", "mixed", "scan"] {
            assert!(figure(record, &format!("{phase}_operations_per_s")) > 0.0, "{arm}: {phase}");
            assert!(figure(record, &format!("{phase}_latency_mean_us")) > 0.0, "{arm}: {phase}");
        }
        // Each metric stands with its phase, and once.
        assert!(record.metric_of("read_hit", "hit_operations_per_s").is_some(), "{arm}");
        assert!(record.metric_of("load", "hit_operations_per_s").is_none(), "{arm}");
        assert!(figure(record, "resident_bytes_max") > 0.0, "{arm}");
        let load_and_drain = figure(record, "load_and_drain_operations_per_s");
        assert!(load_and_drain <= figure(record, "load_operations_per_s") * 1.0001, "{arm}");
        if arm != "memory" {
            assert!(figure(record, "space_amplification") > 0.5, "{arm}");
        }
    }
}

#[test]
fn direct_io_is_unsupported_where_the_engine_has_none_and_the_run_goes_on() {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nio = [\"direct\", \"buffered\"]\n[fixed]\nengine = \"fjall\"\n\
                 keys = 100\nreads = 10\nphase_runtime = \"0s\"\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    let records = lab.measure(study);
    let of = |io: &str| &records.iter().find(|record| record.values.is("io", io)).unwrap().outcome;
    assert!(matches!(of("direct"), Outcome::Unsupported(why) if why.contains("fjall")), "{:?}", of("direct"));
    assert_eq!(*of("buffered"), Outcome::Ok);
}
