//! The limits of a finding.

use super::NoFloor;
use super::subject::list;
use crate::estimate::Estimate;
use crate::quantity::times;
use model::Value;
use model::durability::DurabilityClass;
use model::figure::{agreeing, count, exact_percent, ratio, ratios};
use model::units::format_significant;
use serde::Serialize;

/// A limit of a finding. Its texts come from an audit, whose text is printed whole, or from records.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// An audit that it rests on failed.
    AuditFailed { audit: String, summary: String },
    /// A required audit could not be carried out.
    NotProven {
        audit: String,
        /// Its summary, if it has one.
        summary: Option<String>,
    },
    /// An audit's caveat about this comparison.
    Audit(String),
    /// The two sides differ in durability: the difference is the price of the stronger class.
    Durability {
        /// Classes of the level's trials.
        level: Vec<DurabilityClass>,
        /// Classes of the baseline's trials.
        baseline: Vec<DurabilityClass>,
    },
    /// Other factors stayed at one level.
    HeldAt {
        /// Their levels: `filesystem=host mode=buffered`.
        levels: String,
        /// Whether these are the study's baseline, and not named by the ask.
        is_baseline: bool,
    },
    /// Files were not made again each round, so the study has seen only one placement on the device.
    OnePlacement,
    /// A cell has too few complete rounds.
    CellLeftOut {
        cell: String,
        rounds: usize,
        /// Complete rounds of the best cell.
        of_rounds: usize,
    },
    /// In some rounds a trial is missing.
    RoundsLeftOut {
        /// Number of those rounds.
        rounds: usize,
        /// Number of all rounds.
        of_rounds: usize,
    },
    /// Levels that have no place on the axis.
    LevelsLeftOut(Vec<Value>),
    /// It is unknown how far two identical arms differ, so intervals alone decide.
    NoNoiseFloor { why: NoFloor },
    /// The A/A arm differs from the baseline: order or state leaks between trials.
    BaselineDiffersFromItself(Estimate),
    /// Neighbouring rounds resemble each other more than chance explains, so intervals are notably wider than those of
    /// independent rounds.
    DependentRounds {
        /// The correlation of neighbouring rounds that intervals allow for.
        correlation: f64,
        /// Factor of their width on the logarithmic scale.
        widened_by: f64,
    },
    /// The effect is not the same in every cell.
    Interaction {
        /// p-value of the interaction.
        p: f64,
        /// The cell farthest from the mean over cells, and how far, as a ratio of at least 1.
        farthest: CellRatio,
        /// The cells' range, if it would change what a reader does.
        range: Option<CellRange>,
    },
    /// The trend is not a straight line.
    Bend {
        /// The level farthest off it.
        level: Value,
        /// How far, as a ratio of at least 1.
        departure: f64,
        /// Whether the trend turns.
        is_turning: bool,
    },
    /// At these levels two arms differ by less than the noise floor, so the answer there is undecided.
    InsideNoise(Vec<Value>),
    /// Smaller levels that the noise floor hides: proven neither to be enough nor to be too little.
    MaybeEnough(Vec<Value>),
    /// The noise floor is wider than the tolerance for "near the best".
    NoiseBeyondTolerance { tolerance: f64 },
    /// Enough on average over the cells, but less in these, each as a ratio to its best level.
    LessInCells(Vec<CellRatio>),
    /// The best level is the last of the range: higher ones may be better still.
    BestIsLast,
    /// Levels between the answer and the end of the range are not proven to keep the limit.
    Gaps,
    /// Levels that are closer to the limit than two identical arms are to each other.
    NearLimit(Vec<Value>),
    /// Levels whose ratio lies inside the noise floor share a number, even if they differ significantly.
    TiedByNoise,
}

/// What a remark limits.
pub struct Limited<'a> {
    /// The factor of the ask, or the parameters in which two arms differ.
    pub factor: &'a str,
    pub title: &'a str,
    /// The noise floor that applied.
    pub noise_floor: Option<f64>,
}

impl Limited<'_> {
    fn floor(&self) -> String {
        let known = self.noise_floor.map(|floor| format!("noise floor of {}", ratio(floor)));
        known.unwrap_or_else(|| "noise floor".to_owned())
    }
}

impl Remark {
    /// Whether it limits a comparison of two arms and has to be stated with it: the caller states audits and the noise
    /// floor by itself, and the other remarks are not about comparisons.
    pub fn limits_a_comparison(&self) -> bool {
        match self {
            Self::CellLeftOut { .. }
            | Self::RoundsLeftOut { .. }
            | Self::Audit(_)
            | Self::Interaction { .. } => true,
            Self::AuditFailed { .. }
            | Self::NotProven { .. }
            | Self::Durability { .. }
            | Self::HeldAt { .. }
            | Self::OnePlacement
            | Self::LevelsLeftOut(_)
            | Self::NoNoiseFloor { .. }
            | Self::BaselineDiffersFromItself(_)
            | Self::DependentRounds { .. }
            | Self::Bend { .. }
            | Self::InsideNoise(_)
            | Self::MaybeEnough(_)
            | Self::NoiseBeyondTolerance { .. }
            | Self::LessInCells(_)
            | Self::BestIsLast
            | Self::Gaps
            | Self::NearLimit(_)
            | Self::TiedByNoise => false,
        }
    }

    pub fn text(&self, limited: &Limited<'_>) -> String {
        let Limited { factor, title, noise_floor: _ } = limited;
        let floor = || limited.floor();
        match self {
            Self::AuditFailed { audit, summary } => format!("Audit {audit} failed: {summary}"),
            Self::NotProven { audit, summary: Some(summary) } => {
                format!("Not proven: audit {audit} could not be carried out here: {summary}")
            }
            Self::NotProven { audit, summary: None } => {
                format!("Not proven: audit {audit} could not be carried out for every configuration that this \
                    rests on.")
            }
            Self::Audit(text) => text.clone(),
            Self::Durability { .. } => {
                "Acknowledged writes on the two sides differ in durability: the difference is the price of the \
                 stronger class.".to_owned()
            }
            Self::HeldAt { levels, is_baseline } => {
                let whose = if *is_baseline { ", the study's baseline" } else { "" };
                format!("Measured at {levels} only{whose}.")
            }
            Self::OnePlacement => {
                "Files were not made again each round, so the finding is limited to this placement on the \
                 device.".to_owned()
            }
            Self::CellLeftOut { cell, rounds, of_rounds } => {
                format!("{cell} is left out: {} of {of_rounds}.", count(*rounds, "complete round"))
            }
            Self::RoundsLeftOut { rounds, of_rounds } => {
                format!("{} of {of_rounds} left out, because a trial is missing there.", count(*rounds, "round"))
            }
            Self::LevelsLeftOut(levels) => {
                let is = agreeing(levels.len(), "is", "are");
                format!("{factor} = {} {is} not on the axis and {is} left out.", list(levels))
            }
            Self::NoNoiseFloor { why } => format!(
                "How far {title} differs between two identical arms is unknown ({}), so intervals alone decide.",
                why.text()
            ),
            Self::BaselineDiffersFromItself(estimate) => {
                let interval = estimate.interval.map(|interval| format!(" ({})", ratios(interval)));
                let by = times(estimate) + &interval.unwrap_or_default();
                format!("The baseline differs from itself by {by}: order or state leaks between trials.")
            }
            Self::DependentRounds { correlation, widened_by } => format!(
                "Neighbouring rounds seem to resemble each other, so intervals allow for a correlation of \
                 {correlation:.2} and are {} times as wide.",
                format_significant(*widened_by)
            ),
            Self::Interaction { p, farthest: CellRatio { cell, ratio: departure }, range: _ } => format!(
                "The effect of {factor} depends on the other factors (p = {p:.2e}): at {cell} it is {} away \
                 from the mean.",
                ratio(*departure)
            ),
            Self::Bend { level, departure, is_turning } => {
                let turns = if *is_turning { ", and it turns" } else { "" };
                format!(
                    "The trend is not a straight line on logarithmic axes{turns}: {factor} = {level} is {} off it.",
                    ratio(*departure)
                )
            }
            Self::InsideNoise(levels) => {
                format!("Inside the {}, so undecided there: {factor} = {}.", floor(), list(levels))
            }
            Self::MaybeEnough(levels) => format!(
                "Inside the {} of the best level, so neither proven to be enough nor too little: {factor} = {}.",
                floor(),
                list(levels)
            ),
            Self::NoiseBeyondTolerance { tolerance } => format!(
                "The {} is wider than the {} that counts as near the best: identical levels may differ by more.",
                floor(),
                exact_percent(*tolerance)
            ),
            Self::LessInCells(cells) => {
                let less = cells.iter().map(|it| format!("{} of it at {}", ratio(it.ratio), it.cell));
                let less = less.collect::<Vec<_>>().join(", ");
                format!("That holds on average; the level gives less of the best in some combinations of the other \
                    factors: {less}.")
            }
            Self::BestIsLast => "The best level is the last of the range: levels beyond it may be better \
                still.".to_owned(),
            Self::Gaps => {
                "Some levels between this one and its end of the range are not proven to keep the limit: this \
                 level works, but is not a border.".to_owned()
            }
            Self::NearLimit(levels) => format!(
                "Closer to the limit than the {}: {factor} = {}; another session may find it on the other side.",
                floor(),
                list(levels)
            ),
            Self::TiedByNoise => {
                format!("Levels whose ratio lies inside the {} share a number, even if they differ \
                    significantly.", floor())
            }
        }
    }
}

/// A cell with a ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellRatio {
    /// The other factors' levels: `group_size=4`.
    pub cell: String,
    /// The ratio.
    pub ratio: f64,
}

/// The cells with the least and the largest ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellRange {
    pub least: CellRatio,
    pub most: CellRatio,
}
