//! Every metric of the schema is a number or a reason.

use super::*;
use crate::distribution::Metrics;
use driver::Driven;
use model::mechanism::{
    Continuity, CpuContention, DeviceCounters, Measured, Mechanism, PageCache, ProcessCounters,
};

fn mechanism(cpu_s: f64, cached_bytes: u64) -> Mechanism {
    Mechanism {
        device: Measured::Value(DeviceCounters {
            reads: 150,
            read_bytes: 0,
            writes: 100,
            written_bytes: 37_200,
            discards: 0,
            flushes: Measured::Value(25),
            busy_s: 0.0,
            queue_s: 300e-6,
        }),
        process: ProcessCounters { user_s: cpu_s, resident_bytes_max: 4096, ..ProcessCounters::default() },
        process_io: Measured::unsupported("-"),
        run_queue_delay_s: Measured::unsupported("-"),
        pressure: Measured::unsupported("-"),
        steal_s: Measured::unsupported("-"),
        page_cache: Measured::Value(PageCache { cached_bytes, dirty_bytes: 0, writeback_bytes: 0 }),
        cpu_frequency_mhz: Measured::unsupported("-"),
        device_temperature_celsius: Measured::unsupported("-"),
        continuity: Continuity::default(),
        cpu_contention: CpuContention::default(),
        server: None,
    }
}

fn runs(p: &Parameters, phases: &[Phase]) -> Vec<Run> {
    let mut map = Map::new();
    let mut run = |phase: &Phase| {
        let members: Vec<Observed> =
            (0..p.threads_of(*phase)).map(|thread| observe(p, *phase, thread, &mut map)).collect();
        let mut recorder = Recorder::new(phase.families());
        for member in &members {
            recorder.merge(&member.recorder);
        }
        let ended = members.iter().map(|member| member.ended).max().unwrap();
        let workload: Vec<KvPhase> = members.into_iter().map(|member| member.machine).collect();
        let operations = workload.iter().map(KvPhase::operations).sum();
        let team = Driven {
            workload,
            recorder,
            began: Nanos::ZERO,
            ended,
            windows: None,
            turns: None,
            worked: Nanos::ZERO,
            operations,
            in_windows: operations as f64,
            performed: operations,
            in_flight_mean: 1.0,
            system_calls: 0,
            longest_gap: Nanos::ZERO,
        };
        Run { phase: *phase, team, mechanism: mechanism(0.1, 1000 + operations) }
    };
    phases.iter().map(&mut run).collect()
}

fn measured(p: &Parameters, runs: &[Run], drain_s: Measured<f64>) -> Metrics {
    let load_and_drain = mechanism(0.5, 10);
    let figures = metrics(
        p,
        &KvMeasurement {
            runs,
            load_and_drain: &load_and_drain,
            drain_s,
            write_stall_s: Measured::unsupported("the engine does not tell"),
            disk_bytes: Measured::Value(24_800),
            instrument_overhead_ns: Measured::Value(40.0),
        },
    );
    let families = SCHEMA
        .metrics
        .iter()
        .map(|name| model::metric::FAMILIES.iter().find(|family| family.name == *name).unwrap());
    let expected: BTreeSet<String> =
        families.flat_map(model::metric::of_family).map(|metric| metric.name()).collect();
    assert_eq!(figures.keys().cloned().collect::<BTreeSet<_>>(), expected);
    figures
}

fn assert_figure(metrics: &Metrics, name: &str, expected: f64) {
    let figure = *metrics[name].value().unwrap_or_else(|| panic!("{name}: {:?}", metrics[name].reason()));
    assert!((figure / expected - 1.0).abs() < 0.001, "{name}: {figure} instead of {expected}");
}

/// A hundred puts, and 200 operations in each other phase, each one microsecond long; an entry has 124 bytes.
#[test]
fn of_all_phases() {
    let p = parameters(&[]);
    let runs = runs(&p, &[&[Phase::Load][..], Phases::All.after_load()].concat());
    assert_eq!(defect(&runs), None);
    let metrics = measured(&p, &runs, Measured::Value(300e-6));
    for (name, expected) in [
        ("load_operations_per_s", 1e6),
        ("load_and_drain_operations_per_s", 250_000.0),
        ("drain_s", 300e-6),
        ("hit_operations_per_s", 1e6),
        ("miss_operations_per_s", 1e6),
        ("mixed_operations_per_s", 1e6),
        ("scan_operations_per_s", 1e6),
        ("load_latency_mean_us", 1.0),
        ("scan_latency_mean_us", 1.0),
        ("write_amplification", 3.0),
        ("device_flushes_per_put", 0.25),
        ("space_amplification", 2.0),
        ("load_cpu_seconds_per_million_operations", 5000.0),
        ("hit_cpu_seconds_per_million_operations", 500.0),
        ("cpu_seconds_per_million_operations", 1000.0),
        ("resident_bytes_max", 4096.0),
        ("load_page_cache_bytes", 10.0),
        ("hit_page_cache_bytes", 1200.0),
        // 150 device reads for 200 gets, 2 µs each, in 200 µs.
        ("hit_device_reads_in_flight", 1.5),
        ("instrument_overhead_ns", 40.0),
    ] {
        assert_figure(&metrics, name, expected);
    }
    assert_eq!(metrics["write_stall_s"].reason(), Some("the engine does not tell"));
    assert_eq!(
        metrics["read_while_writing_operations_per_s"].reason(),
        Some("this phase was not run"),
        "the others are"
    );
}

/// Two readers and a writer, an operation of each a microsecond: a writer counted among the readers would make it three
/// million.
#[test]
fn a_writer_is_not_in_the_rate_of_the_readers() {
    let p = parameters(&[("phases", "db_bench"), ("threads", "2"), ("reads", "0"), ("phase_runtime", "2ms")]);
    let runs = runs(&p, &[&[Phase::Load][..], p.phases.after_load()].concat());
    assert_eq!(defect(&runs), None);
    let metrics = measured(&p, &runs, Measured::Value(0.0));
    for (name, expected) in [
        ("hit_operations_per_s", 2e6),
        ("scan_operations_per_s", 2e6),
        ("read_while_writing_operations_per_s", 2e6),
        ("write_while_reading_operations_per_s", 1e6),
        ("read_while_writing_latency_mean_us", 1.0),
        ("write_while_reading_latency_mean_us", 1.0),
        // 0.5 s of the load and 0.1 s of each other phase, for 100 puts, twice 4000 operations, and 6000.
        ("cpu_seconds_per_million_operations", 0.8e6 / 14_100.0),
    ] {
        assert_figure(&metrics, name, expected);
    }
    assert_eq!(metrics["mixed_operations_per_s"].reason(), Some("this phase was not run"));
}

#[test]
fn an_engine_without_a_drain_is_done_when_it_is_loaded() {
    let p = parameters(&[]);
    let metrics = measured(&p, &runs(&p, &[Phase::Load]), Measured::unsupported("a B-tree has none"));
    assert_figure(&metrics, "load_and_drain_operations_per_s", 1e6);
    assert_eq!(metrics["drain_s"].reason(), Some("a B-tree has none"));
    assert_eq!(metrics["hit_latency_p50_us"].reason(), Some("this phase was not run"));
}

/// What the device has in flight says nothing of gets that it did not serve.
#[test]
fn gets_that_caches_served_have_no_depth() {
    let p = parameters(&[]);
    let mut runs = runs(&p, &[Phase::Load, Phase::ReadHit]);
    let Measured::Value(device) = &mut runs[1].mechanism.device else { panic!("made up") };
    device.reads = 99;
    let metrics = measured(&p, &runs, Measured::Value(0.0));
    let why = metrics["hit_device_reads_in_flight"].reason().unwrap();
    assert_eq!(why, "caches served more than half of the gets");
}

#[test]
fn a_store_that_lost_keys_is_a_defect() {
    let p = parameters(&[]);
    let defect = defect(&runs(&p, &[Phase::ReadHit])).unwrap();
    assert_eq!(defect, "phase read_hit: 200 of 200 operations: reads did not find a key that was loaded");
}
