//! The files of a configuration.

use crate::Layout;
use serde::{Deserialize, Serialize};

/// The role of what is read, or written in place.
pub(super) const DATA: &str = "data";

/// Files that are alike. Configurations that name the same files share them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSet {
    /// Their name, which tells everything that distinguishes them: role, layout, size.
    pub name: String,
    /// What they are for: `data`, `wal`, `log`.
    pub role: String,
    /// How their blocks lie on the device when a trial starts.
    pub layout: Layout,
    /// Bytes that each holds or may grow to.
    pub size_bytes: u64,
    /// How many there are.
    pub count: u64,
}

/// A folder of files that a trial makes by itself, and that stays until the end of the run. Configurations that name
/// the same folder share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Its name, which tells everything that distinguishes its files.
    pub name: String,
    /// Bytes of all of them, at most.
    pub bytes: u64,
}

/// A file that a configuration works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNeed {
    /// Its name. Configurations that name the same file share it.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// How its blocks lie on the device when a trial starts.
    pub layout: Layout,
    /// Bytes that it holds or may grow to.
    pub size_bytes: u64,
}

impl FileSet {
    /// Each of them, numbered if there are several.
    pub fn files(&self) -> impl Iterator<Item = FileNeed> {
        (0..self.count).map(|index| FileNeed {
            name: match self.count {
                1 => self.name.clone(),
                _ => format!("{}-{index:06}", self.name),
            },
            role: self.role.clone(),
            layout: self.layout,
            size_bytes: self.size_bytes,
        })
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        self.size_bytes.saturating_mul(self.count)
    }
}
