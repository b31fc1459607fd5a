//! The levels of one configuration, as its workload reads them.

use crate::{Configuration, Handle, Level};

/// A parameter that a configuration lacks, or holds with a level that its workload does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{workload}: {parameter} {found}: expected {expected}")]
pub struct LevelError {
    /// The workload that read it.
    pub workload: &'static str,
    pub parameter: String,
    /// What the configuration has: `= "level"`, or that it has nothing.
    pub found: String,
    /// What the workload takes.
    pub expected: String,
}

/// Reads levels and never takes one for another: every error names workload, parameter, level and what is allowed.
#[derive(Clone, Copy)]
pub struct Levels<'a> {
    workload: &'static str,
    configuration: &'a Configuration,
}

impl<'a> Levels<'a> {
    /// The levels of a configuration of this workload.
    pub const fn new(workload: &'static str, configuration: &'a Configuration) -> Self {
        Self { workload, configuration }
    }

    /// The level of a parameter.
    pub fn read<T: Level>(&self, parameter: &Handle<T>) -> Result<T, LevelError> {
        parameter
            .of(self.configuration)
            .ok_or_else(|| self.error(parameter.name(), parameter.definition().values()))
    }

    /// That what the configuration has is not a level of the parameter.
    pub fn error(&self, parameter: &str, expected: String) -> LevelError {
        let found = match self.configuration.get(parameter) {
            Some(value) => format!("= \"{value}\""),
            None => "is missing".to_owned(),
        };
        LevelError { workload: self.workload, parameter: parameter.to_owned(), found, expected }
    }
}
