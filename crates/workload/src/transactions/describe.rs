//! The description of a transactions configuration.

use super::definitions::DEFINITIONS;
use super::levels::Checkpoints;
use super::parameters::{PARAMETERS, Parameters};
use crate::describe::{flushes_of_commits, for_trial, named, owned, streams_of_server};
use model::description::{Arrivals, Duration, Figures, Interleaving, Load, Names, Room};
use model::{Cache, Configuration, Description, DurabilityClass, EVERY_TRIAL, LevelError};

/// The rate that a trial is measured for.
const TRANSACTIONS: &str = "transactions_per_s";
/// What distinguishes an arm: a server's settings, programs and place.
const ARM_PARAMETERS: &[&str] = &[
    PARAMETERS.settings.name(),
    PARAMETERS.programs.name(),
    PARAMETERS.directory.name(),
    EVERY_TRIAL.filesystem.name(),
];
/// The latency of a transaction.
const LATENCY: &str = "transaction_latency";
/// Seconds that the clients work before they are measured.
const RAMP_S: f64 = 0.25;
/// A slice of a server that writes checkpoints: after it, 120 ms pass until it is known to have nothing left to do.
const CYCLE_SLICE_MIN_S: f64 = 0.5;
/// A slice of a server is at least this long, seconds: its processes have gone to sleep, and what they need has left
/// the CPU's caches. With slices of 100 ms two copies of one server differed by nothing (A/A 1.000, standard deviation
/// 0.021).
const SLICE_MIN_S: f64 = 0.1;

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let clients = u64::from(p.clients);
    let own = Description {
        streams: streams_of_server(p.script.writes()),
        syncs: p.durability() == DurabilityClass::Power,
        durability: Some(p.durability()),
        in_engine: true,
        threads: clients,
        in_flight_max: clients,
        arrivals: p.rate.map(|rate| Arrivals {
            parameter: named(&PARAMETERS.rate),
            per_s: rate as f64,
            rates: owned(&[TRANSACTIONS]),
        }),
        turns: Interleaving {
            slice_min_s: match p.checkpoints {
                Checkpoints::None => SLICE_MIN_S,
                Checkpoints::Cycle => CYCLE_SLICE_MIN_S,
            },
            starts_together: true,
            ..Interleaving::of(leaves_nothing_behind(&p))
        },
        room: Room {
            other_directory: p.directory.as_ref().map(|path| path.to_string_lossy().into_owned()),
            store_bytes: p.data_bytes(),
            own_memory_bytes: p.memory_bytes(),
            ..Room::default()
        },
        data_bytes: Some(p.data_bytes()),
        cache: if p.script.is_cold() { Cache::Cold } else { Cache::AsIs },
        duration: Duration {
            phase_s: p.runtime.seconds(),
            phases: 1,
            ends_on_time: p.checkpoints == Checkpoints::None,
            extension_max_s: p.cycle_max().seconds(),
            ramp_s: RAMP_S,
            ..Duration::default()
        },
        names: Names { arm_parameters: owned(ARM_PARAMETERS), ..Names::default() },
        figures: Figures {
            families: owned(&[LATENCY]),
            loads: loads(&p),
            flushes: (p.script.writes())
                .then(|| flushes_of_commits(TRANSACTIONS, "device_flushes_per_transaction", LATENCY)),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

/// What is in flight, by the rate and the latency of transactions; with cycles of checkpoints, the rate is also over
/// time in which none is.
fn loads(p: &Parameters) -> Vec<Load> {
    match p.checkpoints {
        Checkpoints::None => vec![Load::each(TRANSACTIONS, LATENCY)],
        Checkpoints::Cycle => Vec::new(),
    }
}

/// Whether arms can take turns: a log that no commit waits for is written on in others' turns. What a server has left
/// in the page cache is written out at the end of each turn; if that is the question, an arm has to run alone. A
/// checkpoint goes on only while the log grows.
fn leaves_nothing_behind(p: &Parameters) -> bool {
    let is_written = !p.script.writes() || p.durability() == DurabilityClass::Power;
    let asks_who_writes_out = p.settings_with_effect().any(|(name, _)| name.ends_with("_flush_after"));
    is_written && !(p.checkpoints == Checkpoints::Cycle && asks_who_writes_out)
}
