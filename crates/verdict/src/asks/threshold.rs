//! How far a factor may go before a metric passes its limit: the largest level that keeps a latency, the smallest that
//! reaches a rate. If there are cells of other factors, the level must keep the limit in every cell, because an average
//! can keep a limit that some cells break.
//!
//! The A/A noise floor bounds claims about the ratio of two arms. A limit is not an arm: each level is proven by the
//! interval of its own mean, which already contains the same scatter. So the floor excludes no level; if a level that
//! the answer rests on lies closer to the limit than the floor, a remark states it.

use super::along::Along;
use super::hypothesis::{Hypothesis, Share, Topic};
use super::knee::direction;
use crate::arms::{self, Others, Stratum};
use crate::blocks::{self, Block};
use crate::finding::{self, At, Counter, Finding, Held, Outcome, Outlook, Proven, Reason, Remark, Subject};
use crate::noise::Floor;
use model::Value;
use stats::threshold::{Extreme, Limit, Threshold, Verdict, in_every_cell};
use stats::{Count, sample};

/// One hypothesis, or one for each level of another factor.
pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let Some(each) = topic.ask.each.as_deref() else { return vec![hypothesis(topic, None)] };
    match topic.plan().factor(each) {
        None => {
            let why = Reason::NotAFactor(each.to_owned());
            vec![Hypothesis::not_assessable(topic, Subject::Factor, why)]
        }
        Some(factor) => factor.levels.iter().map(|level| hypothesis(topic, Some((each, level)))).collect(),
    }
}

fn hypothesis<'a>(topic: Topic<'a>, at: Option<(&'a str, &'a Value)>) -> Hypothesis<'a> {
    let found = limit(topic).and_then(|(limit, extreme)| {
        let along = Along::for_topic(topic)?;
        let strata = strata(topic, &along, at);
        // A metric that is compared with a limit may be zero, because no ratio is computed.
        let block = blocks::with_zeros(topic.plan(), topic.data.cells, strata, topic.metric)?;
        Ok(Search { topic, limit, extreme, along, block })
    });
    let hypothesis = match found {
        Err(why) => Hypothesis::not_assessable(topic, Subject::Factor, why),
        Ok(search) => Hypothesis {
            p: None,
            rests_on: search.block.configurations(),
            finish: Box::new(move |share| search.finding(share)),
        },
    };
    match at {
        None => hypothesis,
        Some((factor, level)) => hypothesis.at(Held { factor: factor.to_owned(), level: level.clone() }),
    }
}

/// The cells of an answer: all of them, or at one level of the other factor those at the baseline.
fn strata<'a>(topic: Topic<'a>, along: &Along<'a>, at: Option<(&'a str, &'a Value)>) -> Vec<Stratum> {
    match at {
        None => arms::strata(topic.plan(), &[along.axis(topic)], Others::All),
        Some((each, level)) => {
            let axes = [(each, vec![level]), along.axis(topic)];
            arms::strata(topic.plan(), &axes, Others::AtBaseline)
        }
    }
}

fn limit(topic: Topic<'_>) -> Result<(Limit, Extreme), Reason> {
    let limit = topic.ask.limit.ok_or(Reason::NoLimit)?;
    Ok(match direction(topic.metric)? {
        stats::Better::Lower => (Limit::AtMost(limit), Extreme::Largest),
        stats::Better::Higher => (Limit::AtLeast(limit), Extreme::Smallest),
    })
}

struct Search<'a> {
    topic: Topic<'a>,
    limit: Limit,
    extreme: Extreme,
    along: Along<'a>,
    block: Block,
}

impl Search<'_> {
    fn finding(&self, share: Share) -> Finding {
        let mut finding = self.topic.blank(self.along.subject());
        let floor = self.topic.floor(share);
        // Every level is judged, so every level takes its share of the error.
        finding.proof = share.proof(&self.topic, &self.block, self.along.levels.len());
        finding.mechanism.extend(self.mechanism());
        finding.remarks.extend(self.along.left_out.iter().cloned());
        finding.remarks.extend(self.block.left_out.iter().cloned());
        finding.remarks.extend(floor.remark());
        let cells: Vec<Vec<Vec<f64>>> =
            (0..self.block.strata.len()).map(|cell| self.block.cell(cell)).collect();
        let cells: Vec<&[Vec<f64>]> = cells.iter().map(Vec::as_slice).collect();
        match in_every_cell(&cells, self.limit, self.extreme, finding.proof.confidence) {
            Err(why) => finding.outcome = Outcome::NotAssessable(why.into()),
            Ok(found) => self.decided(&mut finding, &found, &floor),
        }
        finding
    }

    /// The counter that explains the metric, level by level: means over rounds and cells.
    fn mechanism(&self) -> Option<Counter> {
        let metric = self.topic.ask.mechanism.as_deref()?;
        let (plan, cells) = (self.topic.plan(), self.topic.data.cells);
        let block = blocks::with_zeros(plan, cells, self.block.strata.clone(), metric).ok()?;
        let of_level = |(index, level): (usize, &&Value)| {
            let values = block.values.iter().flatten().filter_map(|cell| cell.get(index).copied());
            let mean = sample::mean(&values.collect::<Vec<f64>>())?;
            Some(((*level).clone(), mean))
        };
        let means: Vec<(Value, f64)> = self.along.levels.iter().enumerate().filter_map(of_level).collect();
        (!means.is_empty()).then(|| Counter::ByLevel { metric: metric.to_owned(), means })
    }

    fn decided(&self, finding: &mut Finding, found: &Threshold, floor: &Floor) {
        let limit = match self.limit {
            Limit::AtMost(bound) => finding::Limit::AtMost(bound),
            Limit::AtLeast(bound) => finding::Limit::AtLeast(bound),
        };
        if let Some(column) = found.column {
            let proven = self.proven(found.verdicts.get(column) == Some(&Verdict::KeptByAll));
            finding.remarks.extend(self.near_limit(found, &[column], floor));
            finding.remarks.extend(found.gaps.then_some(Remark::Gaps));
            finding.outcome = Outcome::Keeps { level: self.at(column, found), limit, proven };
        } else if found.verdicts.iter().all(|verdict| verdict.breaks()) {
            let all: Vec<usize> = (0..found.verdicts.len()).collect();
            finding.remarks.extend(self.near_limit(found, &all, floor));
            let proven = self.proven(found.verdicts.contains(&Verdict::BrokenByAll));
            finding.outcome = Outcome::NoneKeeps { limit, proven };
        } else {
            finding.outlook = Some(Outlook::of_rounds(found.rounds_needed, self.block.rounds(), None));
            finding.outcome = Outcome::KeepsUndecided { limit };
        }
    }

    /// A level with its mean; with several cells, the mean of the cell closest to breaking the limit.
    fn at(&self, column: usize, found: &Threshold) -> At {
        let figure = found.intervals.get(column).map_or(f64::NAN, |interval| interval.estimate);
        At { level: self.along.levels[column].clone(), figure }
    }

    /// By the interval, or by counting if all outcomes are equal and have no interval.
    fn proven(&self, is_counted: bool) -> Proven {
        const LEVEL: f64 = 0.95;
        let trials = self.block.rounds();
        if is_counted {
            let otherwise_at_most = Count { of: 0, n: trials }.share_at_most(LEVEL);
            Proven::InEveryTrial { trials, otherwise_at_most }
        } else {
            Proven::ByInterval
        }
    }

    /// Which levels of an answer lie closer to the limit than two identical arms lie to each other.
    fn near_limit(&self, found: &Threshold, columns: &[usize], floor: &Floor) -> Option<Remark> {
        let (Limit::AtMost(bound) | Limit::AtLeast(bound)) = self.limit;
        let is_near = |column: &usize| {
            found.intervals.get(*column).is_some_and(|interval| {
                // Exactly the limit in every trial, as a share of 1: without scatter there is no noise floor.
                let is_exact = interval.low >= bound && interval.high <= bound;
                !is_exact && floor.contains(interval.estimate / bound)
            })
        };
        let near = self.along.named(columns.iter().copied().filter(is_near));
        (!near.is_empty()).then_some(Remark::NearLimit(near))
    }
}
