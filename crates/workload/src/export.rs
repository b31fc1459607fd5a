//! Configurations as an export prints them: levels as text, without the name of their workload.

use crate::older_plan::describe_older;
use model::{Configuration, Description, Schema};
use std::collections::BTreeMap;

/// Describes a configuration by its levels as text.
///
/// # Errors
/// One sentence: these are not the parameters of exactly one workload, or a parameter has no such level.
pub fn describe(levels: &BTreeMap<String, String>) -> Result<Description, String> {
    let has_all = |schema: &&&'static Schema| levels.keys().all(|name| schema.parameter(name).is_ok());
    let mut schemas = crate::SCHEMAS.iter().filter(has_all);
    let (Some(schema), None) = (schemas.next(), schemas.next()) else {
        return Err("its parameters are not those of exactly one workload of this version".to_owned());
    };
    let read = |(name, text): (&String, &String)| Ok((name.clone(), schema.parameter(name)?.parse(text)?));
    let values = levels.iter().map(read).collect::<Result<_, String>>()?;
    describe_older(schema, &Configuration(values)).map_err(|error| error.to_string())
}
