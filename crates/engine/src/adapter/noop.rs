//! An engine that does nothing: what remains is the instrument.

use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats};
use model::DurabilityClass;
use model::mechanism::Measured;
use std::path::Path;

/// Acknowledges everything at once, keeps nothing and finds nothing.
#[derive(Debug)]
pub struct Noop;

const WHY: &str = "noop does nothing";

impl Engine for Noop {
    #[inline]
    fn put(&self, _key: &[u8], _value: &[u8]) -> Result<(), EngineError> {
        Ok(())
    }

    #[inline]
    fn get(&self, _key: &[u8], _value: &mut Vec<u8>) -> Result<bool, EngineError> {
        Ok(false)
    }

    #[inline]
    fn delete(&self, _key: &[u8]) -> Result<(), EngineError> {
        Ok(())
    }

    #[inline]
    fn scan(
        &self,
        _start: &[u8],
        _limit: usize,
        _sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        Ok(0)
    }

    #[inline]
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

impl Adapter for Noop {
    const NAME: &'static str = "noop";
    const PERSISTENT: bool = false;
    type NativeLevel = ();
    const LEVELS: &'static [(DurabilityLevel, ())] = &[(
        DurabilityLevel { name: "none", class: DurabilityClass::None, meaning: "Nothing is ever kept." },
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
        Ok(Self)
    }
}
