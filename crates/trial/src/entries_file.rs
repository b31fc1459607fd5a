//! The file that a block backend appends entries to.

use crate::block_team::{BlockTeam, buffers_refused, check_alignment, refuse};
use crate::refusal::Refusal;
use crate::site::Site;
use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::FileTable;
use driver::MonotonicClock;
use model::trial::TrialSpec;
use model::{BlockKind, IoMode};
use std::sync::Arc;
use workload::IoEngine;
use workload::append::{ENTRIES_FILE, Parameters, SIZE_PARAMETER};

/// A team with one writer of one file.
pub(crate) fn team<'a>(site: &'a Site, parameters: &Parameters, setups: Vec<Setup>) -> BlockTeam<'a> {
    let kind = match parameters.ioengine {
        IoEngine::Uring => BackendKind::Uring,
        IoEngine::Psync => BackendKind::Psync,
    };
    BlockTeam {
        site,
        kinds: vec![kind; setups.len()],
        setups,
        first_cpu: None,
        size_parameter: SIZE_PARAMETER,
    }
}

/// The file, and a buffer that holds the entries of many writes.
pub(crate) fn setup(site: &Site, spec: &TrialSpec, parameters: &Parameters) -> Result<Setup, Refusal> {
    let file = site.files().first().ok_or_else(|| Refusal::Failed("the trial has no file".to_owned()))?;
    let mut table = FileTable::new();
    table.open(&site.path(file), IoMode::Buffered, true).map_err(refuse)?;
    check_alignment(&table, site, ENTRIES_FILE, parameters.entry_bytes(), BlockKind::Write)?;
    let mut arena =
        Arena::with_pages(parameters.payload_bytes(), parameters.buffer_pages).map_err(buffers_refused)?;
    parameters.fill(spec.seed, arena.bytes(0, parameters.payload_bytes()));
    Ok(Setup {
        files: Arc::new(table),
        arena: Arc::new(arena),
        clock: MonotonicClock::start(),
        in_flight_max: parameters.in_flight_max(),
        registered: parameters.registered,
    })
}
