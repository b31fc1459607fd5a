//! Levels of parameters, as rules name them and as they are read from a configuration.

use model::scan::ReadSize;
use model::{Configuration, EVERY_TRIAL, FileSystem, IoMode, Nanos, Value};
use workload::IoEngine;
use workload::commit::PARAMETERS as COMMIT;
use workload::scan::PARAMETERS as SCAN;

/// A parameter and the level that it must have.
pub(crate) type Level = (&'static str, Value);

/// A trial that ran on the disk itself, and not on a loop image.
pub(crate) fn on_host() -> Level {
    EVERY_TRIAL.filesystem.at(FileSystem::Host)
}

/// A log that is written through the page cache by plain calls, without reads beside it, as databases write theirs.
pub(crate) fn log(held: &[Level]) -> Vec<Level> {
    let plain = [
        COMMIT.wal_mode.at(Some(IoMode::Buffered)),
        COMMIT.ioengine.at(IoEngine::Psync),
        COMMIT.read_depth.at(0),
        on_host(),
    ];
    [&plain, held].concat()
}

/// The parameter's level. The level `same` of a mode means the level of `mode`. A workload without the
/// parameter `filesystem` runs on the host's file system. A run that is older than a parameter has its default.
pub(crate) fn level(values: &Configuration, parameter: &str) -> Option<Value> {
    match values.get(parameter) {
        Some(Value::Name(same)) if same == IoMode::SAME => values.get(COMMIT.mode.name()).cloned(),
        None if parameter == EVERY_TRIAL.filesystem.name() => Some(on_host().1),
        // Runs from before these parameters.
        None if parameter == SCAN.piece_size.name() => Some(SCAN.piece_size.at(ReadSize::WholeFile).1),
        None if parameter == SCAN.step_time.name() => Some(SCAN.step_time.at(Nanos::ZERO).1),
        found => found.cloned(),
    }
}

/// The same as text.
pub(crate) fn text(values: &Configuration, parameter: &str) -> Option<String> {
    level(values, parameter).map(|level| level.to_string())
}

/// Whether a configuration has all of these levels.
pub(crate) fn has_all(values: &Configuration, held: &[Level]) -> bool {
    held.iter().all(|(parameter, wanted)| level(values, parameter).as_ref() == Some(wanted))
}

/// `sync = dsync, committers = 1`.
pub(crate) fn label(levels: &[Level]) -> String {
    levels.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
}

/// The same as data.
pub(crate) fn listed(levels: &[Level]) -> Vec<(String, String)> {
    levels.iter().map(|(name, level)| ((*name).to_owned(), level.to_string())).collect()
}
