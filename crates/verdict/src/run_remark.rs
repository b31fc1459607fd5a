//! Remarks about a run as a whole. Like a diagnostic, each carries its text.

use model::figure::count;
use serde::Serialize;
use std::fmt;

/// A remark about a run as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunRemark {
    /// A remark from reading its records, such as a torn line.
    Read(String),
    /// Its trials come from several sessions.
    Resumed {
        /// Number of sessions.
        sessions: usize,
    },
    /// Trials without a record.
    Missing {
        /// The study.
        study: String,
        /// Number of missing trials.
        trials: usize,
        /// Number of planned trials.
        of_trials: usize,
    },
    /// Records that repeat a trial.
    Repeated {
        /// The study.
        study: String,
        /// Number of records.
        records: usize,
    },
    /// Records that name a round or configuration that the plan does not have.
    Unplanned {
        /// The study.
        study: String,
        /// Number of records.
        records: usize,
    },
    /// A study that cannot run on this machine.
    Skipped {
        /// The study.
        study: String,
        /// Why.
        why: String,
    },
    /// Records that belong to no study of the plan.
    OfNoStudy {
        /// Number of records.
        records: usize,
    },
}

impl fmt::Display for RunRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(remark) => f.write_str(remark),
            Self::Resumed { sessions } => {
                write!(f, "The run was resumed: its trials come from {sessions} sessions.")
            }
            Self::Missing { study, trials, of_trials } => {
                write!(
                    f,
                    "{study}: {trials} of {} have no record; resume the run to run them.",
                    count(*of_trials, "trial")
                )
            }
            Self::Repeated { study, records } => {
                write!(
                    f,
                    "{study}: {} of an already recorded trial; one record counts for each trial.",
                    count(*records, "record")
                )
            }
            Self::Unplanned { study, records } => write!(
                f,
                "{study}: {} with a round or configuration that is not in the plan, left out.",
                count(*records, "record")
            ),
            Self::Skipped { study, why } => write!(f, "{study} was skipped: {why}"),
            Self::OfNoStudy { records } => {
                write!(f, "{} of a study that is not in the plan, left out.", count(*records, "record"))
            }
        }
    }
}
