//! Entries that a scan has passed and not visited yet, so that their separated values are read together.

use crate::entry::{Entry, ValuePlace};
use crate::error::StoreError;
use crate::read::{Lookup, Reading};
use std::ops::{ControlFlow, Range};

/// Entries in the order of their keys. The first one has a separated value.
pub(crate) struct Ahead {
    entries: Vec<Passed>,
    /// Keys and values of the entries.
    bytes: Vec<u8>,
    /// Separated values among the entries, and whose they are.
    separated: Vec<(usize, ValuePlace)>,
    separated_bytes: u64,
    /// Most separated values that are read together now, and ever.
    together: usize,
    together_max: usize,
    /// From this number of bytes on, separated values included, they are read, however few they are.
    bytes_max: u64,
    /// The large value that was visited last.
    large: Vec<u8>,
}

/// Places in the bytes.
struct Passed {
    key: Range<usize>,
    /// Empty until it was read, if it is not in the entry.
    value: Range<usize>,
    /// A large value, which is read by itself.
    large: Option<ValuePlace>,
}

impl Ahead {
    /// Nothing passed. A scan that may break anywhere reads one value first, and then twice as many each time.
    pub(crate) fn new(together: usize, together_max: usize, bytes_max: u64) -> Self {
        Self {
            entries: Vec::new(),
            bytes: Vec::new(),
            separated: Vec::new(),
            separated_bytes: 0,
            together: together.min(together_max),
            together_max,
            bytes_max,
            large: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Passes an entry.
    pub(crate) fn pass(&mut self, entry: Entry<'_>, found: Lookup) {
        let key = keep(&mut self.bytes, entry.key);
        let (mut value, mut large) = (key.end..key.end, None);
        match found {
            Lookup::Absent => {}
            Lookup::Value => value = keep(&mut self.bytes, entry.value),
            Lookup::Large(place) => large = Some(place),
            Lookup::Separated(place) => {
                self.separated.push((self.entries.len(), place));
                self.separated_bytes = self.separated_bytes.saturating_add(place.bytes);
            }
        }
        self.entries.push(Passed { key, value, large });
    }

    /// Whether the values are to be read before a further entry is passed.
    pub(crate) fn is_full(&self) -> bool {
        let here = self.bytes.len() + size_of::<Passed>() * self.entries.len();
        self.separated.len() >= self.together
            || self.separated_bytes.saturating_add(here as u64) >= self.bytes_max
    }

    /// Reads the values, and hands keys and values to `visit` until it breaks. Nothing is passed then.
    pub(crate) fn visit(
        &mut self,
        reading: &Reading<'_>,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, StoreError> {
        if self.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let Self { entries, bytes, separated, large, .. } = self;
        reading.separated_each(std::mem::take(separated), |of, value| {
            entries[of].value = keep(bytes, value);
        })?;
        let mut flow = ControlFlow::Continue(());
        for passed in entries.drain(..) {
            let value = match passed.large {
                Some(place) => {
                    reading.value(Lookup::Large(place), large)?;
                    large.as_slice()
                }
                None => &bytes[passed.value],
            };
            flow = visit(&bytes[passed.key], value);
            if flow.is_break() {
                break;
            }
        }
        bytes.clear();
        self.separated_bytes = 0;
        self.together = (2 * self.together).min(self.together_max);
        Ok(flow)
    }
}

/// Keeps bytes behind those that are kept; returns where they are.
fn keep(kept: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let begin = kept.len();
    kept.extend_from_slice(bytes);
    begin..kept.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryKind;

    /// A separated value followed by others that are in the tree: the scan keeps no more of them than it may.
    #[test]
    fn few_separated_values_among_many_others_are_read_before_the_others_fill_the_memory() {
        let place = ValuePlace { number: 1, offset: 0, bytes: 4096, checksum: 0 };
        let mut ahead = Ahead::new(32, 32, 10_000);
        let entry = |value: &'static [u8]| Entry { key: b"key", kind: EntryKind::Put, value };
        ahead.pass(entry(&[]), Lookup::Separated(place));
        let passed = (1..1000).find(|_| {
            ahead.pass(entry(&[7; 100]), Lookup::Value);
            ahead.is_full()
        });
        assert!(passed.is_some_and(|passed| (20..60).contains(&passed)), "{passed:?}");
    }
}
