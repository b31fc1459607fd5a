//! What a decision asks for.

use page::{Badge, Tone};

/// What to do, in the order in which it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Set another value.
    Change,
    /// Prove another value on the database: the disk predicts that it is better.
    Candidate,
    /// Leave the value in use.
    Keep,
    /// Not a setting.
    Result,
    /// The database itself decides: a proof on it.
    Prove,
    /// Another study, or more rounds, would decide it.
    Measure,
    /// No study and no proof of Syncline decides it.
    Unmeasurable,
    /// An audit withholds it.
    Withheld,
    /// The question does not arise here.
    DoesNotApply,
}

impl Verb {
    /// In a word or two.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Candidate => "candidate",
            Self::Keep => "keep",
            Self::Result => "result",
            Self::Prove => "prove",
            Self::Measure => "measure",
            Self::Unmeasurable => "unknown",
            Self::Withheld => "withheld",
            Self::DoesNotApply => "n/a",
        }
    }

    pub(crate) const fn badge(self) -> Badge {
        let (tone, symbol) = match self {
            Self::Change => (Tone::Good, "✓"),
            Self::Candidate => (Tone::Plain, "→"),
            Self::Keep | Self::Result => (Tone::Faint, "="),
            Self::Prove | Self::Measure => (Tone::Warn, "!"),
            Self::Unmeasurable => (Tone::Faint, "?"),
            Self::Withheld => (Tone::Bad, "✕"),
            Self::DoesNotApply => (Tone::Faint, "–"),
        };
        Badge::new(tone, self.name()).with_symbol(symbol)
    }

    /// Whether it decides nothing.
    pub(crate) const fn is_open(self) -> bool {
        match self {
            Self::Change | Self::Candidate | Self::Keep | Self::Result => false,
            Self::Prove | Self::Measure | Self::Unmeasurable | Self::Withheld | Self::DoesNotApply => true,
        }
    }
}
