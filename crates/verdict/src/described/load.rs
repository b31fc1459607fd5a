//! What was in flight in a trial, and the flushes of what it acknowledged.

use model::trial::{Phase, TrialRecord};
use model::{MeasuredFlushes, MeasuredStream};

/// What is in flight, stream by stream; none if that is unknown.
pub(crate) fn streams(record: &TrialRecord) -> &[MeasuredStream] {
    let known = phases(record).find(|phase| !phase.streams.is_empty());
    known.map_or(&[], |phase| phase.streams.as_slice())
}

/// Flushes against what asked for them; `None` if nothing did.
pub(crate) fn flushed(record: &TrialRecord) -> Option<MeasuredFlushes> {
    phases(record).find_map(|phase| phase.flushes)
}

fn phases(record: &TrialRecord) -> impl Iterator<Item = &Phase> {
    record.measurement.iter().flat_map(|measurement| &measurement.phases)
}
