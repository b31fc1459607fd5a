//! Operations per second compared with the arrivals of an open loop, in every phase that has one.

use super::super::{Context, Judgement, Trial};
use super::realised::name;
use crate::observations::value;
use crate::phrase::{limit, rate};
use crate::verdict::{Cell, Status};
use model::description::Arrivals;
use model::units::format_significant;

/// The realised rate may differ by this share: operations in flight when the clock stopped.
const WITHIN: f64 = 0.05;
/// It may also differ by this number of standard deviations of the number of arrivals, which is 1/√N of them (Poisson):
/// by chance one rate in a thousand that kept up differs more.
const DEVIATIONS: f64 = 3.3;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let arrivals = |trial: &Trial<'_>| trial.description.arrivals.clone();
    let Arrivals { parameter, .. } = context.trials.iter().flatten().find_map(arrivals)?;
    let rates: Vec<Rate<'_>> = context.cells.iter().flat_map(|cell| Rate::of_cell(context, cell)).collect();
    let count = |rates: &mut dyn Iterator<Item = &Rate<'_>>| {
        let mut configurations: Vec<usize> = rates.map(|rate| rate.configuration).collect();
        configurations.dedup();
        configurations
    };
    let all = count(&mut rates.iter());
    if all.is_empty() {
        return None;
    }
    let off = count(&mut rates.iter().filter(|rate| rate.miss() > rate.allowed()));
    let judgement = if off.is_empty() {
        Judgement::pass(format!("Completed operations kept up with {parameter} in every open loop."))
    } else {
        Judgement::new(
            Status::Fail,
            format!(
                "Completed operations missed {parameter} by more than {}, beyond chance, in {} of {} configurations: \
                 the device, the engine or the CPU could not keep up, so latency there grows as long as the trial \
                 runs.",
                limit(WITHIN),
                off.len(),
                all.len()
            ),
            "Lower the rate below what the closed loop reaches, or add jobs.",
        )
        .at(off)
    };
    Some(judgement.with(rates.iter().map(Rate::sentence)))
}

struct Rate<'a> {
    configuration: usize,
    label: String,
    metric: &'a str,
    level: f64,
    realised: f64,
    /// Arrivals expected over all trials.
    arrivals: f64,
}

impl<'a> Rate<'a> {
    fn of_cell(context: &Context<'a>, cell: &'a Cell) -> Vec<Self> {
        let trials = context.trials.get(cell.configuration).map_or(&[][..], Vec::as_slice);
        let arrivals = trials.first().and_then(|trial| trial.description.arrivals.as_ref());
        let of_metric = |arrivals: &'a Arrivals| {
            let rates = arrivals.rates.iter().filter(|_| arrivals.per_s > 0.0);
            rates.filter_map(|metric| Self::in_trials(trials, cell, arrivals.per_s, metric)).collect()
        };
        arrivals.map(of_metric).unwrap_or_default()
    }

    fn in_trials(trials: &[Trial<'_>], cell: &Cell, level: f64, metric: &'a str) -> Option<Self> {
        // Both come from the trials that have the figure: a phase that did not run had no arrivals.
        let measured = |trial: &Trial<'_>| {
            let phases = &trial.record.measurement.as_ref()?.phases;
            let phase = phases.iter().find(|phase| phase.metrics.contains_key(metric))?;
            Some((value(trial.record, metric)?, phase.duration_s.max(0.0)))
        };
        let (realised, seconds): (Vec<f64>, Vec<f64>) = trials.iter().filter_map(measured).unzip();
        let realised = stats::sample::mean(&realised)?;
        let arrivals = level * seconds.iter().sum::<f64>();
        let (configuration, label) = (cell.configuration, name(&cell.label).to_owned());
        let rate = Self { configuration, label, metric, level, realised, arrivals };
        (arrivals.is_finite() && arrivals >= 1.0).then_some(rate)
    }

    fn miss(&self) -> f64 {
        (self.realised / self.level - 1.0).abs()
    }

    fn allowed(&self) -> f64 {
        WITHIN + DEVIATIONS / self.arrivals.sqrt()
    }

    fn sentence(&self) -> String {
        format!(
            "{}: {} arrivals/s over all jobs, {} completed",
            self.label,
            format_significant(self.level),
            rate(self.metric, self.realised)
        )
    }
}
