//! A factor as an axis: its numeric levels in rising order, and the response along it.

use super::Topic;
use crate::arms::{self, Axis, Others, Strip};
use crate::blocks::{self, Block};
use model::Value;
use stats::sample;

/// A factor's levels in rising order, with the figures they stand for.
#[derive(Clone, Debug)]
pub(super) struct Along<'a> {
    /// The levels.
    pub(super) levels: Vec<&'a Value>,
    /// Their figures: bytes, seconds, counts, percent.
    pub(super) numbers: Vec<f64>,
}

impl<'a> Along<'a> {
    /// The ask's factor, or the sentence that says why it is no axis.
    pub(super) fn of(topic: Topic<'a>) -> Result<Self, String> {
        let name = &topic.ask.factor;
        let factor = topic.plan().factor(name).ok_or_else(|| format!("{name} is no factor of this study"))?;
        let mut levels: Vec<(f64, &Value)> = Vec::new();
        for level in &factor.levels {
            let number = level.number().ok_or_else(|| format!("{name} = {level} is no number"))?;
            if !levels.iter().any(|(_, known)| *known == level) {
                levels.push((number, level));
            }
        }
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        if levels.len() < 2 {
            return Err(format!("{name} has one level only, so there is nothing to follow"));
        }
        let (numbers, levels) = levels.into_iter().unzip();
        Ok(Self { levels, numbers })
    }

    /// The axis for [`arms::strips`].
    pub(super) fn axis(&self, topic: Topic<'a>) -> Axis<'a> {
        (&topic.ask.factor, self.levels.clone())
    }

    /// The metric at every level in every cell of the other factors.
    pub(super) fn block(&self, topic: Topic<'a>) -> Result<Block, String> {
        let strips: Vec<Strip> = arms::strips(topic.plan(), &[self.axis(topic)], Others::All);
        blocks::complete(topic.inquiry.observations, strips, topic.metric)
    }

    /// A level as text; empty where there is none.
    pub(super) fn text(&self, index: usize) -> String {
        self.levels.get(index).map(ToString::to_string).unwrap_or_default()
    }

    /// `1 to 16`.
    pub(super) fn range(&self) -> String {
        format!("{} to {}", self.text(0), self.text(self.levels.len() - 1))
    }
}

/// The response averaged over cells within each round (geometric mean: what is compared is ratios):
/// `rounds[round][level]`.
pub(super) fn mean_over_cells(block: &Block) -> Vec<Vec<f64>> {
    let of_round = |round: &Vec<Vec<f64>>| -> Vec<f64> {
        let levels = round.first().map_or(0, Vec::len);
        let at = |level: usize| {
            let cells: Vec<f64> = round.iter().filter_map(|cell| cell.get(level).copied()).collect();
            sample::geometric_mean(&cells).unwrap_or(f64::NAN)
        };
        (0..levels).map(at).collect()
    };
    block.values.iter().map(of_round).collect()
}
