//! Levels of parameters, as rules name them and as they are read from a configuration.

use model::{Configuration, Value};

/// A parameter and the level that it must have, as text.
pub(crate) type Level<'a> = (&'a str, &'a str);

/// The parameter's level as text. The level `same` of a mode means the level of `mode`. A workload without the parameter
/// `filesystem` runs on the host's file system.
pub(crate) fn text(values: &Configuration, parameter: &str) -> Option<String> {
    let found = match values.get(parameter) {
        Some(Value::Name(same)) if same == "same" => values.get("mode"),
        None if parameter == "filesystem" => return Some("host".to_owned()),
        found => found,
    };
    found.map(ToString::to_string)
}

/// Whether a configuration has all of these levels.
pub(crate) fn has_all(values: &Configuration, held: &[Level<'_>]) -> bool {
    held.iter().all(|(parameter, level)| text(values, parameter).as_deref() == Some(level))
}

/// `sync = dsync, committers = 1`.
pub(crate) fn label(levels: &[Level<'_>]) -> String {
    levels.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
}

/// The same as data.
pub(crate) fn listed(levels: &[Level<'_>]) -> Vec<(String, String)> {
    levels.iter().map(|(name, level)| ((*name).to_owned(), (*level).to_owned())).collect()
}
