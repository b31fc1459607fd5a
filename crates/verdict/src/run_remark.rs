//! What is to be known of a run as a whole. As a diagnostic it carries its text.

use model::figure::count;
use serde::Serialize;
use std::fmt;

/// What is to be known of a run as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunRemark {
    /// What was noticed when its records were read, such as a torn line.
    Read(String),
    /// Its trials come from several sessions.
    Resumed {
        /// How many.
        sessions: usize,
    },
    /// Trials without a record.
    Missing {
        /// The study.
        study: String,
        /// So many.
        trials: usize,
        /// Of so many.
        of_trials: usize,
    },
    /// Records that repeat a trial.
    Repeated {
        /// The study.
        study: String,
        /// So many.
        records: usize,
    },
    /// Records that name a round or configuration that the plan does not have.
    Unplanned {
        /// The study.
        study: String,
        /// So many.
        records: usize,
    },
    /// A study that the machine does not permit.
    Skipped {
        /// The study.
        study: String,
        /// Why.
        why: String,
    },
    /// Records that belong to no study of the plan.
    OfNoStudy {
        /// So many.
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
                    "{study}: {} of a trial recorded already; one of each counts.",
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
