//! What servers moved between their turns, when other servers had theirs: that takes the device from the server that is
//! measured.

use crate::observations::Observations;
use model::mechanism::Measured;
use model::turns::Arm;
use std::collections::BTreeMap;

/// The part of what a server moved in its own turns, above which what it moved in others' turns matters: a device that
/// it keeps busy for less shifts a comparison by less.
const SHARE_MAX: f64 = 0.01;
/// Bytes a trial below which it does not: a server writes its statistics and its log's last page now and then.
const TRIAL_BYTES_MAX: u64 = 1 << 20;

/// What the trials of one arm moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moved {
    trials: u64,
    /// Bytes between their turns.
    pub(crate) between_bytes: u64,
    /// Bytes of the device in their turns.
    pub(crate) within_bytes: u64,
}

impl Moved {
    /// Whether that shifts the figures of others.
    pub(crate) fn matters(&self) -> bool {
        self.between_bytes > TRIAL_BYTES_MAX.saturating_mul(self.trials)
            && self.between_bytes as f64 > SHARE_MAX * self.within_bytes as f64
    }
}

/// By arm: what its servers moved, or why that is unknown. Arms without a server are not in it.
pub(crate) fn moved(observations: &Observations<'_>) -> BTreeMap<Arm, Measured<Moved>> {
    let mut arms: BTreeMap<Arm, Measured<Moved>> = BTreeMap::new();
    for record in observations.analysed() {
        for phase in record.measurement.iter().flat_map(|measurement| &measurement.phases) {
            let Some(between) = phase.turns.as_ref().and_then(|turns| turns.idle_bytes.as_ref()) else {
                continue;
            };
            let sum = arms.entry(record.key.arm()).or_insert(Measured::Value(Moved::default()));
            let device = &phase.mechanism.device;
            *sum = match (&*sum, between, device) {
                (Measured::Value(moved), Measured::Value(between), Measured::Value(device)) => {
                    Measured::Value(Moved {
                        trials: moved.trials + 1,
                        between_bytes: moved.between_bytes.saturating_add(*between),
                        within_bytes: moved
                            .within_bytes
                            .saturating_add(device.read_bytes)
                            .saturating_add(device.written_bytes),
                    })
                }
                (sum, between, device) => {
                    let reasons = [sum.reason(), between.reason(), device.reason()];
                    Measured::unsupported(reasons.into_iter().flatten().next().unwrap_or_default())
                }
            };
        }
    }
    arms
}
