//! One level compared with another: the main effect as a ratio, paired within rounds.

use super::contrast::{Judged, LogRatios};
use super::hypothesis::{Data, Hypothesis, Share, Topic};
use super::opposing;
use crate::arms::{self, Others, Stratum};
use crate::blocks::Block;
use crate::durability;
use crate::estimate;
use crate::finding::{Dependence, Figures, Finding, Levels, Outcome, Outlook, Reason, Remark, Subject};
use crate::mechanism::{self, Arm};
use model::Value;
use stats::Rule;
use stats::contrast::ratio_of_logs;

/// A level of the ask's factor compared with another.
pub(super) fn levels(topic: Topic<'_>, baseline: &Value, level: &Value) -> Levels {
    Levels { factor: topic.ask.factor.clone(), level: level.clone(), baseline: baseline.clone() }
}

/// Whether some configurations of the plan differ in these two levels alone.
pub(super) fn is_planned(topic: Topic<'_>, baseline: &Value, level: &Value) -> bool {
    !strata(topic, &levels(topic, baseline, level)).is_empty()
}

fn strata(topic: Topic<'_>, levels: &Levels) -> Vec<Stratum> {
    let Levels { factor, level, baseline } = levels;
    arms::strata(topic.plan(), &[(factor, vec![baseline, level])], Others::AtBaseline)
}

/// Two levels that can be compared.
struct Compared<'a> {
    topic: Topic<'a>,
    baseline: Arm,
    level: Arm,
    ratios: LogRatios,
    dependence: Dependence,
}

/// The hypothesis for two levels, or for a step of the durability ladder.
pub(super) fn hypothesis(topic: Topic<'_>, subject: Subject) -> Hypothesis<'_> {
    let compared = match subject.levels() {
        Some(levels) => compared(topic, levels),
        None => Err(Reason::NoPair),
    };
    match compared {
        Err(why) => Hypothesis::not_assessable(topic, subject, why),
        Ok(compared) => {
            let confidence = compared.dependence.confidence(0.95);
            let p = ratio_of_logs(&compared.ratios.means, confidence).ok().map(|ratio| ratio.p);
            let rests_on = compared.ratios.block.configurations();
            Hypothesis { p, rests_on, finish: Box::new(move |share| compared.finding(subject, share)) }
        }
    }
}

fn compared<'a>(topic: Topic<'a>, levels: &Levels) -> Result<Compared<'a>, Reason> {
    let Levels { factor, level, baseline } = levels;
    let strata = strata(topic, levels);
    let ratios = LogRatios::new(topic.plan(), topic.data.cells, &[factor.as_str()], topic.metric, strata)?;
    let strata = &ratios.block.strata;
    let arm = |value: &Value, place: usize| Arm {
        level: value.clone(),
        configurations: strata
            .iter()
            .filter_map(|stratum| stratum.configurations.get(place).copied())
            .collect(),
    };
    let dependence = ratios.dependence(topic.dependence(&ratios.block));
    Ok(Compared { baseline: arm(baseline, 0), level: arm(level, 1), topic, ratios, dependence })
}

impl Compared<'_> {
    fn finding(&self, subject: Subject, share: Share) -> Finding {
        let mut finding = self.topic.blank(subject);
        let floor = self.topic.floor(share);
        finding.proof = share.paired_proof(&self.topic, self.block(), self.dependence);
        finding.figures = self.figures();
        finding.by_cell = self.by_cell();
        let Data { cells, audits, .. } = self.topic.data;
        finding.mechanism =
            mechanism::counters(self.topic.metric, cells, &audits.foreign, &self.baseline, &self.level);
        if !finding.subject.is_ladder() {
            finding.remarks.extend(self.durability());
        }
        finding.remarks.extend(self.block().left_out.iter().cloned());
        finding.remarks.extend(floor.remark());
        finding.remarks.extend(self.dependence.remark());
        let rule = self.topic.rule(share, self.dependence);
        match self.ratios.judge(self.topic.plan(), &rule) {
            Ok(judged) => self.decided(&mut finding, judged, &rule),
            Err(why) => {
                let point = estimate::ratio_point(&self.ratios.means);
                finding.ratio = Some(estimate::without_interval(point, &why));
                finding.outcome = Outcome::NotAssessable(why.into());
            }
        }
        finding
    }

    fn block(&self) -> &Block {
        &self.ratios.block
    }

    fn decided(&self, finding: &mut Finding, judged: Judged, rule: &Rule) {
        let Judged { decision, interaction, opposing } = judged;
        finding.remarks.extend(interaction);
        match opposing {
            // The arms differ, but no effect holds for all cells.
            Some(opposing) => {
                finding.outlook = (!opposing.is_decided).then(|| {
                    let rounds = opposing::rounds_to_prove(&self.ratios.by_cell, rule);
                    Outlook::of_rounds(rounds, self.block().rounds(), None)
                });
                finding.proof.p_adjusted = None;
                finding.outcome = Outcome::DependsOnCell(opposing);
            }
            None => finding.conclude(&decision, decision.answer, true),
        }
    }

    /// The figures of both arms, over the rounds and cells of the ratio.
    fn figures(&self) -> Option<Figures> {
        Some(Figures { level: self.block().mean_at(1)?, baseline: self.block().mean_at(0)? })
    }

    fn by_cell(&self) -> Vec<(String, crate::verdict::Estimate)> {
        let of_cell = |(index, stratum): (usize, &Stratum)| {
            let rounds = self.ratios.by_cell.iter();
            let logs: Vec<f64> = rounds.filter_map(|round| round.get(index).copied()).collect();
            (stratum.label.clone(), estimate::ratio(&logs, self.dependence.correlation()))
        };
        self.block().strata.iter().enumerate().map(of_cell).collect()
    }

    fn durability(&self) -> Option<Remark> {
        let of = |arm: &Arm| arm.configurations.clone().into_iter();
        let (baseline, level) =
            durability::difference(self.topic.classes(), of(&self.baseline), of(&self.level))?;
        Some(Remark::Durability { level, baseline })
    }
}
