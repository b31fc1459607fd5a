//! The roles a column can play, with their units in their names, and how a cell of each is read.

use crate::cell::{bytes, count, direction, flag, positive};
use crate::latency::Percentile;
use crate::table::{Arrivals, Row};
use model::IoMode;
use model::suggestion;

/// What a column means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Role {
    /// Part of the row's name.
    Label,
    /// A knob by its column's name.
    Knob,
    /// Anything that [`Role::apply`] puts in its place.
    Field(Field, f64),
    /// A percentile of the latency and its unit in ns.
    Percentile(f64, f64),
    /// A figure that is only shown and judged by its spread.
    Figure,
    /// Half width of an interval around the figure of another column.
    HalfWidthOf(String),
    /// Standard deviation between runs of the figure of another column.
    DeviationOf(String),
}

/// A field of a [`Row`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Rw,
    Mode,
    Direct,
    Engine,
    Iops,
    Bandwidth,
    LatencyMean,
    LatencySd,
    LatencyMin,
    LatencyMax,
    N,
    Operations,
    Runtime,
    BlockBytes,
    Iodepth,
    Numjobs,
    InFlight,
    Synced,
    FileBytes,
    MemoryCap,
    Memory,
    RateLimit,
}

/// Name, field, factor to the unit of [`Row`], and what it is.
const FIELDS: &[(&str, Field, f64, &str)] = &[
    ("rw", Field::Rw, 1.0, "pattern: read, write, randread, randwrite, rw, randrw"),
    ("mode", Field::Mode, 1.0, "buffered, direct, dontcache, mmap"),
    ("direct", Field::Direct, 1.0, "0 or 1"),
    ("ioengine", Field::Engine, 1.0, "what submits"),
    ("iops", Field::Iops, 1.0, "operations per second"),
    ("bandwidth_bytes_per_s", Field::Bandwidth, 1.0, "bytes per second"),
    ("bandwidth_kib_per_s", Field::Bandwidth, 1024.0, "KiB (1024 bytes) per second"),
    ("bandwidth_mib_per_s", Field::Bandwidth, 1_048_576.0, "MiB (1024 KiB) per second"),
    ("bandwidth_mb_per_s", Field::Bandwidth, 1e6, "MB (10⁶ bytes) per second"),
    ("latency_mean_ns", Field::LatencyMean, 1.0, "mean over operations"),
    ("latency_mean_us", Field::LatencyMean, 1e3, "mean over operations"),
    ("latency_mean_ms", Field::LatencyMean, 1e6, "mean over operations"),
    ("latency_sd_ns", Field::LatencySd, 1.0, "standard deviation over operations"),
    ("latency_sd_us", Field::LatencySd, 1e3, "standard deviation over operations"),
    ("latency_sd_ms", Field::LatencySd, 1e6, "standard deviation over operations"),
    ("latency_min_ns", Field::LatencyMin, 1.0, "least of the operations"),
    ("latency_min_us", Field::LatencyMin, 1e3, "least of the operations"),
    ("latency_min_ms", Field::LatencyMin, 1e6, "least of the operations"),
    ("latency_max_ns", Field::LatencyMax, 1.0, "greatest of the operations"),
    ("latency_max_us", Field::LatencyMax, 1e3, "greatest of the operations"),
    ("latency_max_ms", Field::LatencyMax, 1e6, "greatest of the operations"),
    ("n", Field::N, 1.0, "repetitions of the row, never operations"),
    ("operations", Field::Operations, 1.0, "operations measured"),
    ("runtime_s", Field::Runtime, 1.0, "measured time"),
    ("runtime_ms", Field::Runtime, 1e-3, "measured time"),
    ("block_bytes", Field::BlockBytes, 1.0, "4096 or 4KiB"),
    ("iodepth", Field::Iodepth, 1.0, "operations in flight of each job"),
    ("numjobs", Field::Numjobs, 1.0, "jobs side by side"),
    (
        "in_flight",
        Field::InFlight,
        1.0,
        "operations that can be in flight, where depth and jobs are not given",
    ),
    ("synced", Field::Synced, 1.0, "whether writes are synced within the measured time: 0 or 1"),
    ("file_bytes", Field::FileBytes, 1.0, "20GiB"),
    ("memory_cap_bytes", Field::MemoryCap, 1.0, "memory the process was capped to"),
    ("memory_bytes", Field::Memory, 1.0, "memory of the machine"),
    ("rate_iops", Field::RateLimit, 1.0, "operations per second of a schedule (open loop), or none"),
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
    ("runtime", "runtime_s"),
    ("completion_latency_mean_us", "latency_mean_us"),
    ("completion_latency_sd_us", "latency_sd_us"),
    ("completion_latency_max_us", "latency_max_us"),
    ("completion_latency_p50_us", "latency_p50_us"),
    ("completion_latency_p90_us", "latency_p90_us"),
    ("completion_latency_p99_us", "latency_p99_us"),
    ("completion_latency_p99_9_us", "latency_p99_9_us"),
    ("completion_latency_p99_99_us", "latency_p99_99_us"),
];

/// Roles that are no field.
const OTHERS: &[(&str, &str)] = &[
    ("label", "part of the row's name"),
    ("knob", "a setting that tells rows apart; may be given several times"),
    ("figure", "any other published figure; may be given several times"),
    ("latency_p50_us", "any percentile, in ns, us or ms: latency_p99_9_ns is p99.9"),
    ("half_width_of_COLUMN", "half width of the interval around COLUMN"),
    ("sd_of_COLUMN", "standard deviation between runs of COLUMN"),
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
        if let Some(role) =
            of(Self::HalfWidthOf, "half_width_of_").or_else(|| of(Self::DeviationOf, "sd_of_"))
        {
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
        percentile(name)
            .ok_or_else(|| suggestion::unknown("role", name, role_help().into_iter().map(|role| role.0)))
    }

    /// The role that a header's own name tells, if it does.
    pub(crate) fn of_header(header: &str) -> Option<Self> {
        let plain = header.trim().to_ascii_lowercase().replace([' ', '-'], "_");
        let name =
            ALIASES.iter().find(|(alias, _)| *alias == plain).map_or(plain.as_str(), |(_, name)| *name);
        let role = Self::parse(name).ok()?;
        // Half widths by these names are found by their partners.
        (!matches!(role, Self::HalfWidthOf(_) | Self::DeviationOf(_))).then_some(role)
    }

    /// Puts a cell that is not empty into its row; labels, knobs, figures and spreads are the reader's business.
    pub(crate) fn apply(&self, row: &mut Row, cell: &str) -> Result<(), String> {
        match self {
            Self::Field(field, scale) => field.apply(row, cell, *scale),
            Self::Percentile(quantile, scale) => {
                let value_ns = positive(cell)? * scale;
                row.latency.percentiles.retain(|known| known.quantile.total_cmp(quantile).is_ne());
                row.latency.percentiles.push(Percentile { quantile: *quantile, value_ns });
                row.latency.percentiles.sort_by(|a, b| a.quantile.total_cmp(&b.quantile));
                Ok(())
            }
            Self::Label | Self::Knob | Self::Figure | Self::HalfWidthOf(_) | Self::DeviationOf(_) => Ok(()),
        }
    }
}

impl Field {
    fn apply(self, row: &mut Row, cell: &str, scale: f64) -> Result<(), String> {
        let setting = &mut row.setting;
        match self {
            Self::Rw => {
                setting.direction = Some(direction(cell)?);
                setting.pattern = Some(cell.to_owned());
            }
            Self::Mode => {
                let known = || suggestion::unknown("I/O mode", cell, IoMode::NAMES.iter().copied());
                setting.mode = Some(IoMode::from_name(&cell.to_ascii_lowercase()).ok_or_else(known)?);
            }
            Self::Direct => {
                setting.mode = Some(if flag(cell)? { IoMode::Direct } else { IoMode::Buffered });
            }
            Self::Engine => setting.engine = Some(cell.to_owned()),
            Self::Iops => row.operations_per_s = Some(positive(cell)? * scale),
            Self::Bandwidth => row.bandwidth_bytes_per_s = Some(positive(cell)? * scale),
            Self::LatencyMean => row.latency.mean_ns = Some(positive(cell)? * scale),
            Self::LatencySd => row.latency.sd_ns = Some(positive(cell)? * scale),
            Self::LatencyMin => row.latency.min_ns = Some(positive(cell)? * scale),
            Self::LatencyMax => row.latency.max_ns = Some(positive(cell)? * scale),
            Self::N => row.n = Some(count(cell)?),
            Self::Operations => row.operations = Some(count(cell)?),
            Self::Runtime => row.runtime_s = Some(positive(cell.trim_end_matches('s'))? * scale),
            Self::BlockBytes => setting.block_bytes = Some(bytes(cell)?),
            Self::Iodepth => setting.iodepth = Some(count(cell)?),
            Self::Numjobs => setting.numjobs = Some(count(cell)?),
            Self::InFlight => setting.in_flight = Some(count(cell)?),
            Self::Synced => setting.synced = Some(flag(cell)?),
            Self::FileBytes => setting.file_bytes = Some(bytes(cell)?),
            Self::MemoryCap => setting.memory_cap_bytes = Some(bytes(cell)?),
            Self::Memory => setting.memory_bytes = Some(bytes(cell)?),
            Self::RateLimit => {
                positive(cell)?;
                setting.arrivals = Some(Arrivals::Open);
            }
        }
        Ok(())
    }
}

/// `latency_p99_9_us`: quantile and unit.
fn percentile(name: &str) -> Option<Role> {
    let (digits, unit) = name.strip_prefix("latency_p")?.rsplit_once('_')?;
    let scale = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        _ => return None,
    };
    let percent: f64 = digits.replacen('_', ".", 1).parse().ok()?;
    (percent > 0.0 && percent < 100.0).then_some(Role::Percentile(percent / 100.0, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_found_by_name_and_unit() {
        assert_eq!(Role::parse("latency_mean_us"), Ok(Role::Field(Field::LatencyMean, 1e3)));
        assert!(
            matches!(Role::parse("latency_p99_9_ns"), Ok(Role::Percentile(q, _)) if (q - 0.999).abs() < 1e-12)
        );
        assert_eq!(Role::parse("half_width_of_iops"), Ok(Role::HalfWidthOf("iops".to_owned())));
        assert_eq!(Role::parse("iosp"), Err("unknown role \"iosp\"; did you mean \"iops\"?".to_owned()));
        assert_eq!(Role::of_header("Queue Depth"), Some(Role::Field(Field::Iodepth, 1.0)));
        assert_eq!(Role::of_header("p"), None);
        for name in ["latency_p100_us", "latency_p_us", "latency_pnan_us", "latency_p-1_us", "latency_p99_s"]
        {
            assert!(Role::parse(name).is_err(), "{name}");
        }
        for (name, _) in role_help() {
            assert!(Role::parse(name).is_ok(), "{name}");
        }
    }
}
