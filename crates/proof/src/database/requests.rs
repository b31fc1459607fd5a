//! What the servers of the workload `requests` have in common: the levels of a load and of an arm.

use super::description::{Levels, duration, levels};
use crate::conditions::Conditions;
use crate::load::Load;
use crate::server::Server;
use crate::work::{RequestWork, Work};
use model::EVERY_TRIAL;
use std::path::PathBuf;
use workload::requests::{LogCycles, PARAMETERS, ServerKind};

/// What is the same in every arm of a server under a load. `rows` are loaded: their data is three times what the server
/// keeps in memory.
pub(super) fn fixed(server: ServerKind, rows: u32, load: Load, conditions: Conditions) -> Option<Levels> {
    let Work::Requests(work) = load.work else { return None };
    let cycles = if load.has_checkpoints { LogCycles::Whole } else { LogCycles::None };
    Some(levels([
        PARAMETERS.server.at(server),
        PARAMETERS.request.at(work.request()),
        PARAMETERS.clients.at(load.clients),
        PARAMETERS.rows.at(rows),
        PARAMETERS.log_cycles.at(cycles),
        PARAMETERS.binary_log.at(work == RequestWork::InsertRowLogged),
        PARAMETERS.runtime.at(duration(conditions.runtime_s)),
        // Equal servers differ less if nothing moves between CPUs. Where pages come from the device, threads that read
        // and write them run anywhere, and a CPU that a client may not leave would decide the answer.
        PARAMETERS.pinned.at(!work.request().is_on_loaded_rows()),
    ]))
}

pub(super) fn arm(server: &Server) -> Result<Levels, String> {
    let of_workload = [
        PARAMETERS.settings.at(server.settings()?),
        PARAMETERS.programs.at(server.programs.as_ref().map(PathBuf::from)),
        PARAMETERS.directory.at(server.directory.as_ref().map(PathBuf::from)),
    ];
    let filesystem = server.filesystem.map(|filesystem| EVERY_TRIAL.filesystem.at(filesystem));
    Ok(levels(of_workload.into_iter().chain(filesystem)))
}
