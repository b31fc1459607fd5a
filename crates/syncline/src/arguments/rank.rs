//! The place of a run among those that a launcher started together.

use super::origin::{Because, Origin};
use clap::Args;

/// Options of the commands that a launcher starts on many machines.
#[derive(Debug, Args)]
pub(crate) struct RankArguments {
    /// Rank of this process among those that run the same command, from 0. Its run directory has the rank and the
    /// host in its name [default: as reported by mpirun, srun or a Kubernetes indexed Job; none if it was started
    /// alone].
    #[arg(long, value_name = "N", add = Origin::Typed(Because::ConcernsThisRun))]
    pub rank: Option<u32>,
    /// Number of processes that run the same command [default: as reported by the launcher].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub of: Option<u32>,
    /// Record this run as a second measurement for `syncline fleet`. The commands of its --remeasure-plan have this
    /// option.
    #[arg(long, add = Origin::Typed(Because::ConcernsThisRun))]
    pub again: bool,
}
