//! Which keys a scan visits.

use std::ops::{Bound, RangeBounds};

/// Which keys a scan visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    start: Bound<Vec<u8>>,
    end: Bound<Vec<u8>>,
    limit: u64,
}

impl Keys {
    pub const fn all() -> Self {
        Self { start: Bound::Unbounded, end: Bound::Unbounded, limit: u64::MAX }
    }

    /// Those in a range.
    pub fn range<K: AsRef<[u8]>>(range: impl RangeBounds<K>) -> Self {
        let owned = |bound: Bound<&K>| bound.map(|key| key.as_ref().to_vec());
        Self { start: owned(range.start_bound()), end: owned(range.end_bound()), limit: u64::MAX }
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
        Self { start: Bound::Included(prefix.to_vec()), end, limit: u64::MAX }
    }

    /// The first of them, at most this number. A scan that knows how far it goes reads that much at once.
    #[must_use]
    pub fn limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// The most keys; `None` without a limit.
    pub(crate) fn limit_if_any(&self) -> Option<u64> {
        (self.limit < u64::MAX).then_some(self.limit)
    }

    /// Where to begin: the key itself may be excluded.
    pub(crate) fn first(&self) -> &[u8] {
        match &self.start {
            Bound::Included(key) | Bound::Excluded(key) => key,
            Bound::Unbounded => &[],
        }
    }

    /// No key is larger; `None` without an end. The key itself may be excluded.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        match &self.end {
            Bound::Included(key) | Bound::Excluded(key) => Some(key),
            Bound::Unbounded => None,
        }
    }

    pub(crate) fn is_before(&self, key: &[u8]) -> bool {
        matches!(&self.start, Bound::Excluded(start) if key == start)
    }

    pub(crate) fn is_behind(&self, key: &[u8]) -> bool {
        match &self.end {
            Bound::Included(end) => key > end.as_slice(),
            Bound::Excluded(end) => key >= end.as_slice(),
            Bound::Unbounded => false,
        }
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
