//! The one number of an answer.

use super::sentence::{self, Sides};
use crate::{quantity, wording};
use model::Value;
use model::metric::Unit;
use model::plan::{Factor, StudyPlan};
use verdict::{Estimate, Figure, Finding, StudyVerdict};

/// A figure with its interval and what it is, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// The point with its unit: `494/s`, `1.35×`.
    pub(crate) point: String,
    /// The interval with its level, or why there is none.
    pub(crate) interval: String,
    /// Whether there is one.
    pub(crate) has_interval: bool,
    /// What it is: `commits/s`, `commits/s, dsync ÷ fdatasync`.
    pub(crate) what: String,
}

impl Number {
    /// With this `suffix` behind the point.
    fn new(estimate: &Estimate, unit: Unit, suffix: &str, what: String) -> Self {
        let point =
            estimate.point.map_or_else(|| "–".to_owned(), |point| quantity::round_figure(point, unit));
        Self {
            point: format!("{point}{suffix}"),
            interval: interval(estimate, unit),
            has_interval: estimate.interval.is_some(),
            what,
        }
    }
}

pub(super) fn of_figure(figure: &Figure, metric: &str, label: &str) -> Number {
    let named = quantity::named(metric);
    let what = if label.is_empty() { named.title } else { format!("{}, {label}", named.title) };
    Number::new(&figure.mean, named.unit, "", what)
}

/// The ratio of a comparison, else the level of a knee or a border, else what size all of it is of.
pub(super) fn of_finding(
    finding: &Finding,
    study: &StudyVerdict,
    plan: Option<&StudyPlan>,
) -> Option<Number> {
    let title = quantity::named(&finding.metric).title;
    if let Some(ratio) = finding.ratio.as_ref().filter(|ratio| ratio.point.is_some_and(|point| point > 0.0)) {
        let (ratio, what) = match sentence::sides(finding) {
            Some(sides) => turned(ratio, &sides, &title),
            None => (ratio.clone(), format!("{title}, {}", finding.subject)),
        };
        return Some(Number::new(&ratio, Unit::Count, "×", what));
    }
    if let Some(level) = finding.level.as_ref().filter(|level| level.point.is_some()) {
        let name = finding.ask.split_once(' ').map_or("", |(_, factor)| factor);
        let factor = plan.and_then(|plan| plan.factor(name));
        let suffix = if factor.is_some_and(is_percent) { " %" } else { "" };
        let unit = factor.map_or(Unit::Count, wording::level_unit);
        return Some(Number::new(level, unit, suffix, format!("{name} for {title}")));
    }
    let cell =
        study.cells.iter().find(|cell| plan.is_none_or(|plan| plan.duplicate == cell.configuration))?;
    let figure = cell.figures.get(&finding.metric).filter(|figure| figure.mean.point.is_some())?;
    Some(of_figure(figure, &finding.metric, &super::label(study, cell)))
}

fn is_percent(factor: &Factor) -> bool {
    factor.levels.iter().any(|level| matches!(level, Value::Percent(_)))
}

/// A ratio the way round in which it is above one, where its interval allows it to be told.
fn turned(ratio: &Estimate, sides: &Sides<'_>, title: &str) -> (Estimate, String) {
    let is_below = ratio.interval.is_some_and(|(low, high)| low > 0.0 && high < 1.0);
    if !is_below {
        return (ratio.clone(), format!("{title}, {} ÷ {}", sides.level, sides.baseline));
    }
    let turned = Estimate {
        point: ratio.point.map(|point| 1.0 / point),
        interval: ratio.interval.map(|(low, high)| (1.0 / high, 1.0 / low)),
        ..ratio.clone()
    };
    (turned, format!("{title}, {} ÷ {}", sides.baseline, sides.level))
}

/// `455 … 533, 95 %`, in the unit of the point.
fn interval(estimate: &Estimate, unit: Unit) -> String {
    let Some((low, high)) = estimate.interval else {
        return format!("no interval: {}", quantity::reason(estimate));
    };
    let level = estimate.level.map(|level| format!(", {}", quantity::percent(level))).unwrap_or_default();
    format!("{}{level}", quantity::bounds(low, high, estimate.point.unwrap_or(high), unit))
}
