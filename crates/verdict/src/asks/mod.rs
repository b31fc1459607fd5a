//! What a study asks, one file per kind of ask. Each ask becomes drafts (one per metric and level); once their number is
//! known, so are the level of simultaneous intervals and Holm's p-values, and the drafts become findings.

mod across;
mod along;
mod compare;
mod crossover;
mod interacting;
mod knee;
mod ladder;
mod opposing;
mod outlook;
mod rank;
mod threshold;
mod trend;
mod within_class;

pub(crate) use ladder::NAME as LADDER;

use crate::arms;
use crate::attribution::{self, Footing};
use crate::audits::{self, Audits};
use crate::durability::Classes;
use crate::looks;
use crate::noise::Floors;
use crate::observations::Observations;
use crate::phrase::{count, level, title};
use crate::verdict::{Answer, Audit, Cell, Finding};
use model::Value;
use model::metric;
use model::plan::StudyPlan;
use model::study::{Ask, AskKind};
use stats::Interval;
use std::borrow::Cow;

/// Everything an ask is answered from.
pub(crate) struct Inquiry<'a> {
    /// The study's plan and records.
    pub(crate) observations: &'a Observations<'a>,
    /// What each configuration declares that an acknowledged write survives.
    pub(crate) classes: &'a Classes,
    /// Figures by configuration.
    pub(crate) cells: &'a [Cell],
    /// The A/A noise floors.
    pub(crate) noise: &'a Floors,
    /// What the audits found.
    pub(crate) audits: &'a Audits,
}

impl Inquiry<'_> {
    fn plan(&self) -> &StudyPlan {
        self.observations.plan
    }
}

/// One ask about one metric.
#[derive(Clone, Copy)]
struct Topic<'a> {
    inquiry: &'a Inquiry<'a>,
    /// The study's plan, its baseline where the ask is asked.
    plan: &'a StudyPlan,
    ask: &'a Ask,
    /// Full metric name.
    metric: &'a str,
}

/// A finding to be, before the size of its family is known.
struct Draft<'a> {
    /// p-value of its test, where it is one.
    p: Option<f64>,
    /// The configurations whose figures it is made of; none where it claims nothing.
    rests_on: Vec<usize>,
    finish: Box<dyn FnOnce(Share) -> Finding + 'a>,
}

/// A draft's share of the error that all drafts of a study may make together.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Drafts in the family.
    asks: usize,
    /// Confidence of all drafts together.
    level: f64,
    /// Holm's p-value at the level of all drafts, as one at 95 %, where the draft has a test.
    p_adjusted: Option<f64>,
}

/// Findings of every ask of a study, in the order of the asks.
pub(crate) fn findings(inquiry: &Inquiry<'_>) -> Vec<Finding> {
    let names: Vec<Vec<String>> =
        inquiry.plan().asks.iter().map(|ask| ask.on.iter().map(|name| full(name)).collect()).collect();
    let plans: Vec<Cow<'_, StudyPlan>> =
        inquiry.plan().asks.iter().map(|ask| asked_at(inquiry.plan(), ask)).collect();
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    for (place, ((ask, metrics), plan)) in inquiry.plan().asks.iter().zip(&names).zip(&plans).enumerate() {
        for metric in metrics {
            let found = of_topic(Topic { inquiry, plan, ask, metric });
            drafts.extend(found.into_iter().map(|draft| draft.told_at(ask)));
        }
        places.resize(drafts.len(), place);
    }
    let asks = drafts.len();
    let level = looks::confidence(inquiry.plan(), inquiry.observations.rounds_begun());
    // A draft without a test still takes its share of the intervals, and so of the family.
    let p_values: Vec<f64> = drafts.iter().map(|draft| draft.p.unwrap_or(1.0)).collect();
    let adjusted = stats::family::holm(&p_values).ok();
    let finish = |(index, draft): (usize, Draft<'_>)| {
        let holm = adjusted.as_ref().and_then(|p| p.get(index)).copied();
        // What earlier looks spent is not there to reject with: 0.05 stays the limit that a reader knows.
        let p_adjusted = draft.p.and(holm).map(|p| (p * 0.05 / (1.0 - level)).min(1.0));
        let place = places[index];
        let configurations = draft.rests_on;
        let finding = (draft.finish)(Share { asks, level, p_adjusted });
        let rests_on = footing(inquiry, &inquiry.plan().asks[place], configurations, &finding.metric);
        let mut caveats = impugned(&inquiry.audits.all, &rests_on);
        caveats.extend(finding.caveats);
        Finding { place, rests_on, caveats, ..finding }
    };
    drafts.into_iter().enumerate().map(finish).collect()
}

/// What an answer from these configurations rests on. Named arms stand for every parameter that they differ in.
fn footing(inquiry: &Inquiry<'_>, ask: &Ask, configurations: Vec<usize>, metric: &str) -> Footing {
    let plan = inquiry.plan();
    let mut parameters: Vec<String> =
        [Some(&ask.factor), ask.between.as_ref(), ask.each.as_ref()].into_iter().flatten().cloned().collect();
    if parameters.iter().any(|name| name == "arm") {
        let mut arms = configurations.iter().filter_map(|index| plan.configurations.get(*index));
        if let Some(first) = arms.next() {
            let differences = arms.flat_map(|arm| arms::other_differences(&["arm"], first, arm));
            parameters.extend(differences.map(|(name, _, _)| name));
            parameters.sort();
            parameters.dedup();
        }
    }
    Footing::new(plan, inquiry.cells, configurations, parameters, &[metric])
}

/// The audits that an answer rests on and that failed, or could not be carried out: sentences.
fn impugned(audits: &[Audit], footing: &Footing) -> Vec<String> {
    let failed = |audit: &Audit| format!("Audit {} failed: {}", audit.name, audit.summary);
    let open = |audit: &Audit| format!("Not proven: {}", audit.open_question());
    let impugning = attribution::impugning(audits, footing).map(failed);
    impugning.chain(attribution::unproven(audits, footing).map(open)).collect()
}

/// The plan, with the levels that the ask is asked at in the baseline.
fn asked_at<'a>(plan: &'a StudyPlan, ask: &Ask) -> Cow<'a, StudyPlan> {
    if ask.at.is_empty() {
        return Cow::Borrowed(plan);
    }
    let mut plan = plan.clone();
    for (name, level) in &ask.at {
        let found = plan
            .factor(name)
            .and_then(|factor| factor.levels.iter().find(|value| value.to_string() == *level).cloned());
        // A level that a plan of another version wrote in another way matches nothing, and so does the ask.
        plan.baseline.0.insert(name.clone(), found.unwrap_or_else(|| Value::Name(level.clone())));
    }
    Cow::Owned(plan)
}

fn of_topic(topic: Topic<'_>) -> Vec<Draft<'_>> {
    match topic.ask.kind {
        AskKind::Compare => compare::drafts(topic),
        AskKind::Trend => trend::drafts(topic),
        AskKind::Crossover => crossover::drafts(topic),
        AskKind::Knee => knee::drafts(topic),
        AskKind::Threshold => threshold::drafts(topic),
        AskKind::Rank => rank::drafts(topic),
        AskKind::Across => across::drafts(topic),
    }
}

fn full(name: &str) -> String {
    metric::find(name).map_or_else(|| name.to_owned(), |metric| metric.name())
}

impl<'a> Draft<'a> {
    /// The same, and its finding says where it was asked.
    fn told_at(self, ask: &'a Ask) -> Self {
        if ask.at.is_empty() {
            return self;
        }
        let at: Vec<String> = ask.at.iter().map(|(name, level)| format!("{name} = {level}")).collect();
        let at = at.join(", ");
        let finish = self.finish;
        let told = move |share| {
            let found = finish(share);
            Finding {
                statement: format!("With {at}: {}", found.statement),
                subject: format!("{} with {at}", found.subject),
                ..found
            }
        };
        Self { finish: Box::new(told), ..self }
    }

    /// A draft whose finding is known already: it cannot be assessed.
    fn settled(topic: Topic<'a>, subject: &str, why: &str) -> Self {
        let mut finding = topic.blank(subject);
        let why = why.trim_end_matches('.');
        finding.statement = format!("{}: not assessable for {}: {why}.", topic.name(), title(topic.metric));
        Self { p: None, rests_on: Vec::new(), finish: Box::new(move |_| finding) }
    }
}

impl<'a> Topic<'a> {
    fn plan(&self) -> &'a StudyPlan {
        self.plan
    }

    fn classes(&self) -> &'a Classes {
        self.inquiry.classes
    }

    /// `compare mode`.
    fn name(&self) -> String {
        let kind =
            AskKind::NAMES.iter().find(|(_, kind)| *kind == self.ask.kind).map_or("ask", |(name, _)| name);
        format!("{kind} {}", self.ask.factor)
    }

    /// A finding that says nothing yet, with the caveats that hold whatever it will say.
    fn blank(&self, subject: &str) -> Finding {
        let mut caveats = audits::caveats(self.plan, self.inquiry.cells, self.ask, self.metric);
        caveats.extend(self.placement_caveat());
        caveats.extend(self.held_caveat());
        Finding {
            place: 0,
            ask: self.name(),
            metric: self.metric.to_owned(),
            subject: subject.to_owned(),
            statement: String::new(),
            answer: Answer::NotAssessable,
            ratio: None,
            p_adjusted: None,
            level: None,
            by_cell: Vec::new(),
            trials: 0,
            rests_on: Footing::default(),
            mechanism: Vec::new(),
            caveats,
            rounds_needed: None,
            way_out: None,
        }
    }

    /// Where arms are compared at the baseline's level of other factors only.
    fn held_caveat(&self) -> Option<String> {
        let mut axes = vec![self.ask.factor.as_str()];
        match self.ask.kind {
            AskKind::Compare | AskKind::Rank | AskKind::Across => {}
            AskKind::Crossover => axes.extend(self.ask.between.as_deref()),
            AskKind::Threshold => axes.push(self.ask.each.as_deref()?),
            AskKind::Trend | AskKind::Knee => return None,
        }
        let held = arms::held(self.plan(), &axes)?;
        let what = match self.ask.kind {
            AskKind::Across | AskKind::Threshold => "Told",
            AskKind::Compare | AskKind::Rank | AskKind::Crossover | AskKind::Trend | AskKind::Knee => {
                "Compared"
            }
        };
        let whose = if self.ask.at.is_empty() { ", which the study's baseline names" } else { "" };
        Some(format!("{what} at {held} only{whose}."))
    }

    /// Layout and file system are whole-plot factors: where files are not made anew each round, one placement on the
    /// device is all that was seen (Montgomery, *Design and Analysis of Experiments*, on split plots).
    fn placement_caveat(&self) -> Option<String> {
        let whole_plot = ["wal_layout", "filesystem"].contains(&self.ask.factor.as_str());
        (whole_plot && !self.plan().fresh_placement).then(|| {
            "Files were not made anew each round: the finding is limited to this placement on the device."
                .to_owned()
        })
    }
}

/// A level in a sentence: `direct`, or `group_size = 4` where the level alone would be a bare number.
fn level_name(factor: &str, value: &Value) -> String {
    match value {
        Value::Name(name) => name.clone(),
        Value::Bytes(_)
        | Value::Duration(_)
        | Value::Count(_)
        | Value::Number(_)
        | Value::Percent(_)
        | Value::Flag(_) => {
            format!("{factor} = {value}")
        }
    }
}

/// `97.5 % simultaneous interval`.
fn interval_words(interval: &Interval, asks: usize) -> String {
    let simultaneous = if asks > 1 { " simultaneous" } else { "" };
    format!("{}{simultaneous} interval", level(interval.level))
}

/// `10 rounds, 8 cells`.
fn behind(rounds: usize, cells: usize) -> String {
    format!("{}, {}", count(rounds, "round"), count(cells, "cell"))
}
