//! What a decision comes to for somebody whose database has the defaults: change the setting, keep it, or wait for more data.

use crate::current::is_same;
use crate::setting::{Decision, DefaultValue, Effect, Kind, NoAdvice, Recommendation, Setting};

/// What to do about a setting.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// Another value than the default follows from what was measured.
    Change(&'a Recommendation),
    /// The default is confirmed.
    Keep(&'a Recommendation),
    /// A value to begin with: what it gains was not measured.
    Try(&'a Recommendation),
    /// It is not a setting: whether the disk suits the program.
    Judged(&'a Recommendation),
    /// Nothing was decided.
    Unknown(&'a NoAdvice),
}

impl Setting {
    /// What the decision comes to.
    pub fn action(&self) -> Action<'_> {
        match &self.decision {
            Decision::NoAdvice(none) => Action::Unknown(none),
            Decision::Advised(found) => match self.kind {
                Kind::Fitness => Action::Judged(found),
                Kind::Relative => Action::Change(found),
                Kind::Flag | Kind::Integer | Kind::Real | Kind::Microseconds | Kind::Name => {
                    if self.is_default(found) {
                        Action::Keep(found)
                    } else if found.loadable {
                        Action::Change(found)
                    } else {
                        Action::Try(found)
                    }
                }
            },
        }
    }

    /// The effect over the value that the setting has by default, if the two were compared.
    pub fn gain_over_default<'a>(&self, found: &'a Recommendation) -> Option<&'a Effect> {
        found.effects.iter().find(|effect| self.default_values().any(|value| value == effect.over))
    }

    /// Whether the value is what the setting has by default, or the default lies inside the interval of the value: an
    /// estimate refutes no value inside its interval.
    fn is_default(&self, found: &Recommendation) -> bool {
        let is_advised = |value: &str| is_same(self.kind, value, &found.value) == Ok(true);
        let interval = found.estimate.as_ref().and_then(|estimate| estimate.interval);
        let is_inside = |value: &str| {
            let number: Option<f64> = value.parse().ok();
            interval.zip(number).is_some_and(|((low, high), number)| (low..=high).contains(&number))
        };
        self.default_values().any(|value| is_advised(value) || is_inside(value))
    }

    /// The default of the newest version; none if the program has none.
    fn default_values(&self) -> impl Iterator<Item = &'static str> {
        let value = match self.default {
            DefaultValue::Always(value) | DefaultValue::Since { value, .. } => Some(value),
            DefaultValue::None(_) => None,
        };
        value.into_iter()
    }
}
