//! The first answers of a report: a question in plain words, one sentence, one number with its interval, and the few
//! configurations to draw.
//!
//! A rule decides their order: the editorial order of [`question`]'s table, decided answers before undecided ones, and
//! questions that were not measured last. Nothing else changes the order.

mod number;
mod question;
mod rows;
mod sentence;

pub(crate) use number::Number;
pub use number::figure;
pub(crate) use rows::{Averaged, Row, Rows};

use crate::label::label;
use crate::wording;
use model::plan::StudyPlan;
use model::run::Run;
use question::{Question, Shown};
use verdict::{Answer, Audit, Cell, Estimate, Finding, StudyVerdict, Verdict, failed_for, unproven};

/// Answers that are shown with a plot.
pub(crate) const FULL_MAX: usize = 5;

/// The state of an answer, in the order in which answers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Conclusion {
    /// A difference, an equality, or a figure with its interval.
    Decided,
    /// The data do not decide it.
    Undecided,
    /// It was not measured, or these records cannot answer it.
    Unanswered,
}

/// One answer.
#[derive(Clone, Debug)]
pub(crate) struct Headline<'a> {
    /// The question in a few words.
    pub(crate) title: String,
    /// The study's index in the verdict.
    pub(crate) study: usize,
    /// The finding behind it; `None` if it is a figure.
    pub(crate) finding: Option<&'a Finding>,
    pub(crate) sentence: String,
    /// One figure; `None` if the sentence contains everything.
    pub(crate) number: Option<Number>,
    pub(crate) conclusion: Conclusion,
    pub(crate) rows: Option<Rows>,
    /// Failed audits that it rests on; with any of them it is not reliable.
    pub(crate) failed: Vec<String>,
    /// Required audits that could not be carried out; without them it is not proven.
    pub(crate) unproven: Vec<String>,
}

/// Every answer of a run, the most informative first. A run of one study has one answer, with the study's own question.
pub(crate) fn headlines<'a>(run: &Run, verdict: &'a Verdict) -> Vec<Headline<'a>> {
    let mut all: Vec<Headline<'a>> = Vec::new();
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
    all.sort_by_key(|headline| headline.conclusion);
    all
}

fn headline<'a>(run: &Run, verdict: &'a Verdict, place: usize, question: &Question) -> Option<Headline<'a>> {
    let study = verdict.studies.get(place)?;
    let plan = wording::plan(run, study);
    let title = if question.title.is_empty() { &study.question } else { question.title };
    let blank = Headline {
        title: title.to_owned(),
        study: place,
        finding: None,
        sentence: String::new(),
        number: None,
        conclusion: Conclusion::Unanswered,
        rows: None,
        failed: Vec::new(),
        unproven: Vec::new(),
    };
    if study.trials.ok == 0 {
        let why = study.failures.first().map_or("no trial of it has ended yet", String::as_str);
        let sentence = page::sentence(&format!("Not measured: {why}"));
        return Some(Headline { sentence, ..blank });
    }
    match question.shown {
        Shown::Figure { metric, best } => of_figure(study, plan, metric, best, blank),
        Shown::First => match study.findings.first() {
            Some(_) => of_finding(study, plan, |_| true, blank),
            // A study without asks still has figures.
            None => of_figure(study, plan, study.asked.first()?, false, blank),
        },
        Shown::Ladder => of_finding(study, plan, |finding| finding.subject.is_ladder(), blank),
        Shown::Ask(name) => {
            let is_asked = |finding: &Finding| finding.ask.name() == name && !finding.subject.is_ladder();
            of_finding(study, plan, is_asked, blank)
        }
    }
}

/// A figure of one configuration: the baseline, or the best.
fn of_figure<'a>(
    study: &'a StudyVerdict,
    plan: Option<&StudyPlan>,
    metric: &str,
    best: bool,
    blank: Headline<'a>,
) -> Option<Headline<'a>> {
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
    let basis = plan.map(|plan| study.basis(plan, cell.configuration, metric)).unwrap_or_default();
    let unproven = names(unproven(&study.audits, &basis));
    let failed = names(failed_for(&study.audits, &basis));
    let sentence = if best {
        sentence::of_best(study, cell, metric, &label)
    } else {
        let is_durable = plan.is_some_and(|plan| study.is_durable(plan, cell.configuration));
        sentence::of_figure(cell, metric, &label, is_durable)
    };
    // The highest of several means is flattering, so it is printed with their number.
    let what = if best && count > 1 { format!("{label}, highest of {count}") } else { label };
    Some(Headline {
        sentence,
        number: Some(number::of_figure(figure, metric, &what)),
        conclusion: if figure.mean.interval.is_some() { Conclusion::Decided } else { Conclusion::Unanswered },
        rows: rows::of_study(study, metric, cell.configuration),
        failed,
        unproven,
        ..blank
    })
}

/// The most informative finding among those that are selected.
fn of_finding<'a>(
    study: &'a StudyVerdict,
    plan: Option<&StudyPlan>,
    is_asked: impl Fn(&Finding) -> bool,
    blank: Headline<'a>,
) -> Option<Headline<'a>> {
    let finding = chosen(study, is_asked)?;
    let conclusion = match finding.answer() {
        Answer::Different | Answer::Equivalent => Conclusion::Decided,
        Answer::Undecided => Conclusion::Undecided,
        Answer::NotAssessable => Conclusion::Unanswered,
    };
    let asked = plan.and_then(|plan| plan.asks.get(finding.ask.place));
    Some(Headline {
        finding: Some(finding),
        sentence: finding.brief(),
        number: number::of_finding(finding, study, plan),
        conclusion,
        rows: rows::of_sides(finding).or_else(|| rows::of_ask(study, plan, asked, &finding.metric)),
        failed: names(study.failed_for(finding)),
        unproven: names(study.unproven(finding)),
        ..blank
    })
}

fn names<'a>(audits: impl Iterator<Item = &'a Audit>) -> Vec<String> {
    audits.map(|audit| audit.name.clone()).collect()
}

/// The most informative finding of an ask: the last step of a durability ladder, otherwise the decided finding with the
/// largest effect. Only the ask's first metric counts.
fn chosen(study: &StudyVerdict, is_asked: impl Fn(&Finding) -> bool) -> Option<&Finding> {
    let first = study.findings.iter().find(|finding| is_asked(finding))?;
    let mut candidates = study.findings.iter().filter(|finding| finding.is_of_topic(first));
    if first.subject.is_ladder() {
        return candidates.rfind(|finding| finding.ratio.is_some());
    }
    let effect = |finding: &Finding| finding.ratio.as_ref().map_or(0.0, Estimate::effect);
    candidates.min_by(|a, b| a.answer().cmp(&b.answer()).then(effect(b).total_cmp(&effect(a))))
}
