//! Reads of many keys in order: a merge of memtables and runs, over all partitions.

use crate::cursor::{Cursor, Merge};
use crate::entry::{Kind, LargeValue};
use crate::error::StoreError;
use crate::large_value;
use crate::read::Reading;
use crate::run::{LevelCursor, Run, RunCursor, RunReads};
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

/// Which keys a scan visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    start: Bound<Vec<u8>>,
    end: Bound<Vec<u8>>,
}

impl Keys {
    /// All of them.
    pub const fn all() -> Self {
        Self { start: Bound::Unbounded, end: Bound::Unbounded }
    }

    /// Those in a range.
    pub fn range<K: AsRef<[u8]>>(range: impl std::ops::RangeBounds<K>) -> Self {
        let owned = |bound: Bound<&K>| bound.map(|key| key.as_ref().to_vec());
        Self { start: owned(range.start_bound()), end: owned(range.end_bound()) }
    }

    /// Those that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        // The first key behind them: without the trailing bytes that cannot grow, the last one larger by 1.
        let kept = prefix.iter().rposition(|byte| *byte < u8::MAX);
        let end = match kept {
            Some(last) => {
                let mut end = prefix[..=last].to_vec();
                end[last] += 1;
                Bound::Excluded(end)
            }
            None => Bound::Unbounded,
        };
        Self { start: Bound::Included(prefix.to_vec()), end }
    }

    /// Where to begin: the key itself may be excluded.
    fn first(&self) -> &[u8] {
        match &self.start {
            Bound::Included(key) | Bound::Excluded(key) => key,
            Bound::Unbounded => &[],
        }
    }

    fn is_before(&self, key: &[u8]) -> bool {
        matches!(&self.start, Bound::Excluded(start) if key == start)
    }

    fn is_behind(&self, key: &[u8]) -> bool {
        match &self.end {
            Bound::Included(end) => key > end.as_slice(),
            Bound::Excluded(end) => key >= end.as_slice(),
            Bound::Unbounded => false,
        }
    }
}

impl Reading<'_> {
    /// Hands keys and values to `visit` in the order of the keys until it breaks. Returns how many.
    pub(crate) fn scan(
        &self,
        keys: &Keys,
        mut visit: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        let mut merge = Merge::new(self.sources(keys)?);
        let (mut visited, mut large) = (0, Vec::new());
        while let Some(entry) = merge.entry() {
            if keys.is_behind(entry.key) {
                break;
            }
            let value = match entry.kind {
                Kind::Delete => None,
                Kind::Put => Some(entry.value),
                Kind::PutLarge => match LargeValue::decode(entry.value) {
                    Some(pointer) => {
                        large_value::read(
                            &self.shared.files,
                            pointer,
                            self.shared.options.data.io,
                            &mut large,
                        )?;
                        Some(large.as_slice())
                    }
                    None => None,
                },
            };
            if let Some(value) = value.filter(|_| !keys.is_before(entry.key)) {
                visited += 1;
                if visit(entry.key, value).is_break() {
                    break;
                }
            }
            merge.advance()?;
        }
        Ok(visited)
    }

    /// Everything that may have one of the keys, in each partition the newest first.
    fn sources(&self, keys: &Keys) -> Result<Vec<Box<dyn Cursor + '_>>, StoreError> {
        let first = keys.first();
        let reads = RunReads {
            read_bytes: self.shared.options.data.scan_read_bytes,
            depth: 0,
            io: None,
            verify_checksums: self.shared.options.reads.verify_checksums,
            bytes_read: &self.shared.counters.scan_read_bytes,
        };
        let mut sources: Vec<Box<dyn Cursor + '_>> = Vec::new();
        for (partition, levels) in self.view.version.partitions.iter().enumerate() {
            for memtable in &self.view.memtables {
                sources.push(memtable.cursor(partition, first, self.sequence));
            }
            let may_have = |run: &&Arc<Run>| run.largest() >= first && !keys.is_behind(run.smallest());
            for run in levels[0].iter().filter(may_have) {
                sources.push(Box::new(RunCursor::new(Arc::clone(run), first, reads)?));
            }
            for level in &levels[1..] {
                let runs = level.iter().filter(may_have).cloned();
                sources.push(Box::new(LevelCursor::new(runs, first, reads)?));
            }
        }
        Ok(sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_first_key_without_it() {
        let end = |prefix: &[u8]| Keys::prefix(prefix).end;
        assert_eq!(end(b"ab"), Bound::Excluded(b"ac".to_vec()));
        assert_eq!(end(&[1, 255, 255]), Bound::Excluded(vec![2]));
        assert_eq!(end(&[255, 255]), Bound::Unbounded);
        assert_eq!(end(b""), Bound::Unbounded);
    }

    #[test]
    fn bounds_are_those_of_the_range() {
        let keys = Keys::range::<&str>((Bound::Excluded("b"), Bound::Included("d")));
        assert!(keys.is_before(b"b") && !keys.is_before(b"ba"));
        assert!(!keys.is_behind(b"d") && keys.is_behind(b"da"));
        assert!(Keys::range::<&str>("b".."d").is_behind(b"d") && !Keys::all().is_behind(b"z"));
    }
}
