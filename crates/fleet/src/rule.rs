//! What a conclusion requires.

/// Error rate of all suspects together, and of all proofs together.
pub(crate) const ALPHA: f64 = 0.05;
/// Level of a disk's own interval.
pub const LEVEL: f64 = 0.95;
/// Fewest disks of a stratum that are judged.
pub const DISKS_MIN: usize = stats::screening::HOSTS_MIN;
/// Fewest rounds of a run that is judged.
pub const ROUNDS_MIN: usize = stats::TRIALS_MIN;
/// Fewest disks measured again beside a suspect: with fewer, the median of their drift has no interval.
pub const CONTROLS_MIN: usize = stats::TRIALS_MIN;
/// A disk is not slow within this ratio of the median, however narrow its stratum is: the margin of every equivalence.
pub const MARGIN: f64 = stats::EQUIVALENCE_MARGIN;
