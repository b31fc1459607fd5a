//! What a conclusion requires.

use jiff::Timestamp;
use model::figure::{count, exact_percent};

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
/// Hours between a suspect's second measurement and those of its controls, at most: they show how that day differs. The
/// runs of one launch begin within them too.
pub const TOGETHER_H: u32 = 24;
pub(crate) const TOGETHER_S: i64 = TOGETHER_H as i64 * 3600;
/// A disk is not slow within this ratio of the median, however narrow its stratum is: the margin of every equivalence.
pub const MARGIN: f64 = stats::EQUIVALENCE_MARGIN;

/// A time, RFC 3339, in seconds.
pub(crate) fn seconds(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// Whether two times are at most [`TOGETHER_H`] apart. What is not a time is close to nothing.
pub(crate) fn are_close(one: &str, other: &str) -> bool {
    seconds(one).zip(seconds(other)).is_some_and(|(one, other)| (one - other).abs() <= TOGETHER_S)
}

/// What each conclusion requires, in sentences; `tests` are those that share the error.
pub(crate) fn rules(tests: usize) -> [String; 4] {
    [
        format!(
            "A disk is compared with the disks of its stratum: the same device model, firmware, kernel and file \
             system. A stratum is judged from {DISKS_MIN} disks with {ROUNDS_MIN} rounds each."
        ),
        format!(
            "A suspect's first measurement lies, with its whole {} interval, beyond a limit: median and MAD over \
             disks, at 5 % for all disks and questions together (Holm, {}), and never within {} of the median.",
            exact_percent(LEVEL),
            count(tests, "test"),
            exact_percent(MARGIN - 1.0)
        ),
        format!(
            "A disk is proven slow by a second run that lies beyond the limit by itself (one-sided t test, Holm over \
             the suspects, 5 %). The limit moves with at least {CONTROLS_MIN} controls that were measured again within \
             {TOGETHER_H} hours of it, and no audit of either run may have failed."
        ),
        "The latest run of a disk is its first measurement, whenever it ran, and a later run that was made to measure \
         again is the second one. Earlier runs are not used, nor are runs under another kernel or firmware than the \
         latest one."
            .to_owned(),
    ]
}
