//! Why ranks go on together no longer.

use model::figure::agreeing;
use std::time::Duration;

/// Ranks that did not come. The round is incomplete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// Rank 0 waited for these in vain, and told the others.
    #[error("{}", missing(.ranks, *.waited))]
    Missing {
        ranks: Vec<u32>,
        /// How long rank 0 waited for them.
        waited: Duration,
    },
    /// Rank 0 did not answer.
    #[error("rank 0, which keeps the records, did not answer within {:.0} s", .waited.as_secs_f64())]
    Root {
        /// How long this rank waited for it.
        waited: Duration,
    },
    /// All ranks are there, and were not released together.
    #[error("a rank stood still for a long time, so that the ranks did not start together: none is dead")]
    InRelease,
    /// A message that no version of this program with this number of ranks sends.
    #[error(
        "rank {from} sent a message that this program does not understand: start the same program on every rank"
    )]
    Foreign {
        /// The rank that sent it.
        from: u32,
    },
}

impl Lost {
    /// The ranks that did not come, as far as they are named in the text.
    pub fn named(&self) -> &[u32] {
        match self {
            Self::Missing { ranks, .. } => &ranks[..ranks.len().min(NAMED_MAX)],
            Self::Root { .. } | Self::InRelease | Self::Foreign { .. } => &[],
        }
    }
}

/// The first of many is enough to look for.
const NAMED_MAX: usize = 8;

fn missing(ranks: &[u32], waited: Duration) -> String {
    let named: Vec<String> = ranks.iter().take(NAMED_MAX).map(u32::to_string).collect();
    let more = match ranks.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let noun = agreeing(ranks.len(), "rank", "ranks");
    let seconds = waited.as_secs_f64();
    format!(
        "{noun} {}{more} did not come within {seconds:.0} s: dead, or slower than the others",
        named.join(", ")
    )
}
