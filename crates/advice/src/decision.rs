//! What is decided about a setting, ready to be rendered, serialised or proven.

use crate::caveat::Caveat;
use crate::effect::Effect;
use crate::expiry::Expiry;
use crate::ground::Ground;
use crate::measured_on::MeasuredOn;
use crate::no_advice::{Needs, NoAdvice};
use crate::statement::Statement;
use crate::verb::Verb;
use model::figure::percent;
use model::units::format_significant;
use serde::Serialize;
use verdict::Estimate;

/// What is decided about a setting.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Another value is proven better than the value in use on the database itself.
    ChangeTo(Box<Recommendation>),
    /// The disk predicts that another value is better, and a proof on the database has yet to show it.
    Candidate(Box<Recommendation>),
    /// The value in use is proven to lose at most 5 %, or no other is proven better: then with the most that it could
    /// lose.
    Keep(Box<Recommendation>),
    /// It is not a setting: whether the disk suits the program.
    Judged(Box<Recommendation>),
    /// Nothing is decided yet, and this is what would decide it.
    Undecided(NoAdvice),
    /// The question does not arise here.
    DoesNotApply(NoAdvice),
    /// An audit that it rests on failed, or could not be carried out.
    Withheld(NoAdvice),
}

impl Decision {
    /// The value that it names: decided, or to be proven.
    pub fn recommended(&self) -> Option<&Recommendation> {
        match self {
            Self::ChangeTo(found) | Self::Candidate(found) | Self::Keep(found) | Self::Judged(found) => {
                Some(found)
            }
            Self::Undecided(_) | Self::DoesNotApply(_) | Self::Withheld(_) => None,
        }
    }

    /// What it asks for.
    pub fn verb(&self) -> Verb {
        match self {
            Self::ChangeTo(_) => Verb::Change,
            Self::Candidate(_) => Verb::Candidate,
            Self::Keep(_) => Verb::Keep,
            Self::Judged(_) => Verb::Result,
            Self::Undecided(none) => none.verb(),
            Self::DoesNotApply(_) => Verb::DoesNotApply,
            Self::Withheld(_) => Verb::Withheld,
        }
    }

    /// What would decide more, if that is known.
    pub(crate) fn needs_mut(&mut self) -> Option<&mut Needs> {
        match self {
            Self::ChangeTo(found) | Self::Candidate(found) | Self::Keep(found) | Self::Judged(found) => {
                found.needs.as_mut()
            }
            Self::Undecided(none) | Self::DoesNotApply(none) | Self::Withheld(none) => none.needs.as_mut(),
        }
    }

    /// Why there is none.
    pub fn open(&self) -> Option<&NoAdvice> {
        match self {
            Self::ChangeTo(_) | Self::Candidate(_) | Self::Keep(_) | Self::Judged(_) => None,
            Self::Undecided(none) | Self::DoesNotApply(none) | Self::Withheld(none) => Some(none),
        }
    }
}

/// A value with its basis.
#[derive(Clone, Debug, Serialize)]
pub struct Recommendation {
    /// As the database reads it; in words if it depends on the user's data.
    pub value: String,
    /// Whether the value can be put into the database's file as it is.
    pub loadable: bool,
    /// The value with its interval, if the value is an estimate.
    pub estimate: Option<Estimate>,
    pub statement: Statement,
    pub measured_on: MeasuredOn,
    /// A new value over the value in use, or a kept one over each measured candidate.
    pub effects: Vec<Effect>,
    /// The most that could be lost by keeping the value; `None` for a new value, and if nothing was compared.
    pub regret: Option<Regret>,
    /// What would prove a candidate, or decide more if the kept value is not proven to lose at most 5 %, as far as that
    /// is known.
    pub needs: Option<Needs>,
    /// Values that are not advised, but whose price a user may want to know.
    pub alternatives: Vec<Alternative>,
    /// The findings and figures that it rests on.
    pub grounds: Vec<Ground>,
    /// Names of the audits that support it: each passed for every configuration that it rests on.
    pub audits: Vec<String>,
    /// Names of the audits that could limit it and could not be carried out; none of them is required.
    pub unchecked: Vec<String>,
    pub caveats: Vec<Caveat>,
    /// What it holds for.
    pub expires: Expiry,
}

/// The most that could be lost by keeping a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regret {
    /// The candidate that could gain the most.
    pub over: String,
    /// The largest share that could be lost, by the interval.
    pub share_at_most: f64,
    /// Whether no candidate is more than 5 % better, which is proven.
    pub is_proven_small: bool,
    /// Whether that candidate is proven better in one comparison, and in another worse, or possibly more than 5 %
    /// worse.
    pub is_mixed: bool,
}

impl Recommendation {
    /// What it rests on, each once.
    pub fn grounds(&self) -> String {
        let mut grounds: Vec<String> = Vec::new();
        for ground in self.grounds.iter().map(Ground::text) {
            if !grounds.contains(&ground) {
                grounds.push(ground);
            }
        }
        grounds.join("; ")
    }

    /// `littles-law, same-knobs passed; not carried out, and not required: steady-state`.
    pub fn audits(&self) -> String {
        let passed = format!("{} passed", self.audits.join(", "));
        if self.unchecked.is_empty() {
            return passed;
        }
        format!("{passed}; not carried out, and not required: {}", self.unchecked.join(", "))
    }
}

impl Regret {
    /// `no measured value is more than 5 % better`.
    pub(crate) fn text(&self) -> String {
        if self.share_at_most <= 0.0 {
            return "no measured value is better".to_owned();
        }
        if self.is_proven_small {
            return "no measured value is more than 5 % better".to_owned();
        }
        let most = percent(self.share_at_most);
        if self.is_mixed {
            return format!(
                "{} is better in one comparison and worse, or possibly worse, in another; keeping it loses at most \
                 {most}",
                self.over
            );
        }
        format!("nothing is proven better, and keeping it loses at most {most}")
    }
}

/// A value that is not advised, and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alternative {
    /// As the database reads it.
    pub value: String,
    pub statement: Statement,
    /// What is lost with it, if anything.
    pub loses: Option<Loss>,
}

/// What a value loses.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Acknowledged entries when the process dies, and the most that one kill took here.
    EntriesInKill(f64),
    /// As the database's manual says: a clause, printed whole.
    Note(&'static str),
}

impl Alternative {
    /// The value of this setting with its gain and its loss.
    pub fn text(&self, setting: &str) -> String {
        let loses =
            self.loses.as_ref().map_or_else(String::new, |loses| format!("; it loses {}", loses.text()));
        format!("{setting} = {}: {}{loses}", self.value, self.statement.text())
    }
}

impl Loss {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::EntriesInKill(most) => format!(
                "acknowledged writes if the process dies: up to {} entries in one kill here",
                format_significant(*most)
            ),
            Self::Note(clause) => (*clause).to_owned(),
        }
    }
}
