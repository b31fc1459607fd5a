//! One crash: how it was made, and what it left.

use crate::fate::Fate;
use forget::{Cut, Torn};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Its processes are killed; the kernel and the disk go on.
    Kill,
    /// The disk keeps what was flushed and, of the rest, nothing or a part.
    PowerLoss,
}

/// A crash and what the database had after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crash {
    pub end: End,
    /// What decided the moment and the cut.
    pub seed: u64,
    /// From the first acknowledgement to the crash, in ms.
    pub moment_ms: f64,
    /// What the disk kept of what was not flushed; `None` for a kill.
    pub kept: Option<String>,
    /// Bytes of the disk that were not flushed at the crash; `None` for a kill.
    pub unflushed_bytes: Option<u64>,
    /// Power failures up to 250 ms after a restart, most of them during recovery.
    pub crashes_in_recovery: u32,
    /// Transactions that were acknowledged before the crash.
    pub acknowledged_commits: u64,
    #[serde(flatten)]
    pub fate: Fate,
    /// From the last start of the server to its first answer, in ms; `None` without an answer.
    pub recovery_ms: Option<f64>,
    /// What the server's log complains of after the crash, up to three lines.
    pub complaints: Vec<String>,
}

/// What a seed decides.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub(crate) moment: Duration,
    /// From then on, the power fails as soon as this number of bytes is not flushed.
    pub(crate) unflushed_bytes: u64,
    /// The first cut, and one for each failure during recovery with its moment.
    pub(crate) cut: Cut,
    pub(crate) in_recovery: Vec<(Duration, Cut)>,
}

/// A crash meets caches that fill and those that are full.
const MOMENT_MIN_MS: u64 = 20;
const MOMENT_MAX_MS: u64 = 1500;
/// To five times twice as much.
const UNFLUSHED_MIN_BYTES: u64 = 32 << 10;
/// Most servers recover a second of work in less.
const RECOVERY_MAX_MS: u64 = 250;

impl Course {
    pub(crate) fn of(seed: u64) -> Self {
        let mut draw = Xoshiro256PlusPlus::seed_from_u64(seed);
        let between = |draw: &mut Xoshiro256PlusPlus, least: u64, most: u64| {
            Duration::from_millis(least + draw.next_u64() % (most - least))
        };
        let moment = between(&mut draw, MOMENT_MIN_MS, MOMENT_MAX_MS);
        let cut = cut(&mut draw);
        let in_recovery = (0..draw.next_u64() % 3)
            .map(|_| (between(&mut draw, 1, RECOVERY_MAX_MS), self::cut(&mut draw)))
            .collect();
        // A flush of the log empties the cache of the disk thousands of times a second. In half of the crashes more is
        // in it: pages on their way to their places.
        let unflushed_bytes =
            if draw.next_u64().is_multiple_of(2) { 0 } else { UNFLUSHED_MIN_BYTES << (draw.next_u64() % 5) };
        Self { moment, unflushed_bytes, cut, in_recovery }
    }
}

/// One in four cuts keeps only what was flushed; the others keep a part of the rest, torn in different units.
fn cut(draw: &mut Xoshiro256PlusPlus) -> Cut {
    let seed = draw.next_u64();
    match draw.next_u64() % 4 {
        0 => Cut::FlushedOnly,
        1 => Cut::Subset { seed, torn: Torn::Whole },
        2 => Cut::Subset { seed, torn: Torn::Sector512 },
        _ => Cut::Subset { seed, torn: Torn::Page4096 },
    }
}

/// A cut in words.
pub(crate) fn kept(cut: Cut) -> &'static str {
    match cut {
        Cut::FlushedOnly => "only what was flushed",
        Cut::Subset { torn: Torn::Whole, .. } => "what was flushed and some whole requests",
        Cut::Subset { torn: Torn::Sector512, .. } => "what was flushed and some requests, torn at 512 bytes",
        Cut::Subset { torn: Torn::Page4096, .. } => "what was flushed and some requests, torn at 4 KiB",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_everything_and_every_kind_of_cut_comes_up() {
        let courses: Vec<Course> = (0..100).map(Course::of).collect();
        assert_eq!(Course::of(7).moment, courses[7].moment);
        let kinds: std::collections::BTreeSet<&str> = courses.iter().map(|course| kept(course.cut)).collect();
        assert_eq!(kinds.len(), 4);
        let again: std::collections::BTreeSet<usize> =
            courses.iter().map(|course| course.in_recovery.len()).collect();
        assert_eq!(again.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    }
}
