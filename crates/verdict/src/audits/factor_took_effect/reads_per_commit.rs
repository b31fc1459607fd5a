//! Reads completed per commit: what the level asked for, and what it came to.

use super::super::{Context, Judgement};
use super::realised::{effect, is_varied, mean};
use crate::phrase::limit;
use crate::verdict::{Cell, Status};
use model::Configuration;
use model::units::format_significant;

const PARAMETER: &str = "reads_per_commit";
const REALISED: &str = "realised_reads_per_commit";
/// The realised ratio may miss by this share: the reads of the last, unacknowledged commit.
const WITHIN: f64 = 0.05;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let plan = context.observations.plan;
    let cells: Vec<Ratio> = context
        .cells
        .iter()
        .filter_map(|cell| Ratio::of(cell, plan.configurations.get(cell.configuration)?))
        .collect();
    if cells.is_empty() {
        return None;
    }
    let off: Vec<&Ratio> = cells.iter().filter(|cell| cell.miss() > WITHIN).collect();
    let triggers = off.iter().all(|cell| cell.trigger);
    let judgement = if off.is_empty() {
        Judgement::pass(format!(
            "Realised reads per commit followed {PARAMETER} within {} in every configuration.",
            limit(WITHIN)
        ))
    } else if triggers {
        let status = if is_varied(plan, PARAMETER) { Status::Fail } else { Status::Warn };
        Judgement::new(
            status,
            format!(
                "pacing = trigger did not bind: reads ran on during the sync, so realised reads per commit missed \
                 {PARAMETER} in {} of {} configurations and effects of {PARAMETER} were not tested.",
                off.len(),
                cells.len()
            ),
            "Use pacing = exact, which holds the ratio.",
        )
        .about(effect(PARAMETER, off.iter().map(|cell| cell.configuration)))
    } else {
        Judgement::new(
            Status::Fail,
            format!(
                "Realised reads per commit missed {PARAMETER} by more than {} in {} of {} configurations.",
                limit(WITHIN),
                off.len(),
                cells.len()
            ),
            "Measure longer, so that the first and last commits weigh less, or lower read_depth.",
        )
        .about(effect(PARAMETER, off.iter().map(|cell| cell.configuration)))
    };
    Some(judgement.with(cells.iter().map(Ratio::sentence)))
}

struct Ratio {
    configuration: usize,
    label: String,
    level: f64,
    realised: f64,
    trigger: bool,
}

impl Ratio {
    fn of(cell: &Cell, values: &Configuration) -> Option<Self> {
        let reads = values.count("read_depth").is_ok_and(|depth| depth > 0);
        let level = values.count(PARAMETER).ok().filter(|level| reads && *level > 0)? as f64;
        let realised = mean(cell, REALISED)?;
        let trigger = values.is("pacing", "trigger");
        let Cell { configuration, label, .. } = cell;
        Some(Self { configuration: *configuration, label: label.clone(), level, realised, trigger })
    }

    fn miss(&self) -> f64 {
        (self.realised / self.level - 1.0).abs()
    }

    fn sentence(&self) -> String {
        let Self { label, level, realised, .. } = self;
        format!("{label}: {PARAMETER} {level}, realised {}", format_significant(*realised))
    }
}
