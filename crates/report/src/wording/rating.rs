//! A rating in words: the question, the grade, the figure with what was measured, and where the limits come from.

use super::plan;
use crate::label::label as label_of;
use crate::quantity;
use model::description::Direction;
use model::figure::round_figure;
use model::metric::{Better, Unit};
use model::plan::StudyPlan;
use model::run::Run;
use model::units::{format_bytes_in_text, format_significant};
use model::{Description, IoMode};
use ratings::{Grade, Question, Rating, RatingOutcome, Reference, Source, ratings};
use verdict::{StudyVerdict, Verdict};

/// One rating, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rated {
    /// `durable commits`.
    pub(crate) question: &'static str,
    /// `good or fair`; `not rated`.
    pub(crate) grade: String,
    /// The worst of the grades; `None` if there is none.
    pub(crate) worst: Option<Grade>,
    /// `9 100/s (8 230–9 980, 95 %)`, or why there is no grade.
    pub(crate) figure: String,
    pub(crate) about: String,
    /// The study's place in the verdict.
    pub(crate) study: usize,
}

/// The ratings of a run.
pub(crate) fn rated(run: &Run, verdict: &Verdict) -> Vec<Rated> {
    let of = |rating: Rating| {
        let study = verdict.studies.get(rating.study)?;
        let plan = plan(run, study)?;
        Some(one(&rating, study, plan))
    };
    ratings(run, verdict).into_iter().filter_map(of).collect()
}

fn one(rating: &Rating, study: &StudyVerdict, plan: &StudyPlan) -> Rated {
    let is_durable = study.is_durable(plan, rating.configuration);
    let is_of_flushes = rating.question == Question::Flushes;
    let withheld = match &rating.failed[..] {
        [] => format!("{} could not be carried out", rating.unproven.join(", ")),
        failed => format!("{} failed", failed.join(", ")),
    };
    let (grade, worst, why) = match &rating.outcome {
        RatingOutcome::Graded { best, worst } => (grades(*best, *worst), Some(*worst), None),
        RatingOutcome::Withheld => (NOT_RATED.to_owned(), None, Some(withheld.as_str())),
        RatingOutcome::InMemory => {
            (NOT_RATED.to_owned(), None, Some("the files were in memory, which is not storage"))
        }
        RatingOutcome::Unseen(what) => (NOT_RATED.to_owned(), None, Some(what.as_str())),
        RatingOutcome::NotAssessable(why) => (NOT_RATED.to_owned(), None, Some(why.as_str())),
    };
    let unit = quantity::named(rating.metric).unit;
    let measured = rating.estimate.as_ref().filter(|estimate| estimate.point.is_some());
    let figure = match (measured, why) {
        (Some(mean), Some(why)) if mean.interval.is_none() => {
            format!("{} ({why})", round_figure(mean.point.unwrap_or(0.0), unit))
        }
        (Some(mean), Some(why)) => format!("{}; {why}", quantity::with_interval(mean, unit)),
        (Some(mean), None) => quantity::with_interval(mean, unit),
        // The audit counts trials that have no mean.
        (None, None) if is_of_flushes => "as many as the commits need".to_owned(),
        (None, why) => why.unwrap_or("not measured").to_owned(),
    };
    let about = match plan.description(rating.configuration) {
        Some(description) if is_graded(&rating.outcome) => {
            let what = measured_as(rating.question, description);
            // The sentence has the operations in flight, and nothing else varies.
            let label = study.cells.iter().find(|cell| cell.configuration == rating.configuration);
            let label = label.filter(|_| rating.question != Question::RandomReads);
            let label = label.map(|cell| label_of(study, cell)).filter(|label| !label.is_empty());
            std::iter::once(what).chain(label).collect::<Vec<_>>().join(", ")
        }
        Some(_) | None => String::new(),
    };
    Rated { question: name(rating.question, is_durable), grade, worst, figure, about, study: rating.study }
}

fn is_graded(outcome: &RatingOutcome) -> bool {
    match outcome {
        RatingOutcome::Graded { .. } => true,
        RatingOutcome::InMemory
        | RatingOutcome::Unseen(_)
        | RatingOutcome::Withheld
        | RatingOutcome::NotAssessable(_) => false,
    }
}

const NOT_RATED: &str = "not rated";

/// Commits are called durable only if the audits about that promise passed.
fn name(question: Question, is_durable: bool) -> &'static str {
    match question {
        Question::DurableCommits if is_durable => "durable commits",
        Question::DurableCommits => "commits",
        Question::CommitP99 => "commit p99",
        Question::Flushes => "flushes",
        Question::RandomReads => "random reads",
    }
}

fn grades(best: Grade, worst: Grade) -> String {
    let all = [Grade::Good, Grade::Fair, Grade::Poor];
    let reached = all.into_iter().filter(|grade| (best..=worst).contains(grade)).map(grade);
    reached.collect::<Vec<_>>().join(" or ")
}

pub(crate) const fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "good",
        Grade::Fair => "fair",
        Grade::Poor => "poor",
    }
}

/// `one after another, 4 KiB each`; `4 KiB, 32 in flight, O_DIRECT`.
fn measured_as(question: Question, description: &Description) -> String {
    let bytes = |direction| {
        description.stream(direction).and_then(|stream| stream.block_bytes).map(format_bytes_in_text)
    };
    match question {
        Question::DurableCommits => {
            let each = bytes(Direction::Write).map_or_else(String::new, |bytes| format!(", {bytes} each"));
            format!("one after another{each}")
        }
        Question::CommitP99 => "write and sync together".to_owned(),
        Question::Flushes => "flushes of the device for each commit".to_owned(),
        Question::RandomReads => {
            let direct =
                description.stream(Direction::Read).is_some_and(|stream| stream.mode == IoMode::Direct);
            let parts = [
                bytes(Direction::Read),
                Some(format!("{} in flight", description.in_flight_max)),
                direct.then(|| "O_DIRECT".to_owned()),
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
    }
}

/// What the grades mean: a sentence for each question that was rated.
pub(crate) fn limits(rated: &[Rated]) -> String {
    let is_rated = |question: &&Question| {
        rated.iter().any(|one| [true, false].iter().any(|is| one.question == name(**question, *is)))
    };
    let told = Question::ALL.iter().filter(is_rated).filter_map(|question| limit(*question));
    told.collect::<Vec<_>>().join(". ")
}

/// `commit p99: good up to 10 ms, fair up to 25 ms (etcd's FAQ)`.
fn limit(question: Question) -> Option<String> {
    let Reference::Limits(limits) = question.reference() else { return None };
    let unit = quantity::named(question.metric()).unit;
    let side = match limits.better {
        Better::Higher => "from",
        Better::Lower | Better::Neither => "up to",
    };
    let source = match limits.source {
        Source::EtcdHardware => "etcd's hardware guide",
        Source::EtcdQuestions => "etcd's FAQ",
        Source::Devices => {
            "of the published figures, half of the slowest drive's, and the slowest cloud volume's"
        }
    };
    Some(format!(
        "{}: good {side} {}, fair {side} {} ({source})",
        name(question, true),
        bound(limits.good, unit),
        bound(limits.fair, unit)
    ))
}

/// A limit as its source has it: `500/s`, `10 ms`.
fn bound(limit: f64, unit: Unit) -> String {
    match unit {
        Unit::Microseconds => format!("{} ms", limit / 1e3),
        Unit::PerSecond => {
            format!("{}/s", if limit < 100.0 { limit.to_string() } else { format_significant(limit) })
        }
        Unit::Nanoseconds
        | Unit::Seconds
        | Unit::Bytes
        | Unit::BytesPerSecond
        | Unit::Count
        | Unit::Share => round_figure(limit, unit),
    }
}
