//! Whether the realised value followed the level. Page 000 varied `reads_per_commit` from 1 to 16 and every level came
//! to the same ratio, because reads ran on during the sync: that it "has no effect" was never tested.

use super::{Context, Judgement};
use crate::phrase::limit;
use crate::verdict::{Cell, Status};
use model::Configuration;
use model::units::format_significant;

/// The factor whose realised value is recorded.
pub(super) const FACTOR: &str = "reads_per_commit";
const REALISED: &str = "realised_reads_per_commit";
/// The realised ratio may miss by this share: the reads of the last, unacknowledged commit.
const WITHIN: f64 = 0.05;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let plan = context.observations.plan;
    let varied = plan.factor(FACTOR).is_some_and(|factor| factor.levels.len() > 1);
    let cells: Vec<Ratio> = context
        .cells
        .iter()
        .filter_map(|cell| Ratio::of(cell, plan.configurations.get(cell.configuration)?))
        .collect();
    let evidence: Vec<String> = cells.iter().map(Ratio::sentence).collect();
    let off: Vec<&Ratio> = cells.iter().filter(|cell| cell.miss() > WITHIN).collect();
    let triggers = off.iter().all(|cell| cell.trigger);
    let judgement = if cells.is_empty() {
        Judgement::not_assessable("No trial mixes reads with commits, so there is no ratio to follow.")
    } else if off.is_empty() {
        Judgement::pass(format!(
            "Realised reads per commit followed {FACTOR} within {} in every configuration.",
            limit(WITHIN)
        ))
    } else if triggers {
        let status = if varied { Status::Fail } else { Status::Warn };
        Judgement::new(
            status,
            format!(
                "pacing = trigger did not bind: reads ran on during the sync, so realised reads per commit missed \
                 {FACTOR} in {} of {} configurations and effects of {FACTOR} were not tested.",
                off.len(),
                cells.len()
            ),
            "Use pacing = exact, which holds the ratio.",
        )
    } else {
        Judgement::new(
            Status::Fail,
            format!(
                "Realised reads per commit missed {FACTOR} by more than {} in {} of {} configurations.",
                limit(WITHIN),
                off.len(),
                cells.len()
            ),
            "Measure longer, so that the first and last commits weigh less, or lower read_depth.",
        )
    };
    judgement.with(evidence)
}

struct Ratio {
    label: String,
    level: f64,
    realised: f64,
    trigger: bool,
}

impl Ratio {
    fn of(cell: &Cell, configuration: &Configuration) -> Option<Self> {
        let reads = configuration.count("read_depth").is_ok_and(|depth| depth > 0);
        let level = configuration.count(FACTOR).ok().filter(|level| reads && *level > 0)? as f64;
        let realised = cell.figures.get(REALISED)?.mean.point?;
        let trigger = configuration.is("pacing", "trigger");
        Some(Self { label: cell.label.clone(), level, realised, trigger })
    }

    fn miss(&self) -> f64 {
        (self.realised / self.level - 1.0).abs()
    }

    fn sentence(&self) -> String {
        let Self { label, level, realised, .. } = self;
        format!("{label}: {FACTOR} {level}, realised {}", format_significant(*realised))
    }
}
