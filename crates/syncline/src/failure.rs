//! What the program ends with: one line, and an exit code that scripts can rely on.

use crate::remedy;
use model::printable;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt;
use std::process::ExitCode;

/// Why a command failed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Failure {
    /// The machine, a file or a device said no.
    Runtime(String),
    /// What would be measured is memory and no storage: no figure of it could be believed.
    Memory(String),
    /// No figure decides about a limit: not assessable never counts as kept.
    NotJudged(String),
    /// What was typed makes no sense.
    Usage(String),
    /// Several things that were typed make no sense: a line each.
    Several(Vec<String>),
    /// A signal asked to stop; what to do next.
    Interrupted(String),
}

/// Measured, but an audit failed: a number in the report cannot be believed. Or not measured, because all of them could
/// not.
pub(crate) const EXIT_AUDIT_FAILED: u8 = 3;
/// A disk of a fleet is proven slow.
pub(crate) const EXIT_DISK_SLOW: u8 = 4;
/// Neither proven that two runs keep a limit of `--fail-if`, nor that they break it.
pub(crate) const EXIT_LIMIT_UNDECIDED: u8 = 98;
/// A change that a proof was asked about is neither proven nor refuted nor harmless; a disk of a fleet is to be
/// measured again.
pub(crate) const EXIT_UNDECIDED: u8 = EXIT_LIMIT_UNDECIDED;
/// Two runs differ by more than a limit of `--fail-if` allows.
pub(crate) const EXIT_LIMIT_BROKEN: u8 = 99;
/// A change that a proof was asked about is proven worse.
pub(crate) const EXIT_REFUTED: u8 = EXIT_LIMIT_BROKEN;
pub(crate) const EXIT_RUNTIME: u8 = 1;
const EXIT_USAGE: u8 = 2;
/// 128 + SIGINT, as shells report it.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

impl Failure {
    /// The machine, a file or a device said no.
    pub(crate) fn runtime<E: fmt::Display + Any>(error: E) -> Self {
        Self::Runtime(remedy::told(&error))
    }

    /// What was typed makes no sense.
    pub(crate) fn usage<E: fmt::Display + Any>(error: E) -> Self {
        Self::Usage(remedy::told(&error))
    }

    /// The same with what to do about it.
    pub(crate) fn with(self, remedy: &str) -> Self {
        match self {
            Self::Runtime(why) => Self::Runtime(format!("{why}; {remedy}")),
            Self::Usage(why) => Self::Usage(format!("{why}; {remedy}")),
            Self::Memory(_) | Self::NotJudged(_) | Self::Several(_) | Self::Interrupted(_) => self,
        }
    }

    /// The same of this study.
    pub(crate) fn of_study(self, study: &str) -> Self {
        self.below(&format!("study {study}"))
    }

    /// The same of this rank: rank 0 prints it, and ends with the exit code that it has there.
    #[cfg(any(feature = "mpi", test))]
    pub(crate) fn on_rank(self, rank: usize) -> Self {
        self.below(&format!("rank {rank}"))
    }

    /// The same with the place where it failed before it.
    fn below(self, place: &str) -> Self {
        let placed = |why: String| format!("{place}: {why}");
        match self {
            Self::Runtime(why) => Self::Runtime(placed(why)),
            Self::Memory(why) => Self::Memory(placed(why)),
            Self::NotJudged(why) => Self::NotJudged(placed(why)),
            Self::Usage(why) => Self::Usage(placed(why)),
            Self::Several(whys) => Self::Several(whys.into_iter().map(placed).collect()),
            Self::Interrupted(next) => Self::Interrupted(placed(next)),
        }
    }

    /// The same as a clause, for a record.
    pub(crate) fn reason(&self) -> String {
        let line = self.to_string();
        line.strip_prefix("syncline: ").unwrap_or(&line).to_owned()
    }

    /// The process's exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    /// The same as a number.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::Runtime(_) => EXIT_RUNTIME,
            Self::Memory(_) => EXIT_AUDIT_FAILED,
            Self::NotJudged(_) => EXIT_UNDECIDED,
            Self::Usage(_) | Self::Several(_) => EXIT_USAGE,
            Self::Interrupted(_) => EXIT_INTERRUPTED,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runtime(why) | Self::Memory(why) | Self::NotJudged(why) | Self::Usage(why) => {
                write!(f, "syncline: {}", one_line(why))
            }
            Self::Several(whys) => {
                let lines: Vec<String> = whys.iter().map(|why| one_line(why)).collect();
                write!(f, "syncline: {}", lines.join("\n          "))
            }
            Self::Interrupted(next) => write!(f, "syncline: stopped; {next}"),
        }
    }
}

/// One line that steers no terminal, whatever a file that is quoted in it holds.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    printable(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one rank refused was an error of the machine on rank 0, and its line began with "syncline: rank 2:
    /// syncline:".
    #[test]
    fn a_failure_of_a_rank_keeps_its_exit_code() {
        let why = || "no".to_owned();
        let failures = [
            (Failure::Runtime(why()), "syncline: rank 2: no", EXIT_RUNTIME),
            (Failure::Memory(why()), "syncline: rank 2: no", EXIT_AUDIT_FAILED),
            (Failure::NotJudged(why()), "syncline: rank 2: no", EXIT_UNDECIDED),
            (Failure::Usage(why()), "syncline: rank 2: no", EXIT_USAGE),
            (Failure::Several(vec![why(), why()]), "syncline: rank 2: no\n          rank 2: no", EXIT_USAGE),
            (Failure::Interrupted(why()), "syncline: stopped; rank 2: no", EXIT_INTERRUPTED),
        ];
        for (failure, line, code) in failures {
            let sent = serde_json::to_vec(&failure).expect("written");
            let failure = serde_json::from_slice::<Failure>(&sent).expect("read").on_rank(2);
            assert_eq!((failure.to_string().as_str(), failure.exit_code()), (line, ExitCode::from(code)));
        }
    }
}
