//! The levels of one configuration, as its workload reads them.

use crate::definitions::Definitions;
use crate::every_trial::MemoryCap;
use crate::level::Level;
use crate::parameter::{CAP_BYTES_MIN, Kind, Parameter, is_cap_percent};
use crate::settings::Settings;
use crate::{Configuration, Nanos, Sizes, Value, Zones};
use std::path::PathBuf;

/// A parameter that a configuration lacks, or holds with a level that its workload does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{workload}: {parameter} {found}: expected {expected}")]
pub struct LevelError {
    /// The workload that read it.
    pub workload: &'static str,
    /// The parameter.
    pub parameter: String,
    /// What the configuration has: `= "level"`, or that it has nothing.
    pub found: String,
    /// What the workload takes.
    pub expected: String,
}

/// Reads levels and never takes one for another: every error names workload, parameter, level and what is allowed.
#[derive(Clone, Copy)]
pub struct Levels<'a> {
    definitions: &'static Definitions,
    configuration: &'a Configuration,
}

macro_rules! getter {
    ($name:ident, $variant:ident, $type:ty, $doc:literal) => {
        #[doc = $doc]
        pub fn $name(&self, parameter: &str) -> Result<$type, LevelError> {
            match self.configuration.get(parameter) {
                Some(Value::$variant(value)) if self.is_allowed(parameter) => Ok(value.clone()),
                _ => Err(self.error(parameter)),
            }
        }
    };
}

impl<'a> Levels<'a> {
    getter!(bytes, Bytes, u64, "A size in bytes.");
    getter!(count, Count, u64, "A count.");
    getter!(number, Number, f64, "A number.");
    getter!(duration, Duration, Nanos, "A span of time.");
    getter!(flag, Flag, bool, "On or off.");
    getter!(
        text,
        Name,
        String,
        "A name that its definition does not list: a place, or a level of another's."
    );

    /// The levels of a configuration of this workload.
    pub const fn new(definitions: &'static Definitions, configuration: &'a Configuration) -> Self {
        Self { definitions, configuration }
    }

    /// A count, or `None` for `none`.
    pub fn optional_count(&self, parameter: &str) -> Result<Option<u64>, LevelError> {
        match self.configuration.get(parameter) {
            Some(Value::Count(count)) if self.is_allowed(parameter) => Ok(Some(*count)),
            Some(Value::Name(name)) if name == "none" => Ok(None),
            _ => Err(self.error(parameter)),
        }
    }

    /// A place, or `None` for `none`.
    pub fn place(&self, parameter: &str) -> Result<Option<PathBuf>, LevelError> {
        let place = self.text(parameter)?;
        Ok((place != "none").then(|| PathBuf::from(place)))
    }

    /// The settings of a server; none for `none`.
    pub fn settings(&self, parameter: &str) -> Result<Settings, LevelError> {
        Settings::parse(&self.text(parameter)?).map_err(|_| self.error(parameter))
    }

    /// Sizes with a share each; none for `none`.
    pub fn sizes(&self, parameter: &str) -> Result<Sizes, LevelError> {
        Sizes::parse(&self.text(parameter)?).map_err(|_| self.error(parameter))
    }

    /// Zones of a file; none for `none`.
    pub fn zones(&self, parameter: &str) -> Result<Zones, LevelError> {
        Zones::parse(&self.text(parameter)?).map_err(|_| self.error(parameter))
    }

    /// A size or a percentage, or `None` for `none`.
    pub fn cap(&self, parameter: &str) -> Result<Option<MemoryCap>, LevelError> {
        match self.configuration.get(parameter) {
            Some(Value::Name(name)) if name == "none" => Ok(None),
            Some(value) if self.is_allowed(parameter) => {
                MemoryCap::from_level(value).map(Some).ok_or_else(|| self.error(parameter))
            }
            Some(_) | None => Err(self.error(parameter)),
        }
    }

    /// One of the names that its definition lists.
    pub fn choice(&self, parameter: &str) -> Result<&'static str, LevelError> {
        let allowed = match self.definitions.parameter(parameter).map(|parameter| parameter.kind) {
            Ok(Kind::Choice(names)) => names,
            _ => &[],
        };
        let level = self.text(parameter)?;
        allowed.iter().find(|name| **name == level).copied().ok_or_else(|| self.error(parameter))
    }

    /// One of the levels that its definition lists.
    pub fn level<L: Level>(&self, parameter: &str) -> Result<L, LevelError> {
        L::from_name(self.choice(parameter)?).ok_or_else(|| self.error(parameter))
    }

    /// Whether a number is within its bounds: a plan may have been written by anything.
    fn is_allowed(&self, parameter: &str) -> bool {
        let kind = self.definitions.parameter(parameter).map(|parameter| parameter.kind);
        match (kind, self.configuration.get(parameter)) {
            (Ok(Kind::Bytes { min, max }), Some(Value::Bytes(bytes))) => (min..=max).contains(bytes),
            (Ok(Kind::Count { min, max }), Some(Value::Count(count))) => (min..=max).contains(count),
            (Ok(Kind::Number { min, max }), Some(Value::Number(number))) => (min..=max).contains(number),
            (Ok(Kind::OptionalCount { max }), Some(Value::Count(count))) => *count <= max,
            (Ok(Kind::Cap), Some(Value::Bytes(bytes))) => *bytes >= CAP_BYTES_MIN,
            (Ok(Kind::Cap), Some(Value::Percent(percent))) => is_cap_percent(*percent),
            (Ok(_), Some(_)) => true,
            (Err(_), _) | (_, None) => false,
        }
    }

    /// That what the configuration has is not a level of the parameter.
    fn error(&self, parameter: &str) -> LevelError {
        let expected = self.definitions.parameter(parameter).map(Parameter::values);
        self.error_with(parameter, expected.unwrap_or_else(|unknown| unknown))
    }

    /// The same, where more than its definition decides what would be.
    pub fn error_with(&self, parameter: &str, expected: String) -> LevelError {
        let found = match self.configuration.get(parameter) {
            Some(value) => format!("= \"{value}\""),
            None => "is missing".to_owned(),
        };
        LevelError { workload: self.definitions.workload, parameter: parameter.to_owned(), found, expected }
    }
}
