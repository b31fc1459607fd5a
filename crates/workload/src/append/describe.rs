//! The description of an append configuration.

use super::definitions::DEFINITIONS;
use super::levels::FileDurability;
use super::parameters::{PARAMETERS, Parameters};
use crate::IoEngine;
use crate::describe::{for_trial, named, owned};
use crate::kv::values::Content as Values;
use model::description::{
    Content, Counted, Depth, Direction, Duration, Figures, Flushes, Interleaving, Load, Names, Part, Rate,
    Room, Stream, SyncUnit, Timed, Whole,
};
use model::{Configuration, Description, DurabilityClass, IoMode, LevelError};

const ENTRIES: &str = "entries_per_s";
/// Where entries go and when they are safe there. The trial's duration is included, because an arm that syncs every
/// entry is bounded by time.
const ARM_PARAMETERS: &[&str] = &[
    PARAMETERS.engine.name(),
    PARAMETERS.durability.name(),
    PARAMETERS.sync_every.name(),
    PARAMETERS.buffer_size.name(),
    PARAMETERS.ioengine.name(),
    PARAMETERS.iodepth.name(),
    PARAMETERS.runtime.name(),
];

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let (file, threads) = (p.file(), u64::from(p.threads));
    let killed = p.until_killed();
    let is_uring = file.is_some() && p.ioengine == IoEngine::Uring;
    let own = Description {
        streams: vec![stream(&p)],
        syncs: file.is_some_and(|durability| durability != FileDurability::None),
        durability: p.durability(),
        content: p.values.described(),
        in_engine: file.is_none(),
        threads,
        in_flight_max: match file {
            Some(_) => u64::from(p.iodepth) * u64::from(p.writes_per_entry),
            None => threads,
        },
        depth: is_uring
            .then(|| Depth { parameter: named(&PARAMETERS.iodepth), operations: u64::from(p.iodepth) }),
        turns: Interleaving::of(p.durability() == Some(DurabilityClass::Power)),
        room: Room {
            registers_buffers: p.registered && is_uring,
            files: p.files(),
            store_bytes: if file.is_none() { p.user_bytes_max() } else { 0 },
            killed_bytes: killed.user_bytes_max(),
            ..Room::default()
        },
        owns_buffers: file.is_some(),
        buffer_pages: file.map(|_| p.buffer_pages),
        duration: Duration {
            phase_s: p.runtime.seconds(),
            phases: 1,
            operations: p.entries,
            // An engine closes its files when it chooses to.
            ends_on_time: file.is_some_and(|durability| durability != FileDurability::SyncAtEnd),
            ..Duration::default()
        },
        names: Names { arm_parameters: owned(ARM_PARAMETERS), ..Names::default() },
        figures: Figures {
            families: owned(&["append_latency", "write_latency", "sync_latency"]),
            timed: vec![Timed {
                family: "sync_latency".to_owned(),
                parameter: named(&PARAMETERS.ioengine),
                part: if is_uring { Part::SyncedByWorker } else { Part::SyncedByCaller },
                instead: Whole { metric: ENTRIES.to_owned(), with: None },
            }],
            counts_in_flight: true,
            loads: loads(&p),
            flushes: Some(flushes(&p)),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

fn stream(p: &Parameters) -> Stream {
    let parameter =
        if p.buffer_size > 0 { PARAMETERS.buffer_size.name() } else { PARAMETERS.value_size.name() };
    let (role, size) = match p.file() {
        Some(_) => ("log", Some((parameter, p.entries_per_write() * u64::from(p.entry_bytes())))),
        None => ("store", None),
    };
    Stream {
        direction: Direction::Write,
        role: role.to_owned(),
        mode: IoMode::Buffered,
        is_random: p.file().map(|_| false),
        block_bytes: size.map(|(_, bytes)| bytes),
        share: None,
        in_flight_max: p.file().map(|_| u64::from(p.iodepth) * u64::from(p.writes_per_entry)),
        size_parameter: size.map(|(parameter, _)| parameter.to_owned()),
        trial_bytes_max: (p.file().is_some() && p.entries > 0).then(|| p.user_bytes_max()),
    }
}

/// Writes and the syncs that follow them. Little's law cannot be checked in three cases. With several writes in flight,
/// an entry waits for those before it while the driver counts nothing in flight. If an entry is two calls, the driver
/// counts both from the start, whether or not one waits for the other. If a buffer gathers entries, they have no
/// latency.
fn loads(p: &Parameters) -> Vec<Load> {
    if p.buffer_size > 0 || p.iodepth > 1 || p.writes_per_entry > 1 {
        return Vec::new();
    }
    let sync = Load {
        role: None,
        rates: vec![Rate::Times(1)],
        latency: "sync_latency".to_owned(),
        overlapping_max: 1,
    };
    let at_end = p.file() == Some(FileDurability::SyncAtEnd);
    let role = stream(p).role;
    std::iter::once(Load::moving(&role, ENTRIES, "append_latency")).chain(at_end.then_some(sync)).collect()
}

/// An entry that survives power loss needs a flush before it is acknowledged. An entry of a lower class needs none.
///
/// The kernel counts a flush for the sync of a file through the page cache, and also for `RWF_DSYNC` and `RWF_SYNC`:
/// they write to the cache and then call `fdatasync` or `fsync`. It does not count forced writes (FUA), but only direct
/// I/O issues those, and no arm here uses direct I/O.
fn flushes(p: &Parameters) -> Flushes {
    let (unit, operations) = match p.file() {
        Some(FileDurability::Fdatasync) => (SyncUnit::Sync, p.sync_every),
        Some(
            FileDurability::None | FileDurability::SyncAtEnd | FileDurability::ODsync | FileDurability::OSync,
        )
        | None => (SyncUnit::Entry, 1),
    };
    Flushes {
        unit,
        rates: vec![Rate::every(operations, ENTRIES)],
        counted: Some(Counted { metric: "device_flushes_per_entry".to_owned(), operations }),
        is_forced: false,
        if_declared: unit == SyncUnit::Entry,
        sync_latency: (unit == SyncUnit::Sync).then(|| "sync_latency".to_owned()),
        // If a buffer gathers entries, they have no latency.
        acknowledged_latency: (unit == SyncUnit::Entry && p.buffer_size == 0)
            .then(|| "append_latency".to_owned()),
    }
}

impl Values {
    /// The same content in the words of a description.
    pub(crate) const fn described(self) -> Content {
        match self {
            Self::Random => Content::Random,
            Self::Constant => Content::Compressible,
        }
    }
}
