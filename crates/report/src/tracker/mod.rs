//! Formats of tools that follow figures from run to run: what they get of a run, and one file for each format.
//!
//! They get the metrics that the studies ask about, for each configuration, as means over trials with their intervals where the
//! format has room for them. A figure that is missing is left out or marked as missing; it is never a zero.

mod bmf;
mod github_action_benchmark;
mod junit;
mod otava;
mod prometheus;

pub use bmf::bmf;
pub use github_action_benchmark::github_action_benchmark;
pub use junit::junit;
pub use otava::otava;
pub use prometheus::prometheus;

use model::metric::{self, Metric};
use model::printable;
use verdict::{Cell, Figure, Verdict};

/// One metric of one configuration.
struct Tracked<'a> {
    study: &'a str,
    cell: &'a Cell,
    metric: Metric,
    /// `None` if the configuration has no trial that counts.
    figure: Option<&'a Figure>,
}

impl Tracked<'_> {
    /// The mean over trials.
    fn mean(&self) -> Option<f64> {
        self.figure.and_then(|figure| figure.mean.point).filter(|mean| mean.is_finite())
    }

    /// The mean's interval.
    fn interval(&self) -> Option<(f64, f64)> {
        let interval = self.figure.and_then(|figure| figure.mean.interval);
        interval.filter(|(low, high)| low.is_finite() && high.is_finite())
    }

    /// `commit mode=direct`: the same from run to run.
    fn benchmark(&self) -> String {
        benchmark(self.study, self.cell)
    }

    /// Why there is no mean.
    fn reason(&self) -> String {
        let why =
            self.figure.and_then(|figure| figure.unsupported.as_deref().or(figure.mean.reason.as_deref()));
        printable(why.unwrap_or("no trial of it succeeded")).into_owned()
    }
}

fn benchmark(study: &str, cell: &Cell) -> String {
    printable(format!("{study} {}", cell.label).trim()).into_owned()
}

/// What is followed of a run: in the order of the studies, their metrics and their configurations.
fn tracked(verdict: &Verdict) -> Vec<Tracked<'_>> {
    let mut all = Vec::new();
    for study in &verdict.studies {
        for metric in study.asked.iter().filter_map(|name| metric::find(name)) {
            let name = metric.name();
            let of_cell =
                |cell| Tracked { study: &study.name, cell, metric, figure: cell.figures.get(&name) };
            all.extend(study.cells.iter().map(of_cell));
        }
    }
    all
}
