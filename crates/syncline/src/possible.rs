//! The part of a study that a machine can do, if some of it is not possible: levels are left out and reported, and a
//! study is left out only if nothing is left to ask. Pure.

use model::Configuration;
use model::plan::StudyPlan;

/// What is left of a study.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// All of it.
    Everything,
    /// These factors have fewer levels.
    Less(Vec<Narrowed>),
    /// Every level of some factor is lost, or what is lost is not all there is of any level.
    Nothing,
}

/// A factor that lost levels.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Narrowed {
    pub(crate) factor: String,
    /// The levels that it keeps.
    pub(crate) kept: Vec<String>,
    /// Those that it lost.
    pub(crate) lost: Vec<String>,
}

/// What is left of a plan without its configurations of this kind: a level goes if it has no others.
pub(crate) fn left(plan: &StudyPlan, is_lost: impl Fn(&Configuration) -> bool) -> Left {
    if !plan.configurations.iter().any(&is_lost) {
        return Left::Everything;
    }
    let mut narrowed = Vec::new();
    for factor in &plan.factors {
        let of = |level| plan.configurations.iter().filter(move |v| v.get(&factor.name) == Some(level));
        let (kept, lost): (Vec<_>, Vec<_>) =
            factor.levels.iter().partition(|level| of(*level).any(|values| !is_lost(values)));
        if kept.is_empty() {
            return Left::Nothing;
        }
        if !lost.is_empty() {
            let text = |levels: Vec<&model::Value>| levels.into_iter().map(ToString::to_string).collect();
            narrowed.push(Narrowed { factor: factor.name.clone(), kept: text(kept), lost: text(lost) });
        }
    }
    let is_kept = |values: &&Configuration| {
        let level = |of: &Narrowed| values.get(&of.factor).map(ToString::to_string).unwrap_or_default();
        narrowed.iter().all(|of| of.kept.contains(&level(of)))
    };
    if plan.configurations.iter().filter(is_kept).any(is_lost) { Left::Nothing } else { Left::Less(narrowed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::is_driven;
    use crate::studies;
    use lab::plan::{Overrides, resolve};
    use model::study::Study;

    fn plan(study: &str) -> StudyPlan {
        resolved(&studies::find(study).unwrap(), "answer")
    }

    fn resolved(study: &Study, profile: &str) -> StudyPlan {
        let overrides = Overrides { profile: Some(profile.to_owned()), ..Overrides::default() };
        resolve(study, workload::schema(&study.workload).unwrap(), &overrides).unwrap()
    }

    #[test]
    fn a_level_goes_with_its_last_configuration() {
        let of_mode = |name: &'static str| move |values: &Configuration| values.is(name, "direct");
        let narrowed = |factor: &str| {
            let (kept, lost) = (vec!["buffered".to_owned()], vec!["direct".to_owned()]);
            Left::Less(vec![Narrowed { factor: factor.to_owned(), kept, lost }])
        };
        assert_eq!(left(&plan("commit-modes"), of_mode("wal_mode")), narrowed("wal_mode"));
        assert_eq!(left(&plan("wal-layout"), of_mode("mode")), narrowed("mode"));
        assert_eq!(left(&plan("depth"), of_mode("mode")), Left::Nothing);
        assert_eq!(left(&plan("depth"), |_| false), Left::Everything);
        // Neither level is lost altogether: nothing can be left out so that a grid remains.
        let corner = |values: &Configuration| values.is("wal_mode", "direct") && values.is("sync", "dsync");
        assert_eq!(left(&plan("commit-modes"), corner), Left::Nothing);
    }

    #[test]
    fn without_a_server_a_pool_is_ours_or_nothing() {
        let (kept, lost) = (vec!["ours".to_owned()], vec!["postgres".to_owned()]);
        let subject = Narrowed { factor: "subject".to_owned(), kept, lost };
        let pool = studies::find("pool").unwrap();
        assert_eq!(left(&resolved(&pool, "quick"), is_driven), Left::Less(vec![subject]));
        let for_settings = studies::for_database("postgresql").unwrap();
        let pool = for_settings.iter().find(|study| study.name == "temp-buffers").unwrap();
        assert_eq!(left(&resolved(pool, "answer"), is_driven), Left::Nothing);
    }
}
