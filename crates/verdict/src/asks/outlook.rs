//! What would decide an answer that the data leave open: so many rounds, or why that cannot be told.

use crate::estimate;
use crate::phrase::ratio;
use crate::verdict::{Answer, Finding};
use stats::{Decision, Rule};

/// Numbers of rounds beyond this are not told.
const ROUNDS_TOLD_MAX: usize = 200;

/// What would decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outlook {
    /// So many rounds in all, if effect and spread stay as they are.
    Rounds(usize),
    /// The effect lies inside the A/A noise floor, which this is.
    InsideNoise(f64),
    /// No number of rounds that anybody would run.
    OutOfSight,
}

impl Outlook {
    /// After this many rounds in all, where that is known; otherwise the noise floor is why, if there is one that matters.
    pub(super) fn of_rounds(rounds: Option<usize>, inside_noise: Option<f64>) -> Self {
        match (rounds, inside_noise) {
            (Some(rounds), _) => Self::Rounds(rounds),
            (None, Some(floor)) => Self::InsideNoise(floor),
            (None, None) => Self::OutOfSight,
        }
    }

    /// Of a comparison.
    pub(super) fn of(decision: &Decision, rounds: Option<usize>, rule: &Rule) -> Self {
        Self::of_rounds(rounds, decision.inside_noise.then_some(rule.noise_floor))
    }

    /// `about 14 rounds in all would`, behind a sentence that says what; or why that cannot be told.
    pub(super) fn words(self) -> String {
        self.told("")
    }

    /// The same by itself: `about 14 rounds in all would decide it`.
    pub(super) fn clause(self) -> String {
        self.told(" decide it")
    }

    fn told(self, what: &str) -> String {
        match self {
            // Nobody runs so many, and the estimate is no better than the spread that it is made of.
            Self::Rounds(total) if total > ROUNDS_TOLD_MAX => {
                format!("more than {ROUNDS_TOLD_MAX} rounds in all would{what}")
            }
            Self::Rounds(total) => format!("about {total} rounds in all would{what}"),
            Self::InsideNoise(floor) => format!(
                "the effect lies inside the A/A noise floor of {}, so how many rounds would{what} cannot be told",
                ratio(floor)
            ),
            Self::OutOfSight => format!("no realistic number of rounds would{what}"),
        }
    }

    /// Leaves a finding undecided after so many rounds, with what would decide it.
    pub(super) fn leaves_open(self, finding: &mut Finding, have: usize) {
        finding.answer = Answer::Undecided;
        finding.way_out = Some(self.clause());
        finding.rounds_needed = match self {
            Self::Rounds(total) if total <= ROUNDS_TOLD_MAX => Some(total.saturating_sub(have)),
            Self::Rounds(_) | Self::InsideNoise(_) | Self::OutOfSight => None,
        };
    }
}

/// Gives a finding the effect and the answer of a comparison of so many rounds.
pub(super) fn conclude(
    finding: &mut Finding,
    decision: &Decision,
    answer: stats::Answer,
    rule: &Rule,
    have: usize,
) {
    finding.ratio = Some(estimate::of_interval(&decision.ratio.interval));
    match answer {
        stats::Answer::Different => finding.answer = Answer::Different,
        stats::Answer::Equivalent => finding.answer = Answer::Equivalent,
        stats::Answer::Undecided { rounds_needed } => {
            Outlook::of(decision, rounds_needed, rule).leaves_open(finding, have);
        }
    }
}
