//! Figures with a spread between runs.

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
    /// Its column.
    pub column: String,
    /// What it is.
    pub kind: SpreadKind,
    /// The figure, in its column's unit.
    pub value: f64,
    /// Step of the last digit printed; 0 if the figure was not rounded.
    pub resolution: f64,
}

/// A published figure with a spread between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its column.
    pub column: String,
    /// Whether the row has the same figure among its own numbers (rate, latency), under this name.
    pub same_as: Option<String>,
    /// The figure, in its column's unit.
    pub value: Option<f64>,
    /// Its spread.
    pub spread: Option<Spread>,
    /// The median of what it is the mean of, with its column and the step of its last digit.
    pub median: Option<Median>,
    /// Step of the figure's last digit printed; 0 if it was not rounded.
    pub step: f64,
}

/// A published median beside a mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Median {
    /// Its column.
    pub column: String,
    /// The figure, in its column's unit.
    pub value: f64,
    /// Step of the last digit printed; 0 if the figure was not rounded.
    pub step: f64,
}

impl Estimate {
    /// What its figure is called among the row's numbers.
    pub(crate) fn number(&self) -> &str {
        self.same_as.as_deref().unwrap_or(&self.column)
    }
}
