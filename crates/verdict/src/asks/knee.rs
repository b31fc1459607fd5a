//! The smallest level that already gives nearly the maximum: every level from it to the best is proven to be near the
//! best.
//!
//! "Enough" is a proof of nearness, like "equivalent" for a comparison, so the A/A noise floor does not invalidate it.
//! "Only the best level is enough" claims that the others are worse, so it is undecided while a smaller level lies
//! inside the floor of the best. If a knee is found, a remark names the smaller levels inside the floor, which cannot
//! be distinguished from the best.

use super::along::{Along, mean_over_cells};
use super::hypothesis::{Hypothesis, Share, Topic};
use crate::blocks::Block;
use crate::estimate;
use crate::finding::{At, CellRatio, Finding, LevelEstimate, Outcome, Outlook, Reason, Remark, Subject};
use crate::noise::Floor;
use crate::phrase;
use model::metric::Better;
use stats::contrast::log_ratios;
use stats::knee::{KNEE_TOLERANCE, Knee, knee};

pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let found = direction(topic.metric).and_then(|better| {
        let along = Along::for_topic(topic)?;
        let block = along.block(topic)?;
        Ok(Search { topic, better, along, block })
    });
    let hypothesis = match found {
        Err(why) => Hypothesis::not_assessable(topic, Subject::Factor, why),
        Ok(search) => Hypothesis {
            p: None,
            rests_on: search.block.configurations(),
            finish: Box::new(move |share| search.finding(share)),
        },
    };
    vec![hypothesis]
}

/// The direction in which a metric is better, in the form that the statistics need.
pub(super) fn direction(metric: &str) -> Result<stats::Better, Reason> {
    match phrase::better(metric) {
        Better::Higher => Ok(stats::Better::Higher),
        Better::Lower => Ok(stats::Better::Lower),
        Better::Neither => Err(Reason::NotJudged),
    }
}

struct Search<'a> {
    topic: Topic<'a>,
    better: stats::Better,
    along: Along<'a>,
    block: Block,
}

impl Search<'_> {
    fn finding(&self, share: Share) -> Finding {
        let mut finding = self.topic.blank(self.along.subject());
        let floor = self.topic.floor(share);
        let dependence = self.topic.dependence(&self.block);
        finding.proof = share.paired_proof(&self.topic, &self.block, dependence);
        finding.remarks.extend(self.along.left_out.iter().cloned());
        finding.remarks.extend(self.block.left_out.iter().cloned());
        finding.remarks.extend(floor.remark());
        finding.remarks.extend(dependence.remark());
        let responses = mean_over_cells(&self.block);
        let confidence = dependence.confidence(finding.proof.confidence);
        match knee(&self.along.numbers, &responses, self.better, KNEE_TOLERANCE, confidence) {
            Err(why) => finding.outcome = Outcome::NotAssessable(why.into()),
            Ok(knee) => self.decided(&mut finding, &knee, &floor),
        }
        finding
    }

    fn decided(&self, finding: &mut Finding, knee: &Knee, floor: &Floor) {
        let at_level = |(column, ratio): (usize, &stats::Ratio)| LevelEstimate {
            level: self.along.levels[column].clone(),
            estimate: estimate::of_interval(&ratio.interval),
        };
        finding.by_level = knee.relative.iter().enumerate().map(at_level).collect();
        let hidden = hidden(knee, floor);
        let best = self.at(knee.peak_column);
        finding.outcome = if knee.column < knee.peak_column {
            Outcome::Enough { level: self.at(knee.column), best }
        } else if hidden.is_empty() {
            Outcome::OnlyBest { best, is_smallest: knee.peak_column == 0 }
        } else {
            let rounds = knee.rounds_to_lower(
                KNEE_TOLERANCE,
                self.topic.dependence(&self.block).confidence(finding.proof.confidence),
            );
            let inside_noise = floor.known().filter(|ratio| *ratio > 1.0);
            finding.outlook = Some(Outlook::of_rounds(rounds, self.block.rounds(), inside_noise));
            Outcome::EnoughUndecided { best }
        };
        finding.remarks.extend((!hidden.is_empty()).then(|| Remark::MaybeEnough(self.along.named(hidden))));
        finding.remarks.extend(
            (floor.ratio() * (1.0 - KNEE_TOLERANCE) > 1.0)
                .then_some(Remark::NoiseBeyondTolerance { tolerance: KNEE_TOLERANCE }),
        );
        finding.remarks.extend(self.less_in_cells(knee));
        finding.remarks.extend(knee.peak_at_edge.then_some(Remark::BestIsLast));
    }

    fn at(&self, column: usize) -> At {
        let figure = self.block.mean_at(column).unwrap_or(f64::NAN);
        At { level: self.along.levels[column].clone(), figure }
    }

    /// Cells in which the level that is enough on average gives clearly less than the best one. This is not a proof.
    fn less_in_cells(&self, knee: &Knee) -> Option<Remark> {
        if self.block.strata.len() < 2 || knee.column == knee.peak_column {
            return None;
        }
        let goodness = |cell: usize| {
            let rounds = self.block.cell(cell);
            let pairs =
                rounds.iter().filter_map(|row| Some((*row.get(knee.peak_column)?, *row.get(knee.column)?)));
            let logs = log_ratios(&pairs.collect::<Vec<_>>()).ok()?;
            let ratio = estimate::ratio_point(&logs)?;
            Some(match self.better {
                stats::Better::Higher => ratio,
                stats::Better::Lower => 1.0 / ratio,
            })
        };
        let less = self.block.strata.iter().enumerate().filter_map(|(cell, stratum)| {
            let ratio = goodness(cell).filter(|goodness| *goodness < 1.0 - KNEE_TOLERANCE)?;
            Some(CellRatio { cell: stratum.label.clone(), ratio })
        });
        let less: Vec<CellRatio> = less.collect();
        (!less.is_empty()).then_some(Remark::LessInCells(less))
    }
}

/// Levels smaller than the knee that lie inside the floor of the best.
fn hidden(knee: &Knee, floor: &Floor) -> Vec<usize> {
    let below = knee.relative.iter().enumerate().take(knee.column);
    let inside = below.filter(|(_, ratio)| floor.contains(ratio.interval.estimate));
    inside.map(|(column, _)| column).collect()
}
