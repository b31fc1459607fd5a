//! What a workload's metrics are made of beside its own counts and latencies.

use model::mechanism::{Measured, Mechanism};

/// What the kernel counted and what the instrument costs.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// Mechanism counters over the phase.
    pub mechanism: &'a Mechanism,
    /// Cost of one operation on the null backend, in nanoseconds.
    pub instrument_overhead_ns: Measured<f64>,
}

/// A quotient, or the reason why there is none.
pub(crate) fn ratio(numerator: f64, denominator: f64, otherwise: &str) -> Measured<f64> {
    if denominator > 0.0 {
        Measured::Value(numerator / denominator)
    } else {
        Measured::unsupported(otherwise)
    }
}
