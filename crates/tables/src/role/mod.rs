//! The roles a column can play.

mod apply;
mod names;

pub use names::role_help;

use laws::{LatencyFigure, Timed};

/// What a column means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    /// Part of the row's name.
    Label,
    /// A knob by its column's name.
    Knob,
    /// Anything that [`Role::apply`] puts in its place, with the factor to the unit of [`Claim`](laws::Claim).
    Field(Field, f64),
    /// A figure of one of the row's latencies, with the factor to nanoseconds.
    Latency(Timed, LatencyFigure, f64),
    /// A figure that is only shown and judged by its spread.
    Figure,
    /// Half width of an interval around the figure of another column.
    HalfWidthOf(String),
    /// Standard deviation between runs of the figure of another column.
    DeviationOf(String),
    /// Both ends of an interval around the figure of another column.
    IntervalOf(String),
    /// Median of what the figure of another column is the mean of.
    MedianOf(String),
}

/// A field of a [`Claim`](laws::Claim).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Rw,
    Mode,
    LogMode,
    Direct,
    Engine,
    Iops,
    Bandwidth,
    CommitsPerS,
    ReadsPerCommit,
    Rank,
    N,
    Operations,
    Runtime,
    BlockBytes,
    Iodepth,
    Numjobs,
    InFlight,
    Synced,
    Sync,
    Durability,
    SynchronousCommit,
    System,
    OnDevice,
    FileBytes,
    MemoryCap,
    Memory,
    Passes,
    CacheDrops,
    RateLimit,
}

impl Role {
    /// Whether it is about the figure of another column.
    pub(crate) const fn is_partner(&self) -> bool {
        matches!(self, Self::HalfWidthOf(_) | Self::DeviationOf(_) | Self::IntervalOf(_) | Self::MedianOf(_))
    }

    /// Whether it is a result, and no setting.
    pub(crate) const fn is_measured(&self) -> bool {
        matches!(
            self,
            Self::Latency(..) | Self::Field(Field::Iops | Field::Bandwidth | Field::CommitsPerS, _)
        )
    }

    /// What the figure of the role of this name is called among the numbers of a row.
    pub(crate) fn number_of(name: &str) -> Option<String> {
        Self::parse(name).ok()?.number()
    }

    /// What its figure is called among the numbers of a row; `None` for what is not a number of its own.
    pub(crate) fn number(&self) -> Option<String> {
        match self {
            Self::Field(Field::Iops, _) => Some("iops".to_owned()),
            Self::Field(Field::Bandwidth, _) => Some("bandwidth".to_owned()),
            Self::Field(Field::CommitsPerS, _) => Some("commits".to_owned()),
            Self::Latency(timed, figure, _) => Some(format!("{} {}", timed.name(), figure.name())),
            Self::Field(..)
            | Self::Label
            | Self::Knob
            | Self::Figure
            | Self::HalfWidthOf(_)
            | Self::DeviationOf(_)
            | Self::IntervalOf(_)
            | Self::MedianOf(_) => None,
        }
    }

    /// Whether both put their cells into the same place, whatever the unit.
    pub(crate) fn is_same_place(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Field(ours, _), Self::Field(theirs, _)) => ours == theirs,
            (Self::Latency(ours, our_figure, _), Self::Latency(theirs, their_figure, _)) => {
                ours == theirs && our_figure == their_figure
            }
            _ => false,
        }
    }

    /// Whether its cells tell rows apart by the name of their column.
    pub(crate) fn is_knob(&self) -> bool {
        matches!(self, Self::Knob | Self::Field(Field::ReadsPerCommit, _))
    }

    /// Whether a cell that is empty in other columns says something in this one: a write that survives nothing.
    pub(crate) fn is_level(&self, cell: &str) -> bool {
        matches!(self, Self::Field(Field::Durability | Field::Sync, _)) && cell.eq_ignore_ascii_case("none")
    }
}
