//! The place of a run among those that a launcher started together.

use model::rank::Rank;

/// `rank 3 of 8`, or `rank 3` if the launcher does not report how many it started.
pub(crate) fn rank(rank: Rank) -> String {
    match rank.size {
        Some(size) => format!("rank {} of {size}", rank.rank),
        None => format!("rank {}", rank.rank),
    }
}
