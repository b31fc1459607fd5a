//! How a file's blocks exist on the device before the measurement.

use std::fmt;

/// A file's layout. It decides what a write costs: into written blocks it is a write, into unwritten or missing
/// ones it is a change of metadata too, and a journal's flush with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Empty; writes extend it.
    Append,
    /// Blocks allocated, never written (`fallocate`).
    Fallocated,
    /// Written with random data, which no layer can compress or skip, and fsynced.
    Prefilled,
}

impl Layout {
    /// The parameter levels that name a layout.
    pub const NAMES: &'static [&'static str] = &["append", "fallocated", "prefilled"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "append" => Some(Self::Append),
            "fallocated" => Some(Self::Fallocated),
            "prefilled" => Some(Self::Prefilled),
            _ => None,
        }
    }

    /// Whether a trial leaves the file as it found it. The others are consumed: they are made anew before each trial,
    /// and a log on them cannot start over at its end.
    pub const fn is_reusable(self) -> bool {
        match self {
            Self::Prefilled => true,
            Self::Append | Self::Fallocated => false,
        }
    }

    /// The layout's level name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Fallocated => "fallocated",
            Self::Prefilled => "prefilled",
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_names_its_layout() {
        for name in Layout::NAMES {
            assert_eq!(Layout::from_name(name).map(Layout::name), Some(*name));
        }
        assert_eq!(Layout::from_name("sparse"), None);
    }
}
