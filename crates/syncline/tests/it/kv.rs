//! The kv workload through the whole program on the real disk: every engine that is built in by default.

use crate::laboratory;

use laboratory::trial::figure;
use laboratory::{ENGINE_ARMS, Laboratory, assert_line};
use model::trial::{TrialOutcome, TrialRecord};

const KEYS: u64 = 500;

/// Every engine in every phase, with one more parameter fixed.
fn phases(fixed: &str) -> String {
    format!(
        "question = \"Does every engine go through every phase?\"\nworkload = \"kv\"\nbaseline = {{ arm = \"fjall\" }}\n\
         [fixed]\nkeys = 500\nreads = 200\nphase_runtime = \"0s\"\nthreads = 2\n{fixed}\n\
         [[arm]]\nname = \"memory\"\nengine = \"memory\"\n{ENGINE_ARMS}\n\
         [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    )
}

#[test]
fn every_engine_goes_through_every_phase() {
    let lab = Laboratory::new();
    let records = lab.measure(&phases(""));
    assert_eq!(records.len(), 6);
    for record in &records {
        let arm = record.values.text("arm").unwrap();
        assert_eq!(record.outcome, TrialOutcome::Ok, "{arm}");
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
    let TrialOutcome::Unsupported(why) = of("direct") else { panic!("{:?}", of("direct")) };
    assert_line(why, "fjall: fjall reads and writes through the page cache only");
    assert_eq!(*of("buffered"), TrialOutcome::Ok);
}

/// Every knob is taken by each engine, or refused by it in its own name: no arm runs as if it had been set.
#[test]
fn a_knob_is_taken_or_refused() {
    let lab = Laboratory::new();
    for (knob, takes) in [
        ("cache_size", ["fjall", "redb", "sqlite", "store"].as_slice()),
        ("write_buffer_size", &["fjall", "store"]),
    ] {
        let records = lab.measure(&phases(&format!("{knob} = \"8MiB\"")));
        assert_eq!(records.len(), 6);
        for record in &records {
            let engine = record.values.text("engine").unwrap();
            match &record.outcome {
                TrialOutcome::Ok => assert!(takes.contains(&engine.as_str()), "{engine} took {knob}"),
                TrialOutcome::Unsupported(why) => {
                    assert!(!takes.contains(&engine.as_str()), "{engine}: {why}");
                    assert!(why.starts_with(&format!("{engine}: ")), "{why}");
                }
                other => panic!("{engine}: {other:?}"),
            }
        }
        std::fs::remove_dir_all(lab.run_directory()).unwrap();
    }
}

/// 49 MB of values in 32 MiB of memory: what the engine holds and what it has in the page cache stays below the cap.
#[test]
fn a_memory_cap_binds_the_page_cache_of_a_store() {
    if let Err(why) = disk::cgroup::cap_method() {
        skip::because(why);
        return;
    }
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nmemory_cap = [\"none\", \"32MiB\"]\n[fixed]\nengine = \"sqlite\"\n\
                 durability = \"normal\"\nkeys = 3000\nvalue_size = \"16KiB\"\ncache_size = \"2MiB\"\nreads = 1000\n\
                 phase_runtime = \"0s\"\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    let records = lab.measure(study);
    let cap_bytes = f64::from(32 << 20);
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
        let cached = figure(record, "hit_page_cache_bytes");
        let resident = figure(record, "resident_bytes_max");
        if record.values.is("memory_cap", "none") {
            assert!(cached > 40e6, "{cached} of 49 MB are in the page cache");
        } else {
            assert!(cached > 0.0 && cached < cap_bytes, "{cached} bytes in the page cache");
            // What is mapped of the program itself another group paid for.
            assert!(resident < 2.0 * cap_bytes, "{resident} bytes resident");
        }
    }
}

/// Arrivals that a phase's note says were not served, because the machine did not let the engine keep up.
fn unserved(record: &TrialRecord, phase: &str) -> u64 {
    let told = format!("phase {phase}: the engine could not keep up with rate_ops: ");
    let notes = record.measurement.as_ref().unwrap().notes.iter();
    let mut counts = notes.filter_map(|note| note.strip_prefix(&told)?.split(' ').next()?.parse().ok());
    counts.next().unwrap_or(0)
}

/// Twice a thread's rate arrives, whatever the engine could do: each arrival is served, or counted as not served.
#[test]
fn an_open_loop_serves_what_arrives() {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nengine = [\"fjall\"]\n[fixed]\nkeys = 1000\nthreads = 2\nrate_ops = 2000\n\
                 phase_runtime = \"300ms\"\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    for record in lab.measure(study) {
        assert_eq!(record.outcome, TrialOutcome::Ok);
        assert!(figure(&record, "load_operations_per_s") > 0.0, "the load is a closed loop");
        for phase in &record.measurement.as_ref().unwrap().phases[1..] {
            let rate =
                figure(&record, &format!("{}_operations_per_s", phase.name.trim_start_matches("read_")));
            let served = rate * phase.duration_s;
            assert!((served - phase.operations as f64).abs() < 0.5, "{}: {served} operations", phase.name);
            // 1200 arrivals in 300 ms: a standard deviation of 3 %.
            let arrived = phase.operations + unserved(&record, &phase.name);
            assert!((1000..1440).contains(&arrived), "{}: {arrived} arrivals", phase.name);
        }
    }
}

/// 16 MB of values: read with `O_DIRECT` they leave next to nothing in the page cache, read through it all of them.
fn direct_io_keeps_out_of_the_page_cache(engine: &str) {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nio = [\"direct\", \"buffered\"]\n[fixed]\nengine = \"ENGINE\"\n\
                 durability = \"process\"\nkeys = 16000\nvalue_size = \"1000\"\nwrite_buffer_size = \"1MiB\"\ncache_size = \"1MiB\"\nreads = 4000\n\
                 phase_runtime = \"0s\"\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    let records = lab.measure(&study.replace("ENGINE", engine));
    let of = |io: &str| {
        let record = records.iter().find(|record| record.values.is("io", io)).unwrap();
        assert_eq!(record.outcome, TrialOutcome::Ok, "{io}");
        // Both count them; whether there are any depends on the disk.
        assert!(figure(record, "write_stall_s") >= 0.0, "{io}");
        figure(record, "hit_page_cache_bytes")
    };
    let (direct, buffered) = (of("direct"), of("buffered"));
    assert!(buffered > 8e6, "{buffered} bytes of 16 MB in the page cache");
    assert!(direct < buffered / 4.0, "{direct} bytes direct, {buffered} buffered");
}

#[cfg(feature = "rocksdb")]
#[test]
fn direct_io_keeps_rocksdb_out_of_the_page_cache() {
    direct_io_keeps_out_of_the_page_cache("rocksdb");
}

#[test]
fn direct_io_keeps_the_store_out_of_the_page_cache() {
    direct_io_keeps_out_of_the_page_cache("store");
}
