//! How much memory the names of a list may take: a directory or a store may have names without end.

use crate::ObjectError;

/// Memory of a list.
const BYTES_MAX: usize = 128 << 20;

/// Room for the names of a list.
#[derive(Debug)]
pub(crate) struct NameRoom {
    bytes_max: usize,
    bytes: usize,
    names: usize,
}

impl Default for NameRoom {
    fn default() -> Self {
        Self::of(BYTES_MAX)
    }
}

impl NameRoom {
    /// Room for this number of bytes.
    pub(crate) const fn of(bytes_max: usize) -> Self {
        Self { bytes_max, bytes: 0, names: 0 }
    }

    /// Takes room for an entry of a list, with its name.
    ///
    /// # Errors
    /// There is none: the number of names that had some.
    pub(crate) fn take(&mut self, entry_bytes: usize, name: &str) -> Result<(), usize> {
        self.bytes = self.bytes.saturating_add(entry_bytes).saturating_add(name.len());
        if self.bytes > self.bytes_max {
            return Err(self.names);
        }
        self.names += 1;
        Ok(())
    }
}

/// A list that took all room.
pub(crate) fn too_many(place: String, operation: &'static str, names: usize, remedy: &str) -> ObjectError {
    let why = format!("it has more than {names} objects, whose names take {} MiB: {remedy}", BYTES_MAX >> 20);
    ObjectError::Refused { place, operation, why }
}
