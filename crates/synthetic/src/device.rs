//! A made-up device study: what each configuration would measure on a disk of 50 µs and a page cache of 2 µs.

use super::study::{Synthetic, ask, name};
use super::trial::{file, mechanism, placement};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::plan::Factor;
use model::study::AskKind;
use model::trial::{Measurement, Phase};
use model::units::GIB;
use model::{Configuration, Nanos, Value};
use std::collections::BTreeMap;

const DURATION_S: f64 = 2.0;

impl Synthetic {
    /// mode {buffered, direct}, ten rounds, cold random reads of 16 GiB, 1000 IOPS everywhere, 2 % of scatter.
    pub fn device() -> Self {
        let fixed = [
            ("rw", name("randread")),
            ("rwmixread", Value::Count(50)),
            ("bs", Value::Bytes(4096)),
            ("iodepth", Value::Count(16)),
            ("numjobs", Value::Count(2)),
            ("ioengine", name("uring")),
            ("size", Value::Bytes(16 * GIB)),
            ("runtime", Value::Duration(Nanos::from_millis(2000))),
            ("fdatasync", Value::Count(0)),
            ("end_fsync", Value::Flag(false)),
            ("rate_iops", name("none")),
            ("buffer_pages", name("small")),
            ("data", name("random")),
            ("cache", name("cold")),
            ("memory_cap", name("none")),
            ("filesystem", name("host")),
        ];
        Self {
            workload: "device",
            factors: vec![Factor { name: "mode".to_owned(), levels: vec![name("buffered"), name("direct")] }],
            fixed: fixed.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            excludes: None,
            asks: vec![ask(AskKind::Compare, "mode", &["iops"])],
            rounds: 10,
            looks: Vec::new(),
            rate: Box::new(|_, _| 1000.0),
            scatter: 0.02,
            edits: Vec::new(),
            rounds_in_turns: 0..0,
            turns_edits: Vec::new(),
            blocks: None,
            spread_of_blocks: 0.0,
        }
    }
}

/// What a trial of these values measures that completes this many operations per second.
pub(super) fn measurement(values: &Configuration, iops: f64) -> Measurement {
    let is_direct = values.is("mode", "direct");
    let writes = match values.text("rw").as_deref() {
        Ok("write" | "randwrite") => 1.0,
        Ok("rw" | "randrw") => 0.5,
        _ => 0.0,
    };
    let size = values.bytes("size").unwrap_or(GIB) as f64;
    let room = match values.get("memory_cap") {
        Some(Value::Percent(percent)) => percent / 100.0,
        Some(Value::Bytes(bytes)) => *bytes as f64 / size,
        _ => 1.0,
    };
    let held = room.min(1.0) * 0.95;
    let (before, after, hits) = match (is_direct, values.is("cache", "warm")) {
        (true, _) => (0.0, 0.0, 0.0),
        (false, true) => {
            (if room < 1.0 { held } else { 1.0 }, if room < 1.0 { held } else { 1.0 }, held.min(1.0))
        }
        (false, false) => (0.0, 0.02, 0.02),
    };
    let syncs =
        values.flag("end_fsync") == Ok(true) || values.count("fdatasync").is_ok_and(|every| every > 0);
    let reached = if is_direct || syncs { 1.0 } else { 0.1 };
    let mut data = file("data", size as u64);
    data.cached_share_before = Measured::Value(before);
    data.cached_share_after = Measured::Value(after);
    Measurement {
        phases: vec![phase(values, iops, writes, hits, reached)],
        durability: DurabilityClass::None,
        files: vec![data],
        placement: placement(),
        quiesce_s: 0.2,
        cache_s: 0.1,
        aftermath_s: 0.0,
        buffers: None,
        steady_ramp: None,
        server: None,
        notes: Vec::new(),
        operation_log: None,
        sidecar: None,
    }
}

fn phase(values: &Configuration, iops: f64, writes: f64, hits: f64, reached: f64) -> Phase {
    let jobs = values.count("numjobs").unwrap_or(1) as f64;
    let depth = values.count("iodepth").unwrap_or(1) as f64;
    let (in_flight, latency_us) = match values.count("rate_iops") {
        Ok(_) => (0.1, 0.3e6 / iops),
        Err(_) => (0.97 * jobs * depth, 0.97 * jobs * depth * 1e6 / iops),
    };
    let plain = [
        ("iops", iops),
        ("bandwidth_bytes_per_s", iops * 4096.0),
        ("completion_latency_mean_us", latency_us),
        ("completion_latency_p50_us", latency_us * 0.9),
        ("in_flight_mean", in_flight),
        ("device_queue_depth_mean", 1.0),
        ("system_calls_per_operation", 0.25),
        ("cpu_seconds_per_million_operations", 4.2),
        ("instrument_overhead_ns", 80.0),
    ];
    let mut metrics: BTreeMap<String, Measured<f64>> =
        plain.into_iter().map(|(name, value)| (name.to_owned(), Measured::Value(value))).collect();
    let mut add = |happens: bool, name: &str, value: f64| {
        let figure = if happens { Measured::Value(value) } else { Measured::unsupported("there are none") };
        metrics.insert(name.to_owned(), figure);
    };
    add(writes < 1.0, "read_iops", iops * (1.0 - writes));
    add(writes > 0.0, "write_iops", iops * writes);
    add(writes < 1.0, "page_cache_hit_share", hits);
    add(writes > 0.0, "device_written_bytes_per_written_byte", reached);
    add(false, "sync_latency_mean_us", 0.0);
    let operations = (iops * DURATION_S) as u64;
    Phase::new("measure".to_owned(), DURATION_S, operations, metrics, mechanism())
}
