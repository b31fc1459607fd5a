//! Every metric of the schema is a number or a reason.

use super::open_loop::drive;
use super::*;
use crate::Evidence;
use crate::distribution::Metrics;
use driver::Driven;
use model::mechanism::{
    Continuity, CpuContention, DeviceCounters, Measured, Mechanism, ProcessCounters, ProcessIo,
};

pub(super) fn mechanism(device: Measured<DeviceCounters>) -> Mechanism {
    Mechanism {
        device,
        process: ProcessCounters {
            user_s: 0.25,
            system_s: 0.5,
            minor_faults: 30,
            major_faults: 10,
            ..ProcessCounters::default()
        },
        process_io: Measured::Value(ProcessIo { read_bytes: 25 * 4096, ..ProcessIo::default() }),
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

/// Metrics of a hundred operations of 10 µs in one job.
pub(super) fn measured(changes: &[(&str, &str)], device: Measured<DeviceCounters>) -> Metrics {
    let mut all = vec![("number_ios", "100")];
    all.extend_from_slice(changes);
    let p = parameters(&all);
    let job = drive(&p, None);
    let team = Driven {
        workload: vec![job.workload],
        recorder: job.recorder,
        began: job.began,
        ended: job.ended,
        windows: None,
        turns: None,
        worked: Nanos::ZERO,
        operations: job.operations,
        in_windows: job.operations as f64,
        performed: job.operations,
        in_flight_mean: job.in_flight_mean,
        system_calls: job.system_calls,
        longest_gap: job.longest_gap,
    };
    let mechanism = mechanism(device);
    let evidence = Evidence { mechanism: &mechanism, instrument_overhead_ns: Measured::Value(40.0) };
    let figures = metrics(&p, &team, &evidence);
    let expected: BTreeSet<String> = SCHEMA
        .metrics
        .iter()
        .flat_map(|name| {
            let family = model::metric::FAMILIES.iter().find(|family| family.name == *name).unwrap();
            model::metric::of_family(family).map(|metric| metric.name())
        })
        .collect();
    assert_eq!(figures.keys().cloned().collect::<BTreeSet<_>>(), expected);
    figures
}

pub(super) fn counters() -> Measured<DeviceCounters> {
    Measured::Value(DeviceCounters {
        reads: 25,
        read_bytes: 25 * 4096,
        writes: 50,
        written_bytes: 50 * 4096,
        discards: 0,
        flushes: Measured::Value(0),
        busy_s: 0.001,
        queue_s: 0.002,
    })
}

fn assert_close(metrics: &Metrics, name: &str, expected: f64) {
    let value = metrics[name].value().copied().unwrap_or(f64::NAN);
    assert!(
        (value - expected).abs() <= 1e-9 * expected.abs(),
        "{name} is {:?}, not {expected}",
        metrics[name]
    );
}

fn assert_reason(metrics: &Metrics, name: &str, why: &str) {
    assert_eq!(metrics[name].reason().unwrap(), why);
}

#[test]
fn of_reads() {
    let metrics = measured(&[], counters());
    for (name, figure) in [
        ("iops", 1e5),
        ("read_iops", 1e5),
        ("bytes_per_operation", 4096.0),
        ("bandwidth_bytes_per_s", 4096e5),
        ("page_cache_hit_share", 0.75),
        ("device_queue_depth_mean", 2.0),
        ("system_calls_per_operation", 1.0),
        ("minor_faults_per_operation", 0.3),
        ("major_faults_per_operation", 0.1),
        ("cpu_seconds_per_million_operations", 7500.0),
        ("in_flight_mean", 1.0),
        ("instrument_overhead_ns", 40.0),
    ] {
        assert_close(&metrics, name, figure);
    }
    assert!(metrics["completion_latency_p50_us"].value().is_some());
    assert_reason(&metrics, "write_iops", "nothing is written");
    assert_reason(&metrics, "device_written_bytes_per_written_byte", "nothing is written");
    for family in ["read_latency_p50_us", "write_latency_max_us"] {
        assert_reason(&metrics, family, "every operation is a read: see completion_latency");
    }
    for metric in ["sync_latency_p50_us", "syncs_per_s"] {
        assert_reason(&metrics, metric, "without fdatasync or end_fsync there is no sync");
    }
    assert_reason(
        &metrics,
        "sync_file_range_latency_p50_us",
        "without sync_file_range there is no call of it",
    );
}

/// For a cold sequential read of a few MiB with a readahead of the same size, the share was −53.6 %.
#[test]
fn of_reads_that_were_read_ahead_of() {
    let metrics = measured(&[("number_ios", "10"), ("iodepth", "1")], counters());
    assert_reason(
        &metrics,
        "page_cache_hit_share",
        "2.50 bytes were fetched for each requested byte: the unused ones (readahead, the rest of a page) hide the page cache's share",
    );
}

#[test]
fn of_writes_with_syncs() {
    let metrics = measured(&[("rw", "write"), ("fdatasync", "1")], counters());
    // A write and its sync take 10 µs each, and the sync does not count as an operation.
    for (name, figure) in [
        ("iops", 5e4),
        ("write_iops", 5e4),
        ("syncs_per_s", 5e4),
        ("bytes_per_operation", 4096.0),
        ("device_written_bytes_per_written_byte", 0.5),
        ("system_calls_per_operation", 2.0),
    ] {
        assert_close(&metrics, name, figure);
    }
    assert!(metrics["sync_latency_p50_us"].value().is_some());
    assert_reason(&metrics, "read_iops", "nothing is read");
    assert_reason(&metrics, "page_cache_hit_share", "nothing is read");
    assert_reason(&metrics, "write_latency_p50_us", "every operation is a write: see completion_latency");
}

#[test]
fn of_a_mix_where_the_device_has_no_counters() {
    let metrics = measured(&[("rw", "randrw")], Measured::unsupported("tmpfs has no device"));
    for name in ["device_written_bytes_per_written_byte", "device_queue_depth_mean"] {
        assert_reason(&metrics, name, "tmpfs has no device");
    }
    for name in ["read_latency_p50_us", "write_latency_p50_us", "read_iops", "write_iops"] {
        assert!(metrics[name].value().is_some(), "{name}: {:?}", metrics[name]);
    }
}
