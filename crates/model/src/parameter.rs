//! Definitions of parameters: name, kind, default, meaning. Parsing, help and validation derive from them.

use crate::settings::Settings;
use crate::{Endpoints, FileSystem, IoCap, Shares, Sizes, Teams, Value, Zones, suggestion, units};
use std::ops::RangeInclusive;

/// The level of a size that means all of a file.
pub const WHOLE_FILE: &str = "whole_file";

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A size within bounds, in bytes.
    Bytes { min: u64, max: u64 },
    /// A count within bounds.
    Count { min: u64, max: u64 },
    /// A number within bounds.
    Number { min: f64, max: f64 },
    /// A span of time.
    Duration,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// A name whose valid levels depend on other parameters: the owner of those checks it.
    Name,
    /// A path or URI, or `none`.
    Place,
    /// Addresses of an object store, `http://a:7070 http://b:7070`, or `none`.
    Endpoints,
    /// `true` or `false`.
    Flag,
    /// A size, a share in percent, or `none`.
    Cap,
    /// `host`, or a fresh file system with options, `xfs+noatime+logbsize=256k`.
    FileSystem,
    /// Limits of I/O, `riops=1000 wbps=125MiB`, or `none`.
    IoCap,
    /// Settings of a server, `name = value; name = value`, or `none`.
    Settings,
    /// Sizes with a percentage each, `4KiB/60:64KiB/40`, or `none`.
    Sizes,
    /// Some of these names with a percentage each, `get/95:put/5`.
    Shares(&'static [&'static str]),
    /// Zones of a file by percentages of accesses and size, `50/5:30/15:20/80`, or `none`.
    Zones,
    /// Kinds of jobs beside each other, `name=log; name=reads rw=randread`, or `none`.
    Teams,
    /// A count, or `none`.
    OptionalCount { max: u64 },
    /// A size in bytes, or [`WHOLE_FILE`].
    ReadSize { max: u64 },
}

/// Sizes from and to these numbers of bytes.
pub const fn bytes(range: RangeInclusive<u64>) -> ParameterKind {
    ParameterKind::Bytes { min: *range.start(), max: *range.end() }
}

/// Counts from and to these.
pub const fn count(range: RangeInclusive<u64>) -> ParameterKind {
    ParameterKind::Count { min: *range.start(), max: *range.end() }
}

/// Counts up to this one, or none.
pub const fn count_up_to(max: u64) -> ParameterKind {
    ParameterKind::OptionalCount { max }
}

/// Numbers from and to these.
pub const fn number(range: RangeInclusive<f64>) -> ParameterKind {
    ParameterKind::Number { min: *range.start(), max: *range.end() }
}

/// One of these names.
pub const fn one_of(names: &'static [&'static str]) -> ParameterKind {
    ParameterKind::Choice(names)
}

/// Some of these names with a percentage each.
pub const fn shares_of(names: &'static [&'static str]) -> ParameterKind {
    ParameterKind::Shares(names)
}

impl ParameterKind {
    /// Whether a value is one of these: a plan may have been written by anything.
    pub fn allows(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Bytes { min, max }, Value::Bytes(bytes)) => (min..=max).contains(bytes),
            (Self::Count { min, max }, Value::Count(count)) => (min..=max).contains(count),
            (Self::Number { min, max }, Value::Number(number)) => (min..=max).contains(number),
            (Self::OptionalCount { max }, Value::Count(count)) => *count <= max,
            (Self::ReadSize { max }, Value::Bytes(bytes)) => *bytes <= max,
            (Self::ReadSize { .. }, Value::Name(name)) => name == WHOLE_FILE,
            (Self::Cap, Value::Bytes(bytes)) => *bytes >= CAP_BYTES_MIN,
            (Self::Cap, Value::Percent(percent)) => is_cap_percent(*percent),
            (Self::OptionalCount { .. } | Self::Cap, Value::Name(name)) => name == "none",
            (Self::Choice(names), Value::Name(name)) => names.contains(&name.as_str()),
            (Self::Duration, Value::Duration(_))
            | (Self::Flag, Value::Flag(_))
            | (
                Self::Endpoints
                | Self::Name
                | Self::FileSystem
                | Self::IoCap
                | Self::Place
                | Self::Settings
                | Self::Shares(_)
                | Self::Sizes
                | Self::Teams
                | Self::Zones,
                Value::Name(_),
            ) => true,
            _ => false,
        }
    }
}

/// One parameter's definition.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name: fio's if fio has one.
    pub name: &'static str,
    /// The values it takes.
    pub kind: ParameterKind,
    /// The default, as a person would write it.
    pub default: &'static str,
    /// One sentence for help and reports.
    pub help: &'static str,
}

impl Parameter {
    /// Reads a level; the error says what would be valid.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let wrong = |expected: String| Err(format!("{} = \"{text}\": expected {expected}", self.name));
        match self.kind {
            ParameterKind::Bytes { min, max } => match units::parse_bytes(text) {
                Some(bytes) if (min..=max).contains(&bytes) => Ok(Value::Bytes(bytes)),
                _ => {
                    wrong(format!("a size from {} to {}", units::format_bytes(min), units::format_bytes(max)))
                }
            },
            ParameterKind::Count { min, max } => match text.trim().parse() {
                Ok(count) if (min..=max).contains(&count) => Ok(Value::Count(count)),
                _ => wrong(format!("a whole number from {min} to {max}")),
            },
            ParameterKind::Number { min, max } => match text.trim().parse() {
                Ok(number) if (min..=max).contains(&number) => Ok(Value::Number(number)),
                _ => wrong(format!("a number from {min} to {max}")),
            },
            ParameterKind::OptionalCount { max } => match text.trim().parse() {
                Ok(count) if count <= max => Ok(Value::Count(count)),
                _ if text.trim() == "none" => Ok(Value::Name("none".to_owned())),
                _ => wrong(format!("none, or a whole number up to {max}")),
            },
            ParameterKind::ReadSize { max } => match units::parse_bytes(text) {
                // Studies had 0 for it.
                Some(0) => Ok(Value::Name(WHOLE_FILE.to_owned())),
                Some(bytes) if bytes <= max => Ok(Value::Bytes(bytes)),
                None if text.trim() == WHOLE_FILE => Ok(Value::Name(WHOLE_FILE.to_owned())),
                _ => wrong(format!("{}, or a size up to {}", WHOLE_FILE, units::format_bytes(max))),
            },
            ParameterKind::Duration => match units::parse_duration(text) {
                Some(duration) => Ok(Value::Duration(duration)),
                None => wrong("a duration such as 250ms, 10s or 5min".to_owned()),
            },
            ParameterKind::Flag => match text.trim() {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => wrong("true or false".to_owned()),
            },
            ParameterKind::Choice(names) => match names.iter().find(|name| **name == text.trim()) {
                Some(name) => Ok(Value::Name((*name).to_owned())),
                None => {
                    Err(suggestion::unknown(&format!("level of {}", self.name), text, names.iter().copied()))
                }
            },
            ParameterKind::Name => match text.trim() {
                name if is_name(name) => Ok(Value::Name(name.to_owned())),
                _ => {
                    wrong("a name of lower-case letters, digits and _, which begins with a letter".to_owned())
                }
            },
            ParameterKind::Place => match text.trim() {
                place if is_place(place) => Ok(Value::Name(place.to_owned())),
                _ => wrong("none, a path that begins with no digit (./ in front helps) or a URI".to_owned()),
            },
            ParameterKind::Endpoints | ParameterKind::IoCap if text.trim() == "none" => {
                Ok(Value::Name("none".to_owned()))
            }
            // What is refused is not repeated: it may hold a secret.
            ParameterKind::Endpoints => match Endpoints::parse(text) {
                Ok(endpoints) => Ok(Value::Name(endpoints.to_string())),
                Err(why) => Err(format!("{}: {why}; expected {ENDPOINTS}", self.name)),
            },
            ParameterKind::Settings => match Settings::parse(text) {
                Ok(settings) => Ok(Value::Name(settings.to_string())),
                Err(why) => Err(format!("{} = \"{text}\": {why}; expected {SETTINGS}", self.name)),
            },
            ParameterKind::Shares(names) => match Shares::parse(text, names) {
                Ok(shares) => Ok(Value::Name(shares.to_string())),
                Err(why) => Err(format!("{} = \"{text}\": {why}; expected {}", self.name, self.values())),
            },
            ParameterKind::Sizes => match Sizes::parse(text) {
                Ok(sizes) => Ok(Value::Name(sizes.to_string())),
                Err(why) => Err(format!("{} = \"{text}\": {why}; expected {SIZES}", self.name)),
            },
            ParameterKind::Teams => match Teams::parse(text) {
                Ok(teams) => Ok(Value::Name(teams.to_string())),
                Err(why) => Err(format!("{} = \"{text}\": {why}; expected {TEAMS}", self.name)),
            },
            ParameterKind::Zones => match Zones::parse(text) {
                Ok(zones) => Ok(Value::Name(zones.to_string())),
                Err(why) => Err(format!("{} = \"{text}\": {why}; expected {ZONES}", self.name)),
            },
            ParameterKind::FileSystem => match FileSystem::parse(text) {
                Ok(file_system) => Ok(Value::Name(file_system.to_string())),
                Err(why) => Err(format!("{} = \"{text}\": {why}", self.name)),
            },
            ParameterKind::IoCap => match IoCap::parse(text) {
                Ok(cap) => Ok(Value::Name(cap.to_string())),
                Err(why) => Err(format!("{} = \"{text}\": {why}; expected {IO_CAP}", self.name)),
            },
            ParameterKind::Cap => {
                let percent = text.trim().strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
                match (percent, units::parse_bytes(text)) {
                    (Some(percent), _) if is_cap_percent(percent) => Ok(Value::Percent(percent)),
                    (None, Some(bytes)) if bytes >= CAP_BYTES_MIN => Ok(Value::Bytes(bytes)),
                    _ if text.trim() == "none" => Ok(Value::Name("none".to_owned())),
                    _ => wrong("none, a size of at least 1MiB, or a percentage".to_owned()),
                }
            }
        }
    }

    /// The valid values, for help.
    pub fn values(&self) -> String {
        match self.kind {
            ParameterKind::Bytes { min, max } => {
                format!("{}…{}", units::format_bytes(min), units::format_bytes(max))
            }
            ParameterKind::Count { min, max } => format!("{min}…{max}"),
            ParameterKind::Number { min, max } => format!("{min}…{max}"),
            ParameterKind::OptionalCount { max } => format!("none | 0…{max}"),
            ParameterKind::ReadSize { max } => {
                format!("{} | 1B…{}", WHOLE_FILE, units::format_bytes(max))
            }
            ParameterKind::Duration => "duration".to_owned(),
            ParameterKind::Choice(names) => names.join(" | "),
            ParameterKind::Name => "name".to_owned(),
            ParameterKind::Place => "none | path | URI".to_owned(),
            ParameterKind::Endpoints => ENDPOINTS.to_owned(),
            ParameterKind::Flag => "true | false".to_owned(),
            ParameterKind::Cap => "none | size | percent".to_owned(),
            ParameterKind::FileSystem => FileSystem::forms(),
            ParameterKind::IoCap => IO_CAP.to_owned(),
            ParameterKind::Settings => SETTINGS.to_owned(),
            ParameterKind::Shares(names) => format!("name/percent:name/percent of {}", names.join(", ")),
            ParameterKind::Sizes => SIZES.to_owned(),
            ParameterKind::Teams => TEAMS.to_owned(),
            ParameterKind::Zones => ZONES.to_owned(),
        }
    }
}

const ENDPOINTS: &str = "none | http://HOST:PORT http://HOST:PORT";
const IO_CAP: &str = "none | riops=N wiops=N rbps=SIZE wbps=SIZE";
const SETTINGS: &str = "none | name = value; name = value";
const TEAMS: &str = "none | name=value name=value; name=value";
const ZONES: &str = "none | accesses/size:accesses/size";
const SIZES: &str = "none | size/percent:size/percent";

/// The smallest memory cap, bytes.
const CAP_BYTES_MIN: u64 = units::MIB;

/// Whether a memory cap can be this percentage.
fn is_cap_percent(percent: f64) -> bool {
    percent > 0.0 && percent <= 1000.0
}

/// Whether a record can hold the text as a place, on one line and distinguished from a size or a duration.
fn is_place(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(char::is_control)
}

/// Whether a record can hold the text as a name: one that began with a digit might be read back as a size or a
/// duration.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_level_says_what_is_valid() {
        let size = Parameter {
            name: "bs",
            kind: ParameterKind::Bytes { min: 512, max: 4096 },
            default: "512B",
            help: "",
        };
        assert_eq!(size.parse("8k").unwrap_err(), "bs = \"8k\": expected a size from 512B to 4KiB");
    }

    /// Tables had `block_size = 0B` where files are read whole.
    #[test]
    fn a_read_of_a_whole_file_has_its_word() {
        let size =
            Parameter { name: "bs", kind: ParameterKind::ReadSize { max: 8192 }, default: "4KiB", help: "" };
        let whole = Value::Name(WHOLE_FILE.to_owned());
        for (text, value) in [("whole_file", whole.clone()), ("0B", whole), ("8k", Value::Bytes(8192))] {
            assert_eq!(size.parse(text), Ok(value.clone()), "{text}");
            assert!(size.kind.allows(&value));
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value, "{text}");
        }
        for bad in ["", "whole", "16k", "none"] {
            assert!(size.parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_place_is_a_path_or_a_uri() {
        let target = Parameter { name: "target", kind: ParameterKind::Place, default: "none", help: "" };
        for good in ["none", "/data/set", "./2024", "s3://bucket/prefix", "file:///data"] {
            let value = target.parse(good).unwrap();
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value, "{good}");
        }
        for bad in ["", "2024", "a\nb"] {
            assert!(target.parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn settings_have_one_text() {
        let settings =
            Parameter { name: "settings", kind: ParameterKind::Settings, default: "none", help: "" };
        let level = settings.parse("wal_buffers=16MB;commit_delay = 10").unwrap();
        assert_eq!(level, Value::Name("commit_delay = 10; wal_buffers = 16MB".to_owned()));
        let json = serde_json::to_string(&level).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), level);
        let why = settings.parse("fsync").unwrap_err();
        assert!(why.contains("settings = \"fsync\"") && why.contains("name = value"), "{why}");
    }

    #[test]
    fn a_free_name_is_a_name() {
        let level = Parameter { name: "durability", kind: ParameterKind::Name, default: "default", help: "" };
        assert_eq!(level.parse(" wal_fsync2 "), Ok(Value::Name("wal_fsync2".to_owned())));
        for bad in ["", "2s", "wal fsync", "Sync", "a\nb"] {
            assert!(level.parse(bad).is_err(), "{bad}");
        }
    }
}
