//! The description of a pool configuration.

use super::definitions::DEFINITIONS;
use super::levels::{Access, Subject};
use super::parameters::{PARAMETERS, Parameters};
use crate::IoEngine;
use crate::describe::{for_trial, named, owned};
use model::description::{Direction, Duration, Figures, Interleaving, Room, Stream};
use model::{Cache, Configuration, Description, IoMode, LevelError};

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let page_bytes = u64::from(p.page_size);
    let stream = |direction| Stream {
        direction,
        role: "data".to_owned(),
        mode: p.mode,
        is_random: Some(p.access == Access::Random),
        block_bytes: Some(page_bytes),
        share: None,
        in_flight_max: Some(u64::from(p.read_ahead) + 1),
        size_parameter: Some(named(&PARAMETERS.page_size)),
        trial_bytes_max: Some(page_bytes.saturating_mul(match direction {
            Direction::Read => p.pages_read_max(),
            Direction::Write => p.pages_written_max(),
        })),
    };
    let own = Description {
        streams: vec![stream(Direction::Read), stream(Direction::Write)],
        threads: 1,
        in_flight_max: u64::from(p.read_ahead) + 1,
        // PostgreSQL writes and vacuums in processes of its own. Syncline's pool takes turns in its passes of reads.
        turns: Interleaving::of(p.subject == Subject::Ours && !reads_ahead(&p)),
        room: Room {
            registers_buffers: p.registered && p.subject == Subject::Ours && p.ioengine == IoEngine::Uring,
            files: p.files(),
            // A server's cluster needs room that the lab does not see: for the table, its maps and a displacer.
            store_bytes: match p.subject {
                Subject::Ours => 0,
                Subject::Postgres => p.file_bytes() + p.pool_bytes(),
            },
            own_memory_bytes: p.pool_bytes(),
            ..Room::default()
        },
        data_bytes: Some(p.blocks * page_bytes),
        // The table has the requested cache state when the first pass begins; the fill comes before it.
        cache: p.cache.of_share(p.cached_percentage),
        cache_of_later_passes: Some(Cache::AsIs),
        owns_buffers: p.subject == Subject::Ours,
        buffer_pages: (p.subject == Subject::Ours).then_some(p.buffer_pages),
        // Two passes of reads, with at most as many reads of map pages.
        duration: Duration { operations: p.pass_pages().saturating_mul(4), ..Duration::default() },
        figures: Figures {
            families: owned(&["page_read_latency", "page_write_latency", "page_hit_latency"]),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

/// Whether the kernel reads on in the table while the next trial has its turn.
fn reads_ahead(p: &Parameters) -> bool {
    let is_cached = p.mode == IoMode::Direct || p.cache.of_share(p.cached_percentage) == Cache::Warm;
    p.access == Access::Sequential && !is_cached
}
