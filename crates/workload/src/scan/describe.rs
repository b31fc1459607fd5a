//! The description of a scan configuration.

use super::definitions::DEFINITIONS;
use super::levels::{HintScope, Order, PassCache};
use super::parameters::{PARAMETERS, Parameters};
use crate::describe::{for_trial, named, owned};
use model::description::{Direction, Duration, Figures, Hits, Interleaving, Load, Readahead, Room, Stream};
use model::{Cache, Configuration, Description, Hint, IoMode, LevelError};

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let readers = u64::from(p.concurrency);
    // A reader reads one file at a time, but several ranges of an object.
    let in_flight_of_reader = u64::from(p.in_flight_max());
    let data_bytes = p.files.saturating_mul(p.file_size);
    let is_by_parameter =
        !p.is_remote() && p.block_size.block_bytes().is_some_and(|bytes| bytes <= p.file_size);
    let (cache, cache_of_later_passes) = caches(&p);
    let own = Description {
        streams: vec![Stream {
            direction: Direction::Read,
            role: "data".to_owned(),
            mode: p.page_cache.mode(),
            is_random: Some(p.order == Order::Shuffled && p.piece_size.block_bytes().is_some()),
            block_bytes: Some(p.read_bytes(p.file_size)),
            share: None,
            in_flight_max: Some(readers * in_flight_of_reader),
            // A whole file is read in whole pages whatever its size; the parameter sets only the size of smaller
            // blocks.
            size_parameter: is_by_parameter.then(|| named(&PARAMETERS.block_size)),
            trial_bytes_max: None,
        }],
        threads: readers,
        in_flight_max: readers * in_flight_of_reader,
        turns: Interleaving {
            begins_when_told: true,
            // An accelerator works on while other arms have their turns.
            ..Interleaving::of(keeps_to_itself(&p) && !reads_ahead(&p) && p.batches() == 0)
        },
        in_object_store: p.is_remote(),
        room: Room { files: p.prepared_files(), counted_bytes: data_bytes, ..Room::default() },
        data_bytes: Some(data_bytes),
        cache,
        cache_of_later_passes: Some(cache_of_later_passes),
        readahead: readahead(&p),
        owns_buffers: !p.is_remote(),
        buffer_pages: (!p.is_remote()).then_some(p.buffer_pages),
        duration: Duration {
            moved_bytes: data_bytes.saturating_mul(u64::from(p.passes)),
            // The last batches are read before the accelerator takes them.
            paused_s: p.step_time.seconds()
                * (p.batches().saturating_sub(u64::from(p.prefetch) + 1) as f64)
                * f64::from(p.passes),
            ..Duration::default()
        },
        figures: Figures {
            families: owned(&["block_latency", "file_latency"]),
            counts_in_flight: true,
            loads: vec![Load {
                overlapping_max: in_flight_of_reader,
                ..Load::moving("data", "files_per_s", "file_latency")
            }],
            hits: Some(Hits::OfPasses),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

/// Whether arms can take turns within a pass. What one of them caches, another one finds, so each has files of its own;
/// a dataset of the user is the same for all, and only direct reads leave no trace of it. Nobody here sees the cache of
/// an object store.
fn keeps_to_itself(p: &Parameters) -> bool {
    !p.is_remote() && (p.target.is_none() || p.page_cache.mode() == IoMode::Direct)
}

/// Whether the kernel reads on in a file while the next trial has its turn, which slows that one and helps this one. It
/// reads what a program asks for and no more if the program reads whole files, or says that it reads at random
/// (`posix_fadvise`(2); the kernel's `mm/readahead.c`).
fn reads_ahead(p: &Parameters) -> bool {
    let is_cached = p.cache == PassCache::Warm || p.page_cache.mode() == IoMode::Direct;
    let is_whole = p.read_bytes(p.file_size) == p.file_size;
    let before_reading = matches!(p.hint_scope, HintScope::EveryBlock | HintScope::Open);
    let is_random = before_reading && p.page_cache.hint(p.file_size) == Some(Hint::Random);
    !is_cached && !is_whole && !is_random
}

/// The readahead of what is read from the disk; for a dataset of the user, that of a file of the mean size.
fn readahead(p: &Parameters) -> Option<Readahead> {
    if p.is_remote() || p.cache == PassCache::Warm {
        return None;
    }
    Some(match p.page_cache.hint(p.file_size) {
        _ if p.page_cache.mode() == IoMode::Direct => Readahead::Bypassed,
        Some(Hint::Sequential) => Readahead::Doubled,
        Some(Hint::Random) => Readahead::Off,
        Some(Hint::DontNeed) if p.hint_scope == HintScope::EveryBlock => Readahead::Dropped,
        Some(Hint::DontNeed | Hint::Normal) | None => Readahead::AsSet,
    })
}

/// Before the first pass, and before each later one. Syncline cannot drop an object store's cache.
fn caches(p: &Parameters) -> (Cache, Cache) {
    match p.cache {
        _ if p.is_remote() => (Cache::AsIs, Cache::AsIs),
        PassCache::ColdEachPass => (Cache::Cold, Cache::Cold),
        PassCache::Cold => (Cache::Cold, Cache::AsIs),
        PassCache::Warm => (Cache::Warm, Cache::Warm),
    }
}
