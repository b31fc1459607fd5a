//! What the data say, and why nothing is decided.

use crate::unmeasured::Obstacle;
use model::figure::{count, ratio};
use page::{Badge, Tone};
use serde::Serialize;

/// What the data say about a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofOutcome {
    /// Proven better.
    Proven,
    /// Proven to make less than 5 % of difference.
    Harmless,
    /// Proven worse.
    Refuted,
    /// Neither.
    Undecided {
        doubt: Doubt,
        /// The smallest effect that the data could have shown, as a factor; `None` if there is no interval.
        smallest_effect: Option<f64>,
    },
}

/// Why nothing is decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The interval is too wide.
    Scatter {
        /// Rounds in all that would decide, if a realistic number is known.
        rounds_needed: Option<usize>,
    },
    /// An audit failed, or could not be carried out.
    Audit {
        audit: String,
        has_failed: bool,
        /// What it found: a sentence, printed whole.
        summary: String,
    },
    /// There is no ratio: a clause, printed whole.
    NotAssessable(String),
    /// A trial failed, so the server may have refused the setting: what the trial says, printed whole.
    TrialsFailed(String),
    /// The proof ended before it was measured: its time was up, or it was interrupted.
    NoTime,
    /// The machine or the user's server does not let it be measured, so no arm has it.
    NotPossible(Obstacle),
    /// It is taken apart only if the bundle is decided.
    BundleUndecided,
    /// No load shows the effect of the setting.
    NoLoad,
    /// The servers were not started with what is compared, because it changes nothing under this load.
    NotApplied {
        name: String,
        /// Why it changes nothing: a clause, printed whole.
        why: String,
    },
}

impl ProofOutcome {
    pub const fn badge(&self) -> Badge {
        match self {
            Self::Proven => Badge::new(Tone::Good, "proven"),
            Self::Harmless => Badge::new(Tone::Good, "harmless"),
            Self::Refuted => Badge::new(Tone::Bad, "refuted"),
            Self::Undecided { .. } => Badge::new(Tone::Warn, "undecided").with_symbol("?"),
        }
    }

    /// What a change did under one load, in a word.
    pub(crate) const fn effect(&self) -> &'static str {
        match self {
            Self::Proven => "faster",
            Self::Harmless => "equal",
            Self::Refuted => "slower",
            Self::Undecided { .. } => "undecided",
        }
    }

    /// What a measured difference amounts to: the end of a sentence, with a colon before it; empty if the difference is
    /// the whole.
    pub(crate) fn conclusion(&self) -> String {
        match self {
            Self::Proven | Self::Refuted => String::new(),
            Self::Harmless => {
                let margin = model::figure::exact_percent(verdict::EQUIVALENCE_MARGIN - 1.0);
                format!(": proven to lie within {margin}")
            }
            Self::Undecided { doubt, smallest_effect } => {
                let seen = smallest_effect.filter(|_| matches!(doubt, Doubt::Scatter { .. }));
                let seen = seen.map_or_else(String::new, |factor| {
                    format!("; an effect below about {} could not have been seen", ratio(factor))
                });
                format!(": {}{seen}", doubt.text())
            }
        }
    }
}

impl Doubt {
    /// Why nothing is decided: a clause, or what an audit or a trial says.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Scatter { rounds_needed: Some(rounds) } => {
                let rounds = count(*rounds, "round");
                format!("neither a difference nor equality is proven; about {rounds} would decide")
            }
            Self::Scatter { rounds_needed: None } => "neither a difference nor equality is proven".to_owned(),
            Self::Audit { audit, has_failed: true, summary } => {
                format!("the audit {audit} failed: {summary}")
            }
            Self::Audit { audit, has_failed: false, summary } => {
                format!("the audit {audit} could not be carried out: {summary}")
            }
            Self::NotAssessable(why) => format!("there is no ratio: {why}"),
            Self::TrialsFailed(why) => format!("no trial succeeded: {why}"),
            Self::NoTime => "the proof ended before it was measured".to_owned(),
            Self::NotPossible(obstacle) => format!("it was not measured: {}", obstacle.text()),
            Self::BundleUndecided => {
                "all changes together are undecided, so they were not taken apart".to_owned()
            }
            Self::NotApplied { name, why } => format!("{name} was not applied: {why}"),
            Self::NoLoad => "no load of Syncline shows what it does".to_owned(),
        }
    }
}
