//! Operations in flight per job compared with the configured depth. A closed loop that falls short was limited
//! elsewhere: by the CPU, by syncs that drain it, or because submitted operations completed at once.

use super::super::{Context, Judgement};
use super::realised::{mean, name, of_cell};
use crate::described;
use crate::phrase::limit;
use crate::verdict::{Cell, Status};
use model::units::format_significant;

/// The minimum share of the depth that must have been in flight, averaged over time.
const AT_LEAST: f64 = 0.8;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let depths: Vec<Depth> = context.cells.iter().filter_map(|cell| Depth::in_cell(context, cell)).collect();
    if depths.is_empty() {
        return None;
    }
    let short: Vec<usize> =
        depths.iter().filter(|depth| depth.share() < AT_LEAST).map(|depth| depth.configuration).collect();
    let judgement = if short.is_empty() {
        Judgement::pass(format!(
            "At least {} of the depth was in flight in every closed loop.",
            limit(AT_LEAST)
        ))
    } else {
        Judgement::new(
            Status::Warn,
            format!(
                "Less than {} of the depth was in flight in {} of {} configurations: the workload did not keep \
                 it full.",
                limit(AT_LEAST),
                short.len(),
                depths.len()
            ),
            "Take the operations in flight as the depth there: add jobs, or look at the CPU.",
        )
        .at(short)
    };
    Some(judgement.with(depths.iter().map(Depth::sentence)))
}

struct Depth {
    configuration: usize,
    label: String,
    parameter: String,
    level: f64,
    realised: f64,
    syncs: bool,
}

impl Depth {
    /// One operation at a time is always in flight, and an open loop has as many as arrive.
    fn in_cell(context: &Context<'_>, cell: &Cell) -> Option<Self> {
        let description = of_cell(context, cell)?.description;
        let depth = description.depth.as_ref().filter(|depth| depth.operations > 1)?;
        if description.arrivals.is_some() {
            return None;
        }
        let realised = mean(cell, "in_flight_mean")? / described::threads(description);
        let label = name(&cell.label).to_owned();
        let (configuration, syncs) = (cell.configuration, description.syncs);
        let (parameter, level) = (depth.parameter.clone(), depth.operations as f64);
        Some(Self { configuration, label, parameter, level, realised, syncs })
    }

    fn share(&self) -> f64 {
        self.realised / self.level
    }

    fn sentence(&self) -> String {
        let Self { label, parameter, level, realised, syncs, .. } = self;
        let drained = if *syncs { ", syncs drain it" } else { "" };
        format!("{label}: {parameter} {level}, in flight per job {}{drained}", format_significant(*realised))
    }
}
