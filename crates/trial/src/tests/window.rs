//! The measured window: the requested operations, between the two readings of the counters, and nothing else.

use super::{Stage, measured};
use disk::counters::{Collected, Snapshot};
use model::mechanism::{Measured, Window};
use model::trial::{Measurement, Phase};

fn only_phase(measurement: &Measurement) -> &Phase {
    let [phase] = measurement.phases.as_slice() else { panic!("{:?}", measurement.phases) };
    phase
}

/// Operations whose latency was recorded.
fn latencies(measurement: &Measurement) -> u64 {
    let sidecar = measurement.sidecar.as_ref().unwrap();
    sidecar.histogram("completion_latency").unwrap().expect("every operation has one").len()
}

fn window(phase: &Phase) -> Window {
    *phase.mechanism.continuity.window.value().expect("CLOCK_MONOTONIC is always there")
}

/// `CLOCK_MONOTONIC` now, as a window that begins and ends.
fn now() -> Window {
    let nowhere = Measured::unsupported("no device");
    let counters = Snapshot::take(&nowhere);
    let collected = Collected {
        run_queue_delay_s: Measured::Value(0.0),
        page_cache: Measured::unsupported("no file"),
        longest_gap_s: Measured::Value(0.0),
    };
    *counters.delta(&Snapshot::take(&nowhere), collected, &nowhere).continuity.window.value().unwrap()
}

#[test]
fn every_operation_that_is_asked_for_is_counted_once() {
    for (engine, jobs) in [("psync", 1), ("psync", 2), ("uring", 1)] {
        let stage = Stage::new();
        let jobs_level = jobs.to_string();
        let spec = stage.reads(&[("ioengine", engine), ("numjobs", &jobs_level), ("iodepth", "1")]);
        let measurement = measured(&spec);
        let phase = only_phase(&measurement);
        assert_eq!((phase.name.as_str(), phase.operations), ("measure", 64 * jobs), "{engine}");
        assert_eq!(latencies(&measurement), 64 * jobs, "{engine}");
    }
}

#[test]
fn the_counters_cover_the_phase_and_nothing_outside_the_trial() {
    let stage = Stage::new();
    let before = now();
    let measurement = measured(&stage.reads(&[]));
    let after = now();
    let phase = only_phase(&measurement);
    let window = window(phase);
    assert!(before.ended_s <= window.began_s && window.ended_s <= after.began_s, "{window:?}");
    assert!(0.0 < phase.duration_s && phase.duration_s <= window.seconds(), "{window:?}");
}

/// The ramp reads as often as the disk can, and no figure counts that.
#[test]
fn what_runs_before_the_measurement_is_not_counted() {
    let stage = Stage::new();
    let measurement = measured(&stage.reads(&[("ramp_time", "5ms")]));
    let phase = only_phase(&measurement);
    assert_eq!(phase.operations, 64);
    assert_eq!(latencies(&measurement), 64);
}

#[test]
fn a_runtime_is_the_least_that_is_measured() {
    let stage = Stage::new();
    let measurement = measured(&stage.reads(&[("runtime", "20ms"), ("number_ios", "0")]));
    let phase = only_phase(&measurement);
    assert!(phase.duration_s >= 0.02, "{}", phase.duration_s);
    assert!(phase.operations > 0);
}

#[test]
fn commits_end_with_their_number_or_with_a_log_that_cannot_start_over() {
    let stage = Stage::new();
    let measurement = measured(&stage.commits(&[]));
    // Each commit is one write and one sync.
    assert_eq!(only_phase(&measurement).operations, 8 * 2);
    assert!(measurement.notes.iter().all(|note| !note.starts_with("the log was full")));

    // 64 KiB have room for 128 records of 512 bytes.
    let measurement = measured(&stage.commits(&[("wal_layout", "fallocated"), ("groups", "1000")]));
    assert_eq!(only_phase(&measurement).operations, 128 * 2);
    assert!(measurement.notes.iter().any(|note| note.starts_with("the log was full")));
    let measurement = measured(&stage.commits(&[("wal_layout", "prefilled"), ("groups", "200")]));
    assert_eq!(only_phase(&measurement).operations, 200 * 2);
}

#[test]
fn a_trial_that_must_be_steady_first_records_how_it_became_so() {
    let stage = Stage::new();
    let steady = [("steady_time_max", "10ms"), ("steady_interval", "2ms")];
    let measurement = measured(&stage.reads(&steady));
    let ramp = measurement.steady_ramp.as_ref().unwrap();
    assert!((ramp.interval_s - 0.002).abs() < 1e-9);
    assert_eq!(ramp.operations_per_s.len(), 5, "the time is up after five intervals");
    assert_eq!(only_phase(&measurement).operations, 64);
}
