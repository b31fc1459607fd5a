//! Operations per second against the arrivals of an open loop.

use super::super::{Context, Judgement};
use super::{mean, name};
use crate::phrase::limit;
use crate::verdict::{Cell, Status};
use model::units::format_significant;

const PARAMETER: &str = "rate_iops";
/// The realised rate may miss by this share: operations in flight when the clock stopped.
const WITHIN: f64 = 0.05;
/// And by this many standard deviations of the number of arrivals, which is 1/√N of them (Poisson): one rate in a
/// thousand that kept up is off by more.
const DEVIATIONS: f64 = 3.3;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let rates: Vec<Rate> = context.cells.iter().filter_map(|cell| Rate::of(context, cell)).collect();
    if rates.is_empty() {
        return None;
    }
    let off = rates.iter().filter(|rate| rate.miss() > rate.allowed()).count();
    let judgement = if off == 0 {
        Judgement::pass(format!("Completed operations kept up with {PARAMETER} in every open loop."))
    } else {
        Judgement::new(
            Status::Fail,
            format!(
                "Completed operations missed {PARAMETER} by more than {} and chance in {off} of {} configurations: the \
                 device or the CPU could not keep up, so latency there grows for as long as it is measured.",
                limit(WITHIN),
                rates.len()
            ),
            "Lower the rate below what the closed loop reaches, or add jobs.",
        )
    };
    Some(judgement.with(rates.iter().map(Rate::sentence)))
}

struct Rate {
    label: String,
    level: f64,
    realised: f64,
    /// Arrivals expected over all trials.
    arrivals: f64,
}

impl Rate {
    fn of(context: &Context<'_>, cell: &Cell) -> Option<Self> {
        let trials = context.trials.get(cell.configuration)?;
        let level = trials.first()?.circumstances.arrivals_per_s.filter(|rate| *rate > 0.0)?;
        let realised = mean(cell, "iops")?;
        let phases = trials.iter().filter_map(|trial| trial.record.measurement.as_ref()?.phases.first());
        let seconds: f64 = phases.map(|phase| phase.duration_s.max(0.0)).sum();
        let arrivals = level * seconds;
        let label = name(&cell.label).to_owned();
        (arrivals.is_finite() && arrivals >= 1.0).then_some(Self { label, level, realised, arrivals })
    }

    fn miss(&self) -> f64 {
        (self.realised / self.level - 1.0).abs()
    }

    fn allowed(&self) -> f64 {
        WITHIN + DEVIATIONS / self.arrivals.sqrt()
    }

    fn sentence(&self) -> String {
        format!(
            "{}: {} arrivals/s over all jobs, {} operations/s completed",
            self.label,
            format_significant(self.level),
            format_significant(self.realised)
        )
    }
}
