//! How the process that is killed and the one after it run the trial's configuration.

use crate::refusal::Refusal;
use crate::store::{self, Store};
use engine::{Knob, Options};
use model::DurabilityClass;
use model::trial::TrialSpec;
use workload::append::Parameters;

/// The write buffer of the engine that is killed, where it has one: some 500 entries of 116 B, and RocksDB's least.
const WRITE_BUFFER_BYTES: u64 = 64 << 10;

/// How the engine that is killed is opened, and opened again.
pub(super) fn options(store: &Store, name: &str, level: Option<&str>) -> Result<Options, Refusal> {
    let options = store.options(level);
    let kind = store::kind(name)?;
    // What dies with the process anyway dies in the amounts that the engine's own settings make of it.
    let promises = kind.level(&options)?.class > DurabilityClass::None;
    let is_small = promises && kind.has(Knob::WriteBufferBytes)?;
    Ok(Options { write_buffer_bytes: is_small.then_some(WRITE_BUFFER_BYTES), ..options })
}

/// The trial's parameters, without the trial's end.
pub(super) fn parameters(spec: &TrialSpec) -> Result<Parameters, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    Ok(parameters.until_killed())
}
