//! A finding with one ratio: the names of its sides, their figures, the ratio.

use super::told::{Told, figures, interval, titled_figures};
use crate::estimate::Estimate;
use crate::finding::{Figures, Finding, Remark, Subject};
use model::figure::{exact_percent, ratio};
use model::metric::Unit;
use page::quantity::{Named, named};
use stats::EQUIVALENCE_MARGIN;

/// A ratio with the figures of both its sides.
pub(super) struct Effect<'a> {
    pub(super) finding: &'a Finding,
    pub(super) named: Named,
    pub(super) ratio: Estimate,
    /// The level and the baseline, or the last level and the first.
    pub(super) names: (String, String),
}

/// `5 %`.
pub(super) fn margin() -> String {
    exact_percent(EQUIVALENCE_MARGIN - 1.0)
}

/// `the data exclude ratios below 0.90× and above 1.60×`; empty without an interval.
pub(super) fn excluded(estimate: &Estimate, what: &str) -> String {
    estimate.interval.map_or_else(String::new, |(low, high)| {
        format!("; the data exclude {what} below {} and above {}", ratio(low), ratio(high))
    })
}

impl<'a> Effect<'a> {
    pub(super) fn in_finding(finding: &'a Finding) -> Self {
        let none = || Estimate { point: None, interval: None, level: None, reason: None };
        Self {
            finding,
            named: named(&finding.metric),
            ratio: finding.ratio.clone().unwrap_or_else(none),
            names: finding.sides().unwrap_or_default(),
        }
    }

    /// `: 9 900 against 8 250 commits/s`, along a factor `: from 8 250 to 9 900 commits/s`; empty if a side has no
    /// figure.
    pub(super) fn absolute(&self) -> String {
        self.finding.figures.map_or_else(String::new, |Figures { level, baseline }| {
            if let Subject::Range { .. } = self.finding.subject {
                let (first, last) = figures(&self.named, baseline, level);
                return format!(": from {first} to {last}");
            }
            let (level, baseline) = figures(&self.named, level, baseline);
            format!(": {level} against {baseline}")
        })
    }

    /// Figures of the baseline and of the level, in this order.
    pub(super) fn baseline_and_level(&self) -> Option<(String, String)> {
        let Figures { level, baseline } = self.finding.figures?;
        Some(figures(&self.named, baseline, level))
    }

    /// The same for a sentence that begins with the metric's title.
    pub(super) fn titled_baseline_and_level(&self) -> Option<(String, String)> {
        let Figures { level, baseline } = self.finding.figures?;
        Some(titled_figures(&self.named, baseline, level))
    }

    pub(super) fn proven(&self, claim: String) -> Told {
        Told::new(claim, interval(&self.ratio, Unit::Count))
    }

    /// The range over the other factors, if one figure would hide how much the effect differs.
    pub(super) fn range(&self) -> Option<String> {
        let range = self.finding.remarks.iter().find_map(|remark| {
            let Remark::Interaction { range, .. } = remark else { return None };
            range.as_ref()
        })?;
        let (least, most) = (&range.least, &range.most);
        let (level, baseline) = &self.names;
        Some(format!(
            "the ratio of {level} to {baseline} depends on the other factors: {} at {}, {} at {}",
            ratio(least.ratio),
            least.cell,
            ratio(most.ratio),
            most.cell
        ))
    }
}
