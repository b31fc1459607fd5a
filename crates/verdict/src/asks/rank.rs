//! The order of a factor's levels, with ties where the data do not separate them.
//!
//! A level ranks behind another only if it is significantly worse and their ratio lies beyond the A/A noise floor: levels
//! that differ by less share a number.

use super::along::mean_over_cells;
use super::knee::direction;
use super::outlook::Outlook;
use super::{Draft, Share, Topic, behind, level_name};
use crate::arms::{self, Others};
use crate::audits;
use crate::blocks::{self, Block};
use crate::durability;
use crate::noise::Floor;
use crate::phrase::{figure, level, title};
use crate::verdict::{Answer, Finding};
use model::Value;
use stats::family::simultaneous_level;
use stats::rank::{Place, rank, rounds_to_separate};

/// One draft.
pub(super) fn drafts(topic: Topic<'_>) -> Vec<Draft<'_>> {
    let name = &topic.ask.factor;
    let order = direction(topic.metric).and_then(|better| {
        let factor = topic.plan().factor(name).ok_or("it is no factor of this study")?;
        let levels: Vec<&Value> = factor.levels.iter().collect();
        if levels.len() < 2 {
            return Err("it has one level only, so there is nothing to rank".to_owned());
        }
        let strips = arms::strips(topic.plan(), &[(name, levels.clone())], Others::AtBaseline);
        let (strips, withheld) = audits::comparable(topic.plan(), topic.ask, topic.metric, strips)?;
        let mut block = blocks::complete(topic.inquiry.observations, strips, topic.metric)?;
        block.left_out.extend(withheld);
        Ok(Order { topic, better, levels, block })
    });
    let draft = match order {
        Err(why) => Draft::settled(topic, name, &why),
        Ok(order) => Draft {
            p: None,
            rests_on: order.block.configurations(),
            finish: Box::new(move |share| order.finding(share)),
        },
    };
    vec![draft]
}

/// Takes back what separates levels by less than the floor. Returns whether any place changed.
///
/// `places` come best first, so what a level may rank behind stands before it.
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
        let factor = &self.topic.ask.factor;
        let mut finding = self.topic.blank(factor);
        finding.trials = self.block.trials();
        finding.caveats.extend(self.block.left_out.iter().cloned());
        let floor = self.topic.inquiry.noise.of_metric(self.topic.metric);
        finding.caveats.extend(floor.caveat());
        let confidence = simultaneous_level(share.level, share.asks);
        let responses = mean_over_cells(&self.block);
        match rank(&responses, self.better, 1.0 - confidence) {
            Err(why) => {
                finding.statement =
                    format!("{factor} cannot be ranked by {}: {why}.", title(self.topic.metric));
            }
            Ok(mut places) => {
                if tie_within_noise(&mut places, &floor) {
                    finding.caveats.push(format!(
                        "Levels whose ratio lies inside the {} share a number, significant or not.",
                        floor.words()
                    ));
                }
                let separated = places.iter().any(|place| place.rank > 1);
                let outlook = if separated {
                    finding.answer = Answer::Different;
                    None
                } else {
                    let rounds =
                        rounds_to_separate(&responses, 1.0 - confidence, floor.ratio()).ok().flatten();
                    let inside_noise = Some(floor.ratio()).filter(|ratio| *ratio > 1.0);
                    let outlook = Outlook::of_rounds(rounds, inside_noise);
                    outlook.leaves_open(&mut finding, self.block.rounds());
                    Some(outlook)
                };
                finding.statement = self.statement(&places, outlook, confidence);
            }
        }
        if let Some(caveat) = self.durability_caveat() {
            finding.statement = format!("{caveat} {}", finding.statement);
        }
        finding
    }

    fn statement(&self, places: &[Place], open: Option<Outlook>, confidence: f64) -> String {
        let factor = &self.topic.ask.factor;
        let metric = title(self.topic.metric);
        let behind =
            format!("{} level, {}", level(confidence), behind(self.block.rounds(), self.block.strips.len()));
        let names: Vec<String> = places
            .iter()
            .map(|place| {
                let name =
                    self.levels.get(place.arm).map(|value| level_name(factor, value)).unwrap_or_default();
                format!("{}. {name} ({})", place.rank, figure(self.topic.metric, place.geometric_mean))
            })
            .collect();
        let names = names.join(", ");
        match open {
            None => {
                format!(
                    "{factor} by {metric}, best first: {names}; equal numbers are not told apart ({behind})."
                )
            }
            Some(outlook) => format!(
                "{factor} by {metric}: the data separate no level from another ({names}; {behind}); {}.",
                outlook.clause()
            ),
        }
    }

    fn durability_caveat(&self) -> Option<String> {
        let of = |place: usize| {
            self.block.strips.iter().filter_map(move |strip| strip.configurations.get(place).copied())
        };
        (1..self.levels.len()).find_map(|place| {
            let (ours, theirs) = durability::difference(self.topic.classes(), of(0), of(place))?;
            Some(format!("Durability classes differ ({ours}, {theirs}), so this ranks promises too."))
        })
    }
}
