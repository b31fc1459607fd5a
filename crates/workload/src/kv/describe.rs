//! The description of a kv configuration.

use super::definitions::DEFINITIONS;
use super::parameters::{PARAMETERS, Parameters};
use super::writes;
use crate::describe::{for_trial, named, owned, stream_of_engine};
use model::description::{
    Arrivals, Counted, Direction, Duration, EngineFigure, EngineUse, Figures, Flushes, Interleaving, Names,
    Rate, Room, SyncUnit,
};
use model::{Configuration, Description, IoMode, LevelError};

/// The phases after the load. An open loop sets the rate of their operations; the load runs as fast as it can.
const RATES: &[&str] = &[
    "hit_operations_per_s",
    "miss_operations_per_s",
    "mixed_operations_per_s",
    "scan_operations_per_s",
    "read_while_writing_operations_per_s",
];
/// What the rate of writers beside readers sets.
const WRITER_RATES: &[&str] = &["write_while_reading_operations_per_s"];

/// A slice is at least this long, seconds: in another's turn an engine's pages leave the CPU's caches. In slices of 16
/// ms without a device, LMDB read 25 % faster in the last quarter than in the first and fjall 12 %, most of it in the
/// first 4 ms.
const SLICE_MIN_S: f64 = 0.05;
/// What no figure counts of it. In slices of 50 ms, 144 for each arm, the quarters of the window of buffered gets ran
/// at 0.93, 1.00,
/// 1.03 and 1.04 of its mean rate, those of scans at 0.94, 0.99, 1.02 and 1.05, and those of direct ones at 1.01 to
/// 0.98: the mean of the buffered ones was 3.5 to 5 % too low beside the direct ones. The deficit falls to a third in
/// about 12 ms.
const SETTLE_MIN_S: f64 = 0.025;

/// The parameters that make an arm: an engine and how it is used. What must be alike for two engines is in
/// [`EngineUse`].
const ARM_PARAMETERS: &[&str] = &[
    PARAMETERS.engine.name(),
    PARAMETERS.durability.name(),
    PARAMETERS.io.name(),
    PARAMETERS.iodepth.name(),
    PARAMETERS.cache_size.name(),
    PARAMETERS.write_buffer_size.name(),
    PARAMETERS.settings.name(),
];

/// Metric families by what they depend on.
const READS: &[&str] = &["hit_operations_per_s", "hit_latency", "miss_operations_per_s", "miss_latency"];
const SCANS: &[&str] = &["scan_operations_per_s", "scan_latency"];
const MIX: &[&str] = &["mixed_operations_per_s", "mixed_latency"];
const BESIDE_OTHERS: &[&str] = &[
    "read_while_writing_operations_per_s",
    "read_while_writing_latency",
    "write_while_reading_operations_per_s",
    "write_while_reading_latency",
];
const LOADS: &[&str] = &["load_operations_per_s", "load_and_drain_operations_per_s", "load_latency"];

fn engine_use(p: &Parameters) -> EngineUse {
    let figures = |families: &'static [&'static str], on_depth, on_cache, on_durability| {
        families.iter().map(move |family| EngineFigure {
            family: (*family).to_owned(),
            on_depth,
            device_depth: family.starts_with("hit_").then(|| "hit_device_reads_in_flight".to_owned()),
            on_cache,
            on_durability,
        })
    };
    let all = figures(READS, true, true, false)
        .chain(figures(SCANS, false, true, false))
        .chain(figures(MIX, false, true, true))
        .chain(figures(BESIDE_OTHERS, false, true, true))
        .chain(figures(LOADS, false, false, true));
    EngineUse {
        engine: p.engine.to_owned(),
        reads_in_flight: u64::from(p.threads) * u64::from(p.iodepth),
        cache_bytes: p.cache_bytes(),
        uses_page_cache: p.io != IoMode::Direct,
        log: writes::log(p),
        write_memory_bytes: writes::memory_bytes(p),
        figures: all.collect(),
    }
}

/// The arrivals of an open loop. If readers and writers both have a rate, it is that of the readers.
fn arrivals(p: &Parameters) -> Option<Arrivals> {
    let of_readers = p.rate_ops.map(|rate| (named(&PARAMETERS.rate_ops), rate, p.threads, RATES));
    let writer_rate_ops = p.writer_rate_ops.filter(|_| p.has_writers());
    let of_writers =
        writer_rate_ops.map(|rate| (named(&PARAMETERS.writer_rate_ops), rate, p.writers, WRITER_RATES));
    of_readers.or(of_writers).map(|(parameter, rate, threads, rates)| Arrivals {
        parameter,
        per_s: (rate * u64::from(threads)) as f64,
        rates: owned(rates),
    })
}

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let threads = u64::from(p.threads_max());
    // No parameter determines the sizes in which an engine reads and writes its files.
    let stream = |direction| stream_of_engine(direction, "data", p.io);
    let own = Description {
        streams: vec![stream(Direction::Read), stream(Direction::Write)],
        content: p.values.described(),
        in_engine: true,
        engine_use: Some(engine_use(&p)),
        threads,
        in_flight_max: threads.max(u64::from(p.threads) * u64::from(p.iodepth)),
        arrivals: arrivals(&p),
        // The load and the drain come before the first turn, and a mix whose puts are not durable at once between two
        // phases.
        turns: Interleaving {
            slice_min_s: SLICE_MIN_S,
            settle_min_s: SETTLE_MIN_S,
            ..Interleaving::of(true)
        },
        room: Room { store_bytes: p.user_bytes(), own_memory_bytes: p.memory_bytes(), ..Room::default() },
        data_bytes: Some(p.user_bytes()),
        duration: Duration {
            phase_s: p.phase_runtime.seconds(),
            phases: p.phases.after_load().len() as u32,
            operations: p.reads.saturating_mul(p.phases.after_load().len() as u64),
            loaded: p.keys,
            ..Duration::default()
        },
        names: Names { arm_parameters: owned(ARM_PARAMETERS), ..Names::default() },
        figures: Figures {
            families: owned(&[
                "load_latency",
                "hit_latency",
                "miss_latency",
                "mixed_latency",
                "scan_latency",
                "read_while_writing_latency",
                "write_while_reading_latency",
            ]),
            // Each put of a store that survives a power loss waits for a flush. Without that figure no answer about
            // such stores was proven.
            flushes: Some(Flushes {
                unit: SyncUnit::Entry,
                rates: vec![Rate::each("load_operations_per_s")],
                counted: Some(Counted { metric: "device_flushes_per_put".to_owned(), operations: 1 }),
                is_forced: false,
                if_declared: true,
                sync_latency: None,
                acknowledged_latency: Some("load_latency".to_owned()),
            }),
            store_cache: Some(("space_amplification".to_owned(), "hit_page_cache_bytes".to_owned())),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}
