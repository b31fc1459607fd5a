//! Plans from before plans kept descriptions: their readers complete them here.

use model::buffer::BUFFER_PAGES;
use model::parameter::Parameter;
use model::plan::StudyPlan;
use model::{Configuration, Description, EVERY_TRIAL, LevelError, Schema, Value};

/// The parameter that decides whether a ring registers its files and buffers, in all workloads that have it.
const REGISTERED: &str = crate::device::PARAMETERS.registered.name();
const AGE: &str = EVERY_TRIAL.age.name();

/// Describes the configurations of a plan from a version that did not keep descriptions. Parameters that are newer than
/// the plan are described at their defaults, with a note. A workload or level of a later version stays undescribed,
/// because its meaning is unknown here.
pub fn complete(study: &mut StudyPlan) {
    if study.descriptions.len() == study.configurations.len() {
        return;
    }
    let Ok(schema) = crate::schema(&study.workload) else { return };
    let described = study.configurations.iter().map(|values| describe_older(schema, values));
    study.descriptions = described.collect::<Result<_, LevelError>>().unwrap_or_default();
}

/// A configuration of a version with fewer parameters. A parameter that it lacks has the level that it had then: its
/// default, except for rings, which always registered their files and buffers.
pub fn completed(schema: &Schema, values: &Configuration) -> Configuration {
    let mut complete = schema.defaults();
    if let Some(registered) = complete.0.get_mut(REGISTERED) {
        *registered = Value::Flag(true);
    }
    complete.0.extend(values.0.clone());
    complete
}

pub(crate) fn describe_older(
    schema: &'static Schema,
    values: &Configuration,
) -> Result<Description, LevelError> {
    let mut description = (schema.describe)(&completed(schema, values))?;
    let newer = schema.all().filter(|parameter| values.get(parameter.name).is_none());
    description.names.unrecorded = newer.filter_map(|parameter| note(schema, parameter)).collect();
    if values.get(BUFFER_PAGES).is_none() {
        description.buffer_pages = None;
    }
    Ok(description)
}

/// The state of a parameter before it existed, as a clause, if its default would state something else.
fn note(schema: &Schema, parameter: &Parameter) -> Option<(String, String)> {
    let what = match (schema.workload(), parameter.name) {
        ("scan", BUFFER_PAGES) => "not recorded (huge if the kernel gives them unasked)",
        (_, BUFFER_PAGES) => {
            "not recorded (huge if the version asked for huge pages, else what the kernel gives)"
        }
        (_, REGISTERED) => "not recorded (true, unless memory could not be locked)",
        (_, AGE) => "not recorded (0s)",
        _ => return None,
    };
    Some((parameter.name.to_owned(), what.to_owned()))
}
