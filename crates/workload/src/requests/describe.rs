//! The description of a requests configuration.

use super::definitions::DEFINITIONS;
use super::levels::LogCycles;
use super::machine::requests_of_commit;
use super::parameters::{PARAMETERS, Parameters};
use crate::describe::{flushes_of_commits, for_trial, owned, streams_of_server};
use model::description::{Counted, Duration, Figures, Flushes, Interleaving, Load, Names, Rate, Room};
use model::{Cache, Configuration, Description, DurabilityClass, EVERY_TRIAL, LevelError, RequestKind};

/// The rate that a trial is measured for.
const REQUESTS: &str = "requests_per_s";
/// The latency of a request.
const LATENCY: &str = "request_latency";
/// Flushes that the device counted for one.
const FLUSHES: &str = "device_flushes_per_request";
/// What distinguishes an arm: a server's settings, programs and place.
const ARM_PARAMETERS: &[&str] = &[
    PARAMETERS.settings.name(),
    PARAMETERS.programs.name(),
    PARAMETERS.directory.name(),
    EVERY_TRIAL.filesystem.name(),
];
/// Seconds that the clients work before they are measured.
const RAMP_S: f64 = 0.5;
/// A slice of a server is at least this long, seconds: its threads have stood still, and what they need has left the
/// CPU's caches.
const SLICE_MIN_S: f64 = 0.1;

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let clients = u64::from(p.clients);
    let writes = p.request.writes();
    let own = Description {
        streams: streams_of_server(writes),
        syncs: p.durability() == DurabilityClass::Power,
        durability: Some(p.durability()),
        in_engine: true,
        threads: clients,
        in_flight_max: clients,
        turns: Interleaving {
            slice_min_s: SLICE_MIN_S,
            // Loaded rows are read from the device before the first turn, each server for itself.
            starts_together: p.server.has_socket() && !p.request.is_on_loaded_rows(),
            // A log that no commit waits for is written on in others' turns.
            ..Interleaving::of(!writes || p.durability() == DurabilityClass::Power)
        },
        room: Room {
            other_directory: p.directory.as_ref().map(|path| path.to_string_lossy().into_owned()),
            store_bytes: p.data_bytes(),
            own_memory_bytes: p.memory_bytes(),
            ..Room::default()
        },
        data_bytes: Some(p.data_bytes()),
        // Over whole cycles of the log the pool holds all rows.
        cache: if p.drops_pages() && p.log_cycles == LogCycles::None { Cache::Cold } else { Cache::AsIs },
        duration: Duration {
            phase_s: p.runtime.seconds(),
            phases: 1,
            ends_on_time: p.log_cycles == LogCycles::None,
            extension_max_s: p.cycle_max().seconds(),
            ramp_s: RAMP_S,
            ..Duration::default()
        },
        names: Names { arm_parameters: owned(ARM_PARAMETERS), ..Names::default() },
        figures: Figures {
            families: owned(&[LATENCY]),
            loads: vec![Load::each(REQUESTS, LATENCY)],
            flushes: flushes(p.request),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

/// Commits, each of which asks for a flush.
fn flushes(request: RequestKind) -> Option<Flushes> {
    let requests = requests_of_commit(request)?;
    let each = flushes_of_commits(REQUESTS, FLUSHES, LATENCY);
    Some(Flushes {
        rates: vec![Rate::every(requests, REQUESTS)],
        counted: Some(Counted { metric: FLUSHES.to_owned(), operations: requests }),
        // Among reads no latency is that of a commit.
        acknowledged_latency: each.acknowledged_latency.filter(|_| requests == 1),
        ..each
    })
}
