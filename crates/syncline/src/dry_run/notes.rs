//! What a dry run says once, below its studies: what the figures leave out, and what was not tried.

use crate::servers;
use model::Description;
use model::plan::StudyPlan;

/// What a study needs below the studies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
pub(super) struct Notes {
    /// Whether its baseline runs more than once in a round.
    repeats_baseline: bool,
    /// Whether an engine or a server writes files when it likes.
    engine_writes: bool,
    /// Whether it uses direct I/O.
    direct_io: bool,
    /// Whether it drives a server.
    server: bool,
}

impl Notes {
    pub(super) fn of(plan: &StudyPlan) -> Self {
        let any = |is: fn(&Description) -> bool| plan.descriptions.iter().any(is);
        Self {
            repeats_baseline: plan.has_duplicate(),
            engine_writes: any(|description| description.in_engine),
            direct_io: any(Description::needs_direct),
            server: plan.configurations.iter().any(servers::is_driven),
        }
    }

    /// Those of two studies.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            repeats_baseline: self.repeats_baseline || other.repeats_baseline,
            engine_writes: self.engine_writes || other.engine_writes,
            direct_io: self.direct_io || other.direct_io,
            server: self.server || other.server,
        }
    }

    pub(super) fn text(self) -> String {
        let engine = if self.engine_writes { "; what an engine or a server writes by itself" } else { "" };
        let left_out = format!(
            "Not in these figures: the time to start workers, to make files and to wait for a quiet device; the file \
             system's metadata and journal{engine}."
        );
        let baseline = "The difference of the baseline from itself is the noise floor.".to_owned();
        let untried: Vec<&str> = [(self.direct_io, "direct I/O"), (self.server, "the server")]
            .into_iter()
            .filter_map(|(is_used, what)| is_used.then_some(what))
            .collect();
        let untried =
            (!untried.is_empty()).then(|| format!("The dry run did not try {}.", untried.join(" and ")));
        let baseline = self.repeats_baseline.then_some(baseline);
        [Some(left_out), baseline, untried].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::readme::plans;
    use super::*;

    /// The dry run of a fio job spoke of PostgreSQL and of compaction.
    #[test]
    fn a_study_is_told_only_what_it_uses() {
        let notes = |study: &str| Notes::of(&plans(&[study], "quick")[0]);
        let (depth, kv) = (notes("depth"), notes("kv"));
        assert!(depth.direct_io && depth.repeats_baseline, "{depth:?}");
        assert!(!depth.engine_writes && !depth.server, "{depth:?}");
        assert!(kv.engine_writes && !kv.server, "{kv:?}");
        assert_eq!(depth.and(kv), Notes { engine_writes: true, ..depth });
    }
}
