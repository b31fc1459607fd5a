//! The description of an object configuration.

use super::definitions::DEFINITIONS;
use super::levels::{ANY, FIRST_BYTE, REACHED_DEVICE, Step};
use super::log::Entry;
use super::parameters::{PARAMETERS, Parameters};
use crate::describe::{for_trial, named, owned};
use model::description::{
    Arrivals, Content, Depth, Direction, Duration, Figures, Folder, Hits, Interleaving, Room, Stream,
};
use model::{Cache, Configuration, Description, IoMode, LevelError};

/// Blocks of file systems.
const BLOCK_BYTES: u64 = 4096;

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let (clients, iodepth) = (u64::from(p.clients), u64::from(p.iodepth));
    let (reads, writes) = (p.has(Step::reads), p.has(Step::writes));
    let stream = |direction| Stream {
        direction,
        role: "data".to_owned(),
        mode: p.io,
        is_random: Some(true),
        block_bytes: None,
        share: None,
        in_flight_max: Some(clients * iodepth),
        size_parameter: None,
        trial_bytes_max: None,
    };
    let both = [(reads, Direction::Read), (writes, Direction::Write)];
    let bytes = p.dataset_bytes().saturating_add(p.kept_bytes());
    // Each file ends within a block.
    let blocks_bytes = p.objects.saturating_add(p.kept_objects).saturating_mul(BLOCK_BYTES);
    let folder = Folder { name: p.dataset_name(), bytes: bytes.saturating_add(blocks_bytes) };
    let own = Description {
        streams: both.into_iter().filter(|(happens, _)| *happens).map(|(_, of)| stream(of)).collect(),
        syncs: writes && p.sync_puts && !p.is_remote(),
        durability: Some(p.durability()),
        content: if p.compressible > 0 || p.duplicates > 0 { Content::Compressible } else { Content::Random },
        threads: clients,
        in_flight_max: clients * iodepth,
        depth: p.is_remote().then(|| Depth { parameter: named(&PARAMETERS.iodepth), operations: iodepth }),
        arrivals: arrivals(&p),
        turns: Interleaving { begins_when_told: true, ..Interleaving::of(leaves_nothing(&p)) },
        in_object_store: p.is_remote(),
        room: Room {
            folders: (!p.is_remote()).then_some(folder).into_iter().collect(),
            counted_bytes: bytes,
            own_memory_bytes: p
                .sizes()
                .max()
                .saturating_mul(clients * iodepth)
                .saturating_add(p.log_operations * size_of::<Entry>() as u64),
            ..Room::default()
        },
        data_bytes: Some(p.dataset_bytes()),
        cache: if p.is_remote() { Cache::AsIs } else { p.cache },
        duration: Duration {
            phase_s: p.runtime.seconds(),
            phases: 1,
            operations: p.operations_max,
            ends_on_time: true,
            ..Duration::default()
        },
        figures: Figures {
            families: families(&p),
            hits: (reads && !p.is_remote()).then(|| Hits::Share {
                metric: "page_cache_hit_share".to_owned(),
                reads: "object_gets_per_s".to_owned(),
                read_bytes: p.size_mean(),
            }),
            reached_device: (writes && !p.is_remote()).then(|| REACHED_DEVICE.to_owned()),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

/// The open loop, if it is one. What a replay's rate is only its log says.
fn arrivals(p: &Parameters) -> Option<Arrivals> {
    let of_log = p.is_replay().then(|| Arrivals {
        parameter: named(&PARAMETERS.replay_speed),
        per_s: 0.0,
        rates: Vec::new(),
    });
    let of_rate = |rate| Arrivals {
        parameter: named(&PARAMETERS.rate_ops),
        per_s: (rate * u64::from(p.clients)) as f64,
        rates: owned(&["object_operations_per_s"]),
    };
    of_log.or(p.rate_ops.map(of_rate))
}

/// The families of what the mix has.
fn families(p: &Parameters) -> Vec<String> {
    let of_steps = Step::ALL.iter().filter(|step| p.has(|other| other == **step)).map(|step| step.family());
    let first_byte = p.has(Step::reads).then_some(FIRST_BYTE);
    [ANY].into_iter().chain(first_byte).chain(of_steps).map(str::to_owned).collect()
}

/// Whether arms can take turns: what one of them writes or caches would change the next one's turn, and nobody here
/// sees what a store does between turns. A log has times of its own.
fn leaves_nothing(p: &Parameters) -> bool {
    let only_reads = p.has(Step::reads) && !p.has(|step| !step.reads());
    !p.is_remote() && !p.is_replay() && p.io == IoMode::Direct && only_reads
}
