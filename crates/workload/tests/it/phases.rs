//! The typed streams and flushes of a trial's phases.

use model::description::{Counted, Figures, Flushes, Load, Rate, SyncUnit};
use model::mechanism::Measured;
use model::trial::Measurement;
use model::{Description, DurabilityClass, MeasuredFlushes, MeasuredStream};

/// The measurement of a trial with these metrics in its only phase, which takes 2 s.
fn measurement(durability: DurabilityClass, metrics: &[(&str, f64)]) -> Measurement {
    let record = include_str!("../../../lab/tests/format_1/trials.jsonl").lines().next().unwrap();
    let record: model::trial::TrialRecord = serde_json::from_str(record).unwrap();
    let mut measurement = record.measurement.unwrap();
    measurement.phases.truncate(1);
    let phase = &mut measurement.phases[0];
    phase.duration_s = 2.0;
    phase.metrics =
        metrics.iter().map(|(name, value)| ((*name).to_owned(), Measured::Value(*value))).collect();
    Measurement { durability, ..measurement }
}

fn description(if_declared: bool) -> Description {
    let flushes = Flushes {
        unit: SyncUnit::Entry,
        rates: vec![Rate::every(4, "entries_per_s")],
        counted: Some(Counted { metric: "device_flushes_per_entry".to_owned(), operations: 4 }),
        is_forced: true,
        if_declared,
        sync_latency: None,
        acknowledged_latency: None,
    };
    let write = Load { overlapping_max: 3, ..Load::each("entries_per_s", "write_latency") };
    let figures = Figures { loads: vec![write], flushes: Some(flushes), ..Figures::default() };
    Description { figures, ..Description::default() }
}

const METRICS: &[(&str, f64)] = &[
    ("entries_per_s", 100.0),
    ("write_latency_mean_us", 250.0),
    ("write_latency_sd_us", 500.0),
    ("device_flushes_per_entry", 0.25),
];

#[test]
fn a_phase_has_what_its_metrics_say() {
    let mut measured = measurement(DurabilityClass::Power, METRICS);
    workload::phases::complete(&mut measured, &description(true));
    let stream = MeasuredStream {
        latencies_per_s: 100.0,
        latency_mean_s: 0.000_25,
        latency_sd_s: Some(0.000_5),
        overlapping_max: 3,
    };
    assert_eq!(measured.phases[0].streams, [stream]);
    let flushes =
        MeasuredFlushes { unit: SyncUnit::Entry, units: Some(50.0), per_unit: Some(1.0), is_forced: true };
    assert_eq!(measured.phases[0].flushes, Some(flushes));
    // What is there stays: a later version may know better.
    measured.phases[0].metrics.clear();
    workload::phases::complete(&mut measured, &description(true));
    assert_eq!((&measured.phases[0].streams[..], measured.phases[0].flushes), (&[stream][..], Some(flushes)));
}

#[test]
fn what_declares_less_than_power_needs_no_flush() {
    for (if_declared, is_known) in [(true, false), (false, true)] {
        let mut measured = measurement(DurabilityClass::Process, METRICS);
        workload::phases::complete(&mut measured, &description(if_declared));
        assert_eq!(measured.phases[0].flushes.is_some(), is_known);
    }
}

#[test]
fn a_missing_figure_leaves_its_streams_unknown() {
    let mut measured = measurement(DurabilityClass::Power, &METRICS[..1]);
    workload::phases::complete(&mut measured, &description(false));
    assert_eq!((&measured.phases[0].streams[..], measured.phases[0].flushes), (&[][..], None));
}
