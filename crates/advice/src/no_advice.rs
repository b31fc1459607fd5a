//! Why no value is decided, and what would decide it.

use crate::cause::Cause;
use crate::verb::Verb;
use model::run::Run;
use model::trial::TrialRecord;
use model::units::format_elapsed;
use serde::Serialize;
use std::fmt;

/// Seconds that a proof takes: the default budget of `syncline prove`.
const PROOF_S: f64 = 600.0;
/// Seconds that a proof of all settings takes: the budget that its command has.
const RACE_OF_ALL_S: f64 = 3600.0;
/// The most settings that a command names.
const NAMED_MAX: usize = 3;

/// Why no value is decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoAdvice {
    /// The kind of reason.
    pub why: Why,
    pub cause: Box<Cause>,
    /// What would decide it, if that is known.
    pub needs: Option<Needs>,
    /// The audit that withholds it.
    pub audit: Option<Box<Withheld>>,
}

/// An audit that withholds an advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Withheld {
    pub audit: String,
    /// The study in which it failed, or could not be carried out.
    pub study: String,
}

/// What would decide a setting, if effect and spread stay as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Needs {
    pub command: Command,
    /// How long it takes about, if that is known, seconds.
    pub seconds: Option<f64>,
    /// The run that the command is about.
    #[serde(skip)]
    pub run: RunName,
}

/// How a command names the run that it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunName {
    /// As a word that the reader replaces: a file may be read on another machine.
    #[default]
    Placeholder,
    /// By its path, as a shell takes it.
    Path(String),
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Placeholder => "RUN",
            Self::Path(path) => path,
        })
    }
}

/// A command of Syncline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// `syncline run`: all that the answer measures.
    RunAnswer,
    /// `syncline run` with a study that this run lacks.
    Run {
        /// The study and its levels, as the command line has them.
        study: String,
    },
    /// `syncline run` with a study of this run, and more rounds.
    Rounds { study: String, profile: String, rounds: usize },
    /// `syncline prove` of everything that the run advises: the database itself decides.
    ProveAdvice {
        /// What `--for` calls the database.
        database: String,
    },
    /// `syncline prove` with the candidates of some settings: the database itself decides.
    Prove {
        /// What `--for` calls the database.
        database: String,
        settings: Vec<String>,
    },
    /// `syncline prove` with the candidates of every setting, which takes longer.
    ProveAll {
        /// What `--for` calls the database.
        database: String,
    },
    /// `syncline advise` with the counters of the user's server.
    ReadServer,
    /// `syncline advise` for one database.
    Advise {
        /// What `--for` calls the database.
        database: String,
    },
    /// `syncline run` for one database.
    RunFor {
        /// What `--for` calls the database.
        database: String,
    },
}

impl Command {
    /// As it is typed, about this run.
    pub fn text(&self, run: &RunName) -> String {
        match self {
            Self::RunAnswer => "syncline run".to_owned(),
            Self::Run { study } => format!("syncline run {study}"),
            Self::Rounds { study, profile, rounds } => {
                format!("syncline run {study} --profile {profile} --rounds {rounds}")
            }
            Self::ProveAdvice { database } => format!("syncline prove {run} --for {database}"),
            Self::Prove { database, settings } => {
                format!("syncline prove {run} --for {database} --settings {}", settings.join(","))
            }
            Self::ProveAll { database } => {
                format!("syncline prove {run} --for {database} --settings all --budget 1h")
            }
            Self::ReadServer => format!("syncline advise {run} --dsn CONNECTION"),
            Self::Advise { database } => format!("syncline advise {run} --for {database}"),
            Self::RunFor { database } => format!("syncline run --for {database}"),
        }
    }

    /// What it does about a setting.
    const fn verb(&self) -> Verb {
        match self {
            Self::RunAnswer
            | Self::Run { .. }
            | Self::Rounds { .. }
            | Self::RunFor { .. }
            | Self::ReadServer
            | Self::Advise { .. } => Verb::Measure,
            Self::ProveAdvice { .. } | Self::Prove { .. } | Self::ProveAll { .. } => Verb::Prove,
        }
    }
}

impl Needs {
    /// `to measure it: syncline run committers (about 50 s)`, `to prove it: syncline prove RUN --for postgresql (about
    /// 10 min)`.
    pub fn text(&self) -> String {
        let purpose = match self.verb() {
            Verb::Prove => "to prove it",
            _ => "to measure it",
        };
        format!("{purpose}: {}", self.command_text())
    }

    /// `syncline run committers (about 50 s)`.
    pub(crate) fn command_text(&self) -> String {
        format!("{}{}", self.command.text(&self.run), self.time())
    }

    pub(crate) fn verb(&self) -> Verb {
        self.command.verb()
    }

    /// This command of Syncline, about the run that the reader names.
    pub const fn new(command: Command, seconds: Option<f64>) -> Self {
        Self { command, seconds, run: RunName::Placeholder }
    }

    /// An estimated time has no seconds behind its minutes.
    fn time(&self) -> String {
        match self.seconds {
            None => String::new(),
            Some(seconds) if seconds < 60.0 => format!(" (about {})", format_elapsed(seconds)),
            Some(seconds) => format!(" (about {:.0} min)", seconds / 60.0),
        }
    }

    /// A proof on the database itself.
    pub(crate) fn proof(database: &str, setting: &str) -> Self {
        let command = Command::Prove { database: database.to_owned(), settings: vec![setting.to_owned()] };
        Self::new(command, Some(PROOF_S))
    }

    /// A proof of everything that the run advises for a database.
    pub(crate) fn proof_of_advice(database: &str) -> Self {
        Self::new(Command::ProveAdvice { database: database.to_owned() }, Some(PROOF_S))
    }

    /// The one command that does both; `None` if there is none.
    pub fn together(&self, other: &Self) -> Option<Self> {
        match (&self.command, &other.command) {
            (one, another) if one == another => Some(self.clone()),
            (Command::Prove { database, settings }, Command::Prove { database: of, settings: more })
                if database == of =>
            {
                let settings: Vec<String> = settings.iter().chain(more).cloned().collect();
                let database = database.clone();
                Some(if settings.len() > NAMED_MAX {
                    let seconds = Some(RACE_OF_ALL_S);
                    Self { command: Command::ProveAll { database }, seconds, run: self.run.clone() }
                } else {
                    Self { command: Command::Prove { database, settings }, ..self.clone() }
                })
            }
            (Command::ProveAll { database }, Command::Prove { database: of, .. }) if database == of => {
                Some(self.clone())
            }
            (_, _) => None,
        }
    }

    /// This number of rounds in all, at the pace of those recorded.
    pub(crate) fn rounds(run: &Run, study: &str, rounds: usize) -> Option<Self> {
        let plan = run.plan.studies.iter().find(|plan| plan.name == study)?;
        let records: Vec<&TrialRecord> = run.of_study(plan).collect();
        let spent_s: f64 = records.iter().map(|record| record.wall_s + record.prepare_s).sum();
        let recorded = plan.rounds_begun(records.iter().map(|record| record.key.round));
        let seconds = (recorded > 0).then(|| spent_s / f64::from(recorded) * rounds as f64);
        let (study, profile) = (study.to_owned(), plan.profile.clone());
        Some(Self::new(Command::Rounds { study, profile, rounds }, seconds))
    }
}

/// Kinds of reasons for no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// No study of the run has what the rule needs.
    NotMeasured,
    /// What was measured does not decide it.
    Undecided,
    /// An audit that it rests on failed.
    AuditFailed,
    /// A required audit could not be carried out here.
    NotProven,
    /// The machine could not measure the figure.
    Unsupported,
    /// The question does not arise.
    DoesNotApply,
}

impl Why {
    /// In a word or two.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NotMeasured => "not measured",
            Self::Undecided => "undecided",
            Self::AuditFailed => "audit failed",
            Self::NotProven => "not proven",
            Self::Unsupported => "unsupported",
            Self::DoesNotApply => "n/a",
        }
    }
}

impl NoAdvice {
    /// Why nothing is decided, and what would: a clause without a full stop.
    pub(crate) fn text(&self) -> String {
        let cause = self.cause.text();
        let cause = cause.strip_suffix('.').unwrap_or(&cause);
        match &self.needs {
            Some(needs) => format!("{cause}; {}", needs.text()),
            None => cause.to_owned(),
        }
    }

    /// What would decide it, if anything would.
    pub(crate) fn verb(&self) -> Verb {
        self.needs.as_ref().map_or(Verb::Unmeasurable, Needs::verb)
    }

    pub(crate) fn not_measured(cause: Cause) -> Self {
        Self::because(Why::NotMeasured, cause)
    }

    pub(crate) fn undecided(cause: Cause) -> Self {
        Self::because(Why::Undecided, cause)
    }

    pub(crate) fn unsupported(cause: Cause) -> Self {
        Self::because(Why::Unsupported, cause)
    }

    /// For this kind of reason.
    pub fn because(why: Why, cause: Cause) -> Self {
        Self { why, cause: Box::new(cause), needs: None, audit: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal printed RUN although the run's path was known.
    #[test]
    fn a_command_names_the_run_by_its_path_if_that_is_known() {
        let path = RunName::Path("runs/a".to_owned());
        let proof = Needs::proof("postgresql", "commit_delay");
        assert_eq!(proof.run, RunName::Placeholder);
        for command in [proof.command, Command::ReadServer, Command::Advise { database: "etcd".to_owned() }] {
            let (named, general) = (command.text(&path), command.text(&RunName::Placeholder));
            assert_eq!(named, general.replace("RUN", "runs/a"));
            assert!(general.contains("RUN"), "{general}");
        }
        // The one command for several settings is about the same run.
        let of = |setting: &str| Needs { run: path.clone(), ..Needs::proof("postgresql", setting) };
        let together = ["b", "c", "d"].into_iter().map(of).try_fold(of("a"), |all, next| all.together(&next));
        assert_eq!(together.map(|needs| needs.run), Some(path.clone()));
    }
}
