//! What the threads of a life do: a pure function of the seed, so that the process that checks knows it too.

use crate::random::Random;
use std::collections::BTreeMap;
use store::{Batch, Commit, Store, StoreError};

/// Each thread writes to keys of its own.
const KEYS: u64 = 60;

/// The keys of a thread with their values.
pub(crate) type Content = BTreeMap<Vec<u8>, Vec<u8>>;

/// What one thread does at once.
pub(crate) enum Operation {
    /// One batch, often of one write: keys with their new values, or none for a delete.
    Write(Vec<(Vec<u8>, Option<Vec<u8>>)>),
    Sync,
}

/// The operations of one thread in one life.
pub(crate) struct Operations {
    random: Random,
    thread: u8,
}

impl Operations {
    pub(crate) fn new(seed: u64, life: u64, thread: u8) -> Self {
        Self { random: Random::new(seed, life << 8 | u64::from(thread)), thread }
    }

    fn write(&mut self) -> (Vec<u8>, Option<Vec<u8>>) {
        let key = key(self.thread, self.random.below(KEYS));
        if self.random.chance(8) {
            return (key, None);
        }
        let bytes = match self.random.below(100) {
            0..3 => self.random.below(20_000),
            3 => 300_000,
            _ => self.random.below(1_000),
        };
        // No two values are alike.
        let mark = self.random.next().to_le_bytes();
        (key, Some(mark.iter().copied().cycle().take(8 + bytes as usize).collect()))
    }
}

impl Iterator for Operations {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        let writes = match self.random.below(100) {
            0 => return Some(Operation::Sync),
            1..10 => 2 + self.random.below(9),
            _ => 1,
        };
        Some(Operation::Write((0..writes).map(|_| self.write()).collect()))
    }
}

fn key(thread: u8, number: u64) -> Vec<u8> {
    format!("thread {thread}, key {number:02}").into_bytes()
}

/// The thread that writes to a key.
pub(crate) fn thread_of(key: &[u8]) -> Option<u8> {
    std::str::from_utf8(key).ok()?.strip_prefix("thread ")?.split_once(',')?.0.parse().ok()
}

fn batch(writes: &[(Vec<u8>, Option<Vec<u8>>)]) -> Result<Batch, StoreError> {
    let mut batch = Batch::new();
    for (key, value) in writes {
        match value {
            Some(value) => batch.put(key, value)?,
            None => batch.delete(key)?,
        };
    }
    Ok(batch)
}

impl Operation {
    pub(crate) fn perform(&self, store: &Store) -> Result<(), StoreError> {
        match self {
            Self::Sync => store.sync(),
            Self::Write(writes) => match &writes[..] {
                [(key, Some(value))] => store.put(key, value),
                [(key, None)] => store.delete(key),
                several => store.write(&batch(several)?),
            },
        }
    }

    /// The same; a write may still be under way on return.
    pub(crate) fn begin<'a>(&self, store: &'a Store) -> Result<Option<Commit<'a>>, StoreError> {
        match self {
            Self::Sync => store.sync().map(|()| None),
            Self::Write(writes) => store.write_async(&batch(writes)?).map(Some),
        }
    }

    /// Does the same to what a thread's keys have.
    pub(crate) fn apply(self, content: &mut Content) {
        let Self::Write(writes) = self else { return };
        for (key, value) in writes {
            match value {
                Some(value) => content.insert(key, value),
                None => content.remove(&key),
            };
        }
    }
}
