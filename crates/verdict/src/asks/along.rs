//! A factor as an axis: its numeric levels in ascending order, and the response along it.

use super::hypothesis::Topic;
use crate::arms::{self, Axis, Others, Stratum};
use crate::blocks::Block;
use crate::finding::{Reason, Remark, Subject};
use model::Value;
use stats::sample;

/// A factor's levels in ascending order, with their numeric values.
#[derive(Clone, Debug)]
pub(super) struct Along<'a> {
    /// The levels, at least two.
    pub(super) levels: Vec<&'a Value>,
    /// Their numeric values: bytes, seconds, counts, percent.
    pub(super) numbers: Vec<f64>,
    /// Levels that have no place on the axis.
    pub(super) left_out: Option<Remark>,
}

impl<'a> Along<'a> {
    /// The ask's factor, or the reason why it is not an axis.
    pub(super) fn for_topic(topic: Topic<'a>) -> Result<Self, Reason> {
        let factor = topic.factor()?;
        let name = || factor.name.clone();
        let mut levels: Vec<(f64, &Value)> = Vec::new();
        let mut others: Vec<&Value> = Vec::new();
        for level in &factor.levels {
            match level.number() {
                Some(number) if !levels.iter().any(|(_, known)| *known == level) => {
                    levels.push((number, level));
                }
                Some(_) => {}
                None => others.push(level),
            }
        }
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        if levels.len() < 2 {
            return Err(match others.first() {
                Some(level) => Reason::NotANumber { factor: name(), level: (*level).clone() },
                None => Reason::OneLevel(name()),
            });
        }
        if let Some((one, other)) = unlike(&levels) {
            return Err(Reason::UnlikeUnits { factor: name(), one: one.clone(), other: other.clone() });
        }
        let left_out =
            (!others.is_empty()).then(|| Remark::LevelsLeftOut(others.into_iter().cloned().collect()));
        let (numbers, levels) = levels.into_iter().unzip();
        Ok(Self { levels, numbers, left_out })
    }

    /// The axis for [`arms::strata`].
    pub(super) fn axis(&self, topic: Topic<'a>) -> Axis<'a> {
        (&topic.ask.factor, self.levels.clone())
    }

    /// The metric at every level in every cell of the other factors.
    pub(super) fn block(&self, topic: Topic<'a>) -> Result<Block, Reason> {
        let strata: Vec<Stratum> = arms::strata(topic.plan(), &[self.axis(topic)], Others::All);
        topic.block(strata)
    }

    /// From the lowest level to the highest.
    pub(super) fn range(&self) -> (Value, Value) {
        let last = self.levels.len().saturating_sub(1);
        (self.levels[0].clone(), self.levels[last].clone())
    }

    /// The subject of a finding about all levels.
    pub(super) fn subject(&self) -> Subject {
        let (first, last) = self.range();
        Subject::Range { first, last }
    }

    pub(super) fn named(&self, indices: impl IntoIterator<Item = usize>) -> Vec<Value> {
        indices.into_iter().filter_map(|index| self.levels.get(index).copied().cloned()).collect()
    }
}

/// Two levels that do not share a unit: half of a file and half a gibibyte have no order.
fn unlike<'a>(levels: &[(f64, &'a Value)]) -> Option<(&'a Value, &'a Value)> {
    let is_plain = |level: &Value| matches!(level, Value::Count(_) | Value::Number(_));
    let (_, first) = levels.first()?;
    let is_alike = |level: &Value| {
        std::mem::discriminant(level) == std::mem::discriminant(*first)
            || (is_plain(level) && is_plain(first))
    };
    levels.iter().find(|(_, level)| !is_alike(level)).map(|(_, level)| (*first, *level))
}

/// The response averaged over cells within each round (geometric mean, because ratios are compared):
/// `rounds[round][level]`.
pub(super) fn mean_over_cells(block: &Block) -> Vec<Vec<f64>> {
    let of_round = |round: &Vec<Vec<f64>>| -> Vec<f64> {
        let levels = round.first().map_or(0, Vec::len);
        let at = |level: usize| {
            let cells: Vec<f64> = round.iter().filter_map(|cell| cell.get(level).copied()).collect();
            match cells.as_slice() {
                // One cell needs no average, and may be zero.
                [one] => *one,
                _ => sample::geometric_mean(&cells).unwrap_or(f64::NAN),
            }
        };
        (0..levels).map(at).collect()
    };
    block.values.iter().map(of_round).collect()
}
