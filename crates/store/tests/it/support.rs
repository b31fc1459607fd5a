//! What the tests share: small options, a model, histories.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use store::storage::simulated::Disk;
use store::{
    Batch, CompactionOptions, DurabilityClass, Keys, LeveledOptions, LogLayout, LogPacking, LogSync, Options,
    SizeTieredOptions, Store, StoreError, ValueOptions,
};

pub(crate) type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// So small that a few dozen writes flush and merge; everything happens on the thread that writes, in the same order
/// each time.
pub(crate) fn small(durability: DurabilityClass) -> Options {
    let mut options = Options {
        partitions: 2,
        durability,
        memtable_bytes: 600,
        large_value_bytes: 600,
        compaction: tiered(),
        background_threads: 0,
        ..Options::default()
    };
    options.log.segment_bytes = 16 << 10;
    options.log.buffer_bytes = 100;
    options.data.write_bytes = 4096;
    // With several in flight the order would depend on the scheduler.
    (options.data.write_depth, options.data.compaction_read_depth) = (0, 0);
    options.data.scan_read_bytes = 4096;
    options.data.compaction_read_bytes = 8192;
    options
}

pub(crate) fn tiered() -> CompactionOptions {
    CompactionOptions::SizeTiered(SizeTieredOptions {
        runs_merged: 2,
        size_ratio: 3.0,
        runs_max: 6,
        merge_for_scans: true,
    })
}

pub(crate) fn leveled() -> CompactionOptions {
    CompactionOptions::Leveled(LeveledOptions {
        level0_runs: 2,
        level1_bytes: 20 << 10,
        size_ratio: 2,
        run_bytes: 4096,
        level0_runs_max: 4,
    })
}

/// Most values are separated, and their files are collected soon.
pub(crate) fn separated() -> ValueOptions {
    ValueOptions { separate_bytes: 20, garbage_percent: 30 }
}

/// Variants of the log that differ in what is on the disk.
pub(crate) fn logs() -> Vec<(LogLayout, LogPacking, LogSync, model::IoMode)> {
    use model::IoMode::{Buffered, Direct};
    vec![
        (LogLayout::Append, LogPacking::Packed, LogSync::Fdatasync, Buffered),
        (LogLayout::Prefilled, LogPacking::Padded, LogSync::Dsync, Direct),
        (LogLayout::Recycled, LogPacking::Packed, LogSync::Fdatasync, Direct),
        (LogLayout::Recycled, LogPacking::Padded, LogSync::Dsync, Buffered),
    ]
}

/// A step of a history.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Keys with their new values, or none for a delete; one batch.
    Write(Vec<(u8, Option<u16>)>),
    Sync,
    Drain,
}

pub(crate) fn key(number: u8) -> Vec<u8> {
    format!("key/{number:03}").into_bytes()
}

/// A value that is different for each number; some are large.
pub(crate) fn value(number: u16) -> Vec<u8> {
    let bytes = match number % 16 {
        0 => 700,
        1 => 0,
        rest => 10 + usize::from(rest) * 3,
    };
    number.to_be_bytes().iter().copied().cycle().take(bytes).collect()
}

impl Step {
    /// Does the step to the model.
    pub(crate) fn apply(&self, model: &mut Model) {
        let Self::Write(writes) = self else { return };
        for (number, new) in writes {
            match new {
                Some(new) => model.insert(key(*number), value(*new)),
                None => model.remove(&key(*number)),
            };
        }
    }

    /// Does the step to the store.
    pub(crate) fn perform(&self, store: &Store) -> Result<(), StoreError> {
        match self {
            Self::Sync => store.sync(),
            Self::Drain => store.drain(),
            Self::Write(writes) => match writes[..] {
                [(number, Some(new))] => store.put(&key(number), &value(new)),
                [(number, None)] => store.delete(&key(number)),
                _ => {
                    let mut batch = Batch::new();
                    for (number, new) in writes {
                        match new {
                            Some(new) => batch.put(&key(*number), &value(*new))?,
                            None => batch.delete(&key(*number))?,
                        };
                    }
                    store.write(&batch)
                }
            },
        }
    }
}

/// Everything that a store has, by a scan; gets and a multi-get must agree.
pub(crate) fn content(store: &Store) -> Result<Model, StoreError> {
    let mut found = Model::new();
    store.scan(&Keys::all(), |key, value| {
        assert!(found.last_key_value().is_none_or(|(last, _)| last.as_slice() < key), "in order");
        found.insert(key.to_vec(), value.to_vec());
        ControlFlow::Continue(())
    })?;
    let keys: Vec<_> = (0..=u8::MAX).map(key).collect();
    let many = store.multi_get(&keys)?;
    for (key, one) in keys.iter().zip(many) {
        assert_eq!(store.get(key)?, one, "get and multi-get agree");
        assert_eq!(one.as_ref(), found.get(key), "{}", key.escape_ascii());
    }
    Ok(found)
}

pub(crate) fn open(disk: &Disk, options: &Options) -> Result<Store, StoreError> {
    Store::open_on(Arc::new(disk.clone()), options)
}

/// Random numbers from a seed (xorshift64*).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % end
    }
}

/// A history from a seed: mostly single writes, some batches, syncs and drains.
pub(crate) fn history(seed: u64, steps: usize, keys: u64) -> Vec<Step> {
    let mut random = Random::new(seed);
    let mut version = 0;
    let mut write = |random: &mut Random| {
        version += 1;
        let new = (random.below(5) > 0).then_some(version);
        (random.below(keys) as u8, new)
    };
    (0..steps)
        .map(|_| match random.below(20) {
            0 => Step::Sync,
            1 => Step::Drain,
            2..6 => {
                let writes = 2 + random.below(4);
                Step::Write((0..writes).map(|_| write(&mut random)).collect())
            }
            _ => Step::Write(vec![write(&mut random)]),
        })
        .collect()
}
