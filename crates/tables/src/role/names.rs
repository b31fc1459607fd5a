//! The roles by their names, with their units, and what people call the same.

use super::{Field, Role};
use laws::{LatencyFigure, Timed};
use model::suggestion;

/// Name, field, factor to the unit of [`Claim`](laws::Claim), and what it is.
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
    ("rank", Field::Rank, 1.0, "place of the row in a ranking: 1 is the best"),
    ("n", Field::N, 1.0, "repetitions of the row, never operations"),
    ("operations", Field::Operations, 1.0, "operations measured"),
    ("runtime_s", Field::Runtime, 1.0, "measured time"),
    ("runtime_ms", Field::Runtime, 1e-3, "measured time"),
    ("block_bytes", Field::BlockBytes, 1.0, "4096 or 4KiB"),
    ("block_kib", Field::BlockBytes, 1024.0, "the same in KiB"),
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
    (
        "synchronous_commit",
        Field::SynchronousCommit,
        1.0,
        "PostgreSQL's setting: on, local, remote_write, remote_apply, off",
    ),
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
    ("ranking", "rank"),
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
