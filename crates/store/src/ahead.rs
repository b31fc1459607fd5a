//! Entries that a scan has passed and not visited yet, so that their separated values are read together.

use crate::entry::{Entry, ValuePlace};
use crate::error::StoreError;
use crate::read::{Lookup, Reading};
use std::ops::ControlFlow;

/// Entries in the order of their keys. The first one has a separated value.
pub(crate) struct Ahead {
    /// Those behind `count` are kept for their memory.
    entries: Vec<Passed>,
    count: usize,
    /// Separated values among the entries, and whose they are.
    separated: Vec<(usize, ValuePlace)>,
    separated_bytes: u64,
    /// Most separated values that are read together now, and ever.
    together: usize,
    together_max: usize,
    /// From this number of bytes of separated values on they are read, however few they are.
    bytes_max: u64,
}

#[derive(Default)]
struct Passed {
    key: Vec<u8>,
    /// If it is in the entry, or was read.
    value: Vec<u8>,
    /// A large value, which is read by itself.
    large: Option<ValuePlace>,
}

impl Ahead {
    /// Nothing passed. A scan that may break anywhere reads one value first, and then twice as many each time.
    pub(crate) fn new(together: usize, together_max: usize, bytes_max: u64) -> Self {
        Self {
            entries: Vec::new(),
            count: 0,
            separated: Vec::new(),
            separated_bytes: 0,
            together: together.min(together_max),
            together_max,
            bytes_max,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Passes an entry.
    pub(crate) fn pass(&mut self, entry: Entry<'_>, found: Lookup) {
        if self.count == self.entries.len() {
            self.entries.push(Passed::default());
        }
        let passed = &mut self.entries[self.count];
        passed.key.clear();
        passed.key.extend_from_slice(entry.key);
        passed.value.clear();
        passed.large = None;
        match found {
            Lookup::Absent => {}
            Lookup::Value => passed.value.extend_from_slice(entry.value),
            Lookup::Large(place) => passed.large = Some(place),
            Lookup::Separated(place) => {
                self.separated.push((self.count, place));
                self.separated_bytes = self.separated_bytes.saturating_add(place.bytes);
            }
        }
        self.count += 1;
    }

    /// Whether the values are to be read before a further entry is passed.
    pub(crate) fn is_full(&self) -> bool {
        self.separated.len() >= self.together || self.separated_bytes >= self.bytes_max
    }

    /// Reads the values, and hands keys and values to `visit` until it breaks. Nothing is passed then.
    pub(crate) fn visit(
        &mut self,
        reading: &Reading<'_>,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, StoreError> {
        if self.count == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        let entries = &mut self.entries[..std::mem::take(&mut self.count)];
        let separated = std::mem::take(&mut self.separated);
        reading.separated_each(separated, |of, value| entries[of].value.extend_from_slice(value))?;
        self.separated_bytes = 0;
        self.together = (2 * self.together).min(self.together_max);
        for passed in entries {
            if let Some(large) = passed.large {
                reading.value(Lookup::Large(large), &mut passed.value)?;
            }
            if visit(&passed.key, &passed.value).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
