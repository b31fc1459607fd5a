//! Whether the trials of a configuration are distributed as the intervals assume: for a skewed or bimodal sample they
//! cover less.

use super::{Bearing, Check, Context, Judgement};
use crate::phrase::{count, title};
use crate::verdict::Status;

/// The share of figures that may look odd by chance: normal data cause a remark in about 3 % of cases
/// ([`stats::shape`]), so every run has some.
const BY_CHANCE: f64 = 0.1;

/// It applies to every figure, because every interval assumes something about the sample.
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
        return Judgement::not_assessable("Too few trials to assess the shape of their values.");
    }
    if evidence.is_empty() {
        return Judgement::pass("The trials of no metric look skewed or bimodal.");
    }
    let share = evidence.len() as f64 / judged as f64;
    let found =
        format!("The trials of {} of {} look skewed or bimodal", evidence.len(), count(judged, "figure"));
    if share <= BY_CHANCE {
        return Judgement::pass(format!("{found}: no more than expected by chance.")).with(evidence);
    }
    let summary = format!("{found}: their intervals cover less than stated.");
    let advice =
        "Prefer the median's interval, and look at the per-round values for two modes of the machine.";
    Judgement::new(Status::Warn, summary, advice).at(at).with(evidence)
}
