//! What a client did, kept in memory while it is measured: room for a number of operations, made before the first one.

use super::super::levels::Step;
use model::Nanos;

/// One operation as it took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it was submitted, since the measurement began.
    pub start: Nanos,
    /// When its first bytes were there; its end unless it is a read.
    pub first_byte: Nanos,
    pub end: Nanos,
    pub step: Step,
    pub object: u64,
    pub offset: u64,
    /// Bytes that were read or written, or the object's size for a stat.
    pub bytes: u32,
    /// Names of a list.
    pub names: u32,
    pub has_failed: bool,
}

/// The first operations of a client.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: Vec<Entry>,
    entries_max: usize,
    left_out: u64,
}

impl Journal {
    /// Room for this number of operations.
    pub(in crate::object) fn with_room_for(operations: u64) -> Self {
        let entries_max = usize::try_from(operations).unwrap_or(usize::MAX);
        Self { entries: Vec::with_capacity(entries_max), entries_max, left_out: 0 }
    }

    /// Keeps an operation if there is room.
    #[inline]
    pub(in crate::object) fn add(&mut self, entry: impl FnOnce() -> Entry) {
        if self.entries.len() < self.entries_max {
            self.entries.push(entry());
        } else {
            self.left_out += 1;
        }
    }

    /// Those that were kept.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many had no room.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}
