//! How a file's blocks exist on the device before the measurement.

use serde::{Deserialize, Serialize};

levels! {
    /// A file's layout. It decides what a write costs: into written blocks it is a write, into unwritten or missing
    /// ones it is a change of metadata too, and a journal's flush with it.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Layout {
        /// Empty; writes extend it.
        Append = "append",
        /// Blocks allocated, never written (`fallocate`).
        Fallocated = "fallocated",
        /// Written with random data, which no layer can compress or skip, and fsynced.
        Prefilled = "prefilled",
    }
}

impl Layout {
    /// Whether a trial leaves the file as it found it. The others are consumed: they are made again before each trial,
    /// and a log on them cannot start over at its end.
    pub const fn is_reusable(self) -> bool {
        match self {
            Self::Prefilled => true,
            Self::Append | Self::Fallocated => false,
        }
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
