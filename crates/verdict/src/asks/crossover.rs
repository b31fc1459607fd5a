//! The place at which two arms change places along a numeric factor.
//!
//! A level whose mean ratio lies inside the A/A noise floor counts as undecided, whatever its own interval: it supports
//! neither "always above" nor a change of places, and a crossover's interval extends to it.

use super::along::Along;
use super::hypothesis::{Hypothesis, Share, Topic};
use crate::arms::{self, Others};
use crate::blocks::Block;
use crate::durability;
use crate::estimate;
use crate::finding::{self, Finding, LevelEstimate, Levels, Outcome, Outlook, Reason, Remark, Subject};
use crate::noise::Floor;
use stats::contrast::{log_ratios, mean_over_cells};
use stats::crossover::{Crossover, Side, crossover, rounds_to_decide};
use stats::{Confidence, Interval, NoInterval, sample};

/// One hypothesis for each level of `between` except the baseline's.
pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let none = |why| vec![Hypothesis::not_assessable(topic, Subject::Factor, why)];
    let Some(between) = &topic.ask.between else { return none(Reason::NoArms) };
    let Some(arms) = topic.plan().factor(between).filter(|_| *between != topic.ask.factor) else {
        return none(Reason::NotAFactor(between.clone()));
    };
    let Some(baseline) = arms::baseline_level(topic.plan(), arms).filter(|_| arms.levels.len() > 1) else {
        return none(Reason::OneLevel(between.clone()));
    };
    let others = arms.levels.iter().filter(|level| *level != baseline);
    let levels = others.map(|level| Levels {
        factor: between.clone(),
        level: level.clone(),
        baseline: baseline.clone(),
    });
    levels.map(|levels| hypothesis(topic, levels)).collect()
}

/// Two arms along a factor.
struct Crossing<'a> {
    topic: Topic<'a>,
    along: Along<'a>,
    block: Block,
    /// Averaged over cells: `rounds[round][level]` of the log ratio arm ÷ baseline.
    logs: Vec<Vec<f64>>,
}

fn hypothesis(topic: Topic<'_>, arms: Levels) -> Hypothesis<'_> {
    match crossing(topic, &arms) {
        Err(why) => Hypothesis::not_assessable(topic, Subject::Arms { arms, range: None }, why),
        Ok(crossing) => {
            let subject = Subject::Arms { arms, range: Some(crossing.along.range()) };
            Hypothesis {
                p: None,
                rests_on: crossing.block.configurations(),
                finish: Box::new(move |share| crossing.finding(subject, share)),
            }
        }
    }
}

fn crossing<'a>(topic: Topic<'a>, arms: &Levels) -> Result<Crossing<'a>, Reason> {
    let along = Along::for_topic(topic)?;
    let axes = [along.axis(topic), (&arms.factor, vec![&arms.baseline, &arms.level])];
    let strata = arms::strata(topic.plan(), &axes, Others::AtBaseline);
    let block = topic.comparable_block(strata)?;
    let logs = logs(&block)?;
    Ok(Crossing { topic, along, block, logs })
}

/// The values of a stratum are pairs (baseline, arm), level by level.
fn logs(block: &Block) -> Result<Vec<Vec<f64>>, NoInterval> {
    let of_round = |round: &Vec<Vec<f64>>| -> Result<Vec<f64>, NoInterval> {
        let cells: Vec<Vec<f64>> = round
            .iter()
            .map(|cell| log_ratios(&cell.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()))
            .collect::<Result<_, _>>()?;
        let levels = cells.first().map_or(0, Vec::len);
        let at = |index: usize| cells.iter().filter_map(|cell| cell.get(index).copied()).collect();
        mean_over_cells(&(0..levels).map(at).collect::<Vec<Vec<f64>>>())
    };
    block.values.iter().map(of_round).collect()
}

impl Crossing<'_> {
    fn finding(&self, subject: Subject, share: Share) -> Finding {
        let mut finding = self.topic.blank(subject);
        let floor = self.topic.floor(share);
        let dependence = self.topic.dependence(&self.block);
        finding.proof = share.paired_proof(&self.topic, &self.block, dependence);
        finding.by_level = self.by_level();
        finding.remarks.extend(self.durability());
        finding.remarks.extend(self.along.left_out.iter().cloned());
        finding.remarks.extend(self.block.left_out.iter().cloned());
        finding.remarks.extend(floor.remark());
        finding.remarks.extend(dependence.remark());
        let inside = self.along.named(self.inside_noise(&floor));
        finding.remarks.extend((!inside.is_empty()).then_some(Remark::InsideNoise(inside)));
        let confidence = dependence.confidence(finding.proof.confidence);
        finding.outcome = match self.beyond_noise(&floor, confidence) {
            Err(why) => Outcome::NotAssessable(why.into()),
            Ok(Crossover::At { level, starts }) => {
                Outcome::ChangePlaces { at: estimate::of_interval(&level), starts: side(starts) }
            }
            Ok(Crossover::None { always }) => Outcome::KeepPlaces { always: side(always) },
            Ok(Crossover::Several { changes }) => Outcome::ChangePlacesOften { changes },
            Ok(Crossover::Undecided) => {
                finding.outlook = Some(self.outlook(&floor, confidence));
                Outcome::Undecided
            }
        };
        finding
    }

    /// Levels whose mean ratio lies inside the floor.
    fn inside_noise(&self, floor: &Floor) -> Vec<usize> {
        let inside = |&index: &usize| {
            sample::mean(&self.at_level(index)).is_some_and(|mean| floor.contains(mean.exp()))
        };
        (0..self.along.levels.len()).filter(inside).collect()
    }

    /// The crossover that the noise floor permits to claim. It is computed once as measured, and once with the arms
    /// taken as equal at the levels inside the floor. The second decides whether they change places; both together give
    /// its interval.
    fn beyond_noise(&self, floor: &Floor, confidence: Confidence) -> Result<Crossover, NoInterval> {
        let measured = crossover(&self.along.numbers, &self.logs, confidence)?;
        let cautious = crossover(&self.along.numbers, &self.cautious(floor), confidence)?;
        Ok(match (cautious, measured) {
            (Crossover::At { level: wide, .. }, Crossover::At { level, starts }) => {
                let (low, high) = (level.low.min(wide.low), level.high.max(wide.high));
                Crossover::At { level: Interval { low, high, ..level }, starts }
            }
            // Changes inside the floor lie between those beyond it, so the place of the relevant one is unknown.
            (Crossover::At { .. }, _) => Crossover::Undecided,
            (Crossover::None { .. } | Crossover::Several { .. } | Crossover::Undecided, _) => cautious,
        })
    }

    /// The log ratios, with the arms taken as equal at the levels inside the floor.
    fn cautious(&self, floor: &Floor) -> Vec<Vec<f64>> {
        let mut cautious = self.logs.clone();
        for index in self.inside_noise(floor) {
            cautious.iter_mut().filter_map(|round| round.get_mut(index)).for_each(|log| *log = 0.0);
        }
        cautious
    }

    /// What would decide whether the arms change places beyond the floor.
    fn outlook(&self, floor: &Floor, confidence: Confidence) -> Outlook {
        let cautious = self.cautious(floor);
        let inside_noise = (!self.inside_noise(floor).is_empty()).then(|| floor.ratio());
        // They do, but the floor hides the place, and more rounds do not lower the floor.
        let is_found = crossover(&self.along.numbers, &cautious, confidence)
            .is_ok_and(|found| found != Crossover::Undecided);
        let rounds = if is_found { None } else { rounds_to_decide(&cautious, confidence).ok().flatten() };
        Outlook::of_rounds(rounds, self.block.rounds(), inside_noise)
    }

    /// Log ratios at one level, one per round.
    fn at_level(&self, index: usize) -> Vec<f64> {
        self.logs.iter().filter_map(|round| round.get(index).copied()).collect()
    }

    /// The arms' ratio level by level, which is what a reader wants to see of a crossover.
    fn by_level(&self) -> Vec<LevelEstimate> {
        let of_level = |index: usize| LevelEstimate {
            level: self.along.levels[index].clone(),
            estimate: estimate::ratio(
                &self.at_level(index),
                self.topic.dependence(&self.block).correlation(),
            ),
        };
        (0..self.along.levels.len()).map(of_level).collect()
    }

    fn durability(&self) -> Option<Remark> {
        let of = |place: usize| {
            let strata = self.block.strata.iter();
            strata.flat_map(move |stratum| stratum.configurations.iter().skip(place).step_by(2).copied())
        };
        let (baseline, level) = durability::difference(self.topic.classes(), of(0), of(1))?;
        Some(Remark::Durability { level, baseline })
    }
}

fn side(side: Side) -> finding::Side {
    match side {
        Side::Above => finding::Side::Above,
        Side::Below => finding::Side::Below,
    }
}
