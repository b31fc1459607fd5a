//! Configurations of tests: the defaults of a workload with some levels changed.

use model::{Configuration, Schema};

/// The defaults with these levels, as a person writes them; the last of several levels of one parameter counts.
pub(crate) fn configured(schema: &Schema, changes: &[(&str, &str)]) -> Configuration {
    let mut configuration = schema.defaults();
    for (name, level) in changes {
        let value = schema.parameter(name).unwrap().parse(level).unwrap();
        configuration.0.insert((*name).to_owned(), value);
    }
    configuration
}
