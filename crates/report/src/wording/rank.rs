//! The place of a run among those that a launcher started together.

use model::rank::Rank;

/// `rank 3 of 8`, or `rank 3` if the launcher does not report how many it started.
pub(crate) fn rank(rank: Rank) -> String {
    let of = rank.size.map_or_else(String::new, |size| format!(" of {size}"));
    let shared = if rank.is_shared { ", which measured shared storage at the same time" } else { "" };
    format!("rank {}{of}{shared}", rank.rank)
}
