//! A made-up append study: files and engines of every durability class, on a disk whose sync takes a millisecond.

use super::bare;
use super::study::{Synthetic, ask, name};
use super::trial::mechanism;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::plan::Factor;
use model::study::{Ask, AskKind};
use model::trial::{Measurement, Phase};
use model::{Configuration, Nanos, Value};

/// Arms, what they declare, and entries per second.
const ARMS: &[(&str, DurabilityClass, f64)] = &[
    ("user_buffer", DurabilityClass::None, 8_000_000.0),
    ("pwrite", DurabilityClass::Process, 1_000_000.0),
    ("fdatasync", DurabilityClass::Power, 1000.0),
    ("fjall_manual", DurabilityClass::None, 800_000.0),
    ("sqlite_normal", DurabilityClass::Process, 100_000.0),
    ("lmdb_sync", DurabilityClass::Power, 500.0),
];

impl Synthetic {
    /// Six arms, two of each class, ten rounds, 2 % of scatter; each is compared with the file of its class.
    pub fn append() -> Self {
        let fixed = [
            ("engine", name("file")),
            ("durability", name("default")),
            ("ioengine", name("psync")),
            ("iodepth", Value::Count(1)),
            ("key_size", Value::Count(16)),
            ("value_size", Value::Bytes(100)),
            ("writes_per_entry", Value::Count(1)),
            ("entries", Value::Count(100_000)),
            ("runtime", Value::Duration(Nanos::ZERO)),
            ("values", name("random")),
            ("threads", Value::Count(1)),
            ("filesystem", name("host")),
        ];
        let levels = ARMS.iter().map(|(arm, _, _)| name(arm)).collect();
        Self {
            workload: "append",
            factors: vec![Factor { name: "arm".to_owned(), levels }],
            fixed: fixed.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            excludes: None,
            asks: vec![Self::within(&["user_buffer", "pwrite", "fdatasync"])],
            rounds: 10,
            looks: Vec::new(),
            rate: Box::new(|values, _| arm(values).map_or(1000.0, |(_, _, rate)| *rate)),
            scatter: 0.02,
            edits: Vec::new(),
            rounds_in_turns: 0..0,
            turns_edits: Vec::new(),
            blocks: None,
            spread_of_blocks: 0.0,
        }
    }

    /// Arms by the reference of their class.
    pub fn within(references: &[&str]) -> Ask {
        let references = references.iter().map(|level| (*level).to_owned()).collect();
        Ask { references, ..ask(AskKind::Compare, "arm", &["entries_per_s"]) }
    }
}

fn arm(values: &Configuration) -> Option<&'static (&'static str, DurabilityClass, f64)> {
    ARMS.iter().find(|(arm, _, _)| values.is("arm", arm))
}

/// What a trial of this arm measures that acknowledges this many entries per second.
pub(super) fn measurement(values: &Configuration, entries: f64) -> Measurement {
    let durability = arm(values).map_or(DurabilityClass::Process, |(_, class, _)| *class);
    let flushes = if durability == DurabilityClass::Power { 1.0 } else { 0.0 };
    let lost = if durability == DurabilityClass::None { 300.0 } else { 0.0 };
    let metrics = [
        ("entries_per_s", entries),
        ("user_bytes_per_s", entries * 116.0),
        ("append_latency_mean_us", 0.9e6 / entries),
        ("device_flushes_per_entry", flushes),
        ("lost_after_kill", lost),
        ("in_flight_mean", 0.9),
        ("instrument_overhead_ns", 5.0),
    ];
    let metrics = metrics.into_iter().map(|(name, value)| (name.to_owned(), Measured::Value(value)));
    let phase = Phase::new("measure".to_owned(), 2.0, (2.0 * entries) as u64, metrics.collect(), mechanism());
    bare::of_phase(phase, durability)
}
