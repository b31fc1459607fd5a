//! Every metric of the schema is a number or a reason, in the record of its pass.

use super::*;
use model::mechanism::{Continuity, CpuContention, Measured, Mechanism, ProcessCounters, ProcessIo};
use model::units::GIB;
use std::collections::BTreeMap;

fn mechanism(fetched: u64) -> Mechanism {
    Mechanism {
        device: Measured::unsupported("no device"),
        process: ProcessCounters {
            user_s: 0.25,
            system_s: 0.5,
            minor_faults: 30,
            ..ProcessCounters::default()
        },
        process_io: Measured::Value(ProcessIo { read_bytes: fetched, ..ProcessIo::default() }),
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

fn seen() -> Observed<FileScan> {
    local(&[("block_size", "4KiB")], &[10 * KIB; 100])
}

/// The latencies of this many passes.
fn latencies(passes: usize) -> Latencies {
    let mut latencies = Latencies::from_first_pass(seen().recorder);
    (1..passes).for_each(|_| latencies.add(&seen().recorder));
    latencies
}

/// A pass over a hundred files of 10 KiB; `fetched` bytes came from the device.
fn pass(seconds: f64, fetched: u64) -> Pass {
    let seen = seen();
    Pass {
        seconds,
        operations: seen.operations.len() as u64,
        tally: seen.reader.tally(),
        measured: seen.reader.measured(),
        mechanism: mechanism(fetched),
        system_calls: Measured::Value(500),
        in_flight_mean: 1.0,
        cached_share_before: Measured::Value(0.0),
        cached_share_after: Measured::Value(1.0),
        retries: Measured::unsupported("local"),
        accelerator: None,
    }
}

fn figure(metrics: &BTreeMap<String, Measured<f64>>, name: &str) -> f64 {
    *metrics[name].value().unwrap_or_else(|| panic!("{name}: {:?}", metrics[name]))
}

#[test]
fn passes_have_their_own_figures_and_the_first_those_of_all() {
    let bytes = 1000 * KIB;
    let of_each =
        metrics(&[pass(2.0, bytes), pass(1.0, 0), pass(1.0, 0)], &latencies(3), &Measured::Value(50.0));
    let expected: BTreeSet<String> = SCHEMA
        .metrics
        .iter()
        .flat_map(|name| {
            let family = model::metric::FAMILIES.iter().find(|family| family.name == *name).unwrap();
            model::metric::of_family(family).map(|metric| metric.name())
        })
        .collect();
    let whole = &of_each[0];
    assert_eq!(whole.keys().cloned().collect::<BTreeSet<_>>(), expected);
    let is_about = |name: &str, expected: f64| {
        let figure = figure(whole, name);
        assert!((figure / expected - 1.0).abs() < 1e-9, "{name}: {figure}, not {expected}");
    };
    is_about("bandwidth_bytes_per_s", 3.0 * bytes as f64 / 4.0);
    is_about("first_pass_bandwidth_bytes_per_s", bytes as f64 / 2.0);
    is_about("later_passes_bandwidth_bytes_per_s", bytes as f64);
    is_about("files_per_s", 75.0);
    is_about("minor_faults", 90.0);
    is_about("page_cache_hit_share", 2.0 / 3.0);
    let gib = 3.0 * bytes as f64 / GIB as f64;
    is_about("cpu_seconds_per_gib", 2.25 / gib);
    is_about("system_calls_per_gib", 1500.0 / gib);
    assert_eq!(whole["device_read_bytes_per_byte_read"].reason(), Some("no device"));
    for (pass, hits) in of_each.iter().zip([0.0, 1.0, 1.0]) {
        assert!((figure(pass, "pass_hit_share") - hits).abs() < 1e-9);
        assert!((figure(pass, "pass_read_bytes") - bytes as f64).abs() < 1e-9);
    }
    assert!(!of_each[1].contains_key("bandwidth_bytes_per_s"));
}

/// Over all passes: a long pass counts more than a short one.
#[test]
fn utilization_is_over_the_time_of_all_passes() {
    let with = |busy, all| Pass {
        accelerator: Some(AcceleratorTime { busy: Nanos(busy), all: Nanos(all) }),
        ..pass(1.0, 0)
    };
    let of = |passes: &[Pass]| {
        metrics(passes, &latencies(passes.len()), &Measured::Value(50.0))[0]["accelerator_utilization"]
            .clone()
    };
    let share = of(&[with(30, 100), with(20, 25)]);
    assert!(share.value().is_some_and(|share| (share - 0.4).abs() < 1e-9), "{share:?}");
    assert!(of(&[pass(1.0, 0)]).reason().is_some() && of(&[with(0, 0)]).reason().is_some());
}

#[test]
fn one_pass_has_no_later_ones() {
    let of_each = metrics(&[pass(1.0, 0)], &latencies(1), &Measured::Value(50.0));
    assert_eq!(of_each[0]["later_passes_bandwidth_bytes_per_s"].reason(), Some("there was one pass only"));
}

/// The curve over time is the first pass's; the histograms cover all passes.
#[test]
fn the_sidecar_has_every_latency() {
    let sidecar = latencies(2).sidecar().unwrap();
    assert_eq!(sidecar.histogram("file_latency").unwrap().unwrap().len(), 200);
    assert_eq!(sidecar.histogram("block_latency").unwrap().unwrap().len(), 600);
}
