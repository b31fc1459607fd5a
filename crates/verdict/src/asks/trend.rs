//! The effect over a numeric factor's whole range, averaged over the cells of the other factors. "No effect" requires
//! an equivalence test over that range.

use super::along::{Along, mean_over_cells};
use super::hypothesis::{Data, Hypothesis, Share, Topic};
use super::interacting;
use crate::blocks::Block;
use crate::estimate;
use crate::finding::{Dependence, Figures, Finding, Outcome, Remark, Subject};
use crate::mechanism::{self, Arm};
use crate::verdict::Estimate;
use stats::Rule;
use stats::contrast::log_ratios;
use stats::trend::{Trend, slopes, trend};

pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let sweep = Along::for_topic(topic).and_then(|along| {
        let block = along.block(topic)?;
        Ok(Sweep { topic, responses: mean_over_cells(&block), along, block })
    });
    let hypothesis = match sweep {
        Err(why) => Hypothesis::not_assessable(topic, Subject::Factor, why),
        Ok(sweep) => {
            let p = sweep.trend(&sweep.plain_rule()).ok().map(|trend| trend.total.ratio.p);
            let rests_on = sweep.block.configurations();
            Hypothesis { p, rests_on, finish: Box::new(move |share| sweep.finding(share)) }
        }
    };
    vec![hypothesis]
}

/// A metric along a factor.
struct Sweep<'a> {
    topic: Topic<'a>,
    along: Along<'a>,
    block: Block,
    /// `rounds[round][level]`, averaged over cells.
    responses: Vec<Vec<f64>>,
}

impl Sweep<'_> {
    /// Whether rounds depend on each other: by all arms of the study, or by the slopes of the trend.
    fn dependence(&self) -> Dependence {
        let slopes = slopes(&self.along.numbers, &self.responses).unwrap_or_default();
        self.topic.dependence(&self.block).or_of_series(&self.block.numbers, &slopes)
    }

    /// For one trend by itself, without a noise floor.
    fn plain_rule(&self) -> Rule {
        Rule::for_asks(1, 1.0).allowing_for(self.dependence().correlation())
    }

    fn trend(&self, rule: &Rule) -> Result<Trend, stats::NoInterval> {
        trend(&self.along.numbers, &self.responses, rule)
    }

    fn finding(&self, share: Share) -> Finding {
        let mut finding = self.topic.blank(self.along.subject());
        let floor = self.topic.floor(share);
        let last = self.along.levels.len() - 1;
        let dependence = self.dependence();
        finding.proof = share.paired_proof(&self.topic, &self.block, dependence);
        finding.figures = self.figures(last);
        finding.by_cell = self.by_cell();
        let Data { cells, audits, .. } = self.topic.data;
        finding.mechanism =
            mechanism::counters(self.topic.metric, cells, &audits.foreign, &self.arm(0), &self.arm(last));
        finding.remarks.extend(self.along.left_out.iter().cloned());
        finding.remarks.extend(self.block.left_out.iter().cloned());
        finding.remarks.extend(floor.remark());
        finding.remarks.extend(dependence.remark());
        let rule = self.topic.rule(share, dependence);
        match self.trend(&rule) {
            Ok(trend) => {
                let is_steady = trend.total.answer == stats::Answer::Different;
                finding.conclude(&trend.total, trend.answer, is_steady);
                finding.remarks.extend(interacting::check(
                    &self.whole_range(),
                    &self.block,
                    rule.correlation,
                ));
                finding.remarks.extend(self.bend(&trend));
            }
            Err(why) => {
                finding.ratio = Some(estimate::without_interval(None, &why));
                finding.outcome = Outcome::NotAssessable(why.into());
            }
        }
        finding
    }

    /// The figures at both ends.
    fn figures(&self, last: usize) -> Option<Figures> {
        Some(Figures { level: self.block.mean_at(last)?, baseline: self.block.mean_at(0)? })
    }

    /// How far the levels are off the line, if that is more than chance.
    fn bend(&self, trend: &Trend) -> Option<Remark> {
        let line =
            trend.linearity.filter(|line| line.p <= 0.05 && line.departure > stats::EQUIVALENCE_MARGIN)?;
        let level = (*self.along.levels.get(line.departure_column)?).clone();
        Some(Remark::Bend { level, departure: line.departure, is_turning: !trend.monotone })
    }

    /// Log ratio of the last level to the first, `rounds[round][cell]`.
    fn whole_range(&self) -> Vec<Vec<f64>> {
        let of_round = |round: &Vec<Vec<f64>>| {
            let ends: Vec<(f64, f64)> =
                round.iter().filter_map(|cell| Some((*cell.first()?, *cell.last()?))).collect();
            log_ratios(&ends).ok()
        };
        self.block.values.iter().filter_map(of_round).collect()
    }

    fn by_cell(&self) -> Vec<(String, Estimate)> {
        let rule = self.plain_rule();
        let of_cell = |(index, stratum): (usize, &crate::arms::Stratum)| {
            let estimate = match trend(&self.along.numbers, &self.block.cell(index), &rule) {
                Ok(trend) => estimate::of_interval(&trend.total.ratio.interval),
                Err(why) => estimate::without_interval(None, &why),
            };
            (stratum.label.clone(), estimate)
        };
        self.block.strata.iter().enumerate().map(of_cell).collect()
    }

    fn arm(&self, level: usize) -> Arm {
        let configurations =
            self.block.strata.iter().filter_map(|stratum| stratum.configurations.get(level).copied());
        Arm { level: self.along.levels[level].clone(), configurations: configurations.collect() }
    }
}
