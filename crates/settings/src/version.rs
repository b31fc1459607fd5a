//! Versions of databases, and which of them have a setting.

use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A version, `15`, `16.4` or `8.0.26`. Versions are ordered by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u32>);

/// The most numbers of a version.
const NUMBERS_MAX: usize = 4;

impl Version {
    pub fn major(&self) -> u32 {
        self.0.first().copied().unwrap_or_default()
    }
}

/// A text that is not a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAVersion;

impl fmt::Display for NotAVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("write a version as numbers with points between them, such as 15 or 8.0.36")
    }
}

impl std::error::Error for NotAVersion {}

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |part: &str| {
            let is_number = part.len() <= 6 && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|_| is_number).ok_or(NotAVersion)
        };
        let numbers = text.split('.').map(number).collect::<Result<Vec<u32>, _>>()?;
        if numbers.len() <= NUMBERS_MAX { Ok(Self(numbers)) } else { Err(NotAVersion) }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The versions of a database that have a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Versions {
    /// The first; `None` if every supported version up to the last has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<&'static str>,
    /// The last, with all of its minor versions; `None` if every later version has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u32>,
}

impl Versions {
    /// Whether a version has it.
    pub fn has(self, version: &Version) -> bool {
        let since = self.since.and_then(|since| since.parse::<Version>().ok());
        since.is_none_or(|since| *version >= since) && self.until.is_none_or(|until| version.major() <= until)
    }

    /// `18 and later`, `16 and earlier`, `16 to 17`.
    pub fn text(self) -> String {
        match (self.since, self.until) {
            (None, None) => "of any number".to_owned(),
            (Some(since), None) => format!("{since} and later"),
            (None, Some(until)) => format!("{until} and earlier"),
            (Some(since), Some(until)) => format!("{since} to {until}"),
        }
    }

    /// `io_method: PostgreSQL 18 and later, and the server is 15.18`: for a setting that the server lacks.
    pub fn lacking(self, setting: &str, database: &str, server: impl fmt::Display) -> String {
        format!("{setting}: {database} {}, and the server is {server}", self.text())
    }

    /// Whether every supported version has it.
    pub const fn are_all(self) -> bool {
        self.since.is_none() && self.until.is_none()
    }
}

/// The version of the database that an advice is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// This one: nothing is advised that it lacks.
    Of(Version),
    /// One that is not known: nothing is advised that not every version has.
    Unknown,
    /// Any: each setting says which versions have it.
    Any,
}

impl Release {
    /// The version, if it is known.
    pub fn version(&self) -> Option<&Version> {
        match self {
            Self::Of(version) => Some(version),
            Self::Unknown | Self::Any => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        assert!(version("9.6") < version("15") && version("15") < version("15.18"));
        assert!(version("8.0.9") < version("8.0.26") && version("8.10") > version("8.7"));
        assert_eq!(version("8.0.26").to_string(), "8.0.26");
        for wrong in ["", "15.", "v15", "15 ", "-1", "1.2.3.4.5", "99999999999", "+5"] {
            assert_eq!(wrong.parse::<Version>(), Err(NotAVersion), "{wrong}");
        }
    }

    #[test]
    fn a_version_has_what_came_before_it_and_was_not_removed() {
        let between = Versions { since: Some("16"), until: Some(17) };
        for (text, has) in [("15.9", false), ("16", true), ("17.6", true), ("18", false)] {
            assert_eq!(between.has(&version(text)), has, "{text}");
        }
        assert!(Versions::default().has(&version("1")));
    }
}
