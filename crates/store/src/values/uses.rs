//! What runs refer to of value files.

use super::file::ValueFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value file, and how much of it is referred to.
#[derive(Clone, Debug)]
pub(crate) struct ValueUse {
    pub(crate) file: Arc<ValueFile>,
    /// Bytes of the values that are referred to. The others are garbage.
    pub(crate) live_bytes: u64,
}

/// The value files that a run, or all runs of a version, refer to, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueUses(BTreeMap<u64, ValueUse>);

impl ValueUses {
    /// Adds what somebody refers to.
    pub(crate) fn add(&mut self, file: &Arc<ValueFile>, live_bytes: u64) {
        let unused = || ValueUse { file: Arc::clone(file), live_bytes: 0 };
        let found = self.0.entry(file.number).or_insert_with(unused);
        found.live_bytes = found.live_bytes.saturating_add(live_bytes);
    }

    /// Adds what these refer to.
    pub(crate) fn add_all(&mut self, others: &Self) {
        others.iter().for_each(|other| self.add(&other.file, other.live_bytes));
    }

    pub(crate) fn get(&self, number: u64) -> Option<&ValueUse> {
        self.0.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut ValueUse> {
        self.0.get_mut(&number)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ValueUse> {
        self.0.values()
    }

    /// Bytes of values that are referred to.
    pub(crate) fn live_bytes(&self) -> u64 {
        self.iter().fold(0, |sum, value_use| sum.saturating_add(value_use.live_bytes))
    }

    /// Takes out the files that nobody refers to.
    pub(crate) fn remove_unused(&mut self) {
        self.0.retain(|_, value_use| value_use.live_bytes > 0);
    }
}

impl ValueUse {
    pub(crate) fn garbage_bytes(&self) -> u64 {
        self.file.bytes.saturating_sub(self.live_bytes)
    }
}
