//! The one number of an answer.

use crate::label::label;
use crate::quantity;
use model::metric::{Better, Unit};
use model::plan::StudyPlan;
use verdict::finding::{Levels, Outcome, Side};
use verdict::{Estimate, Figure, Finding, StudyVerdict};

/// A figure with its interval and its name, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// The point with its unit: `494/s`, `1.35×`.
    pub(crate) point: String,
    /// The interval with its level, or the reason why there is none.
    pub(crate) interval: String,
    /// Whether there is one.
    pub(crate) has_interval: bool,
    /// Its name: `commits/s`, `commits/s, dsync ÷ fdatasync`.
    pub(crate) what: String,
}

impl Number {
    fn new(point: String, estimate: &Estimate, unit: Unit, what: String) -> Self {
        let interval = quantity::interval_text(estimate, unit);
        Self { point, interval, has_interval: estimate.interval.is_some(), what }
    }
}

/// A configuration's figure at a glance, on the page and on the screen of `check`: the mean over trials with its t
/// interval, as in every table.
pub fn figure(figure: &Figure, metric: &str) -> String {
    let Number { point, interval, .. } = of_figure(figure, metric, "");
    format!("{point} ({interval})")
}

pub(super) fn of_figure(figure: &Figure, metric: &str, label: &str) -> Number {
    let named = quantity::named(metric);
    let what = if label.is_empty() { named.title } else { format!("{}, {label}", named.title) };
    let point = figure.mean.point;
    let point = point.map_or_else(|| "–".to_owned(), |point| quantity::round_figure(point, named.unit));
    Number::new(point, &figure.mean, named.unit, what)
}

/// The ratio of a comparison, otherwise the level of a knee or a threshold, otherwise the common mean.
pub(super) fn of_finding(
    finding: &Finding,
    study: &StudyVerdict,
    plan: Option<&StudyPlan>,
) -> Option<Number> {
    let named = quantity::named(&finding.metric);
    let title = named.title;
    if let Some(ratio) = finding.ratio.as_ref().filter(|ratio| ratio.point.is_some_and(|point| point > 0.0)) {
        let (ratio, what) = match finding.subject.levels() {
            Some(levels) => turned(ratio, levels, &title),
            None => (ratio.clone(), format!("{title}, {}", finding.about())),
        };
        let point = model::figure::ratio(ratio.point?);
        return Some(Number::new(point, &ratio, Unit::Count, what));
    }
    let factor = &finding.ask.factor;
    if let Outcome::ChangePlaces { at, starts } = &finding.outcome {
        let place = |number: f64| finding.subject.place(number);
        let interval = at.interval.zip(at.level).map_or_else(String::new, |((low, high), level)| {
            format!("{}–{}, {}", place(low), place(high), quantity::exact_percent(level))
        });
        let what = match wins_beyond(finding, *starts) {
            Some(arm) => format!("{arm} wins above this {factor}, in {title}"),
            None => format!("{factor} at which the order in {title} changes"),
        };
        return Some(Number { point: place(at.point?), interval, has_interval: at.interval.is_some(), what });
    }
    if let Outcome::Typical { mean, .. } = &finding.outcome {
        let point = quantity::round_figure(mean.point?, named.unit);
        return Some(Number::new(point, mean, named.unit, format!("{title}, every {factor}")));
    }
    if let Some(at) = finding.outcome.level() {
        let interval = "one of the levels measured".to_owned();
        let what = if matches!(finding.outcome, Outcome::OnlyBest { .. }) {
            format!("the best {factor}, in {title}")
        } else if matches!(finding.outcome, Outcome::Keeps { .. }) {
            format!("{factor} that keeps the limit of {title}")
        } else {
            format!("{factor} that is enough, in {title}")
        };
        return Some(Number { point: at.level.to_string(), interval, has_interval: false, what });
    }
    let cell =
        study.cells.iter().find(|cell| plan.is_none_or(|plan| plan.duplicate == cell.configuration))?;
    let figure = cell.figures.get(&finding.metric).filter(|figure| figure.mean.point.is_some())?;
    Some(of_figure(figure, &finding.metric, &label(study, cell)))
}

/// The arm that is better beyond the place where two change places; `None` for a metric that is not judged.
fn wins_beyond(finding: &Finding, starts: Side) -> Option<String> {
    let (level, baseline) = finding.subject.levels()?.names();
    let is_level_above = starts.other() == Side::Above;
    match quantity::named(&finding.metric).better {
        Better::Higher => Some(if is_level_above { level } else { baseline }),
        Better::Lower => Some(if is_level_above { baseline } else { level }),
        Better::Neither => None,
    }
}

/// A ratio in the direction in which it is above one, if its interval permits.
fn turned(ratio: &Estimate, levels: &Levels, title: &str) -> (Estimate, String) {
    let (level, baseline) = levels.names();
    let is_below = ratio.interval.is_some_and(|(low, high)| low > 0.0 && high < 1.0);
    if is_below {
        (ratio.reversed(), format!("{title}, {baseline} ÷ {level}"))
    } else {
        (ratio.clone(), format!("{title}, {level} ÷ {baseline}"))
    }
}
