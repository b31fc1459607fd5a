//! What a row of the metric table says: name, unit, which direction is better, where its figures come from.

/// Which direction of a metric is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// It explains; it is not judged.
    Neither,
}

/// The unit of a metric's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Events in a second.
    PerSecond,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Bytes in a second.
    BytesPerSecond,
    /// A plain number of things.
    Count,
    /// A share of one.
    Share,
}

impl Unit {
    /// The unit in words, for help and file headers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PerSecond => "per second",
            Self::Microseconds => "microseconds",
            Self::Nanoseconds => "nanoseconds",
            Self::Seconds => "seconds",
            Self::Bytes => "bytes",
            Self::BytesPerSecond => "bytes per second",
            Self::Count => "count",
            Self::Share => "share of 1",
        }
    }

    /// Whether figures of it add up over machines that work at the same time.
    pub const fn is_rate(self) -> bool {
        match self {
            Self::PerSecond | Self::BytesPerSecond => true,
            Self::Microseconds
            | Self::Nanoseconds
            | Self::Seconds
            | Self::Bytes
            | Self::Count
            | Self::Share => false,
        }
    }

    /// The unit as printed behind a figure; empty for plain numbers.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::Microseconds => "µs",
            Self::Nanoseconds => "ns",
            Self::Seconds => "s",
            Self::Bytes => "B",
            Self::BytesPerSecond => "B/s",
            Self::Count => "",
            Self::Share => "of 1",
        }
    }
}

/// The source of a figure, which decides which audits support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The clock: how long something took, or how often it happened in a second.
    Clock,
    /// The device's counters (`/proc/diskstats`), which hold whatever any program did there.
    Device,
    /// What the kernel counted for the worker: CPU time, system calls, page faults, bytes fetched for it.
    Process,
    /// What the program or the engine counted, or found there: entries lost, pages found in a pool, bytes cached.
    Program,
}

impl Source {
    /// Every source.
    pub const ALL: &'static [Self] = &[Self::Clock, Self::Device, Self::Process, Self::Program];

    /// Where a figure of this unit comes from, unless its row says otherwise.
    const fn of_unit(unit: Unit) -> Self {
        match unit {
            Unit::PerSecond
            | Unit::Microseconds
            | Unit::Nanoseconds
            | Unit::Seconds
            | Unit::BytesPerSecond => Self::Clock,
            Unit::Bytes | Unit::Count | Unit::Share => Self::Program,
        }
    }
}

/// One row: a plain metric, or a latency family with its statistics.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// For a plain metric its full name; for a distribution the stem of its statistics' names.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Unit of every figure of this family.
    pub unit: Unit,
    pub better: Better,
    /// Whether it is a latency distribution (mean, percentiles, maximum, and a histogram in the sidecar).
    pub distribution: bool,
    /// What its figures are read from.
    pub source: Source,
    /// What a rate counts, as it stands behind a figure: `commits/s`, `IOPS`, `puts/s`. Empty if the unit is not
    /// [`Unit::PerSecond`].
    pub counted_per_s: &'static str,
    /// The phase that it is about, if a trial has several in which different things happen; `None` is the whole trial.
    /// A counter of one phase explains no figure of another.
    pub phase: Option<&'static str>,
    /// What is measured, and over which region.
    pub help: &'static str,
}

impl Family {
    /// The same, read from somewhere else than its unit suggests.
    pub(super) const fn from(self, source: Source) -> Self {
        Self { source, ..self }
    }

    /// The same, of one phase of a trial.
    pub(super) const fn during(self, phase: &'static str) -> Self {
        Self { phase: Some(phase), ..self }
    }

    /// The same rate, whose title says under which load it was measured instead of what it counts.
    pub(super) const fn counting(self, counted_per_s: &'static str) -> Self {
        Self { counted_per_s, ..self }
    }
}

/// A latency family, judged by less, in microseconds.
pub(super) const fn latency(name: &'static str, title: &'static str, help: &'static str) -> Family {
    let (unit, source) = (Unit::Microseconds, Source::Clock);
    let (better, distribution, counted_per_s, phase) = (Better::Lower, true, "", None);
    Family { name, title, unit, better, distribution, source, counted_per_s, phase, help }
}

/// A row with one figure.
pub(super) const fn plain(
    name: &'static str,
    title: &'static str,
    unit: Unit,
    better: Better,
    help: &'static str,
) -> Family {
    let counted_per_s = match unit {
        Unit::PerSecond => title,
        Unit::Microseconds
        | Unit::Nanoseconds
        | Unit::Seconds
        | Unit::Bytes
        | Unit::BytesPerSecond
        | Unit::Count
        | Unit::Share => "",
    };
    Family {
        name,
        title,
        unit,
        better,
        distribution: false,
        source: Source::of_unit(unit),
        counted_per_s,
        phase: None,
        help,
    }
}
