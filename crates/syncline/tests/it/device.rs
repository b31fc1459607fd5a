//! The device workload through the whole program on the real disk: every backend, mode and pattern.

#![allow(clippy::float_cmp, reason = "a file is cached not at all, or wholly")]

use crate::laboratory;

use laboratory::Laboratory;
use laboratory::trial::DeviceTrial;
use model::mechanism::Measured;

const JOBS: u64 = 2;
/// Reads and writes of both jobs.
const OPERATIONS: u64 = JOBS * 200;
const FDATASYNC_EVERY: u64 = 10;

/// psync and mmap take one operation at a time, which leaves out their other depth; io_uring is here for the deep one.
const PATTERNS: &str = r#"
question = "Does every backend take every pattern in every mode?"
workload = "device"
[factors]
ioengine = ["uring", "psync"]
iodepth = [1, 16]
mode = ["buffered", "direct", "dontcache", "mmap"]
rw = ["read", "write", "randread", "randwrite", "rw", "randrw"]
[fixed]
size = "8MiB"
numjobs = 2
number_ios = 200
runtime = "0s"
fdatasync = 10
end_fsync = true
[[exclude]]
ioengine = "uring"
iodepth = 1
[[exclude]]
ioengine = "uring"
mode = "mmap"
[profile.quick]
rounds = 1
warmup_rounds = 0
"#;
/// Three modes on io_uring and on psync, and mmap.
const BACKENDS_AND_MODES: usize = 7;
const RW: usize = 6;

#[test]
fn every_backend_takes_every_pattern_in_every_mode() {
    let lab = Laboratory::new();
    let records = lab.measure(PATTERNS);
    // The study compares nothing, so there is no A/A arm.
    assert_eq!(records.len(), BACKENDS_AND_MODES * RW);
    assert_eq!(
        records.iter().filter(|record| record.canary.is_some()).count(),
        1,
        "one canary a file system"
    );
    for trial in records.iter().filter_map(DeviceTrial::of) {
        assert_eq!(trial.cached_before(), 0.0, "{}: not proven cold", trial.record.values);
        for figure in [
            "iops",
            "bandwidth_bytes_per_s",
            "completion_latency_p50_us",
            "in_flight_mean",
            "instrument_overhead_ns",
        ] {
            assert!(trial.figure(figure) > 0.0, "{}: {figure}", trial.record.values);
        }
        let depth = trial.record.values.count("iodepth").unwrap();
        let in_flight = trial.figure("in_flight_mean");
        assert!(in_flight <= (JOBS * (depth + 1)) as f64, "{}: {in_flight} in flight", trial.record.values);
        check_operations(&lab, &trial);
        check_system_calls(&trial);
        check_device(&trial);
    }
}

/// Exactly what was requested, each operation in its histogram, and the syncs beside it.
fn check_operations(lab: &Laboratory, trial: &DeviceTrial<'_>) {
    let values = &trial.record.values;
    let (reads, writes) = (trial.count("read_iops"), trial.count("write_iops"));
    assert_eq!(reads + writes, OPERATIONS, "{values}");
    assert_eq!(trial.recorded(lab, "completion_latency"), OPERATIONS, "{values}");
    let syncs = trial.phase.operations - OPERATIONS;
    assert_eq!(trial.recorded(lab, "sync_latency"), syncs, "{values}");
    // Each job rounds down by itself.
    let every_tenth = (writes / FDATASYNC_EVERY).saturating_sub(JOBS - 1)..=writes / FDATASYNC_EVERY;
    match values.text("rw").unwrap().as_str() {
        "read" | "randread" => assert_eq!((writes, syncs), (0, 0), "{values}"),
        "write" | "randwrite" => {
            assert_eq!((reads, syncs), (0, OPERATIONS / FDATASYNC_EVERY + JOBS), "{values}");
        }
        _ => {
            assert!((OPERATIONS * 4 / 10..=OPERATIONS * 6 / 10).contains(&reads), "{values}: {reads} reads");
            assert!(every_tenth.contains(&(syncs - JOBS)), "{values}: {syncs} syncs of {writes} writes");
            assert_eq!(trial.recorded(lab, "read_latency"), reads, "{values}");
            assert_eq!(trial.recorded(lab, "write_latency"), writes, "{values}");
        }
    }
    if syncs > 0 {
        assert!(trial.figure("sync_latency_p50_us") > 0.0, "{values}");
    }
}

fn check_system_calls(trial: &DeviceTrial<'_>) {
    let values = &trial.record.values;
    let per_operation = trial.figure("system_calls_per_operation");
    let calls = (per_operation * OPERATIONS as f64).round() as u64;
    let syncs = trial.phase.operations - OPERATIONS;
    if trial.is("mode", "mmap") {
        // Reading and writing memory is none; a sync is msync, and at a job's end fsync with it.
        let ends = if syncs > 0 { JOBS } else { 0 };
        assert_eq!(calls, syncs + ends, "{values}");
        let faults = trial.figure("minor_faults_per_operation") + trial.figure("major_faults_per_operation");
        assert!(faults > 0.0, "{values}: a cold mapping faults");
    } else if trial.is("ioengine", "psync") {
        assert_eq!(calls, trial.phase.operations, "{values}");
    } else if syncs == 0 {
        assert!(per_operation < 1.0, "{values}: {per_operation} system calls an operation");
    } else {
        assert!(calls > 0, "{values}");
    }
}

/// The counters are the whole device's: others on it only add to them.
fn check_device(trial: &DeviceTrial<'_>) {
    let values = &trial.record.values;
    if !matches!(trial.phase.mechanism.device, Measured::Value(_)) {
        skip::because(format_args!("{values}: no counters of the device"));
        return;
    }
    if trial.count("read_iops") > 0 && trial.is("mode", "direct") {
        let share = trial.figure("page_cache_hit_share");
        assert!(share < 0.01, "{values}: the page cache served {share} of direct reads");
    }
    if trial.count("write_iops") > 0 {
        let written = trial.figure("device_written_bytes_per_written_byte");
        assert!(written > 0.8, "{values}: {written} bytes reached the device for each byte written");
    }
}

/// A trial of a second does not measure a sustained rate: `sustained` runs until it is steady. Here with intervals of
/// 40 ms.
#[test]
fn a_workload_runs_until_it_is_steady_before_it_is_measured() {
    for workload in ["workload = \"device\"\n[fixed]\nsize = \"8MiB\"\n", COMMITS] {
        let lab = Laboratory::new();
        let study = format!(
            "question = \"q\"\n{workload}runtime = \"40ms\"\nsteady_time_max = \"400ms\"\nsteady_interval = \"40ms\"\n\
             [factors]\nmode = [\"direct\"]\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
        );
        for record in lab.measure(&study) {
            let measurement = record.measurement.expect("measured");
            let ramp = measurement.steady_ramp.expect("asked for");
            let intervals = ramp.operations_per_s.len();
            assert!((5..=10).contains(&intervals) && (ramp.steady || intervals == 10), "{ramp:?}");
            assert!(ramp.operations_per_s.iter().all(|rate| *rate > 0.0), "{ramp:?}");
        }
    }
}

const COMMITS: &str =
    "workload = \"commit\"\n[fixed]\ndata_size = \"8MiB\"\nwal_size = \"4MiB\"\nread_depth = 4\n";
