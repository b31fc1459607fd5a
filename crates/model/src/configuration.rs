//! One level for every parameter.

use crate::{IoMode, Nanos, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A complete assignment of values to parameters: what one trial runs with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Configuration(pub BTreeMap<String, Value>);

/// A parameter that a configuration lacks or holds with another type: a defect of the plan, never of the user's input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("configuration has no {kind} \"{name}\"")]
pub struct Missing {
    name: String,
    kind: &'static str,
}

macro_rules! getter {
    ($name:ident, $variant:ident, $type:ty, $doc:literal) => {
        #[doc = $doc]
        pub fn $name(&self, name: &str) -> Result<$type, Missing> {
            match self.0.get(name) {
                Some(Value::$variant(value)) => Ok(value.clone()),
                _ => Err(Missing { name: name.to_owned(), kind: stringify!($name) }),
            }
        }
    };
}

impl Configuration {
    getter!(bytes, Bytes, u64, "A size in bytes.");
    getter!(count, Count, u64, "A count.");
    getter!(number, Number, f64, "A number.");
    getter!(duration, Duration, Nanos, "A span of time.");
    getter!(flag, Flag, bool, "On or off.");
    getter!(text, Name, String, "A name.");

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Whether a named parameter has this level.
    pub fn is(&self, name: &str, level: &str) -> bool {
        matches!(self.0.get(name), Some(Value::Name(value)) if value == level)
    }

    /// An I/O mode parameter.
    pub fn io_mode(&self, name: &str) -> Result<IoMode, Missing> {
        IoMode::from_name(&self.text(name)?).ok_or(Missing { name: name.to_owned(), kind: "I/O mode" })
    }

    /// Only these parameters, in their order, as `name=value` pairs: a configuration's label in a study.
    pub fn label<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> String {
        let parts: Vec<String> =
            names.into_iter().filter_map(|name| Some(format!("{name}={}", self.0.get(name)?))).collect();
        parts.join(" ")
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label(self.0.keys().map(String::as_str)))
    }
}
