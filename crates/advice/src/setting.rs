//! A setting of a database, its candidates, and the decision about it.

use crate::candidate::Candidate;
use crate::computed::{self, Computed, Machine, ServerCounters};
use crate::decision::{Decision, Recommendation};
use crate::effect::Effect;
use crate::no_advice::{NoAdvice, RunName};
use crate::takes_effect::TakesEffect;
use crate::values::Override;
use crate::weighed::Weighed;
use model::LoadPart;
use model::host::Trace;
use serde::Serialize;
use settings::{Release, Syntax, Version, Versions};

/// What follows from a run for the settings of one database.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The database, with the versions that the rules are about.
    pub database: String,
    /// What `syncline run --for` and `syncline prove --for` call it.
    pub id: String,
    /// Name of the file that its settings are written to.
    pub fragment: String,
    /// How that file is written.
    pub syntax: Syntax,
    /// In the order of the rules.
    pub settings: Vec<Setting>,
    /// What follows from arithmetic and not from the run.
    #[serde(rename = "computed_not_measured", skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<Computed>,
    /// By what it was found on the machine of the run; `None` if it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// How its commands name the run.
    #[serde(skip)]
    pub run: RunName,
}

impl Advice {
    /// The same for databases of a release that have its defaults.
    #[must_use]
    pub fn of(&self, release: &Release) -> Self {
        let settings = self.settings.iter().map(|setting| setting.unset(&self.id, release)).collect();
        Self { settings, ..self.clone() }
    }

    /// The same with the settings that are computed for a machine and for a server with these counters.
    #[must_use]
    pub fn computing(self, machine: Machine, counters: Option<&ServerCounters>) -> Self {
        Self { computed: computed::computed(machine, counters), ..self }
    }

    /// The same with commands that name the run in this way.
    #[must_use]
    pub fn naming(&self, run: &RunName) -> Self {
        let named = |setting: &Setting| {
            let mut setting = setting.clone();
            if let Some(needs) = setting.decision.needs_mut() {
                needs.run.clone_from(run);
            }
            setting
        };
        Self { settings: self.settings.iter().map(named).collect(), run: run.clone(), ..self.clone() }
    }

    /// `PostgreSQL 15–18 (its server was running)`; the name alone if it was not found.
    pub(crate) fn database_and_trace(&self) -> String {
        let found = match self.trace {
            Some(Trace::Process) => " (its server was running)",
            Some(Trace::Socket) => " (its socket was found)",
            Some(Trace::DataDirectory) => " (its data directory was found)",
            None => "",
        };
        format!("{}{found}", self.database)
    }

    /// The computed settings that the run did not decide.
    pub fn computed(&self) -> impl Iterator<Item = &Computed> {
        let is_decided = |name: &str| self.advised().any(|(setting, _)| setting.name == name);
        self.computed.iter().filter(move |computed| !is_decided(computed.name))
    }

    /// The settings with a value, decided or to be proven.
    pub fn advised(&self) -> impl Iterator<Item = (&Setting, &Recommendation)> {
        self.settings.iter().filter_map(|setting| Some((setting, setting.decision.recommended()?)))
    }

    /// The settings without one, each with the reason.
    pub fn without(&self) -> impl Iterator<Item = (&Setting, &NoAdvice)> {
        self.settings.iter().filter_map(|setting| Some((setting, setting.decision.open()?)))
    }
}

/// How the text of a value is compared: two texts may mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueKind {
    /// On or off.
    Flag,
    /// A whole number.
    Integer,
    /// A number.
    Real,
    /// A time; without a unit it is in microseconds.
    Microseconds,
    /// A name, in upper or lower case.
    Name,
    /// Depends on the user's data: never compared.
    Relative,
    /// Not a setting: whether the disk suits the program.
    Fitness,
}

/// What a setting is, whatever was measured.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Its name in the database.
    pub name: &'static str,
    /// How its value is compared.
    pub kind: ValueKind,
    /// Its default, as the database's manual gives it.
    pub default: DefaultValue,
    /// How a new value takes effect.
    pub takes_effect: TakesEffect,
    /// The first version that has it, unless a list of the database's settings says it; `None` if every supported
    /// version has it.
    pub since: Option<&'static str>,
    /// Address of its description in the manual.
    pub manual: &'static str,
    /// What it requires: clauses, printed whole.
    pub requires: &'static [&'static str],
    /// What a value other than the default risks: clauses, printed whole.
    pub risks: &'static [&'static str],
    /// The parts of a load that it acts on: it matters for a load that has one of them.
    pub acts_on: &'static [LoadPart],
    /// Values of other settings with which the database ignores it.
    pub overridden_by: &'static [Override],
    /// Values that are worth trying.
    pub worth_trying: &'static [&'static str],
    /// Whether a load of `syncline prove` shows what it does.
    pub is_provable: bool,
}

impl Facts {
    /// A setting of this name.
    pub const fn new(
        name: &'static str,
        kind: ValueKind,
        default: DefaultValue,
        takes_effect: TakesEffect,
        manual: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            default,
            takes_effect,
            since: None,
            manual,
            requires: &[],
            risks: &[],
            acts_on: &LoadPart::ALL,
            overridden_by: &[],
            worth_trying: &[],
            is_provable: false,
        }
    }

    /// A load of `syncline prove` shows what it does.
    #[must_use]
    pub const fn provable(self) -> Self {
        Self { is_provable: true, ..self }
    }

    /// The first version that has it.
    #[must_use]
    pub const fn since(self, version: &'static str) -> Self {
        Self { since: Some(version), ..self }
    }

    #[must_use]
    pub const fn requires(self, clauses: &'static [&'static str]) -> Self {
        Self { requires: clauses, ..self }
    }

    /// What another value than the default risks.
    #[must_use]
    pub const fn risks(self, clauses: &'static [&'static str]) -> Self {
        Self { risks: clauses, ..self }
    }

    /// It acts on these parts of a load, and on no other.
    #[must_use]
    pub const fn acting_on(self, parts: &'static [LoadPart]) -> Self {
        Self { acts_on: parts, ..self }
    }

    /// Values of other settings with which the database ignores it.
    #[must_use]
    pub const fn overridden_by(self, overrides: &'static [Override]) -> Self {
        Self { overridden_by: overrides, ..self }
    }

    /// Values that are worth trying.
    #[must_use]
    pub const fn trying(self, values: &'static [&'static str]) -> Self {
        Self { worth_trying: values, ..self }
    }
}

/// One setting, its candidates and the decision about it.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// Its name in the database.
    pub name: String,
    /// How its value is compared.
    pub kind: ValueKind,
    /// Its default, as the database's manual gives it.
    pub default: DefaultValue,
    /// How a new value takes effect.
    pub takes_effect: TakesEffect,
    /// The versions that have it.
    #[serde(flatten)]
    pub versions: Versions,
    /// Address of its description in the manual.
    pub manual: &'static str,
    /// What it requires: clauses, printed whole.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub requires: &'static [&'static str],
    /// What a value other than the default risks: clauses, printed whole.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub risks: &'static [&'static str],
    /// The parts of a load that it acts on.
    #[serde(skip)]
    pub acts_on: &'static [LoadPart],
    /// What it is now.
    pub in_use: Now,
    /// The values that it could have, the one in use first.
    pub candidates: Vec<Candidate>,
    /// A value, or why there is none.
    pub decision: Decision,
    /// Whether a load of `syncline prove` shows what it does.
    #[serde(skip)]
    pub(crate) is_provable: bool,
    /// Values of other settings with which the database ignores it.
    #[serde(skip)]
    pub(crate) overridden_by: &'static [Override],
    /// Values that the rule names, whatever was measured.
    #[serde(skip)]
    pub(crate) worth_trying: &'static [&'static str],
    /// What was measured, before it is held against a value in use.
    #[serde(skip)]
    pub(crate) weighed: Result<Weighed, NoAdvice>,
    /// What a proof on the database found, whatever value is in use.
    #[serde(skip)]
    pub(crate) proven: Option<Effect>,
}

/// What a setting is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Now {
    /// This value of the file.
    Set(String),
    /// Its default, because the file does not set it.
    Default(DefaultValue),
}

impl Now {
    /// The value; a default is that of the newest version. `None` if the program has no default.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Set(value) => Some(value),
            Self::Default(default) => default.newest(),
        }
    }

    /// `4.0`, or `not set, so 4.0 by default`.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Set(value) => value.clone(),
            Self::Default(value) => format!("not set, so {}", value.text()),
        }
    }
}

/// The value of a setting that is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultValue {
    /// The same in all versions.
    Always(&'static str),
    /// Changed in a version.
    Since {
        version: &'static str,
        /// The value since then.
        value: &'static str,
        /// The value before.
        before: &'static str,
    },
    /// The program has no default: a clause.
    None(&'static str),
}

impl DefaultValue {
    /// `4.0 by default`.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Always(value) => format!("{value} by default"),
            Self::Since { version, value, before } => {
                format!("{value} by default since version {version}, {before} before it")
            }
            Self::None(clause) => clause.to_owned(),
        }
    }

    /// The value of the newest version; `None` if the program has none.
    pub const fn newest(self) -> Option<&'static str> {
        match self {
            Self::Always(value) | Self::Since { value, .. } => Some(value),
            Self::None(_) => None,
        }
    }

    /// The default of a release; if it is not older than the change, with the value before it.
    #[must_use]
    pub fn of(self, release: &Release) -> Self {
        match (self, release.version()) {
            (Self::Since { version: since, before, .. }, Some(version))
                if since.parse().is_ok_and(|since: Version| *version < since) =>
            {
                Self::Always(before)
            }
            (Self::Since { .. } | Self::Always(_) | Self::None(_), _) => self,
        }
    }

    /// The value, if it is the same in all versions.
    pub const fn only(self) -> Option<&'static str> {
        match self {
            Self::Always(value) => Some(value),
            Self::Since { .. } | Self::None(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_is_that_of_the_version() {
        let of = |default: DefaultValue, version: &str| {
            default.of(&Release::Of(version.parse().unwrap())).newest()
        };
        let default = DefaultValue::Since { version: "18", value: "16", before: "1" };
        for (version, value) in [("18", "16"), ("18.0", "16"), ("19", "16"), ("17.6", "1")] {
            assert_eq!(of(default, version), Some(value), "{version}");
        }
        assert_eq!((default.of(&Release::Any), default.of(&Release::Unknown)), (default, default));
        let small = DefaultValue::Since { version: "8.7", value: "2097152", before: "0" };
        assert_eq!((of(small, "8.10"), of(small, "8.6")), (Some("2097152"), Some("0")));
        assert_eq!(of(DefaultValue::Always("on"), "1"), Some("on"));
    }
}
