//! Figures with a spread between runs.

use super::Figure;

/// What a published spread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpreadKind {
    /// Half the width of an interval, or an unexplained ±.
    HalfWidth,
    /// Standard deviation between runs.
    StandardDeviation,
}

/// How far runs lie apart, as published.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    pub column: String,
    pub kind: SpreadKind,
    /// The figure, in its column's unit.
    pub figure: Figure,
}

/// A published figure with a spread between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    pub column: String,
    /// Whether the claim has the same figure among its own numbers (rate, latency), under this name.
    pub same_as: Option<String>,
    /// The figure, in its column's unit.
    pub figure: Option<Figure>,
    pub spread: Option<Spread>,
    /// The median of what it is the mean of.
    pub median: Option<Median>,
}

/// A published median beside a mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Median {
    pub column: String,
    /// The figure, in its column's unit.
    pub figure: Figure,
}

impl Estimate {
    /// What its figure is called among the claim's numbers.
    pub fn number(&self) -> &str {
        self.same_as.as_deref().unwrap_or(&self.column)
    }
}
