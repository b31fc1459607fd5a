//! What a run measured on the disk, and what it advises for the databases that are observed.

use crate::analysis::judge;
use crate::failure::Failure;
use crate::proofs;
use crate::publish::naming;
use advice::{Advice, ForLoad};
use lab::run_directory::RunFiles;
use observe::{AgainstRun, DiskFigure, Observation};
use ratings::Question;
use std::collections::BTreeSet;
use std::path::Path;

/// A run of the disk.
pub(super) struct Measured {
    pub(super) against: AgainstRun,
    /// One for each database that the run has advice for.
    advice: Vec<Advice>,
}

impl Measured {
    pub(super) fn of_run(directory: &Path) -> Result<Self, Failure> {
        let files = RunFiles::open(directory).map_err(Failure::runtime)?;
        let run = files.run().map_err(Failure::runtime)?;
        let verdict = judge(&files, &run);
        let ratings = ratings::ratings(&run, &verdict);
        let figure = |question: Question| {
            let rating = ratings.iter().find(|rating| rating.question == question)?;
            // A failed audit withholds the figure.
            let estimate = rating.estimate.as_ref().filter(|_| rating.failed.is_empty())?;
            Some(DiskFigure { mean: estimate.point?, interval: estimate.interval })
        };
        let commits = ratings.iter().find(|rating| rating.question == Question::DurableCommits);
        let advice = proofs::settled(&files, advice::advise(&run, &verdict));
        Ok(Self {
            against: AgainstRun {
                run: directory.display().to_string(),
                place: run.plan.directory.display().to_string(),
                commits_per_s: figure(Question::DurableCommits),
                withheld_by: commits.map(|rating| rating.failed.clone()).unwrap_or_default(),
                commit_latency_p99_us: figure(Question::CommitP99),
            },
            advice: naming(&advice, &files, &run),
        })
    }

    /// The advice for the databases that were seen, each limited to what its load does.
    pub(super) fn for_load_of(&self, seen: &Observation) -> Vec<ForLoad> {
        let names: BTreeSet<&str> = seen.databases.iter().map(|(name, _)| name.as_str()).collect();
        let limited = |name: &str| {
            let id = advice::database_known_as(name)?;
            let advice = self.advice.iter().find(|advice| advice.id == id)?;
            Some(advice.for_load(&seen.load_parts(name)))
        };
        names.into_iter().filter_map(limited).collect()
    }
}

#[cfg(test)]
mod tests {
    use observe::layout::LAYOUTS;

    /// The name that a database has by its files leads to its advice.
    #[test]
    fn every_database_with_advice_is_recognised_by_its_files() {
        let recognised: Vec<&str> =
            LAYOUTS.iter().filter_map(|layout| advice::database_known_as(layout.name)).collect();
        for id in ["postgresql", "mariadb", "mysql", "etcd", "rocksdb", "sqlite"] {
            assert!(recognised.contains(&id), "{id}: {recognised:?}");
        }
    }
}
