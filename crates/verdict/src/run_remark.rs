//! What a reader has to know about a run as a whole.

use model::figure::count;
use serde::Serialize;

/// A remark about a run as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunRemark {
    /// A remark from reading its records, such as a torn line.
    Read(String),
    /// Its trials come from several sessions.
    Resumed { sessions: usize },
    /// Trials without a record.
    Missing {
        study: String,
        /// Number of missing trials.
        trials: usize,
        /// Number of planned trials.
        of_trials: usize,
        /// Whether the run can be resumed to measure them.
        is_resumable: bool,
    },
    /// Records that repeat a trial.
    Repeated { study: String, records: usize },
    /// Records that name a round or configuration that the plan does not have.
    Unplanned { study: String, records: usize },
    /// A study that cannot run on this machine.
    Skipped { study: String, why: String },
    /// Records that belong to no study of the plan.
    OfNoStudy { records: usize },
}

impl RunRemark {
    /// A sentence or two.
    pub fn text(&self) -> String {
        match self {
            Self::Read(remark) => remark.clone(),
            Self::Resumed { sessions } => {
                format!("The run was resumed: its trials come from {sessions} sessions.")
            }
            Self::Missing { study, trials, of_trials, is_resumable } => {
                let way_out = if *is_resumable { "; resume the run to run them" } else { "" };
                format!("{study}: {trials} of {} have no record{way_out}.", count(*of_trials, "trial"))
            }
            Self::Repeated { study, records } => {
                format!(
                    "{study}: {} of an already recorded trial; one record counts for each trial.",
                    count(*records, "record")
                )
            }
            Self::Unplanned { study, records } => format!(
                "{study}: {} with a round or configuration that is not in the plan, left out.",
                count(*records, "record")
            ),
            Self::Skipped { study, why } => format!("{study} was skipped: {why}"),
            Self::OfNoStudy { records } => {
                format!("{} of a study that is not in the plan, left out.", count(*records, "record"))
            }
        }
    }
}
