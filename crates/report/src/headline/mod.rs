//! The answers as a reader wants them first: a question in plain words, one sentence, one number with its interval, and
//! the few configurations to draw.
//!
//! Which ones come first is a rule: the editorial order of [`question`]'s table, those that are decided before those that
//! are not, and what was not measured last. Nothing else moves an answer up or down.

mod number;
mod question;
mod rows;
mod sentence;

pub(crate) use number::Number;
pub use number::figure;
pub(crate) use rows::{Row, Rows, label};

use crate::wording;
use model::plan::StudyPlan;
use model::run::Run;
use question::{Question, Shown};
use verdict::{Answer, Audit, Cell, Finding, StudyVerdict, Verdict, impugning, unproven};

/// Answers that are shown with a plot.
pub(crate) const FULL_MAX: usize = 5;

/// How far an answer has come, in the order in which answers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// A difference, an equality, or a figure with its interval.
    Decided,
    /// The data decide nothing.
    Undecided,
    /// It was not measured, or cannot be asked of what was.
    Unanswered,
}

/// One answer.
#[derive(Clone, Debug)]
pub(crate) struct Headline {
    /// The question in a few words.
    pub(crate) title: String,
    /// The study's place in the verdict.
    pub(crate) study: usize,
    /// The ask that it answers, by its place among those of its study, and the metric; `None` where it is a figure.
    pub(crate) ask: Option<(usize, String)>,
    /// One sentence.
    pub(crate) sentence: String,
    /// One figure; `None` where the sentence has all there is.
    pub(crate) number: Option<Number>,
    /// How far it has come.
    pub(crate) standing: Standing,
    /// What to draw.
    pub(crate) rows: Option<Rows>,
    /// Failed audits that it rests on: with any of them it is not to be relied on.
    pub(crate) failed: Vec<String>,
    /// Audits that it requires and that could not be carried out: without them it is not proven.
    pub(crate) unproven: Vec<String>,
}

/// Every answer of a run, the most telling first. A run of one study has one, in the study's own words.
pub(crate) fn headlines(run: &Run, verdict: &Verdict) -> Vec<Headline> {
    let mut all: Vec<Headline> = Vec::new();
    if let [_] = verdict.studies[..] {
        all.extend(headline(run, verdict, 0, &Question::OF_ITS_OWN));
    } else {
        let place = |name: &str| verdict.studies.iter().position(|study| study.name == name);
        for question in question::TABLE {
            all.extend(place(question.study).and_then(|study| headline(run, verdict, study, question)));
        }
        let told = |study: &usize| question::TABLE.iter().any(|it| it.study == verdict.studies[*study].name);
        for study in (0..verdict.studies.len()).filter(|study| !told(study)) {
            all.extend(headline(run, verdict, study, &Question::OF_ITS_OWN));
        }
    }
    all.sort_by_key(|headline| headline.standing);
    all
}

fn headline(run: &Run, verdict: &Verdict, place: usize, question: &Question) -> Option<Headline> {
    let study = verdict.studies.get(place)?;
    let plan = wording::plan(run, study);
    let title = if question.title.is_empty() { &study.question } else { question.title };
    let blank = Headline {
        title: title.to_owned(),
        study: place,
        ask: None,
        sentence: String::new(),
        number: None,
        standing: Standing::Unanswered,
        rows: None,
        failed: Vec::new(),
        unproven: Vec::new(),
    };
    if study.trials.ok == 0 {
        let why = study.failures.first().map_or("no trial of it has ended yet", String::as_str);
        let sentence = format!("Not measured: {}.", why.trim_end_matches('.'));
        return Some(Headline { sentence, ..blank });
    }
    match question.shown {
        Shown::Figure { metric, best } => of_figure(study, plan, metric, best, blank),
        Shown::Ask(ask) => of_finding(study, plan, ask, blank),
    }
}

/// A figure of one configuration: the baseline, or the best.
fn of_figure(
    study: &StudyVerdict,
    plan: Option<&StudyPlan>,
    metric: &str,
    best: bool,
    blank: Headline,
) -> Option<Headline> {
    let point = |cell: &&Cell| cell.figures.get(metric).and_then(|figure| figure.mean.point);
    let measured = study.cells.iter().filter(|cell| point(cell).is_some());
    let count = measured.clone().count();
    let baseline = plan.map_or(0, |plan| plan.duplicate);
    let cell = if best {
        measured.max_by(|a, b| point(a).unwrap_or(0.0).total_cmp(&point(b).unwrap_or(0.0)))
    } else {
        measured.into_iter().find(|cell| cell.configuration == baseline)
    }?;
    let figure = cell.figures.get(metric)?;
    let label = label(study, cell);
    let footing = plan.map(|plan| study.footing(plan, cell.configuration, metric)).unwrap_or_default();
    let unproven = names(unproven(&study.audits, &footing));
    let failed = names(impugning(&study.audits, &footing));
    let sentence = if best {
        sentence::of_best(study, plan, cell, metric, &label)
    } else {
        let is_durable = plan.is_some_and(|plan| study.is_durable(plan, cell.configuration));
        sentence::of_figure(cell, metric, &label, is_durable)
    };
    // Of several means the highest flatters: it says of how many.
    let what = if best && count > 1 { format!("{label}, highest of {count}") } else { label };
    Some(Headline {
        sentence,
        number: Some(number::of_figure(figure, metric, &what)),
        standing: if figure.mean.interval.is_some() { Standing::Decided } else { Standing::Unanswered },
        rows: rows::of_study(study, metric, cell.configuration),
        failed,
        unproven,
        ..blank
    })
}

fn of_finding(
    study: &StudyVerdict,
    plan: Option<&StudyPlan>,
    ask: Option<&str>,
    blank: Headline,
) -> Option<Headline> {
    let Some(finding) = chosen(study, ask) else {
        // What a question of the table asks, this profile may not; a study without asks still has its figures.
        let metric = study.asked.first().filter(|_| ask.is_none())?;
        return of_figure(study, plan, metric, false, blank);
    };
    let standing = match finding.answer {
        Answer::Different | Answer::Equivalent => Standing::Decided,
        Answer::Undecided => Standing::Undecided,
        Answer::NotAssessable => Standing::Unanswered,
    };
    let asked = plan.and_then(|plan| plan.asks.get(finding.place));
    Some(Headline {
        ask: Some((finding.place, finding.metric.clone())),
        sentence: sentence::of_finding(finding),
        number: number::of_finding(finding, study, plan),
        standing,
        rows: rows::of_ask(study, plan, asked, &finding.metric),
        failed: names(study.impugning(finding)),
        unproven: names(study.unproven(finding)),
        ..blank
    })
}

fn names<'a>(audits: impl Iterator<Item = &'a Audit>) -> Vec<String> {
    audits.map(|audit| audit.name.clone()).collect()
}

/// The ask's finding that says most: the last step of a durability ladder, else what is decided, and of that the largest
/// effect. Only the ask's first metric counts.
fn chosen<'a>(study: &'a StudyVerdict, ask: Option<&str>) -> Option<&'a Finding> {
    let first = study.findings.iter().find(|finding| ask.is_none_or(|ask| finding.ask == ask))?;
    let same = |finding: &&Finding| {
        (finding.place, &finding.ask, &finding.metric) == (first.place, &first.ask, &first.metric)
    };
    let mut candidates: Vec<&Finding> = study.findings.iter().filter(same).collect();
    if first.ask == sentence::LADDER {
        return candidates.into_iter().rfind(|finding| finding.ratio.is_some());
    }
    let effect = |finding: &Finding| {
        let ratio = finding.ratio.as_ref().and_then(|ratio| ratio.point).filter(|ratio| *ratio > 0.0);
        ratio.map_or(0.0, |ratio| ratio.ln().abs())
    };
    let rank = |answer| match answer {
        Answer::Different => 0,
        Answer::Equivalent => 1,
        Answer::Undecided => 2,
        Answer::NotAssessable => 3,
    };
    candidates.sort_by(|a, b| rank(a.answer).cmp(&rank(b.answer)).then(effect(b).total_cmp(&effect(a))));
    candidates.first().copied()
}
