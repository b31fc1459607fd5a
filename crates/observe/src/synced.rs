//! Files by the numbers that their file systems know them by.

use crate::descriptors::UNNAMED;
use crate::files::FileId;
use std::collections::HashMap;
use trace::Device;

/// Files whose numbers are kept.
const FILES_MAX: usize = 1 << 16;

/// Files by their numbers; `None` for one that is not the target's.
#[derive(Debug, Default)]
pub(crate) struct Synced {
    pub(crate) files: HashMap<(Device, u64), Option<FileId>>,
}

impl Synced {
    pub(crate) fn remember(&mut self, number: (Device, u64), file: Option<FileId>) {
        if self.files.len() >= FILES_MAX {
            self.files.clear();
        }
        self.files.insert(number, file);
    }

    /// What could not be named is looked up again: its number may be another file's by now.
    pub(crate) fn begin_anew(&mut self) {
        self.files.retain(|_, file| file.is_some_and(|file| file != UNNAMED));
    }
}
