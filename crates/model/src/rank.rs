//! The place of a run among those that a launcher started together.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The place of a run among those that a launcher (`mpirun`, `srun`, a Kubernetes Job) started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// Its number, from 0.
    pub rank: u32,
    /// How many were started; `None` if the launcher does not report it, as a Kubernetes Job does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Whether all of them took every turn at the same time, on storage that they share.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_shared: bool,
}

impl Rank {
    /// A rank that measures storage of its own.
    pub const fn new(rank: u32, size: Option<u32>) -> Self {
        Self { rank, size, is_shared: false }
    }

    /// Whether it is the first, which reports progress for all.
    pub const fn is_first(self) -> bool {
        self.rank == 0
    }

    /// What a run directory of this rank on this host is called: `rank-03-node17`. Ranks of one launch sort by number.
    pub fn directory_name(self, host: &str) -> String {
        let width = self.size.map_or(1, |size| size.saturating_sub(1).to_string().len());
        let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let host: String = host.chars().map(plain).take(HOST_CHARACTERS_MAX).collect();
        format!("rank-{:0width$}-{host}", self.rank)
    }
}

/// `rank 3 of 8`, or `rank 3` if the launcher does not report how many it started.
impl fmt::Display for Rank {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, size, is_shared } = self;
        write!(formatter, "rank {rank}")?;
        if let Some(size) = size {
            write!(formatter, " of {size}")?;
        }
        if *is_shared {
            formatter.write_str(", which measured shared storage at the same time")?;
        }
        Ok(())
    }
}

/// gethostname(2): a host name has at most 64 bytes.
const HOST_CHARACTERS_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_sort_by_rank_and_name_the_host() {
        let name = |rank, size| Rank::new(rank, size).directory_name("node17.example");
        assert_eq!(name(3, Some(8)), "rank-3-node17.example");
        assert_eq!(name(3, Some(10)), "rank-3-node17.example");
        assert_eq!(name(3, Some(11)), "rank-03-node17.example");
        assert_eq!(name(3, Some(1000)), "rank-003-node17.example");
        assert_eq!(name(3, None), "rank-3-node17.example");
        assert_eq!(Rank::new(0, None).directory_name("a/../b c"), "rank-0-a-..-b-c");
    }
}
