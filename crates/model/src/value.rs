//! The value of one parameter, with its unit.

use crate::{Nanos, units};
use serde::de::{Error, Visitor};
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
    /// A plain number that is not a count, such as an exponent.
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

    /// Reads a value back from its canonical text; anything that is not a number with a unit is a name.
    pub fn from_canonical(text: &str) -> Self {
        let starts_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_digit {
            return Self::Name(text.to_owned());
        }
        let percent = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        // What has more digits than any number is infinite, and would be written as no number.
        if let Some(percent) = percent.filter(|percent| percent.is_finite()) {
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
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl Visitor<'_> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, true or false, or text such as 4KiB, 250ms or a name")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<Value, E> {
        Ok(Value::Count(count))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(u64::try_from(number).map_or(Value::Number(number as f64), Value::Count))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from_canonical(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It was read as infinite and written as the name `inf%`.
    #[test]
    fn a_percentage_of_four_hundred_digits_is_no_number() {
        let text = format!("{}%", "5".repeat(400));
        assert_eq!(Value::from_canonical(&text), Value::Name(text));
    }

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
        assert_eq!(serde_json::from_str::<Value>("-3").unwrap(), Value::Number(-3.0));
    }

    /// A changed plan was refused by "data did not match any variant of untagged enum Raw".
    #[test]
    fn what_is_no_level_says_what_is_accepted() {
        for json in ["null", "[4]", "{}"] {
            let error = serde_json::from_str::<Value>(json).unwrap_err().to_string();
            assert!(error.contains("such as 4KiB") && !error.contains("untagged"), "{json}: {error}");
        }
    }
}
