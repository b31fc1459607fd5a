//! Two values of a setting compared.

use model::figure::{round, round_figure};
use model::metric::{Better, Unit};
use page::quantity::named;
use serde::Serialize;
use std::borrow::Cow;
use verdict::quantity::{interval_text, times};
use verdict::{Answer, Estimate, phrase};

/// One value of a setting compared with another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    pub value: String,
    pub over: String,
    pub metric: String,
    /// Figure with the value ÷ figure with the other, and its simultaneous interval.
    pub ratio: Estimate,
    /// The figures themselves, of the value and of the other, where each is one number.
    pub figures: Option<(f64, f64)>,
    /// What the two were compared with, if the value alone does not say it: a clause, printed whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Cow<'static, str>>,
    /// The answer that follows.
    pub answer: Answer,
}

/// What one comparison proves about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Proven better.
    Better,
    /// Proven worse.
    Worse,
    /// Proven to be within 5 %.
    Equal,
    /// Nothing is proven.
    Open,
}

impl Standing {
    /// What an answer proves about a value that is `gain` times as good.
    pub(crate) fn of(answer: Answer, gain: f64) -> Self {
        match answer {
            Answer::Different if gain > 1.0 => Self::Better,
            Answer::Different => Self::Worse,
            Answer::Equivalent => Self::Equal,
            Answer::Undecided | Answer::NotAssessable => Self::Open,
        }
    }
}

impl Effect {
    /// `11 800 commits/s, and 9 100 with fdatasync: 1.30× (1.24–1.37, 99.29 %)`.
    pub fn text(&self) -> String {
        let interval = self
            .ratio
            .interval
            .map_or_else(String::new, |_| format!(" ({})", interval_text(&self.ratio, Unit::Count)));
        let conditions = self.conditions.as_deref().map_or_else(String::new, |clause| format!("; {clause}"));
        let ratio = format!("{}{interval}", times(&self.ratio));
        let (named, over) = (named(&self.metric), &self.over);
        match self.figures {
            Some((value, other)) if !named.counted_per_s.is_empty() => {
                let (value, other) = (round(value), round(other));
                format!("{value} {}, and {other} with {over}: {ratio}{conditions}", named.counted_per_s)
            }
            Some((value, other)) => {
                let (value, other) = (round_figure(value, named.unit), round_figure(other, named.unit));
                format!("{} {value}, and {other} with {over}: {ratio}{conditions}", named.title)
            }
            None => format!("{ratio} the {} of {over}{conditions}", named.title),
        }
    }

    /// The same, compared under a condition: a clause.
    #[must_use]
    pub(crate) fn under(self, condition: &'static str) -> Self {
        Self { conditions: Some(condition.into()), ..self }
    }

    /// The same in the other direction.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            value: self.over.clone(),
            over: self.value.clone(),
            ratio: self.ratio.reversed(),
            figures: self.figures.map(|(value, over)| (over, value)),
            ..self.clone()
        }
    }

    /// What is proven of the value.
    pub(crate) fn standing(&self) -> Standing {
        Standing::of(self.answer, self.gain())
    }

    /// How many times as good the value is, whichever direction is better; 1 if that is unknown.
    pub(crate) fn gain(&self) -> f64 {
        gain(&self.metric, &self.ratio)
    }

    /// The largest share of the figure that a user who keeps the other value could lose; `None` without an interval.
    /// For a rate it is a share of the value's rate, for a time a share of the other's.
    pub(crate) fn share_lost_at_most(&self) -> Option<f64> {
        let (low, high) = self.ratio.interval?;
        let kept = if is_higher_better(&self.metric) { high.recip() } else { low };
        Some((1.0 - kept).clamp(0.0, 1.0))
    }
}

/// How many times as good the first value of a ratio is, whichever direction of the metric is better; 1 if there is no
/// ratio.
pub(crate) fn gain(metric: &str, ratio: &Estimate) -> f64 {
    let ratio = ratio.point.unwrap_or(1.0);
    if is_higher_better(metric) { ratio } else { ratio.recip() }
}

fn is_higher_better(metric: &str) -> bool {
    match phrase::better(metric) {
        Better::Higher => true,
        Better::Lower | Better::Neither => false,
    }
}
