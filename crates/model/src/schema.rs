//! What a workload takes and gives: its line in the list of workloads.

use crate::parameter::Parameter;
use crate::{Configuration, Definitions, Description, LevelError};

/// A workload's line in the list of workloads.
#[derive(Clone, Copy)]
pub struct Schema {
    /// Its name and its parameters.
    pub definitions: Definitions,
    pub summary: &'static str,
    /// Metric families it reports ([`crate::metric`]).
    pub metrics: &'static [&'static str],
    /// Combinations of values that make no sense, with the reason and the way out.
    pub check: fn(&Configuration) -> Result<(), String>,
    /// What a configuration is to everybody else.
    pub describe: fn(&Configuration) -> Result<Description, LevelError>,
}

impl Schema {
    /// The workload's name in study files.
    pub const fn workload(&self) -> &'static str {
        self.definitions.workload
    }

    /// Every parameter, the workload's own first.
    pub fn all(&self) -> impl Iterator<Item = &'static Parameter> + Clone + use<> {
        self.definitions.all()
    }

    /// Finds a parameter; the error names the nearest known one.
    pub fn parameter(&self, name: &str) -> Result<&'static Parameter, String> {
        self.definitions.parameter(name)
    }

    /// The configuration of defaults.
    pub fn defaults(&self) -> Configuration {
        self.definitions.defaults()
    }
}
