//! Completed reads per commit: the configured level, and the realised value.

use super::super::{Context, Judgement};
use super::realised::{effect, is_varied, mean};
use crate::described;
use crate::phrase::limit;
use crate::verdict::{Cell, Status};
use model::description::OperationRatio;
use model::units::format_significant;

/// The realised ratio may differ by this share: the reads of the last, unacknowledged commit.
const WITHIN: f64 = 0.05;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let plan = context.observations.plan;
    let cells: Vec<Ratio<'_>> = context
        .cells
        .iter()
        .filter_map(|cell| {
            Ratio::in_cell(cell, described::configuration(plan, cell.configuration).ratio.as_ref()?)
        })
        .collect();
    let parameter = cells.first()?.parameter;
    let off: Vec<&Ratio<'_>> = cells.iter().filter(|cell| cell.miss() > WITHIN).collect();
    let triggers = off.iter().all(|cell| cell.trigger);
    let judgement = if off.is_empty() {
        Judgement::pass(format!(
            "Realised reads per commit followed {parameter} within {} in every configuration.",
            limit(WITHIN)
        ))
    } else if triggers {
        let status = if is_varied(plan, parameter) { Status::Fail } else { Status::Warn };
        Judgement::new(
            status,
            format!(
                "pacing = trigger did not bind: reads continued during the sync, so realised reads per commit missed \
                 {parameter} in {} of {} configurations and effects of {parameter} were not tested.",
                off.len(),
                cells.len()
            ),
            "Use pacing = exact, which holds the ratio.",
        )
        .about(effect(parameter, off.iter().map(|cell| cell.configuration)))
    } else {
        Judgement::new(
            Status::Fail,
            format!(
                "Realised reads per commit missed {parameter} by more than {} in {} of {} configurations.",
                limit(WITHIN),
                off.len(),
                cells.len()
            ),
            "Measure longer, so that the first and last commits weigh less, or lower read_depth.",
        )
        .about(effect(parameter, off.iter().map(|cell| cell.configuration)))
    };
    Some(judgement.with(cells.iter().map(Ratio::sentence)))
}

struct Ratio<'a> {
    configuration: usize,
    label: String,
    parameter: &'a str,
    level: f64,
    realised: f64,
    trigger: bool,
}

impl<'a> Ratio<'a> {
    fn in_cell(cell: &Cell, asked: &'a OperationRatio) -> Option<Self> {
        let Cell { configuration, label, .. } = cell;
        Some(Self {
            configuration: *configuration,
            label: label.clone(),
            parameter: &asked.parameter,
            level: Some(asked.level as f64).filter(|level| *level > 0.0)?,
            realised: mean(cell, &asked.realised)?,
            trigger: !asked.is_held,
        })
    }

    fn miss(&self) -> f64 {
        (self.realised / self.level - 1.0).abs()
    }

    fn sentence(&self) -> String {
        let Self { label, parameter, level, realised, .. } = self;
        format!("{label}: {parameter} {level}, realised {}", format_significant(*realised))
    }
}
