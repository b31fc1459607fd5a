//! One arm of a study against another.

use model::figure::{count, exact_percent, ratios, round_figures};
use page::quantity::named;
use serde::Serialize;
use std::borrow::Cow;
use verdict::Estimate;
use verdict::quantity::times;

/// An arm, by what it does: words of the rule that compares it.
pub type Arm = Cow<'static, str>;

/// One arm against another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The arm whose figure is divided.
    pub ours: Arm,
    /// The arm that it is divided by.
    pub theirs: Arm,
    pub metric: String,
    /// Ours ÷ theirs, with its simultaneous interval.
    pub ratio: Estimate,
    /// The figures of both arms, ours first, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<(f64, f64)>,
    /// Complete rounds behind it.
    pub rounds: usize,
    pub study: String,
    /// Whether the study tells by how much two identical arms differ.
    pub is_floor_known: bool,
    /// Whether it is worth saying that they are no more than 5 % apart.
    pub is_close: bool,
}

impl Compared {
    /// `a write with RWF_DSYNC compared with write and fdatasync: 9 300 and 7 750/s, 1.20× the commits/s (1.15–1.25,
    /// 99.4 %, 10 rounds of study commit-modes)`.
    pub(crate) fn text(&self) -> String {
        let Self { ours, theirs, metric, ratio, figures, rounds, study, is_floor_known, is_close } = self;
        let interval = ratio.interval.map_or_else(String::new, |interval| format!("{}, ", ratios(interval)));
        let level = ratio.level.map_or_else(String::new, |level| format!("{}, ", exact_percent(level)));
        let floor = if *is_floor_known { "" } else { "; A/A noise floor unknown" };
        let close = if *is_close { " (no more than 5 % apart)" } else { "" };
        let named = named(metric);
        let figures = figures.map_or_else(String::new, |(of_ours, of_theirs)| {
            let (of_ours, of_theirs) = round_figures(of_ours, of_theirs, named.unit);
            format!("{of_ours} and {of_theirs}, ")
        });
        format!(
            "{ours} compared with {theirs}: {figures}{} the {} ({interval}{level}{} of study {study}{floor}){close}",
            times(ratio),
            named.title,
            count(*rounds, "round")
        )
    }
}
