//! One ask about one metric, the hypotheses that it becomes, and the share of the error that each of them gets.

use super::contrast;
use crate::arms::{self, Stratum};
use crate::audits::{self, Audits};
use crate::basis::Basis;
use crate::blocks::{self, Block};
use crate::dependence::Dependences;
use crate::described;
use crate::durability::Classes;
use crate::finding::{Asked, Dependence, Finding, Held, Outcome, Proof, Reason, Remark, Subject};
use crate::noise::{Floor, Floors};
use crate::observations::Observations;
use crate::verdict::Cell;
use model::Value;
use model::plan::{Factor, StudyPlan};
use model::study::{Ask, AskKind};
use stats::Rule;
use stats::family::simultaneous_level;

/// What asks are answered from.
pub(crate) struct Data<'a> {
    /// The study's plan and records.
    pub(crate) observations: &'a Observations<'a>,
    /// What each configuration declares that an acknowledged write survives.
    pub(crate) classes: &'a Classes,
    pub(crate) cells: &'a [Cell],
    /// The A/A noise floors.
    pub(crate) noise: &'a Floors,
    /// Whether rounds depend on each other.
    pub(crate) dependence: &'a Dependences,
    /// What the audits found.
    pub(crate) audits: &'a Audits,
    /// Confidence of all findings together, minus what earlier looks have spent.
    pub(crate) confidence: f64,
}

impl Data<'_> {
    pub(super) fn plan(&self) -> &StudyPlan {
        self.observations.plan
    }
}

/// One ask about one metric.
#[derive(Clone, Copy)]
pub(super) struct Topic<'a> {
    pub(super) data: &'a Data<'a>,
    /// The study's plan, with the ask's held levels as its baseline.
    pub(super) plan: &'a StudyPlan,
    pub(super) ask: &'a Ask,
    /// The ask's place in the plan.
    pub(super) place: usize,
    pub(super) metric: &'a str,
}

/// A finding before the size of its family is known.
pub(super) struct Hypothesis<'a> {
    /// p-value of its test, if it has one.
    pub(super) p: Option<f64>,
    /// The configurations of its figures; empty if it claims nothing.
    pub(super) rests_on: Vec<usize>,
    pub(super) finish: Box<dyn FnOnce(Share) -> Finding + 'a>,
}

/// A hypothesis's share of the total error of a study's hypotheses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Hypotheses in the family.
    pub(super) asks: usize,
    /// Confidence of all of them together.
    pub(super) level: f64,
    /// Holm's p-value at the level of all of them, scaled to 95 %, if the hypothesis has a test.
    pub(super) p_adjusted: Option<f64>,
}

impl<'a> Hypothesis<'a> {
    /// The same at a level of another factor.
    pub(super) fn at(self, held: Held) -> Self {
        let finish = self.finish;
        let finish = move |share| {
            let mut finding = finish(share);
            finding.ask.at.push(held);
            finding
        };
        Self { finish: Box::new(finish), ..self }
    }

    /// One that cannot be assessed.
    pub(super) fn not_assessable(topic: Topic<'a>, subject: Subject, why: Reason) -> Self {
        let finding = Finding { outcome: Outcome::NotAssessable(why), ..topic.blank(subject) };
        Self { p: None, rests_on: Vec::new(), finish: Box::new(move |_| finding) }
    }
}

impl Share {
    /// The proof of a finding of ratios from a block.
    pub(super) fn paired_proof(self, topic: &Topic<'_>, block: &Block, dependence: Dependence) -> Proof {
        Proof { dependence: Some(dependence), ..self.proof(topic, block, 1) }
    }

    /// The proof of a finding from a block; `levels` of it share the finding's part of the error.
    pub(super) fn proof(self, topic: &Topic<'_>, block: &Block, levels: usize) -> Proof {
        let floor = topic.floor(self);
        Proof {
            rounds: block.rounds(),
            cells: block.strata.len(),
            trials: block.trials(),
            confidence: simultaneous_level(self.level, self.asks.saturating_mul(levels)),
            asks: self.asks,
            p_adjusted: self.p_adjusted,
            noise_floor: floor.known(),
            noise_floor_level: floor.known().map(|_| floor.level()),
            margin: stats::EQUIVALENCE_MARGIN,
            dependence: None,
        }
    }
}

impl<'a> Topic<'a> {
    pub(super) fn plan(&self) -> &'a StudyPlan {
        self.plan
    }

    pub(super) fn classes(&self) -> &'a Classes {
        self.data.classes
    }

    /// The metric in every complete round of these cells.
    pub(super) fn block(&self, strata: Vec<Stratum>) -> Result<Block, Reason> {
        blocks::complete(self.plan, self.data.cells, strata, self.metric)
    }

    /// The same for only those cells in which it times the same work in every arm.
    pub(super) fn comparable_block(&self, strata: Vec<Stratum>) -> Result<Block, Reason> {
        let compared: Vec<&str> = arms::compared(self.ask).into_iter().collect();
        contrast::comparable(self.plan, self.data.cells, &compared, self.metric, strata)
    }

    /// The noise floor for a finding with this share of the error.
    pub(super) fn floor(&self, share: Share) -> Floor {
        let one = simultaneous_level(share.level, share.asks);
        self.data.noise.of_metric(self.metric).for_finding(one)
    }

    /// Whether the rounds of this block depend on each other, by all arms of the study.
    pub(super) fn dependence(&self, block: &Block) -> Dependence {
        self.data.dependence.of_metric(self.metric).over(block.rounds())
    }

    /// The rule for ratios of the metric, for a finding with this share of the error.
    pub(super) fn rule(&self, share: Share, dependence: Dependence) -> Rule {
        let rule = Rule::at(share.level, share.asks, self.floor(share).ratio());
        rule.allowing_for(dependence.correlation())
    }

    /// The ask's factor, if the plan has it.
    pub(super) fn factor(&self) -> Result<&'a Factor, Reason> {
        let name = &self.ask.factor;
        self.plan.factor(name).ok_or_else(|| Reason::NotAFactor(name.clone()))
    }

    /// A finding without an outcome, with the remarks that hold for any outcome.
    pub(super) fn blank(&self, subject: Subject) -> Finding {
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
            by_level: Vec::new(),
            proof: Proof::default(),
            rests_on: Basis::default(),
            mechanism: Vec::new(),
            traced: None,
            remarks,
        }
    }

    pub(super) fn asked(&self) -> Asked {
        let Ask { kind, factor, at, .. } = self.ask;
        let held = |(factor, level): (&String, &String)| Held {
            factor: factor.clone(),
            level: self.plan.baseline.get(factor).cloned().unwrap_or_else(|| Value::Name(level.clone())),
        };
        Asked { place: self.place, kind: *kind, factor: factor.clone(), at: at.iter().map(held).collect() }
    }

    /// A remark if arms are compared only at the baseline's level of other factors.
    pub(super) fn held(&self) -> Option<Remark> {
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

    /// Layout and file system are whole-plot factors: if files are not made again each round, the study has seen only
    /// one placement on the device (Montgomery, *Design and Analysis of Experiments*, on split plots).
    pub(super) fn has_one_placement(&self) -> bool {
        let plan = self.plan();
        let whole_plot =
            described::configuration(plan, plan.duplicate).names.placement.contains(&self.ask.factor);
        whole_plot && !plan.fresh_placement
    }
}
