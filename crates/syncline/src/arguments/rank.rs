//! The place of a run among those that a launcher started together. A launcher's variables give it, so the options are
//! in the help of `fleet` alone.

use super::origin::{Because, Origin};
use clap::Args;

/// These options, for the help of `fleet`.
pub(super) const HELP: &str = "\
Options of run and check, for a fleet:
  --out <FOLDER>  Folder in which each rank creates its own run directory
  --rank <N>      Rank of this process among those that run the same command, from 0. The name of
                  its run directory has the rank and the host [default: as reported by mpirun,
                  srun or a Kubernetes indexed Job; none if it was started alone]
  --of <N>        Number of processes that run the same command [default: as reported by the
                  launcher]
  --again         Record this run as a second measurement. The commands of --remeasure-plan have
                  this option";

/// Options of the commands that a launcher starts on many machines.
#[derive(Debug, Args)]
pub(crate) struct RankArguments {
    /// Rank of this process among those that run the same command, from 0. Its run directory has the rank and the
    /// host in its name [default: as reported by mpirun, srun or a Kubernetes indexed Job; none if it was started
    /// alone].
    #[arg(long, value_name = "N", hide = true, add = Origin::Typed(Because::ConcernsThisRun))]
    pub rank: Option<u32>,
    /// Number of processes that run the same command [default: as reported by the launcher].
    #[arg(long, value_name = "N", hide = true, value_parser = clap::value_parser!(u32).range(1..),
        add = Origin::Typed(Because::ConcernsThisRun))]
    pub of: Option<u32>,
    /// Record this run as a second measurement for `syncline fleet`. The commands of its --remeasure-plan have this
    /// option.
    #[arg(long, hide = true, add = Origin::Typed(Because::ConcernsThisRun))]
    pub again: bool,
}
