//! The rank of this process, from the command line or its launcher's variables.

use crate::arguments::RankArguments;
use crate::failure::Failure;
use lab::launcher::{self, Asked};
use model::plan::Plan;
use model::rank::Rank;
use std::env;

/// The rank that the options give, or else the launcher; `None` if this process was started alone.
pub(crate) fn rank(arguments: &RankArguments) -> Result<Option<Rank>, Failure> {
    let asked = Asked { rank: arguments.rank, of: arguments.of };
    let variable = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    launcher::rank(asked, &variable).map_err(Failure::usage)
}

/// Whether this run reports its progress and its time: of the ranks of a launch, the first does.
pub(crate) fn reports_progress(plan: &Plan) -> bool {
    plan.rank.is_none_or(Rank::is_first)
}
