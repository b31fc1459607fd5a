//! The order of a factor's levels, with ties if the data do not separate them.
//!
//! A level ranks behind another only if it is significantly worse and their ratio lies beyond the A/A noise floor:
//! levels that differ by less share a number.

use super::along::mean_over_cells;
use super::hypothesis::{Hypothesis, Share, Topic};
use super::knee::direction;
use crate::arms::{self, Others};
use crate::blocks::Block;
use crate::durability;
use crate::finding::{At, Finding, Outcome, Outlook, Ranked, Reason, Remark, Subject};
use crate::noise::Floor;
use crate::verdict::Answer;
use model::Value;
use stats::rank::{Place, rank, rounds_to_separate};

pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let hypothesis = match order(topic) {
        Err(why) => Hypothesis::not_assessable(topic, Subject::Factor, why),
        Ok(order) => Hypothesis {
            p: None,
            rests_on: order.block.configurations(),
            finish: Box::new(move |share| order.finding(share)),
        },
    };
    vec![hypothesis]
}

fn order(topic: Topic<'_>) -> Result<Order<'_>, Reason> {
    let better = direction(topic.metric)?;
    let factor = topic.factor()?;
    let levels: Vec<&Value> = factor.levels.iter().collect();
    if levels.len() < 2 {
        return Err(Reason::OneLevel(factor.name.clone()));
    }
    let strata = arms::strata(topic.plan(), &[(&factor.name, levels.clone())], Others::AtBaseline);
    let block = topic.comparable_block(strata)?;
    Ok(Order { topic, better, levels, block })
}

/// Removes the separation of levels that differ by less than the floor. Returns whether any place changed.
///
/// `places` are in order, best first, so a level follows every level that it may rank behind.
fn tie_within_noise(places: &mut [Place], floor: &Floor) -> bool {
    let rank_of = |index: usize, place: &Place| {
        let is_ahead = |better: &&Place| {
            let ratio = better.geometric_mean / place.geometric_mean;
            !place.tied_with.contains(&better.arm) && !floor.contains(ratio)
        };
        1 + places.iter().take(index).filter(is_ahead).count()
    };
    let ranks: Vec<usize> = places.iter().enumerate().map(|(index, place)| rank_of(index, place)).collect();
    let has_changed = places.iter().zip(&ranks).any(|(place, rank)| place.rank != *rank);
    places.iter_mut().zip(ranks).for_each(|(place, rank)| place.rank = rank);
    has_changed
}

struct Order<'a> {
    topic: Topic<'a>,
    better: stats::Better,
    levels: Vec<&'a Value>,
    block: Block,
}

impl Order<'_> {
    fn finding(&self, share: Share) -> Finding {
        let mut finding = self.topic.blank(Subject::Factor);
        let floor = self.topic.floor(share);
        let dependence = self.topic.dependence(&self.block);
        finding.proof = share.paired_proof(&self.topic, &self.block, dependence);
        finding.remarks.extend(self.durability());
        finding.remarks.extend(self.block.left_out.iter().cloned());
        finding.remarks.extend(floor.remark());
        finding.remarks.extend(dependence.remark());
        let responses = mean_over_cells(&self.block);
        let confidence = dependence.confidence(finding.proof.confidence);
        match rank(&responses, self.better, confidence) {
            Err(why) => finding.outcome = Outcome::NotAssessable(why.into()),
            Ok(mut places) => {
                let is_tied = tie_within_noise(&mut places, &floor);
                finding.remarks.extend(is_tied.then_some(Remark::TiedByNoise));
                finding.outcome =
                    Outcome::Ranked(places.iter().filter_map(|place| self.ranked(place)).collect());
                if finding.answer() == Answer::Undecided {
                    let rounds = rounds_to_separate(&responses, confidence, floor.ratio()).ok().flatten();
                    let inside_noise = floor.known().filter(|ratio| *ratio > 1.0);
                    finding.outlook = Some(Outlook::of_rounds(rounds, self.block.rounds(), inside_noise));
                }
            }
        }
        finding
    }

    fn ranked(&self, place: &Place) -> Option<Ranked> {
        let level = (*self.levels.get(place.arm)?).clone();
        Some(Ranked { rank: place.rank, at: At { level, figure: place.geometric_mean } })
    }

    /// The classes of levels with different guarantees, if there are any: the ranking then also ranks guarantees.
    fn durability(&self) -> Option<Remark> {
        let of = |place: usize| {
            let strata = self.block.strata.iter();
            strata.filter_map(move |stratum| stratum.configurations.get(place).copied())
        };
        (1..self.levels.len()).find_map(|place| {
            let (baseline, level) = durability::difference(self.topic.classes(), of(0), of(place))?;
            Some(Remark::Durability { level, baseline })
        })
    }
}
