//! What a study asks, one file per kind of ask. Each ask becomes hypotheses (one per metric and level); once their number is
//! known, so are the level of simultaneous intervals and Holm's p-values, and the hypotheses become findings.

mod across;
mod along;
mod compare;
mod contrast;
mod crossover;
mod interacting;
mod knee;
mod opposing;
mod rank;
mod threshold;
mod trend;
mod within_class;

pub use contrast::{Contrast, Pairs};

use crate::arms::{self, Stratum};
use crate::attribution;
use crate::audits::{self, Audits};
use crate::basis::Basis;
use crate::blocks::{self, Block};
use crate::described;
use crate::durability::Classes;
use crate::finding::{Asked, Finding, Held, Outcome, Proof, Reason, Remark, Subject};
use crate::noise::{Floor, Floors};
use crate::observations::Observations;
use crate::verdict::{Audit, Cell, Status};
use model::Value;
use model::metric;
use model::plan::{Factor, StudyPlan};
use model::study::{Ask, AskKind};
use stats::family::simultaneous_level;
use std::borrow::Cow;

/// What asks are answered from.
pub(crate) struct Data<'a> {
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
    /// Confidence of all findings together, less what earlier looks have spent.
    pub(crate) confidence: f64,
}

impl Data<'_> {
    fn plan(&self) -> &StudyPlan {
        self.observations.plan
    }
}

/// One ask about one metric.
#[derive(Clone, Copy)]
struct Topic<'a> {
    data: &'a Data<'a>,
    /// The study's plan, its baseline where the ask is asked.
    plan: &'a StudyPlan,
    ask: &'a Ask,
    /// The ask's place in the plan.
    place: usize,
    /// Full metric name.
    metric: &'a str,
}

/// A finding before the size of its family is known.
struct Hypothesis<'a> {
    /// p-value of its test, where it is one.
    p: Option<f64>,
    /// The configurations whose figures it is made of; none where it claims nothing.
    rests_on: Vec<usize>,
    finish: Box<dyn FnOnce(Share) -> Finding + 'a>,
}

/// A hypothesis's share of the error that all those of a study may make together.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Hypotheses in the family.
    asks: usize,
    /// Confidence of all of them together.
    level: f64,
    /// Holm's p-value at the level of all of them, as one at 95 %, where the hypothesis has a test.
    p_adjusted: Option<f64>,
}

/// Findings of every ask of a study, in the order of the asks.
pub(crate) fn findings(data: &Data<'_>) -> Vec<Finding> {
    let names: Vec<Vec<String>> =
        data.plan().asks.iter().map(|ask| ask.on.iter().map(|name| full(name)).collect()).collect();
    let plans: Vec<Cow<'_, StudyPlan>> =
        data.plan().asks.iter().map(|ask| asked_at(data.plan(), ask)).collect();
    let mut hypotheses: Vec<Hypothesis<'_>> = Vec::new();
    for (place, ((ask, metrics), plan)) in data.plan().asks.iter().zip(&names).zip(&plans).enumerate() {
        for metric in metrics {
            hypotheses.extend(of_topic(Topic { data, plan, ask, place, metric }));
        }
    }
    let asks = hypotheses.len();
    let level = data.confidence;
    // A hypothesis without a test still takes its share of the intervals, and so of the family.
    let p_values: Vec<f64> = hypotheses.iter().map(|hypothesis| hypothesis.p.unwrap_or(1.0)).collect();
    let adjusted = stats::family::holm(&p_values).ok();
    let finish = |(index, hypothesis): (usize, Hypothesis<'_>)| {
        let holm = adjusted.as_ref().and_then(|p| p.get(index)).copied();
        // What earlier looks spent is not there to reject with: 0.05 stays the limit that a reader knows.
        let p_adjusted = hypothesis.p.and(holm).map(|p| (p * 0.05 / (1.0 - level)).min(1.0));
        let finding = (hypothesis.finish)(Share { asks, level, p_adjusted });
        let ask = &data.plan().asks[finding.ask.place];
        let rests_on = basis(data, ask, hypothesis.rests_on, &finding.metric);
        let mut remarks = doubts(&data.audits.all, &rests_on);
        remarks.extend(finding.remarks);
        Finding { rests_on, remarks, ..finding }
    };
    hypotheses.into_iter().enumerate().map(finish).collect()
}

/// What an answer from these configurations rests on. Named arms stand for every parameter that they differ in.
fn basis(data: &Data<'_>, ask: &Ask, configurations: Vec<usize>, metric: &str) -> Basis {
    let plan = data.plan();
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
    Basis::new(plan, data.cells, configurations, parameters, &[metric])
}

/// The audits that an answer rests on and that failed, or could not be carried out.
fn doubts(audits: &[Audit], basis: &Basis) -> Vec<Remark> {
    let failed =
        |audit: &Audit| Remark::AuditFailed { audit: audit.name.clone(), summary: audit.summary.clone() };
    let open = |audit: &Audit| Remark::NotProven {
        audit: audit.name.clone(),
        summary: (audit.status == Status::NotAssessable).then(|| audit.summary.clone()),
    };
    let failed_for = attribution::failed_for(audits, basis).map(failed);
    failed_for.chain(attribution::unproven(audits, basis).map(open)).collect()
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

fn of_topic(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    match topic.ask.kind {
        AskKind::Compare => compare::hypotheses(topic),
        AskKind::Trend => trend::hypotheses(topic),
        AskKind::Crossover => crossover::hypotheses(topic),
        AskKind::Knee => knee::hypotheses(topic),
        AskKind::Threshold => threshold::hypotheses(topic),
        AskKind::Rank => rank::hypotheses(topic),
        AskKind::Across => across::hypotheses(topic),
    }
}

fn full(name: &str) -> String {
    metric::find(name).map_or_else(|| name.to_owned(), |metric| metric.name())
}

impl<'a> Hypothesis<'a> {
    /// The same at a level of another factor.
    fn at(self, held: Held) -> Self {
        let finish = self.finish;
        let finish = move |share| {
            let mut finding = finish(share);
            finding.ask.at.push(held);
            finding
        };
        Self { finish: Box::new(finish), ..self }
    }

    /// One that cannot be assessed.
    fn not_assessable(topic: Topic<'a>, subject: Subject, why: Reason) -> Self {
        let finding = Finding { outcome: Outcome::NotAssessable(why), ..topic.blank(subject) };
        Self { p: None, rests_on: Vec::new(), finish: Box::new(move |_| finding) }
    }
}

impl Share {
    /// What a finding of a block is judged by; `levels` of it share the finding's part of the error.
    fn proof(self, block: &Block, levels: usize, floor: &Floor) -> Proof {
        Proof {
            rounds: block.rounds(),
            cells: block.strata.len(),
            trials: block.trials(),
            confidence: simultaneous_level(self.level, self.asks.saturating_mul(levels)),
            asks: self.asks,
            p_adjusted: self.p_adjusted,
            noise_floor: floor.known(),
            margin: stats::EQUIVALENCE_MARGIN,
        }
    }
}

impl<'a> Topic<'a> {
    fn plan(&self) -> &'a StudyPlan {
        self.plan
    }

    fn classes(&self) -> &'a Classes {
        self.data.classes
    }

    /// The metric in every complete round of these cells.
    fn block(&self, strata: Vec<Stratum>) -> Result<Block, Reason> {
        blocks::complete(self.plan, self.data.cells, strata, self.metric)
    }

    /// The same of those cells alone in which it times the same work in every arm.
    fn comparable_block(&self, strata: Vec<Stratum>) -> Result<Block, Reason> {
        let compared: Vec<&str> = arms::compared(self.ask).into_iter().collect();
        contrast::comparable(self.plan, self.data.cells, &compared, self.metric, strata)
    }

    fn floor(&self) -> Floor {
        self.data.noise.of_metric(self.metric)
    }

    /// The ask's factor, if the plan has it.
    fn factor(&self) -> Result<&'a Factor, Reason> {
        let name = &self.ask.factor;
        self.plan.factor(name).ok_or_else(|| Reason::NotAFactor(name.clone()))
    }

    /// A finding that says nothing yet, with the remarks that hold whatever it will say.
    fn blank(&self, subject: Subject) -> Finding {
        let texts = audits::caveats(self.plan, self.data.cells, self.ask, self.metric);
        let mut remarks: Vec<Remark> = texts.into_iter().map(Remark::Audit).collect();
        remarks.extend(self.has_one_placement().then_some(Remark::OnePlacement));
        remarks.extend(self.held());
        Finding {
            ask: self.asked(),
            metric: self.metric.to_owned(),
            subject,
            outcome: Outcome::Undecided,
            outlook: None,
            figures: None,
            ratio: None,
            by_cell: Vec::new(),
            proof: Proof::default(),
            rests_on: Basis::default(),
            mechanism: Vec::new(),
            remarks,
        }
    }

    fn asked(&self) -> Asked {
        let Ask { kind, factor, at, .. } = self.ask;
        let held = |(factor, level): (&String, &String)| Held {
            factor: factor.clone(),
            level: self.plan.baseline.get(factor).cloned().unwrap_or_else(|| Value::Name(level.clone())),
        };
        Asked { place: self.place, kind: *kind, factor: factor.clone(), at: at.iter().map(held).collect() }
    }

    /// Where arms are compared at the baseline's level of other factors only.
    fn held(&self) -> Option<Remark> {
        let mut axes = vec![self.ask.factor.as_str()];
        match self.ask.kind {
            AskKind::Compare | AskKind::Rank | AskKind::Across => {}
            AskKind::Crossover => axes.extend(self.ask.between.as_deref()),
            AskKind::Threshold => axes.push(self.ask.each.as_deref()?),
            AskKind::Trend | AskKind::Knee => return None,
        }
        let levels = arms::held(self.plan(), &axes)?;
        Some(Remark::HeldAt { levels, is_baseline: self.ask.at.is_empty() })
    }

    /// Layout and file system are whole-plot factors: where files are not made anew each round, one placement on the
    /// device is all that was seen (Montgomery, *Design and Analysis of Experiments*, on split plots).
    fn has_one_placement(&self) -> bool {
        let plan = self.plan();
        let whole_plot = described::of(plan, plan.duplicate).placement.contains(&self.ask.factor);
        whole_plot && !plan.fresh_placement
    }
}
