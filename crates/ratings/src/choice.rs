//! Which configuration of a run a question is rated by, from what the plan says that each configuration is.

use super::scale::Question;
use model::description::{Direction, Stream};
use model::plan::StudyPlan;
use model::run::Run;
use model::{Description, FileSystem};
use verdict::{Cell, StudyVerdict, Verdict};

/// The configuration that a question is rated by.
pub(super) struct Rated<'a> {
    /// The study's place in the verdict.
    pub(super) place: usize,
    pub(super) study: &'a StudyVerdict,
    /// What the plan has of it.
    pub(super) plan: &'a StudyPlan,
    pub(super) cell: &'a Cell,
}

/// Size of the blocks in published figures of random reads.
const BLOCK_BYTES: u64 = 4096;

/// The configuration of the first study that has a figure, else of the first that was to have one.
pub(super) fn chosen<'a>(run: &'a Run, verdict: &'a Verdict, question: Question) -> Option<Rated<'a>> {
    let mut chosen: Vec<Rated<'_>> = verdict
        .studies
        .iter()
        .enumerate()
        .filter_map(|(place, study)| of_study(run, place, study, question))
        .collect();
    let point = |rated: &Rated<'_>| rated.cell.figures.get(question.metric())?.mean.point;
    let measured = chosen.iter().position(|rated| point(rated).is_some());
    (!chosen.is_empty()).then(|| chosen.swap_remove(measured.unwrap_or(0)))
}

fn of_study<'a>(
    run: &'a Run,
    place: usize,
    study: &'a StudyVerdict,
    question: Question,
) -> Option<Rated<'a>> {
    let plan = run.plan.studies.iter().find(|plan| plan.name == study.name)?;
    let fits: fn(&Description) -> bool = match question {
        Question::DurableCommits | Question::CommitP99 | Question::Flushes => are_commits,
        Question::RandomReads => are_random_reads,
    };
    let is_asked = |cell: &&Cell| plan.description(cell.configuration).is_some_and(fits);
    let cells: Vec<&Cell> = study.cells.iter().filter(is_asked).collect();
    let point = |cell: &Cell| cell.figures.get(question.metric()).and_then(|figure| figure.mean.point);
    let cell = match question {
        // As the study has them by default; its other configurations are what it compares them with.
        Question::DurableCommits | Question::CommitP99 | Question::Flushes => {
            let baseline = cells.iter().find(|cell| cell.configuration == plan.duplicate);
            baseline.or(cells.first()).copied()
        }
        // As many as the disk gives, as others publish them.
        Question::RandomReads => {
            cells.iter().copied().max_by(|a, b| point(a).unwrap_or(0.0).total_cmp(&point(b).unwrap_or(0.0)))
        }
    }?;
    Some(Rated { place, study, plan, cell })
}

/// Commits one after another to a log on the host's file system, with nothing beside them.
fn are_commits(description: &Description) -> bool {
    let is_log = |stream: &Stream| stream.direction == Direction::Write && stream.role == "wal";
    description.filesystem == FileSystem::Host
        && description.syncs
        && description.threads == 1
        && matches!(&description.streams[..], [stream] if is_log(stream))
}

/// Random reads of 4 KiB with direct I/O, and nothing else.
pub fn are_random_reads(description: &Description) -> bool {
    let is_random_read = |stream: &Stream| {
        stream.direction == Direction::Read
            && stream.is_random == Some(true)
            && stream.block_bytes == Some(BLOCK_BYTES)
            && stream.is_direct()
    };
    description.filesystem == FileSystem::Host
        && !description.pauses
        && !description.streams.is_empty()
        && description.streams.iter().all(is_random_read)
}
