//! The parts of an advice: data only, ready to be rendered, serialised or compared with the current settings.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::expiry::Expiry;
use crate::statement::Statement;
use model::run::Run;
use model::trial::TrialRecord;
use serde::Serialize;
use verdict::{Answer, Estimate};

/// What follows from a run for the settings of one database.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The database, with the versions that the rules are about.
    pub database: String,
    /// Name of the file that its settings are written to.
    pub fragment: String,
    /// How that file is written.
    pub syntax: Syntax,
    /// In the order of the rules.
    pub settings: Vec<Setting>,
}

impl Advice {
    /// The settings with an advised value.
    pub fn advised(&self) -> impl Iterator<Item = (&Setting, &Recommendation)> {
        self.settings.iter().filter_map(|setting| match &setting.decision {
            Decision::Advised(found) => Some((setting, found.as_ref())),
            Decision::NoAdvice(_) => None,
        })
    }

    /// The settings without an advised value, each with the reason.
    pub fn without(&self) -> impl Iterator<Item = (&Setting, &NoAdvice)> {
        self.settings.iter().filter_map(|setting| match &setting.decision {
            Decision::NoAdvice(none) => Some((setting, none)),
            Decision::Advised(_) => None,
        })
    }
}

/// The syntax of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Syntax {
    /// `postgresql.conf`.
    PostgresqlConf,
    /// MySQL's option file; settings of the server are in its group `mysqld`.
    MysqlOptions,
    /// RocksDB's `OPTIONS` file.
    RocksdbOptions,
    /// SQL with SQLite's pragmas.
    SqlitePragmas,
    /// For people: the program has no settings file.
    Text,
}

/// How the text of a value is compared: two texts may mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
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

/// One setting, and the decision about it.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// Its name in the database.
    pub name: String,
    /// How its value is compared.
    pub kind: Kind,
    /// Its default, as the database's manual gives it.
    pub default: DefaultValue,
    /// A value, or why there is none.
    pub decision: Decision,
}

/// The value of a setting that is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultValue {
    /// The same in all versions.
    Always(&'static str),
    /// Changed in a version.
    Since {
        /// The version.
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
    /// The values that it can have.
    pub fn values(self) -> impl Iterator<Item = &'static str> {
        let (first, second) = match self {
            Self::Always(value) => (value, None),
            Self::Since { value, before, .. } => (value, Some(before)),
            Self::None(clause) => (clause, None),
        };
        std::iter::once(first).chain(second)
    }

    /// The value, if it is the same in all versions.
    pub fn only(self) -> Option<&'static str> {
        match self {
            Self::Always(value) => Some(value),
            Self::Since { .. } | Self::None(_) => None,
        }
    }
}

/// A value with its basis, or the reason why there is none.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// This value follows from what was measured.
    Advised(Box<Recommendation>),
    /// Nothing follows.
    NoAdvice(NoAdvice),
}

/// A value that follows from what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Recommendation {
    /// As the database reads it; in words if it depends on the user's data.
    pub value: String,
    /// Whether the value can be put into the database's file as it is.
    pub loadable: bool,
    /// The value with its interval, if the value is an estimate.
    pub estimate: Option<Estimate>,
    /// What was measured.
    pub statement: Statement,
    /// What the value was compared with.
    pub effects: Vec<Effect>,
    /// Values that are not advised, but whose price a user may want to know.
    pub alternatives: Vec<Alternative>,
    /// Values that guarantee more than the advised one: a user who has one keeps it.
    pub stronger: Vec<String>,
    /// The findings and figures that it rests on.
    pub grounds: Vec<Ground>,
    /// Names of the audits that support it: each passed for every configuration that it rests on.
    pub audits: Vec<String>,
    /// Names of the audits that could limit it and could not be carried out; none of them is required.
    pub unchecked: Vec<String>,
    /// What limits it.
    pub caveats: Vec<Caveat>,
    /// What it holds for.
    pub expires: Expiry,
}

/// The advised value compared with another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The other value.
    pub over: String,
    /// Full metric name.
    pub metric: String,
    /// Figure with the advised value ÷ figure with the other, and its simultaneous interval.
    pub ratio: Estimate,
    /// The answer that follows.
    pub answer: Answer,
}

/// A value that is not advised, and what it costs.
#[derive(Clone, Debug, Serialize)]
pub struct Alternative {
    /// As the database reads it.
    pub value: String,
    /// What was measured.
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

/// A part of a study that an advice rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ground {
    /// The study.
    pub study: String,
    /// The compared levels, `sync = dsync against sync = fdatasync`, or the finding or cell if nothing is compared.
    pub finding: String,
    /// Full metric name.
    pub metric: String,
    /// Number of trials.
    pub trials: usize,
}

/// Why there is no advice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoAdvice {
    /// The kind of reason.
    pub why: Why,
    /// The reason.
    pub cause: Box<Cause>,
    /// The study that would measure it, if this run does not have it.
    pub study: Option<String>,
    /// What would decide it, if that is known.
    pub effort: Option<Effort>,
    /// The audit that withholds it.
    pub audit: Option<Box<Withheld>>,
}

/// An audit that withholds an advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Withheld {
    /// The audit's name.
    pub audit: String,
    /// The study in which it failed, or could not be carried out.
    pub study: String,
}

/// What would decide an undecided setting, if effect and spread stay as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effort {
    /// The study.
    pub study: String,
    /// Rounds in all.
    pub rounds: usize,
    /// Seconds that the missing rounds take, at the pace of those recorded; `None` if none is.
    pub more_s: Option<f64>,
}

impl Effort {
    /// With the time that the missing rounds take at the pace of the run.
    pub(crate) fn timed(self, run: &Run) -> Self {
        let recorded = run.plan.studies.iter().find(|plan| plan.name == self.study).map(|plan| {
            let records: Vec<&TrialRecord> = run.of_study(plan).collect();
            let spent_s: f64 = records.iter().map(|record| record.wall_s + record.prepare_s).sum();
            (plan.rounds_begun(records.iter().map(|record| record.key.round)), spent_s)
        });
        let more_s = recorded.filter(|(rounds, _)| *rounds > 0).map(|(rounds, spent_s)| {
            let more = self.rounds.saturating_sub(rounds as usize);
            spent_s / f64::from(rounds) * more as f64
        });
        Self { more_s, ..self }
    }
}

/// Kinds of reasons for no advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// No study of the run has what the rule needs.
    NotMeasured,
    /// The interval spans the boundary between two values.
    Undecided,
    /// An audit that it rests on failed.
    AuditFailed,
    /// A required audit could not be carried out here.
    NotProven,
    /// The machine could not measure the figure.
    Unsupported,
}

impl NoAdvice {
    pub(crate) fn not_measured(cause: Cause) -> Self {
        Self::because(Why::NotMeasured, cause)
    }

    pub(crate) fn undecided(cause: Cause) -> Self {
        Self::because(Why::Undecided, cause)
    }

    pub(crate) fn unsupported(cause: Cause) -> Self {
        Self::because(Why::Unsupported, cause)
    }

    pub(crate) fn because(why: Why, cause: Cause) -> Self {
        Self { why, cause: Box::new(cause), study: None, effort: None, audit: None }
    }
}
