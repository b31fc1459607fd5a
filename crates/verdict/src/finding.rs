//! A finding is data: what was asked, of which levels, how it came out, how well that is proven and what limits it. It holds
//! no sentence: `report` has the words.

mod answer;
mod evidence;
mod outcome;
mod outlook;
mod reason;
mod remark;
mod subject;

pub use answer::Answer;
pub use evidence::{Counter, Figures, Proof};
pub use outcome::{At, Group, Limit, Opposing, Outcome, Proven, Ranked, Side};
pub use outlook::Outlook;
pub use reason::{NoReference, Reason};
pub use remark::{CellRange, CellRatio, Remark};
pub use subject::{Asked, Held, Levels, Rung, Subject};

use crate::basis::Basis;
use crate::estimate::{self, Estimate};
use serde::Serialize;
use stats::Decided;

/// The answer to one ask about one metric, and about one pair of levels where the ask compares.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What was asked.
    pub ask: Asked,
    /// Full metric name.
    pub metric: String,
    /// The levels that it is about.
    pub subject: Subject,
    /// How it came out.
    pub outcome: Outcome,
    /// What would decide it: there is one exactly where [`Finding::answer`] is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// What both sides of the ratio came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
    /// The main effect with its interval, where the ask gives a ratio: level ÷ baseline, or last level ÷ first.
    pub ratio: Option<Estimate>,
    /// Descriptive ratios by the levels of the other factors, for the forest plot; of one figure for all levels, each level's
    /// own figure.
    pub by_cell: Vec<(String, Estimate)>,
    /// What stands behind it.
    pub proof: Proof,
    /// The configurations that it rests on, and what it tells the effect of: a failed audit of these takes it away.
    pub rests_on: Basis,
    /// What the kernel counted on both sides.
    pub mechanism: Vec<Counter>,
    /// What limits it.
    pub remarks: Vec<Remark>,
}

impl Finding {
    /// One of the four answers.
    pub fn answer(&self) -> Answer {
        self.outcome.answer()
    }

    /// More rounds that would decide it, where it is undecided and that can be told.
    pub fn rounds_needed(&self) -> Option<usize> {
        match self.outlook? {
            Outlook::Rounds { more, .. } => Some(more),
            Outlook::TooMany { .. } | Outlook::InsideNoise { .. } | Outlook::OutOfSight => None,
        }
    }

    /// Gives it the effect and the answer of a comparison.
    pub(crate) fn conclude(&mut self, decision: &Decided, answer: stats::Answer, is_steady: bool) {
        self.ratio = Some(estimate::of_interval(&decision.ratio.interval));
        self.outcome = match answer {
            stats::Answer::Different => {
                // What comes and goes along a factor may leave no slope; it is not small for that.
                Outcome::Different { is_small: is_steady && decision.equivalence.equivalent, is_steady }
            }
            stats::Answer::Equivalent => Outcome::Equivalent,
            stats::Answer::Undecided { rounds_needed } => {
                let floor = self.proof.noise_floor.filter(|_| decision.inside_noise);
                self.outlook = Some(Outlook::of_rounds(rounds_needed, self.proof.rounds, floor));
                Outcome::Undecided
            }
        };
    }

    /// Whether both are about the same question: a durability ladder and the comparisons beside it are two.
    pub fn is_of_ask(&self, other: &Self) -> bool {
        (self.ask.place, self.subject.is_ladder()) == (other.ask.place, other.subject.is_ladder())
    }

    /// [`Self::is_of_ask`] about the same metric.
    pub fn is_of_topic(&self, other: &Self) -> bool {
        self.is_of_ask(other) && self.metric == other.metric
    }
}
