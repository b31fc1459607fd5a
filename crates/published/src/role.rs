//! The roles a column can play, with their units in their names, and how a cell of each is read.

use crate::cell::{self, Cell};
use crate::latency::Percentile;
use crate::number::Printed;
use crate::table::{Arrivals, Direction, Row, Sync, System, Timed};
use crate::unit::Dimension;
use model::IoMode;
use model::durability::DurabilityClass;
use model::suggestion;

/// What a column means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    /// Part of the row's name.
    Label,
    /// A knob by its column's name.
    Knob,
    /// Anything that [`Role::apply`] puts in its place, with the factor to the unit of [`Row`].
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

/// What a column of latencies gives of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LatencyFigure {
    Mean,
    StandardDeviation,
    Min,
    Max,
    /// The quantile, 0…1.
    Percentile(f64),
}

/// A field of a [`Row`].
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
    System,
    OnDevice,
    FileBytes,
    MemoryCap,
    Memory,
    Passes,
    CacheDrops,
    RateLimit,
}

/// Name, field, factor to the unit of [`Row`], and what it is.
const FIELDS: &[(&str, Field, f64, &str)] = &[
    ("rw", Field::Rw, 1.0, "pattern: read, write, randread, randwrite, rw, randrw"),
    ("mode", Field::Mode, 1.0, "buffered, direct, dontcache, mmap"),
    ("log_mode", Field::LogMode, 1.0, "I/O mode of the log, if mode is that of the data"),
    ("direct", Field::Direct, 1.0, "0 or 1"),
    ("ioengine", Field::Engine, 1.0, "I/O engine"),
    ("iops", Field::Iops, 1.0, "operations per second; 3.5k and 1.2M count as rounded"),
    ("kiops", Field::Iops, 1e3, "thousands of operations per second"),
    ("miops", Field::Iops, 1e6, "millions of operations per second"),
    ("bandwidth_bytes_per_s", Field::Bandwidth, 1.0, "bytes per second"),
    ("bandwidth_kib_per_s", Field::Bandwidth, 1024.0, "KiB (1024 bytes) per second"),
    ("bandwidth_mib_per_s", Field::Bandwidth, 1_048_576.0, "MiB (1024 KiB) per second"),
    ("bandwidth_gib_per_s", Field::Bandwidth, 1_073_741_824.0, "GiB (1024 MiB) per second"),
    ("bandwidth_kb_per_s", Field::Bandwidth, 1e3, "kB (1000 bytes) per second"),
    ("bandwidth_mb_per_s", Field::Bandwidth, 1e6, "MB (10⁶ bytes) per second"),
    ("bandwidth_gb_per_s", Field::Bandwidth, 1e9, "GB (10⁹ bytes) per second"),
    ("commits_per_s", Field::CommitsPerS, 1.0, "commits per second, if iops counts the reads"),
    ("reads_per_commit", Field::ReadsPerCommit, 1.0, "intended reads per commit"),
    ("n", Field::N, 1.0, "repetitions of the row, never operations"),
    ("operations", Field::Operations, 1.0, "operations measured"),
    ("runtime_s", Field::Runtime, 1.0, "measured time"),
    ("runtime_ms", Field::Runtime, 1e-3, "measured time"),
    ("block_bytes", Field::BlockBytes, 1.0, "4096 or 4KiB"),
    ("iodepth", Field::Iodepth, 1.0, "operations in flight per job"),
    ("numjobs", Field::Numjobs, 1.0, "number of concurrent jobs"),
    ("in_flight", Field::InFlight, 1.0, "operations that can be in flight, if depth and jobs are not given"),
    ("synced", Field::Synced, 1.0, "whether writes are synced within the measured time: 0 or 1"),
    (
        "sync",
        Field::Sync,
        1.0,
        "sync method: never, later (at the end, or every N writes), or for each write fsync, fdatasync, full_fsync, \
         o_sync, o_dsync",
    ),
    ("durability", Field::Durability, 1.0, "what an acknowledged write survives: none, process, power"),
    ("system", Field::System, 1.0, "linux or macos"),
    ("said_of", Field::OnDevice, 1.0, "stated source of the figures: device or memory"),
    ("file_bytes", Field::FileBytes, 1.0, "20GiB"),
    ("memory_cap_bytes", Field::MemoryCap, 1.0, "memory cap of the process"),
    ("memory_bytes", Field::Memory, 1.0, "memory of the machine"),
    ("passes", Field::Passes, 1.0, "number of times that the file was read completely within the figure"),
    (
        "cache_drops",
        Field::CacheDrops,
        1.0,
        "number of times that the page cache was dropped for these passes",
    ),
    ("rate_iops", Field::RateLimit, 1.0, "operations per second of an open loop, or none"),
];

/// Headers that people use for the same.
const ALIASES: &[(&str, &str)] = &[
    ("bs", "block_bytes"),
    ("block_size", "block_bytes"),
    ("page_size", "block_bytes"),
    ("qd", "iodepth"),
    ("queue_depth", "iodepth"),
    ("jobs", "numjobs"),
    ("threads", "numjobs"),
    ("engine", "ioengine"),
    ("name", "label"),
    ("runs", "n"),
    ("repetitions", "n"),
    ("size", "file_bytes"),
    ("filesize", "file_bytes"),
    ("memory_cap", "memory_cap_bytes"),
    ("memorymax", "memory_cap_bytes"),
    ("end_fsync", "synced"),
    ("hint", "knob"),
    ("runtime", "runtime_s"),
];

/// Latencies by the beginning of their roles' names.
const TIMED: &[(&str, Timed)] = &[
    ("latency_", Timed::Operation),
    // What Syncline's own exports call it.
    ("completion_latency_", Timed::Operation),
    ("sync_latency_", Timed::Sync),
    ("commit_latency_", Timed::Commit),
];

/// Roles that are not fields.
const OTHERS: &[(&str, &str)] = &[
    ("latency_mean_us", "mean over operations; every latency in ns, us, ms or s"),
    ("latency_sd_us", "standard deviation over operations"),
    ("latency_min_us", "least of the operations"),
    ("latency_max_us", "greatest of the operations"),
    ("latency_p50_us", "any percentile: latency_p99_9_us is p99.9"),
    ("sync_latency_p50_us", "the same of fsync or fdatasync alone: mean, sd, min, max, percentiles"),
    ("commit_latency_p50_us", "the same of a whole commit, its write and its sync"),
    ("label", "part of the row's name"),
    ("knob", "a setting that tells rows apart; may be given several times"),
    ("figure", "any other published figure; may be given several times"),
    ("half_width_of_COLUMN", "half width of the interval around COLUMN"),
    ("sd_of_COLUMN", "standard deviation between runs of COLUMN"),
    ("interval_of_COLUMN", "both ends of the interval around COLUMN: [1.13, 1.17]"),
    ("median_of_COLUMN", "median of what COLUMN is the mean of"),
];

/// Every role with what it is, for help.
pub fn role_help() -> Vec<(&'static str, &'static str)> {
    let fields = FIELDS.iter().map(|(name, _, _, help)| (*name, *help));
    fields.chain(OTHERS.iter().copied()).collect()
}

impl Role {
    /// Reads a role's name.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let of = |role: fn(String) -> Self, prefix| {
            name.strip_prefix(prefix).map(|rest: &str| role(rest.to_owned()))
        };
        let partner = of(Self::HalfWidthOf, "half_width_of_")
            .or_else(|| of(Self::DeviationOf, "sd_of_"))
            .or_else(|| of(Self::IntervalOf, "interval_of_"))
            .or_else(|| of(Self::MedianOf, "median_of_"));
        if let Some(role) = partner {
            return Ok(role);
        }
        if let Some((_, field, scale, _)) = FIELDS.iter().find(|(known, ..)| *known == name) {
            return Ok(Self::Field(*field, *scale));
        }
        match name {
            "label" => return Ok(Self::Label),
            "knob" => return Ok(Self::Knob),
            "figure" => return Ok(Self::Figure),
            _ => {}
        }
        latency(name)
            .ok_or_else(|| suggestion::unknown("role", name, role_help().into_iter().map(|role| role.0)))
    }

    /// The role that follows from a header's own name, if any.
    pub(crate) fn of_header(header: &str) -> Option<Self> {
        let plain = header.trim().to_ascii_lowercase().replace([' ', '-'], "_");
        let name =
            ALIASES.iter().find(|(alias, _)| *alias == plain).map_or(plain.as_str(), |(_, name)| *name);
        let role = Self::parse(name).ok()?;
        // What these names belong to is found by their partners.
        (!role.is_partner()).then_some(role)
    }

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
        matches!(self, Self::Field(Field::Durability, _)) && cell.eq_ignore_ascii_case("none")
    }

    /// Puts a cell that is not empty into its row; labels, knobs, figures and their partners are the reader's business.
    pub(crate) fn apply(&self, row: &mut Row, cell: Cell<'_>) -> Result<(), String> {
        match self {
            Self::Field(field, scale) => field.apply(row, cell, *scale),
            Self::Latency(timed, figure, scale) => {
                figure.put(row, *timed, cell.measure(Dimension::Time, *scale)?);
                Ok(())
            }
            Self::Label
            | Self::Knob
            | Self::Figure
            | Self::HalfWidthOf(_)
            | Self::DeviationOf(_)
            | Self::IntervalOf(_)
            | Self::MedianOf(_) => Ok(()),
        }
    }
}

impl LatencyFigure {
    /// Puts a figure, ns, into one of the row's latencies.
    pub(crate) fn put(self, row: &mut Row, timed: Timed, figure: Printed) {
        let value_ns = figure.value;
        let line = row.latency_of_mut(timed);
        let name = match self {
            Self::Mean => {
                line.mean_ns = Some(value_ns);
                "mean".to_owned()
            }
            Self::StandardDeviation => {
                line.sd_ns = Some(value_ns);
                "sd".to_owned()
            }
            Self::Min => {
                line.min_ns = Some(value_ns);
                "min".to_owned()
            }
            Self::Max => {
                line.max_ns = Some(value_ns);
                "max".to_owned()
            }
            Self::Percentile(quantile) => {
                let percentile = Percentile { quantile, value_ns };
                line.percentiles.retain(|known| known.quantile.total_cmp(&quantile).is_ne());
                line.percentiles.push(percentile);
                line.percentiles.sort_by(|a, b| a.quantile.total_cmp(&b.quantile));
                percentile.name()
            }
        };
        row.steps.insert(format!("{} {name}", timed.name()), figure.step);
    }
}

impl Field {
    fn apply(self, row: &mut Row, cell: Cell<'_>, scale: f64) -> Result<(), String> {
        let setting = &mut row.setting;
        match self {
            Self::Rw => {
                let pattern = cell.text.to_ascii_lowercase();
                setting.direction = Some(Direction::from_pattern(&pattern)?);
                setting.pattern = Some(pattern);
            }
            Self::Mode => setting.mode = Some(io_mode(cell.text)?),
            Self::LogMode => setting.log_mode = Some(io_mode(cell.text)?),
            Self::Direct => {
                setting.mode = Some(if cell.flag()? { IoMode::Direct } else { IoMode::Buffered });
            }
            Self::Engine => setting.engine = Some(cell.text.to_owned()),
            Self::Iops => {
                row.operations_per_s = Some(row.measured("iops", cell.measure(Dimension::Rate, scale)?));
            }
            Self::Bandwidth => {
                let figure = cell.measure(Dimension::Bandwidth, scale)?;
                row.bandwidth_bytes_per_s = Some(row.measured("bandwidth", figure));
            }
            Self::CommitsPerS => {
                row.commits_per_s = Some(row.measured("commits", cell.measure(Dimension::Rate, scale)?));
            }
            Self::ReadsPerCommit => setting.reads_per_commit = Some(cell.positive()?),
            Self::N => row.n = Some(cell.count()?),
            Self::Operations => row.operations = Some(cell.count()?),
            Self::Runtime => row.runtime_s = Some(cell.measure(Dimension::Time, scale * 1e9)?.value / 1e9),
            Self::BlockBytes => setting.block_bytes = Some(cell.bytes()?),
            Self::Iodepth => setting.iodepth = Some(cell.count()?),
            Self::Numjobs => setting.numjobs = Some(cell.count()?),
            Self::InFlight => setting.in_flight = Some(cell.count()?),
            Self::Synced => setting.synced = Some(cell.flag()?),
            Self::Sync => setting.sync = Some(named("way to sync", cell.text, Sync::NAMES)?),
            Self::Durability => setting.durability = Some(named("durability", cell.text, DURABILITY)?),
            Self::System => setting.system = Some(named("system", cell.text, System::NAMES)?),
            Self::OnDevice => setting.said_of_device = Some(cell.is_on_device()?),
            Self::FileBytes => setting.file_bytes = Some(cell.bytes()?),
            Self::MemoryCap => setting.memory_cap_bytes = Some(cell.bytes()?),
            Self::Memory => setting.memory_bytes = Some(cell.bytes()?),
            Self::Passes => setting.passes = Some(cell.count()?),
            Self::CacheDrops => setting.cache_drops = Some(cell.count()?),
            Self::RateLimit => {
                cell.positive()?;
                setting.arrivals = Some(Arrivals::Open);
            }
        }
        Ok(())
    }
}

const DURABILITY: &[(&str, DurabilityClass)] = &[
    ("none", DurabilityClass::None),
    ("process", DurabilityClass::Process),
    ("power", DurabilityClass::Power),
];

fn io_mode(cell: &str) -> Result<IoMode, String> {
    let known = || suggestion::unknown("I/O mode", cell, IoMode::NAMES.iter().copied());
    cell::io_mode(cell).ok_or_else(known)
}

/// One of a few names.
fn named<T: Copy>(what: &str, cell: &str, names: &[(&str, T)]) -> Result<T, String> {
    let plain = cell.to_ascii_lowercase();
    let found = names.iter().find(|(name, _)| *name == plain);
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| suggestion::unknown(what, cell, names.iter().map(|(name, _)| *name)))
}

/// `sync_latency_p99_9_us`: what was timed, the figure and the unit.
fn latency(name: &str) -> Option<Role> {
    let (timed, rest) =
        TIMED.iter().find_map(|(prefix, timed)| Some((*timed, name.strip_prefix(prefix)?)))?;
    let (figure, unit) = rest.rsplit_once('_')?;
    let scale = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let figure = match figure {
        "mean" => LatencyFigure::Mean,
        "sd" => LatencyFigure::StandardDeviation,
        "min" => LatencyFigure::Min,
        "max" => LatencyFigure::Max,
        _ => {
            let percent: f64 = figure.strip_prefix('p')?.replacen('_', ".", 1).parse().ok()?;
            LatencyFigure::Percentile((percent > 0.0 && percent < 100.0).then_some(percent / 100.0)?)
        }
    };
    Some(Role::Latency(timed, figure, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_found_by_name_and_unit() {
        assert_eq!(
            Role::parse("latency_mean_us"),
            Ok(Role::Latency(Timed::Operation, LatencyFigure::Mean, 1e3))
        );
        assert!(matches!(
            Role::parse("sync_latency_p99_9_ns"),
            Ok(Role::Latency(Timed::Sync, LatencyFigure::Percentile(q), _)) if (q - 0.999).abs() < 1e-12
        ));
        assert_eq!(Role::parse("half_width_of_iops"), Ok(Role::HalfWidthOf("iops".to_owned())));
        assert_eq!(Role::parse("iosp"), Err("unknown role \"iosp\"; did you mean \"iops\"?".to_owned()));
        assert_eq!(Role::of_header("Queue Depth"), Some(Role::Field(Field::Iodepth, 1.0)));
        assert_eq!(Role::of_header("p"), None);
        for name in ["latency_p100_us", "latency_p_us", "latency_pnan_us", "latency_p-1_us", "latency_p99_h"]
        {
            assert!(Role::parse(name).is_err(), "{name}");
        }
        for (name, _) in role_help() {
            assert!(Role::parse(name).is_ok(), "{name}");
        }
    }
}
