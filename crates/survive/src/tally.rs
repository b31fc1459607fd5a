//! The crashes of one promise and one kind of end, counted.

use crate::crash::Crash;
use crate::fate::Fate;
use serde::{Deserialize, Serialize};
use stats::proportion::Count;

/// Confidence of the bound.
const LEVEL: f64 = 0.95;

/// What a number of crashes left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub crashes: usize,
    /// Crashes after which every acknowledged transaction was there.
    pub kept: usize,
    /// Crashes after which transactions were missing.
    pub lost: usize,
    /// Those after which the table was missing that had been created after the start.
    #[serde(default)]
    pub table_is_gone: usize,
    /// Crashes after which a transaction that its client repeated was there twice.
    #[serde(default)]
    pub doubled: usize,
    /// Crashes after which the database was in no state that it had between two transactions ([`Loss`](crate::Loss)).
    pub torn: usize,
    /// Crashes after which the server does not start, or does not hand over its rows.
    pub does_not_start: usize,
    /// Crashes after which the file system cannot be mounted.
    pub does_not_mount: usize,
    /// Crashes after which the server works and its log complains.
    pub complains: usize,
    pub acknowledged_commits: u64,
    pub lost_commits: u64,
    /// The most transactions that one crash lost.
    pub lost_commits_max: u64,
    /// The longest time before a crash from which transactions were lost, in ms.
    pub lost_over_ms_max: f64,
    /// The largest share of crashes that lose or break something which the count still allows, at 95 % confidence.
    pub broken_share_at_most: f64,
}

impl Tally {
    /// Crashes that the database did not come through. A file system that cannot be mounted is not its fault.
    pub fn broken(&self) -> usize {
        self.crashes - self.kept - self.does_not_mount
    }

    /// Crashes after which it does not start, or is inconsistent.
    pub fn inconsistent(&self) -> usize {
        self.torn + self.does_not_start
    }
}

/// Counts crashes.
pub fn tally<'a>(crashes: impl Iterator<Item = &'a Crash>) -> Tally {
    let mut tally = Tally::default();
    for crash in crashes {
        tally.crashes += 1;
        tally.acknowledged_commits = tally.acknowledged_commits.saturating_add(crash.acknowledged_commits);
        tally.complains += usize::from(crash.recovery_ms.is_some() && !crash.complaints.is_empty());
        match &crash.fate {
            Fate::Kept => tally.kept += 1,
            Fate::Lost(loss) => {
                tally.lost += usize::from(loss.lost_commits > 0 || loss.table_is_gone);
                tally.table_is_gone += usize::from(loss.table_is_gone);
                tally.doubled += usize::from(loss.doubled_commits > 0);
                tally.torn += usize::from(loss.is_inconsistent());
                tally.lost_commits = tally.lost_commits.saturating_add(loss.lost_commits);
                tally.lost_commits_max = tally.lost_commits_max.max(loss.lost_commits);
                tally.lost_over_ms_max = tally.lost_over_ms_max.max(loss.lost_over_ms);
            }
            Fate::DoesNotStart { .. } | Fate::Unreadable { .. } => tally.does_not_start += 1,
            Fate::DoesNotMount { .. } => tally.does_not_mount += 1,
        }
    }
    let broken = Count { of: tally.broken(), n: tally.crashes - tally.does_not_mount };
    tally.broken_share_at_most = broken.share_at_most(LEVEL);
    tally
}
