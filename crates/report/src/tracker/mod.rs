//! Formats of tools that follow figures from run to run: what they get of a run, and one file for each format.
//!
//! They get the metrics that the studies ask about, for each configuration, as means over trials with their intervals
//! where the format has room for them. A figure that is missing, or that rests on a failed audit, is left out or marked
//! as missing; it is never a zero.

mod bmf;
mod github_action_benchmark;
mod junit;
mod otava;
mod preflight;
mod prometheus;
mod suite;

pub use self::preflight::preflight_junit;
pub use bmf::bmf;
pub use github_action_benchmark::github_action_benchmark;
pub use junit::junit;
pub use otava::otava;
pub use prometheus::{prometheus, prometheus_labelled, prometheus_name};

use model::metric::{self, Metric};
use model::plan::StudyPlan;
use model::printable;
use model::run::Run;
use verdict::{Cell, Figure, StudyVerdict, Verdict, failed_for};

/// One metric of one configuration.
struct Tracked<'a> {
    study: &'a str,
    cell: &'a Cell,
    metric: Metric,
    /// A clause that says why if there is none.
    mean: Result<Mean, String>,
}

/// The mean over trials that count.
struct Mean {
    value: f64,
    interval: Option<(f64, f64)>,
}

impl<'a> Tracked<'a> {
    fn of(plan: Option<&StudyPlan>, study: &'a StudyVerdict, cell: &'a Cell, metric: Metric) -> Self {
        let name = metric.name();
        let basis = plan.map(|plan| study.basis(plan, cell.configuration, &name)).unwrap_or_default();
        let failed: Vec<&str> = failed_for(&study.audits, &basis).map(|audit| audit.name.as_str()).collect();
        let mean = if failed.is_empty() {
            Mean::of(cell.figures.get(&name))
        } else {
            Err(format!("it rests on a failed audit: {}", failed.join(", ")))
        };
        Self { study: &study.name, cell, metric, mean }
    }

    /// The mean's value, if there is one.
    fn value(&self) -> Option<f64> {
        self.mean.as_ref().ok().map(|mean| mean.value)
    }

    fn interval(&self) -> Option<(f64, f64)> {
        self.mean.as_ref().ok().and_then(|mean| mean.interval)
    }

    /// `commit mode=direct`: the same from run to run.
    fn benchmark(&self) -> String {
        benchmark(self.study, self.cell)
    }
}

impl Mean {
    fn of(figure: Option<&Figure>) -> Result<Self, String> {
        let Some(figure) = figure else { return Err("no trial of it succeeded".to_owned()) };
        let is_finite = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite();
        match figure.mean.point.filter(|value| value.is_finite()) {
            Some(value) => Ok(Self { value, interval: figure.mean.interval.filter(is_finite) }),
            None => {
                let why = figure.unsupported.as_deref().or(figure.mean.reason.as_deref());
                Err(printable(why.unwrap_or("no trial of it succeeded")).into_owned())
            }
        }
    }
}

fn benchmark(study: &str, cell: &Cell) -> String {
    printable(format!("{study} {}", cell.label).trim()).into_owned()
}

/// The first reason, if none of these has a figure.
fn without_figure(tracked: &[Tracked<'_>]) -> Option<String> {
    let why = tracked.iter().find_map(|tracked| tracked.mean.as_ref().err())?;
    tracked.iter().all(|tracked| tracked.mean.is_err()).then(|| why.clone())
}

/// Refuses a file without a figure, for the formats that have no place for a reason.
///
/// # Errors
/// None of these has a figure: the first reason.
fn require_figure(tracked: &[Tracked<'_>]) -> Result<(), String> {
    match without_figure(tracked) {
        Some(why) => Err(format!("no configuration has a figure: {why}")),
        None if tracked.is_empty() => Err("no study asks about a metric that this format takes".to_owned()),
        None => Ok(()),
    }
}

/// What is followed of a run: in the order of the studies, their metrics and their configurations.
fn tracked<'a>(run: &Run, verdict: &'a Verdict) -> Vec<Tracked<'a>> {
    let mut all = Vec::new();
    for study in &verdict.studies {
        for metric in metrics(study) {
            all.extend(study.cells.iter().map(|cell| Tracked::of(plan(run, study), study, cell, metric)));
        }
    }
    all
}

/// The metrics that a study asks about.
fn metrics(study: &StudyVerdict) -> impl Iterator<Item = Metric> {
    study.asked.iter().filter_map(|name| metric::find(name))
}

fn plan<'a>(run: &'a Run, study: &StudyVerdict) -> Option<&'a StudyPlan> {
    run.plan.studies.iter().find(|plan| plan.name == study.name)
}
