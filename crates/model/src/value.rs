//! The value of one parameter, with its unit.

use crate::{Nanos, units};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A typed parameter value. Its text form carries the unit, so a record can be read without the parameter's definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A size in bytes.
    Bytes(u64),
    /// A span of time.
    Duration(Nanos),
    /// A plain count.
    Count(u64),
    /// A plain number that is no count, such as an exponent.
    Number(f64),
    /// A share in percent, usually of a file.
    Percent(f64),
    /// On or off.
    Flag(bool),
    /// One of a closed set of names, or free text.
    Name(String),
}

impl Value {
    /// The value on a numeric axis (bytes, seconds, count, number, percent), or `None` for names and flags.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Bytes(bytes) => Some(*bytes as f64),
            Self::Duration(duration) => Some(duration.seconds()),
            Self::Count(count) => Some(*count as f64),
            Self::Number(number) => Some(*number),
            Self::Percent(percent) => Some(*percent),
            Self::Flag(_) | Self::Name(_) => None,
        }
    }

    /// Reads a value back from its canonical text; anything that is no number with a unit is a name.
    pub fn from_canonical(text: &str) -> Self {
        let starts_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_digit {
            return Self::Name(text.to_owned());
        }
        if let Some(percent) = text.strip_suffix('%').and_then(|number| number.parse().ok()) {
            return Self::Percent(percent);
        }
        if text.ends_with('B')
            && let Some(bytes) = units::parse_bytes(text)
        {
            return Self::Bytes(bytes);
        }
        if let Some(duration) =
            units::parse_duration(text).filter(|_| !text.ends_with(|c: char| c.is_ascii_digit()))
        {
            return Self::Duration(duration);
        }
        Self::Name(text.to_owned())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => f.write_str(&units::format_bytes(*bytes)),
            Self::Duration(duration) => f.write_str(&units::format_duration(*duration)),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Bytes(_) | Self::Duration(_) | Self::Percent(_) | Self::Name(_) => {
                serializer.collect_str(self)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Flag(bool),
            Count(u64),
            Number(f64),
            Text(String),
        }
        Ok(match Raw::deserialize(deserializer)? {
            Raw::Flag(flag) => Self::Flag(flag),
            Raw::Count(count) => Self::Count(count),
            Raw::Number(number) => Self::Number(number),
            Raw::Text(text) => Self::from_canonical(&text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_a_record() {
        for value in [
            Value::Bytes(4096),
            Value::Bytes(0),
            Value::Duration(Nanos::from_millis(250)),
            Value::Duration(Nanos::ZERO),
            Value::Count(16),
            Value::Number(1.0),
            Value::Number(1.2),
            Value::Percent(12.5),
            Value::Flag(true),
            Value::Name("fdatasync".to_owned()),
        ] {
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value, "{json}");
        }
    }
}
