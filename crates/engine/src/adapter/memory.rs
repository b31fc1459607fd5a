//! The reference: what every other engine has to answer, in the least code.

use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats};
use model::DurabilityClass;
use model::mechanism::Measured;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

type Entries = BTreeMap<Box<[u8]>, Box<[u8]>>;

/// A sorted map under a lock.
#[derive(Debug, Default)]
pub struct Memory {
    entries: RwLock<Entries>,
}

const WHY: &str = "memory keeps its entries in a map: it has no files, cache or background work";

impl Memory {
    // A map is whole after every call on it, so a thread that panicked elsewhere has not spoilt it.
    fn read(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine for Memory {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.write().insert(key.into(), value.into());
        Ok(())
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        let entries = self.read();
        let Some(found) = entries.get(key) else { return Ok(false) };
        value.clear();
        value.extend_from_slice(found);
        Ok(true)
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        self.write().remove(key);
        Ok(())
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        let entries = self.read();
        let range = entries.range::<[u8], _>((Bound::Included(start), Bound::Unbounded));
        Ok(range.take(limit).map(|(key, value)| sink(key, value)).count())
    }

    fn sync(&self) -> Result<(), EngineError> {
        Ok(())
    }

    fn drain(&self) -> Result<Measured<f64>, EngineError> {
        Ok(Measured::unsupported(WHY))
    }

    fn stats(&self) -> Stats {
        Stats::unsupported(WHY)
    }

    fn close(self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl Adapter for Memory {
    const NAME: &'static str = "memory";
    const PERSISTENT: bool = false;
    type NativeLevel = ();
    const LEVELS: &'static [(DurabilityLevel, ())] = &[(
        DurabilityLevel {
            name: "none",
            class: DurabilityClass::None,
            meaning: "Everything is in the memory of the process.",
        },
        (),
    )];
    const DEFAULT_LEVEL: usize = 0;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[
        (Knob::DirectIo, WHY),
        (Knob::CacheBytes, WHY),
        (Knob::WriteBufferBytes, WHY),
        (Knob::Settings, WHY),
        (Knob::ReadsInFlight, WHY),
    ];

    fn open(_options: &Options, _data: &Path, (): ()) -> Result<Self, EngineError> {
        Ok(Self::default())
    }
}
