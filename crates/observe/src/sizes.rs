//! How often operations have each size.

use std::collections::BTreeMap;

/// Different sizes that are counted one by one.
const SIZES_MAX: usize = 512;

/// Sizes and how often each came. Those beyond the limit are counted together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    counts: BTreeMap<u64, u64>,
    others: u64,
}

impl Sizes {
    pub(crate) fn add(&mut self, bytes: u64) {
        if let Some(count) = self.counts.get_mut(&bytes) {
            *count += 1;
        } else if self.counts.len() < SIZES_MAX {
            self.counts.insert(bytes, 1);
        } else {
            self.others += 1;
        }
    }

    /// The most frequent sizes with their shares of all, most frequent first.
    pub(crate) fn most_frequent(&self, sizes_max: usize) -> Vec<(u64, f64)> {
        let all = self.counts.values().sum::<u64>() + self.others;
        let mut counts: Vec<(u64, u64)> = self.counts.iter().map(|(bytes, count)| (*bytes, *count)).collect();
        counts.sort_by_key(|(bytes, count)| (std::cmp::Reverse(*count), *bytes));
        counts.truncate(sizes_max);
        counts.into_iter().map(|(bytes, count)| (bytes, count as f64 / all as f64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_come_first() {
        let mut sizes = Sizes::default();
        for bytes in [8192, 8192, 512, 8192] {
            sizes.add(bytes);
        }
        assert_eq!(sizes.most_frequent(1), [(8192, 0.75)]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut sizes = Sizes::default();
        for bytes in 0..10_000 {
            sizes.add(bytes);
        }
        assert_eq!((sizes.counts.len(), sizes.others), (SIZES_MAX, 10_000 - SIZES_MAX as u64));
    }
}
