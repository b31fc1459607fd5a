//! A factor as an axis: its numeric levels in rising order, and the response along it.

use super::Topic;
use crate::arms::{self, Axis, Others, Strip};
use crate::blocks::{self, Block};
use model::Value;
use model::units::{format_bytes_approximate, format_significant};
use stats::sample;

/// A factor's levels in rising order, with the figures they stand for.
#[derive(Clone, Debug)]
pub(super) struct Along<'a> {
    /// The levels.
    pub(super) levels: Vec<&'a Value>,
    /// Their figures: bytes, seconds, counts, percent.
    pub(super) numbers: Vec<f64>,
    /// Levels that are no place on the axis: a sentence.
    pub(super) left_out: Option<String>,
}

impl<'a> Along<'a> {
    /// The ask's factor, or the sentence that says why it is no axis.
    pub(super) fn of(topic: Topic<'a>) -> Result<Self, String> {
        let name = &topic.ask.factor;
        let factor = topic.plan().factor(name).ok_or_else(|| format!("{name} is no factor of this study"))?;
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
                Some(level) => format!("{name} = {level} is no number"),
                None => format!("{name} has one level only, so there is nothing to follow"),
            });
        }
        if let Some((one, other)) = unlike(&levels) {
            return Err(format!("{name} = {one} and {other} are not of one unit, so they make no axis"));
        }
        let left_out = (!others.is_empty()).then(|| {
            let names: Vec<String> = others.iter().map(ToString::to_string).collect();
            let (names, is) = (names.join(", "), if others.len() == 1 { "is" } else { "are" });
            format!("{name} = {names} {is} no place on the axis and {is} left out.")
        });
        let (numbers, levels) = levels.into_iter().unzip();
        Ok(Self { levels, numbers, left_out })
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

    /// A place on the axis, between levels or at one, with the levels' unit.
    pub(super) fn place(&self, number: f64) -> String {
        let figure = format_significant(number);
        match self.levels.first() {
            Some(Value::Percent(_)) => format!("{figure} %"),
            Some(Value::Bytes(_)) => format_bytes_approximate(number),
            Some(Value::Duration(_)) => format!("{figure} s"),
            Some(Value::Count(_) | Value::Number(_) | Value::Flag(_) | Value::Name(_)) | None => figure,
        }
    }

    /// `1 to 16`.
    pub(super) fn range(&self) -> String {
        format!("{} to {}", self.text(0), self.text(self.levels.len() - 1))
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

/// The response averaged over cells within each round (geometric mean: what is compared is ratios):
/// `rounds[round][level]`.
pub(super) fn mean_over_cells(block: &Block) -> Vec<Vec<f64>> {
    let of_round = |round: &Vec<Vec<f64>>| -> Vec<f64> {
        let levels = round.first().map_or(0, Vec::len);
        let at = |level: usize| {
            let cells: Vec<f64> = round.iter().filter_map(|cell| cell.get(level).copied()).collect();
            match cells.as_slice() {
                // One cell is no average, and may be zero.
                [one] => *one,
                _ => sample::geometric_mean(&cells).unwrap_or(f64::NAN),
            }
        };
        (0..levels).map(at).collect()
    };
    block.values.iter().map(of_round).collect()
}
