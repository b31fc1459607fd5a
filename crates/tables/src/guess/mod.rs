//! What a column is, by the words and the unit of its header and by its cells, if its name is not that of a role.
//!
//! A guess is a role's name, so that it can be shown and typed again (`--column NAME=ROLE`).

mod header;

pub(crate) use header::Side;

use crate::cell::{Cell, io_mode};
use crate::hint::{durability_of_cell, sync_of_cell};
use crate::number::{Decimal, quantity};
use crate::unit::{Dimension, Unit};
use header::Header;
use laws::Direction;

/// A guessed column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guess {
    pub(crate) role: String,
    /// The operations that its header says it is about.
    pub(crate) side: Side,
}

/// A column before it has a role.
pub(crate) struct Seen<'a> {
    header: Header<'a>,
    cells: &'a [&'a str],
    /// The unit of its cells, or else of its header.
    unit: Option<Unit>,
    /// Whether its cells have the unit themselves.
    is_unit_in_cells: bool,
    is_numeric: bool,
}

const LATENCY: &[&str] = &["latency", "latencies", "lat", "clat", "response", "delay"];
const SYNC: &[&str] = &["fsync", "fdatasync", "sync", "syncs", "appendfsync"];
const COMMIT: &[&str] = &["commit", "commits"];
const DURATION: &[&str] = &["time", "duration", "elapsed", "runtime", "wall", "total"];
/// Words of headers whose cells are counts or sizes without a unit, and their roles.
const PLAIN: &[(&str, &[&str])] = &[
    ("iops", &["iops"]),
    ("iodepth", &["qd", "iodepth", "depth", "queuedepth"]),
    // A client has one request under way.
    ("in_flight", &["clients", "concurrency", "vus"]),
    ("numjobs", &["threads", "thread", "jobs", "numjobs", "workers"]),
    ("n", &["runs", "sample", "samples", "repetitions", "repeats"]),
    ("operations", &["operations", "ops", "requests", "keys", "entries", "records"]),
];
/// The same for sizes.
const SIZES: &[(&str, &[&str])] = &[
    ("block_bytes", &["block", "blocksize", "bs", "page", "request", "io", "record", "message", "entry"]),
    ("memory_bytes", &["memory", "ram"]),
    ("file_bytes", &["file", "dataset", "data", "database", "db"]),
];
/// Numeric cells below which a column is taken to be text, as a share of those that are not empty.
const NUMERIC_MIN: f64 = 0.5;

impl<'a> Seen<'a> {
    /// Looks at a column; its cells are those that are not empty.
    pub(crate) fn new(header: &'a str, cells: &'a [&'a str]) -> Self {
        // A comma groups digits here or it does not: only that there is a number matters here.
        let read = |cell: &&str| {
            let found = quantity(cell, None).or_else(|_| quantity(cell, Some(Decimal::Point))).ok();
            // `178 measurements`.
            found.map(|found| found.unit).or_else(|| Cell::plain(cell).count().ok().map(|_| None))
        };
        let numbers: Vec<_> = cells.iter().filter_map(read).collect();
        let is_numeric = !cells.is_empty() && numbers.len() as f64 >= NUMERIC_MIN * cells.len() as f64;
        let in_cells = numbers.iter().find_map(|unit| *unit);
        let header = Header::new(header);
        let unit = in_cells.or_else(|| header.unit());
        Self {
            header,
            cells,
            unit: unit.filter(|_| is_numeric),
            is_unit_in_cells: in_cells.is_some(),
            is_numeric,
        }
    }

    /// Whether most of its cells are numbers.
    pub(crate) const fn is_numeric(&self) -> bool {
        self.is_numeric
    }

    /// Whether it is a number with any unit.
    pub(crate) const fn has_unit(&self) -> bool {
        self.unit.is_some()
    }

    /// Whether its header or its cells have the unit of something measured.
    pub(crate) fn has_measured_unit(&self) -> bool {
        self.unit.is_some_and(|unit| unit.dimension != Dimension::Share && unit.dimension != Dimension::Bytes)
    }

    /// The percentile that its header names without a unit: `p99`.
    pub(crate) fn bare_percentile(&self) -> Option<String> {
        let statistic = self.header.statistic().filter(|statistic| statistic.starts_with('p'))?;
        (self.is_numeric && self.unit.is_none()).then_some(statistic)
    }

    /// The role it seems to have; `None` if nothing shows it.
    pub(crate) fn guess(&self) -> Option<Guess> {
        // `fsync` with cells 0 and 1 is a setting, and one with 1,032 a figure.
        let role =
            self.of_setting().or_else(|| if self.is_numeric { self.of_numbers() } else { self.of_text() })?;
        Some(Guess { role, side: self.header.side() })
    }

    fn of_numbers(&self) -> Option<String> {
        let of = |list: &[(&str, &[&str])]| {
            list.iter().find(|(_, words)| self.header.has(words)).map(|(role, _)| (*role).to_owned())
        };
        let statistic = self.header.statistic();
        let is_total = statistic.as_ref().is_none_or(|statistic| statistic == "mean");
        match self.unit.map(|unit| (unit.dimension, unit)) {
            Some((Dimension::Time, unit)) => self.of_time(statistic.as_deref(), unit),
            Some((Dimension::Bandwidth, unit)) if is_total => Some(self.of_bandwidth(unit)),
            Some((Dimension::Rate, unit)) if is_total => Some(self.of_rate(unit)),
            // A size in the unit of its header would be read as bytes.
            Some((Dimension::Bytes, _)) if self.is_unit_in_cells => of(SIZES),
            // `Record size (B)`, `Block size (KB)`
            Some((Dimension::Bytes, unit)) if self.header.has(SIZES[0].1) => match unit.factor {
                1.0 => Some("block_bytes".to_owned()),
                1e3 | 1024.0 => Some("block_kib".to_owned()),
                _ => None,
            },
            Some((Dimension::Bytes | Dimension::Bandwidth | Dimension::Rate | Dimension::Share, _)) => None,
            None if self.header.is("n") => Some("n".to_owned()),
            None => of(PLAIN).or_else(|| of(&SIZES[..1])),
        }
    }

    fn of_time(&self, statistic: Option<&str>, unit: Unit) -> Option<String> {
        let name = match unit.factor {
            1.0 => "ns",
            1e3 => "us",
            1e6 => "ms",
            _ => "s",
        };
        let is_latency = self.header.has(LATENCY) || unit.is_each;
        if statistic.is_none() && !is_latency {
            return self
                .header
                .has(DURATION)
                .then(|| if name == "ms" { "runtime_ms" } else { "runtime_s" }.to_owned());
        }
        let timed = if self.header.has(SYNC) {
            "sync_latency"
        } else if self.header.has(COMMIT) {
            "commit_latency"
        } else {
            "latency"
        };
        Some(format!("{timed}_{}_{name}", statistic.unwrap_or("mean")))
    }

    fn of_bandwidth(&self, unit: Unit) -> String {
        let known = [
            (1024.0, "kib"),
            (1_048_576.0, "mib"),
            (1_073_741_824.0, "gib"),
            (1e3, "kb"),
            (1e6, "mb"),
            (1e9, "gb"),
        ];
        let name = known.iter().find(|(factor, _)| (*factor - unit.factor).abs() < 1e-9);
        let name = name.filter(|_| !self.is_unit_in_cells).map_or("bytes", |(_, name)| name);
        format!("bandwidth_{name}_per_s")
    }

    fn of_rate(&self, unit: Unit) -> String {
        let name = match (self.header.has(COMMIT), self.is_unit_in_cells) {
            (true, _) => "commits_per_s",
            (false, false) if unit.factor > 1e5 => "miops",
            (false, false) if unit.factor > 1e2 => "kiops",
            (false, _) => "iops",
        };
        name.to_owned()
    }

    /// Whether and how writes are synced, and what they survive.
    fn of_setting(&self) -> Option<String> {
        let all = |is: fn(&str) -> bool| self.cells.iter().all(|cell| is(cell)) && !self.cells.is_empty();
        if self.header.has(SYNC) && self.unit.is_none() && all(|cell| sync_of_cell(cell).is_some()) {
            return Some("sync".to_owned());
        }
        let is_durability = self.header.has(&["durability", "durable", "persistence", "safety"]);
        (is_durability && all(|cell| durability_of_cell(cell).is_some())).then(|| "durability".to_owned())
    }

    fn of_text(&self) -> Option<String> {
        let all =
            |is: &dyn Fn(&str) -> bool| !self.cells.is_empty() && self.cells.iter().all(|cell| is(cell));
        let patterns = all(&|cell| Direction::from_pattern(&cell.to_ascii_lowercase()).is_ok());
        if patterns {
            return Some("rw".to_owned());
        }
        let modes = all(&|cell| io_mode(cell).is_some());
        modes.then(|| "mode".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;

    fn guessed(header: &str, cells: &[&str]) -> Option<String> {
        let found = Seen::new(header, cells).guess();
        if let Some(guess) = &found {
            assert!(Role::parse(&guess.role).is_ok(), "{header}: {guess:?}");
        }
        found.map(|guess| guess.role)
    }

    #[test]
    fn headers_of_published_pages() {
        for (header, cells, role) in [
            ("Throughput (GiB/s)", &["0.63"][..], Some("bandwidth_gib_per_s")),
            ("Throughput", &["33.75 MiB/s"], Some("bandwidth_bytes_per_s")),
            ("Operations/sec", &["305,078 ops/s"], Some("iops")),
            ("Write (µs/page)", &["1.65 ± 0.24"], Some("latency_mean_us")),
            ("Time", &["327.82 ms", "2.03 s"], Some("runtime_ms")),
            ("p99 latency (ms)", &["1.5"], Some("latency_p99_ms")),
            ("99.99th [us]", &["1.5"], Some("latency_p99_99_us")),
            ("p999 (ms)", &["1.5"], Some("latency_p99_9_ms")),
            ("fsync p50 us", &["1.5"], Some("sync_latency_p50_us")),
            ("avg lat", &["1.5 ms"], Some("latency_mean_ms")),
            ("Latency (s)", &["1.5"], Some("latency_mean_s")),
            ("IOPS (k)", &["783k"], Some("iops")),
            ("KIOPS", &["783"], Some("kiops")),
            ("TPS", &["783"], Some("iops")),
            ("Requests per second", &["783"], Some("iops")),
            ("commits/s", &["783"], Some("commits_per_s")),
            ("QD", &["32"], Some("iodepth")),
            ("Threads", &["32"], Some("numjobs")),
            ("Block Size", &["256 KiB"], Some("block_bytes")),
            ("Keys", &["100,000"], Some("operations")),
            ("n", &["6"], Some("n")),
            ("hashes (n=10,000)", &["20,480,000"], None),
            ("W/R Ratio (median)", &["1.026"], None),
            ("redb", &["17063ms"], None),
            ("Speedup", &["1.3x"], None),
            ("Pattern", &["randread", "randwrite"], Some("rw")),
            ("I/O", &["O_DIRECT", "buffered"], Some("mode")),
            ("Implementation", &["pwrite"], None),
            ("Max IOPS", &["5k"], None),
        ] {
            assert_eq!(guessed(header, cells).as_deref(), role, "{header}");
        }
        let side = |header| Seen::new(header, &["5k"]).guess().unwrap().side;
        assert_eq!(side("Read IOPS").direction, Some(Direction::Read));
        assert_eq!(side("Random write IOPS").name(), "random writes");
        assert_eq!(side("Read/Write IOPS"), Side::WHOLE);
    }
}
