//! The part of a description that all workloads share: the parameters that every trial has, and the formulas that need both
//! them and the workload's own part. It also completes plans from before plans kept descriptions.

use model::buffer::BUFFER_PAGES;
use model::description::Duration;
use model::parameter::{Parameter, Schema};
use model::plan::StudyPlan;
use model::{Configuration, Description, LevelError, Levels, TrialParameters};

/// Describes the configurations of a plan from a version that did not keep descriptions. Parameters that are newer than the
/// plan are described at their defaults, with a note. A workload or level of a later version stays undescribed, because its
/// meaning is unknown here.
pub fn complete(study: &mut StudyPlan) {
    if study.descriptions.len() == study.configurations.len() {
        return;
    }
    let Ok(schema) = crate::schema(&study.workload) else { return };
    let described = study.configurations.iter().map(|values| of_old(schema, values));
    study.descriptions = described.collect::<Result<_, LevelError>>().unwrap_or_default();
}

fn of_old(schema: &'static Schema, values: &Configuration) -> Result<Description, LevelError> {
    let mut complete = schema.defaults();
    complete.0.extend(values.0.clone());
    let mut description = (schema.describe)(&complete)?;
    let newer = schema.all().filter(|parameter| values.get(parameter.name).is_none());
    description.unrecorded = newer.filter_map(|parameter| note(schema, parameter)).collect();
    if values.get(BUFFER_PAGES).is_none() {
        description.buffer_pages = None;
    }
    Ok(description)
}

/// The state of a parameter before it existed, as a clause, if its default would state something else.
fn note(schema: &Schema, parameter: &Parameter) -> Option<(String, String)> {
    let what = match (schema.workload, parameter.name) {
        ("scan", BUFFER_PAGES) => "not recorded (huge if the kernel gives them unasked)",
        (_, BUFFER_PAGES) => {
            "not recorded (huge if the version asked for huge pages, else what the kernel gives)"
        }
        (_, "registered") => "not recorded (true, unless memory could not be locked)",
        (_, "age") => "not recorded (0s)",
        _ => return None,
    };
    Some((parameter.name.to_owned(), what.to_owned()))
}

/// A workload's own description, with what every trial's parameters add.
pub(crate) fn of_trial(
    schema: &'static Schema,
    configuration: &Configuration,
    own: Description,
) -> Result<Description, LevelError> {
    let trial = TrialParameters::read(&Levels::of(schema, configuration))?;
    let own_files_bytes = own.file_bytes().saturating_add(own.store_bytes);
    let counted_bytes = own_files_bytes.max(own.counted_bytes);
    Ok(Description {
        filesystem: trial.filesystem,
        counted_bytes,
        memory_cap_bytes: trial.memory_cap.map(|cap| cap.bytes(counted_bytes)),
        placement: owned(schema.placement),
        sizes: owned(schema.sizes),
        duration: Duration {
            idle_s: trial.cooldown.seconds(),
            age_s: trial.age.seconds(),
            moved_bytes: own.duration.moved_bytes.saturating_add(own_files_bytes),
            ..own.duration
        },
        ..own
    })
}

/// Names as a description keeps them.
pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
