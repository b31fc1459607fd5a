//! Whether the trials of a configuration look like what the intervals assume: a skewed or bimodal sample covers less.

use super::{Context, Judgement};
use crate::phrase::title;
use crate::verdict::Status;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let mut judged = 0;
    let mut evidence = Vec::new();
    for metric in context.asked {
        for cell in context.cells {
            let Some(figure) = cell.figures.get(metric) else { continue };
            judged += usize::from(figure.mean.interval.is_some());
            if let Some(warning) = &figure.shape_warning {
                evidence.push(format!("{}, {}: {warning}", cell.label, title(metric)));
            }
        }
    }
    if evidence.is_empty() && judged == 0 {
        return Judgement::not_assessable("Too few trials to tell the shape of their values.");
    }
    if evidence.is_empty() {
        return Judgement::pass("No asked metric's trials look skewed or bimodal.");
    }
    let summary = format!(
        "The trials of {} look skewed or bimodal: their intervals cover less than stated.",
        if evidence.len() == 1 { "one figure".to_owned() } else { format!("{} figures", evidence.len()) }
    );
    let advice =
        "Prefer the median's interval, and look at the per-round values for two modes of the machine.";
    Judgement::new(Status::Warn, summary, advice).with(evidence)
}
