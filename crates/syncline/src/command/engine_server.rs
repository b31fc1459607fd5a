//! `syncline engine-server`: an embedded engine behind a socket, for `survive`.

use crate::failure::Failure;
use engine::EngineKind;
use std::path::Path;
use std::process::ExitCode;

/// Serves until it is killed.
pub(crate) fn run(engine: &str, store: &Path, socket: &Path, level: &str) -> Result<ExitCode, Failure> {
    let kind = EngineKind::from_name(engine).ok_or_else(|| {
        Failure::Usage(model::suggestion::unknown("engine", engine, EngineKind::NAMES.iter().copied()))
    })?;
    server::serve(kind, store, socket, level).map_err(Failure::runtime)?;
    Ok(ExitCode::SUCCESS)
}
