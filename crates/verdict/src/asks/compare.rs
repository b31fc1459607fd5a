//! Each level against the baseline, or against the reference of its durability class: the main effect as a ratio, paired
//! within rounds.

use super::{Data, Hypothesis, Share, Topic, interacting, opposing, within_class};
use crate::arms::{self, Others};
use crate::audits;
use crate::blocks::{self, Block};
use crate::durability;
use crate::estimate;
use crate::finding::{Figures, Finding, Levels, Outcome, Outlook, Reason, Remark, Subject};
use crate::mechanism::{self, Arm};
use crate::references::References;
use model::Value;
use stats::contrast::{log_ratios, mean_over_cells, ratio_of_logs};
use stats::{Decision, Rule};

/// One hypothesis per level that is not the baseline's.
pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let none = |why| vec![Hypothesis::not_assessable(topic, Subject::Factor, why)];
    let factor = match topic.factor() {
        Ok(factor) => factor,
        Err(why) => return none(why),
    };
    let Some(baseline) = arms::baseline_level(topic.plan(), factor).filter(|_| factor.levels.len() > 1)
    else {
        return none(Reason::OneLevel(factor.name.clone()));
    };
    if let Some(references) = References::of(topic.plan(), topic.classes(), topic.ask, factor) {
        return within_class::hypotheses(topic, &references);
    }
    let others = factor.levels.iter().filter(|level| *level != baseline);
    others
        .map(|level| {
            let levels = levels(topic, baseline, level);
            hypothesis(topic, Subject::Levels(levels))
        })
        .collect()
}

/// A level of the ask's factor against another.
pub(super) fn levels(topic: Topic<'_>, baseline: &Value, level: &Value) -> Levels {
    Levels { factor: topic.ask.factor.clone(), level: level.clone(), baseline: baseline.clone() }
}

/// A comparison that can be made: the arms and the log ratios.
struct Contrast<'a> {
    topic: Topic<'a>,
    baseline: Arm,
    level: Arm,
    block: Block,
    /// `rounds[round][cell]` of natural-log ratios.
    logs: Vec<Vec<f64>>,
    /// Averaged over cells, one per round.
    means: Vec<f64>,
}

/// Of two levels, or of a step of the durability ladder.
pub(super) fn hypothesis(topic: Topic<'_>, subject: Subject) -> Hypothesis<'_> {
    let contrast = match subject.levels() {
        Some(levels) => contrast(topic, levels),
        None => Err(Reason::NoPair),
    };
    match contrast {
        Err(why) => Hypothesis::not_assessable(topic, subject, why),
        Ok(contrast) => {
            let p = ratio_of_logs(&contrast.means, 0.95).ok().map(|ratio| ratio.p);
            let rests_on = contrast.block.configurations();
            Hypothesis { p, rests_on, finish: Box::new(move |share| contrast.finding(subject, share)) }
        }
    }
}

fn contrast<'a>(topic: Topic<'a>, levels: &Levels) -> Result<Contrast<'a>, Reason> {
    let Levels { factor, level, baseline } = levels;
    let strips = arms::strips(topic.plan(), &[(factor, vec![baseline, level])], Others::AtBaseline);
    let (strips, withheld) =
        audits::comparable(topic.plan(), topic.ask, topic.metric, strips).map_err(Reason::NotComparable)?;
    let mut block = blocks::complete(topic.data.observations, strips, topic.metric)?;
    block.left_out.extend(withheld.map(Remark::Audit));
    let of_round = |round: &Vec<Vec<f64>>| {
        let pairs: Vec<(f64, f64)> =
            round.iter().filter_map(|cell| Some((*cell.first()?, *cell.get(1)?))).collect();
        log_ratios(&pairs)
    };
    let logs: Vec<Vec<f64>> = block.values.iter().map(of_round).collect::<Result<_, _>>()?;
    let means = mean_over_cells(&logs)?;
    let arm = |value: &Value, place: usize| Arm {
        level: value.clone(),
        configurations: block
            .strips
            .iter()
            .filter_map(|strip| strip.configurations.get(place).copied())
            .collect(),
    };
    Ok(Contrast { baseline: arm(baseline, 0), level: arm(level, 1), topic, logs, means, block })
}

impl Contrast<'_> {
    fn finding(&self, subject: Subject, share: Share) -> Finding {
        let mut finding = self.topic.blank(subject);
        let floor = self.topic.floor();
        finding.proof = share.proof(&self.block, 1, &floor);
        finding.figures = self.figures();
        finding.by_cell = self.by_cell();
        let Data { cells, audits, .. } = self.topic.data;
        finding.mechanism = mechanism::counters(cells, &audits.foreign, &self.baseline, &self.level);
        if !finding.subject.is_ladder() {
            finding.remarks.extend(self.durability());
        }
        finding.remarks.extend(self.block.left_out.iter().cloned());
        finding.remarks.extend(floor.remark());
        let rule = Rule::at(share.level, share.asks, floor.ratio());
        match stats::equivalence::decide(&self.means, &rule) {
            Ok(decision) => self.decided(&mut finding, &decision, &rule),
            Err(why) => {
                let point = estimate::ratio_point(&self.means);
                finding.ratio = Some(estimate::without_interval(point, &why));
                finding.outcome = Outcome::NotAssessable(why.into());
            }
        }
        finding
    }

    fn decided(&self, finding: &mut Finding, decision: &Decision, rule: &Rule) {
        let interaction = interacting::check(&self.logs, &self.block);
        let opposing = interaction
            .as_ref()
            .and_then(|_| opposing::check(self.topic.plan(), &self.logs, &self.block, rule));
        finding.remarks.extend(interaction);
        match opposing {
            // The arms differ, and there is no effect that holds for all.
            Some(opposing) => {
                finding.outlook = (!opposing.is_decided).then(|| {
                    let rounds = opposing::rounds_to_prove(&self.logs, rule);
                    Outlook::of_rounds(rounds, self.block.rounds(), None)
                });
                finding.proof.p_adjusted = None;
                finding.outcome = Outcome::DependsOnCell(opposing);
            }
            None => finding.conclude(decision, decision.answer, true),
        }
    }

    /// What both arms came to; the rounds and cells are those of the ratio.
    fn figures(&self) -> Option<Figures> {
        Some(Figures { level: self.block.mean_at(1)?, baseline: self.block.mean_at(0)? })
    }

    fn by_cell(&self) -> Vec<(String, crate::verdict::Estimate)> {
        let of_cell = |(index, strip): (usize, &arms::Strip)| {
            let logs: Vec<f64> = self.logs.iter().filter_map(|round| round.get(index).copied()).collect();
            (strip.label.clone(), estimate::ratio(&logs))
        };
        self.block.strips.iter().enumerate().map(of_cell).collect()
    }

    fn durability(&self) -> Option<Remark> {
        let of = |arm: &Arm| arm.configurations.clone().into_iter();
        let (baseline, level) =
            durability::difference(self.topic.classes(), of(&self.baseline), of(&self.level))?;
        Some(Remark::Durability { level, baseline })
    }
}
