//! Whether the trials of a configuration look like what the intervals assume: a skewed or bimodal sample covers less.

use super::{Bearing, Check, Context, Judgement};
use crate::phrase::{count, title};
use crate::verdict::Status;

/// Share of figures that may look odd by chance: normal data are remarked on in about 3 % of cases ([`stats::shape`]), so
/// some are in every run.
const BY_CHANCE: f64 = 0.1;

/// It bears on all: every interval assumes something of the sample.
pub(super) const CHECK: Check =
    Check { name: "shape", bearing: |_| Some(Bearing::Limiting), moot: "", judge: check };

fn check(context: &Context<'_>) -> Judgement {
    let mut judged = 0;
    let (mut evidence, mut at) = (Vec::new(), Vec::new());
    for metric in context.asked {
        for cell in context.cells {
            let Some(figure) = cell.figures.get(metric) else { continue };
            judged += usize::from(figure.mean.interval.is_some());
            if let Some(warning) = &figure.shape_warning {
                evidence.push(format!("{}, {}: {warning}", cell.label, title(metric)));
                at.push(cell.configuration);
            }
        }
    }
    if judged == 0 {
        return Judgement::not_assessable("Too few trials to tell the shape of their values.");
    }
    if evidence.is_empty() {
        return Judgement::pass("No asked metric's trials look skewed or bimodal.");
    }
    let share = evidence.len() as f64 / judged as f64;
    let found =
        format!("The trials of {} of {} look skewed or bimodal", evidence.len(), count(judged, "figure"));
    if share <= BY_CHANCE {
        return Judgement::pass(format!("{found}: no more than chance makes look so.")).with(evidence);
    }
    let summary = format!("{found}: their intervals cover less than stated.");
    let advice =
        "Prefer the median's interval, and look at the per-round values for two modes of the machine.";
    Judgement::new(Status::Warn, summary, advice).at(at).with(evidence)
}
