//! Every metric of the schema is a number or a reason.

use super::*;
use crate::Evidence;
use crate::distribution::Metrics;
use driver::Driven;
use model::mechanism::{Continuity, CpuContention, DeviceCounters, Measured, Mechanism, ProcessCounters};

pub(crate) fn mechanism() -> Mechanism {
    Mechanism {
        device: Measured::Value(DeviceCounters {
            reads: 0,
            read_bytes: 0,
            writes: 100,
            written_bytes: 11_600,
            discards: 0,
            flushes: Measured::Value(25),
            busy_s: 0.0,
            queue_s: 0.0,
        }),
        process: ProcessCounters { user_s: 0.25, system_s: 0.5, ..ProcessCounters::default() },
        process_io: Measured::unsupported("-"),
        run_queue_delay_s: Measured::unsupported("-"),
        pressure: Measured::unsupported("-"),
        steal_s: Measured::unsupported("-"),
        page_cache: Measured::unsupported("-"),
        cpu_frequency_mhz: Measured::unsupported("-"),
        device_temperature_celsius: Measured::unsupported("-"),
        continuity: Continuity::default(),
        cpu_contention: CpuContention::default(),
        server: None,
    }
}

/// Fifty entries in a millisecond.
fn measured<W: Appender>(p: &Parameters, workload: W, recorder: Recorder) -> Metrics {
    let team = Driven {
        workload: vec![workload],
        recorder,
        began: Nanos::ZERO,
        ended: Nanos::from_millis(1),
        windows: None,
        turns: None,
        worked: Nanos::ZERO,
        operations: 50,
        in_windows: 50.0,
        performed: 50,
        in_flight_mean: 1.0,
        system_calls: 100,
        longest_gap: Nanos::ZERO,
    };
    let mechanism = mechanism();
    let evidence = Evidence { mechanism: &mechanism, instrument_overhead_ns: Measured::Value(40.0) };
    let exposure = Exposure { bytes_max: Measured::Value(5800.0), ..Exposure::unsupported("not watched") };
    let figures = metrics(p, &team, &evidence, &exposure);
    let families = SCHEMA
        .metrics
        .iter()
        .map(|name| model::metric::FAMILIES.iter().find(|family| family.name == *name).unwrap());
    let expected: BTreeSet<String> =
        families.flat_map(model::metric::of_family).map(|metric| metric.name()).collect();
    assert_eq!(figures.keys().cloned().collect::<BTreeSet<_>>(), expected);
    figures
}

fn of_file(changes: &[(&str, &str)]) -> Metrics {
    let (p, seen) = observe_in_order(changes);
    measured(&p, seen.raw, seen.recorder)
}

fn assert_figure(metrics: &Metrics, name: &str, expected: f64) {
    let figure = *metrics[name].value().unwrap_or_else(|| panic!("{name}: {:?}", metrics[name].reason()));
    assert!((figure / expected - 1.0).abs() < 0.001, "{name}: {figure} instead of {expected}");
}

#[test]
fn of_a_file() {
    let metrics = of_file(&[("durability", "fdatasync")]);
    for (name, expected) in [
        ("entries_per_s", 50_000.0),
        ("user_bytes_per_s", 5_800_000.0),
        ("append_latency_mean_us", 2.0),
        ("write_latency_mean_us", 1.0),
        ("sync_latency_mean_us", 1.0),
        ("device_bytes_per_user_byte", 2.0),
        ("device_flushes_per_entry", 0.5),
        ("exposed_bytes_max", 5800.0),
        ("system_calls_per_operation", 2.0),
        ("cpu_seconds_per_million_operations", 15_000.0),
        ("instrument_overhead_ns", 40.0),
    ] {
        assert_figure(&metrics, name, expected);
    }
    assert_eq!(metrics["lost_after_kill"].reason(), Some("not watched"));
}

#[test]
fn what_a_level_does_not_have_says_why() {
    let reason = |changes: &[(&str, &str)], name: &str| of_file(changes)[name].reason().unwrap().to_owned();
    insta::assert_snapshot!(reason(&[], "sync_latency_p50_us"), @"with durability = none there is no sync");
    insta::assert_snapshot!(reason(&[], "write_latency_p50_us"), @"an append is its write: see append_latency");
    insta::assert_snapshot!(reason(&[("durability", "o_sync")], "sync_latency_p50_us"), @"the sync is part of the write");
    insta::assert_snapshot!(reason(&[("buffer_size", "4KiB")], "append_latency_mean_us"), @"an entry is acknowledged as soon as it is in the buffer: see write_latency");
    assert_figure(&of_file(&[("buffer_size", "4KiB")]), "write_latency_mean_us", 1.0);
}

#[test]
fn of_an_engine() {
    let p = parameters(&[("engine", "sqlite")]);
    let mut keyed = Keyed::new(&p, 0, 1);
    let (mut out, mut recorder) = (Vec::new(), Recorder::new(keyed.families()));
    while keyed.poll(Nanos(0), &mut out) == Next::Wait {
        let stamps = Some(Stamps { began: Nanos(0), ended: Nanos(3000) });
        keyed.complete(&Completion { id: 0, result: 100, stamps }, &mut recorder);
    }
    let metrics = measured(&p, keyed, recorder);
    assert_figure(&metrics, "entries_per_s", 50_000.0);
    assert_figure(&metrics, "append_latency_mean_us", 3.0);
    let reasons = ["system_calls_per_operation", "sync_latency_mean_us", "write_latency_mean_us"]
        .map(|name| metrics[name].reason().unwrap());
    insta::assert_snapshot!(reasons.join("\n"), @"
    an engine makes its system calls in its own code and threads
    an engine writes and syncs by itself: see append_latency
    an engine writes and syncs by itself: see append_latency
    ");
}
