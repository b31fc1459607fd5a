//! Trials that read their data in passes, every byte once in each. A pass that began cold measured the disk, even if
//! the data fits in memory; a later pass finds what an earlier one left only if the study configured that.

use super::super::Trial;
use super::fit::{COLD_AT_MOST, Fit};
use crate::described::{self, Pass};
use crate::verdict::Status;
use laws::list::working_set::DISK_HITS_MAX;
use model::Cache;

/// What the passes of a configuration show; `None` if nothing is known about them.
pub(super) fn fit(trials: &[Trial<'_>], against: &str) -> Option<Fit> {
    let of_trials: Vec<Vec<Pass>> =
        trials.iter().map(|trial| described::passes(trial.record, trial.description)).collect();
    let first = of_trials.first()?;
    let unproven = |passes: &Vec<Pass>| {
        let is_unproven = |(index, pass): (usize, &Pass)| !is_as_asked(pass, index == 0);
        passes.iter().enumerate().position(is_unproven)
    };
    if let Some(pass) = of_trials.iter().find_map(unproven) {
        let why = format!("pass {} was not proven cold", pass + 1);
        return Some(Fit { status: Status::Warn, text: format!("{against}: it may fit, and {why}") });
    }
    let all = |asked: Cache| first.iter().all(|pass| pass.asked == asked);
    let why = if all(Cache::Warm) {
        "the page cache is measured, as configured"
    } else if all(Cache::Cold) {
        "it may fit, but every pass was proven cold and read each byte once"
    } else {
        "it may fit, but the first pass was proven cold, and later ones should find what it left"
    };
    Some(Fit { status: Status::Pass, text: format!("{against}: {why}") })
}

/// Whether a pass measured its configured state. A pass without one finds what the previous pass left; before the first
/// there is none.
fn is_as_asked(pass: &Pass, is_first: bool) -> bool {
    match pass.asked {
        Cache::Warm => true,
        Cache::AsIs if !is_first => true,
        Cache::Cold | Cache::AsIs => {
            let began_cold = pass.cached_share_before.is_some_and(|share| share <= COLD_AT_MOST);
            let hit_nothing = pass.hit_share.is_some_and(|hit| hit <= DISK_HITS_MAX);
            began_cold || hit_nothing
        }
    }
}

/// Whether it is known where the bytes of the passes came from.
pub(super) fn are_known(passes: &[Pass]) -> bool {
    passes.iter().any(|pass| pass.cached_share_before.is_some() || pass.hit_share.is_some())
}
