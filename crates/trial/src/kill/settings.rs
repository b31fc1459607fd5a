//! The settings with which the killed and the recovering process run the trial's configuration.

use crate::refusal::Refusal;
use crate::store::{self, Store};
use engine::{Knob, Options};
use model::DurabilityClass;
use model::trial::TrialSpec;
use workload::append::Parameters;

/// The write buffer of the engine that is killed, if it has one: some 500 entries of 116 B, and RocksDB's minimum.
const WRITE_BUFFER_BYTES: u64 = 64 << 10;

/// The options with which the engine that is killed is opened, and opened again.
pub(super) fn options(store: &Store, name: &str, level: Option<&str>) -> Result<Options, Refusal> {
    let options = store.options(level);
    let kind = store::kind(name)?;
    // An engine of class `none` loses its data anyway, so it keeps its own settings.
    let promises = kind.level(&options)?.class > DurabilityClass::None;
    let is_small = promises && kind.has(Knob::WriteBufferBytes)?;
    Ok(Options { write_buffer_bytes: is_small.then_some(WRITE_BUFFER_BYTES), ..options })
}

/// The trial's parameters, without the trial's end.
pub(super) fn parameters(spec: &TrialSpec) -> Result<Parameters, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    Ok(parameters.until_killed())
}
