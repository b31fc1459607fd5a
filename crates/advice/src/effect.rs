//! Two values of a setting compared.

use model::metric::Better;
use serde::Serialize;
use std::borrow::Cow;
use verdict::{Answer, Estimate, phrase};

/// One value of a setting compared with another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The value.
    pub value: String,
    /// The other value.
    pub over: String,
    /// Full metric name.
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

impl Effect {
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
        match self.answer {
            Answer::Different if self.gain() > 1.0 => Standing::Better,
            Answer::Different => Standing::Worse,
            Answer::Equivalent => Standing::Equal,
            Answer::Undecided | Answer::NotAssessable => Standing::Open,
        }
    }

    /// How many times as good the value is, whichever direction is better; 1 if that is unknown.
    pub(crate) fn gain(&self) -> f64 {
        let ratio = self.ratio.point.unwrap_or(1.0);
        if self.is_higher_better() { ratio } else { ratio.recip() }
    }

    /// The largest share of the figure that a user who keeps the other value could lose; `None` without an interval. For a rate it is
    /// a share of the value's rate, for a time a share of the other's.
    pub(crate) fn share_lost_at_most(&self) -> Option<f64> {
        let (low, high) = self.ratio.interval?;
        let kept = if self.is_higher_better() { high.recip() } else { low };
        Some((1.0 - kept).clamp(0.0, 1.0))
    }

    fn is_higher_better(&self) -> bool {
        match phrase::better(&self.metric) {
            Better::Higher => true,
            Better::Lower | Better::Neither => false,
        }
    }
}
