//! The part of a description that all workloads share: the parameters that every trial has, and the formulas that need
//! both them and the workload's own part.

use model::description::{Duration, Names, Room};
use model::{Configuration, Definitions, Description, Handle, Level, LevelError, Levels, TrialParameters};

/// A workload's own description, with what every trial's parameters add.
pub(crate) fn for_trial(
    definitions: &'static Definitions,
    configuration: &Configuration,
    own: Description,
) -> Result<Description, LevelError> {
    let trial = TrialParameters::of(&Levels::new(definitions.workload, configuration))?;
    let own_files_bytes = own.room.file_bytes().saturating_add(own.room.store_bytes);
    let counted_bytes = own_files_bytes.max(own.room.counted_bytes);
    Ok(Description {
        ranks: trial.ranks,
        filesystem: trial.filesystem,
        memory_cap_bytes: trial.memory_cap.map(|cap| cap.bytes(counted_bytes)),
        room: Room { counted_bytes, sizes: owned(definitions.sizes), ..own.room },
        names: Names { placement: owned(definitions.placement), ..own.names },
        duration: Duration {
            idle_s: trial.cooldown.seconds(),
            age_s: trial.age.seconds(),
            moved_bytes: own.duration.moved_bytes.saturating_add(own_files_bytes),
            ..own.duration
        },
        ..own
    })
}

/// A parameter's name as a description keeps it.
pub(crate) fn named<T: Level>(parameter: &Handle<T>) -> String {
    parameter.name().to_owned()
}

/// Names as a description keeps them.
pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
