//! The author of a run or a proof that goes on: the caller would start and read what its plan names, programs and
//! places.

use crate::failure::Failure;
use disk::trust::require_trusted;
use model::parameter::ParameterKind;
use model::plan::StudyPlan;
use std::path::Path;

/// Requires that only the caller or root can have written a directory whose plan names something: `named` is what, if
/// anything.
pub(crate) fn require_own(directory: &Path, named: Option<&str>) -> Result<(), Failure> {
    let Some(named) = named else { return Ok(()) };
    let why = |why| format!("{}: it names {named}, and is not continued: {why}", directory.display());
    require_trusted(directory).map_err(|distrust| Failure::Usage(why(distrust)))
}

/// A place, or a directory of programs, that a configuration names: `programs = /opt/pg/bin`.
pub(crate) fn named_place(studies: &[StudyPlan]) -> Option<String> {
    studies.iter().find_map(|study| {
        let schema = workload::schema(&study.workload).ok()?;
        let is_place = |kind| matches!(kind, ParameterKind::Place | ParameterKind::Endpoints);
        let mut places = schema.all().filter(|parameter| is_place(parameter.kind));
        places.find_map(|place| {
            let mut values = study.configurations.iter().filter_map(|values| values.text(place.name).ok());
            let value = values.find(|value| *value != place.default)?;
            Some(format!("{} = {value}", place.name))
        })
    })
}
