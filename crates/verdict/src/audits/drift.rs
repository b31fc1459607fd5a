//! Whether a metric of an ask drifted during the run. Pairing within rounds cancels drift in comparisons, but not in
//! the figures of a configuration.

use super::{Bearing, Check, Context, Judgement, Use};
use crate::phrase::{bounds, limit, ratio, title};
use crate::verdict::{Figure, Status};
use stats::drift::{Drift, drift};
use stats::family::holm;

/// A drift beyond this factor over the whole run is a warning.
const TOTAL_MAX: f64 = 1.05;
/// Significance after Holm over configurations and metrics.
const SIGNIFICANCE: f64 = 0.05;

pub(super) const CHECK: Check =
    Check { name: "drift", bearing, moot: "Every figure is compared within rounds.", judge: check };

/// Comparisons pair within rounds; a figure by itself averages over the drift.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    (!used.is_compared()).then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let mut drifts: Vec<(usize, String, Drift)> = Vec::new();
    for metric in context.asked {
        for cell in context.cells {
            let found = cell.figures.get(metric).and_then(of_figure);
            let what = format!("{}, {}", cell.label, title(metric));
            drifts.extend(found.map(|found| (cell.configuration, what, found)));
        }
    }
    let p_values: Vec<f64> = drifts.iter().map(|(_, _, drift)| drift.p).collect();
    let Some(adjusted) = holm(&p_values).ok().filter(|p| !p.is_empty()) else {
        return Judgement::not_assessable("Too few trials of a configuration to see a drift over rounds.");
    };
    let (evidence, at): (Vec<String>, Vec<usize>) = drifts
        .iter()
        .zip(adjusted)
        .filter(|((_, _, drift), p)| *p < SIGNIFICANCE && exceeds(drift))
        .map(|((configuration, what, drift), _)| {
            let total = &drift.total;
            let sentence = format!(
                "{what}: {} from the first round to the last ({}).",
                ratio(total.estimate),
                bounds((total.low, total.high))
            );
            (sentence, *configuration)
        })
        .unzip();
    if evidence.is_empty() {
        return Judgement::pass(format!(
            "No metric of the study drifted by more than {} over the run.",
            limit(TOTAL_MAX - 1.0)
        ));
    }
    let summary = format!(
        "{} of {} figures drifted by more than {} over the run.",
        evidence.len(),
        drifts.len(),
        limit(TOTAL_MAX - 1.0)
    );
    let advice = "Comparisons pair within rounds and remain valid; take single figures as averages over a changing \
                  state, or add warm-up rounds.";
    Judgement::new(Status::Warn, summary, advice).at(at).with(evidence)
}

fn of_figure(figure: &Figure) -> Option<Drift> {
    let points: Vec<(f64, f64)> =
        figure.values.iter().filter_map(|(round, value)| Some((f64::from(*round), (*value)?))).collect();
    drift(&points, 1.0 - SIGNIFICANCE).ok()
}

fn exceeds(drift: &Drift) -> bool {
    drift.total.estimate > TOTAL_MAX || drift.total.estimate < 1.0 / TOTAL_MAX
}
