//! One line of fio's output for people.

use crate::number::Quantity;
use crate::read::program::output::number;
use fio::json::FioDirection;
use laws::{Direction, Figure};
use std::collections::BTreeMap;

/// What a line of latencies is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    Total,
    Completion,
    Sync,
}

/// One direction of a job.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) line: u64,
    pub(super) direction: Direction,
    pub(super) figures: FioDirection,
    /// How far its numbers were rounded, by their names.
    pub(super) steps: BTreeMap<String, f64>,
}

/// A line of latencies.
#[derive(Debug)]
pub(super) struct Latency {
    pub(super) timer: Timer,
    pub(super) unit_ns: f64,
    /// By fio's names: `avg`, `stdev`.
    pub(super) figures: BTreeMap<String, Quantity>,
}

/// `randwrite: (groupid=0, jobs=12): err= 0: …`: the name and the jobs that are added up.
pub(super) fn begin(line: &str) -> Option<(&str, Option<u64>)> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let jobs = rest.split_once("jobs=").and_then(|(_, rest)| rest.split_once(')')?.0.parse().ok());
    Some((name, jobs))
}

/// A line that begins a direction's figures.
pub(super) fn side(line_number: u64, line: &str) -> Option<Side> {
    let (name, rest) = line.split_once(':')?;
    let direction = match name.trim() {
        "read" => Direction::Read,
        "write" => Direction::Write,
        _ => return None,
    };
    let field = |name: &str| {
        let begin = rest.find(name)? + name.len();
        rest[begin..].trim_start().split([',', ' ', '(', ';', ')']).next()
    };
    let is_old = field("runt=").is_some();
    let rate = number(field("IOPS=").or_else(|| field("iops="))?)?.printed;
    let bandwidth = field("BW=").or_else(|| field("bw=")).and_then(|text| bytes_per_s(text, is_old));
    let runtime_ms =
        field("runt=").or_else(|| rest.split_once("msec").and_then(|(before, _)| before.rsplit('/').next()));
    let mut side = Side {
        line: line_number,
        direction,
        figures: FioDirection {
            iops: Some(rate.value),
            bytes_per_s: bandwidth.map(|bandwidth| bandwidth.value),
            runtime_ms: runtime_ms.and_then(|text| text.trim_end_matches("msec").trim().parse().ok()),
            ..FioDirection::default()
        },
        steps: BTreeMap::from([("iops".to_owned(), rate.uncertainty)]),
    };
    side.steps.extend(bandwidth.map(|bandwidth| ("bandwidth".to_owned(), bandwidth.uncertainty)));
    Some(side)
}

fn bytes_per_s(text: &str, is_old: bool) -> Option<Figure> {
    let text = if is_old {
        text.replace("KB", "KiB").replace("MB", "MiB").replace("GB", "GiB")
    } else {
        text.to_owned()
    };
    let found = number(&text)?;
    Some(found.printed.scaled(found.unit?.factor))
}

/// ns in the unit of `(usec)`.
fn unit(name: &str) -> Option<f64> {
    match name.trim() {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        "sec" => Some(1e9),
        _ => None,
    }
}

fn timer(name: &str) -> Option<Timer> {
    match name.trim() {
        "lat" => Some(Timer::Total),
        "clat" => Some(Timer::Completion),
        "sync" => Some(Timer::Sync),
        _ => None,
    }
}

/// `lat (usec): min=17, max=7832, avg=351.45, stdev=215.09`.
pub(super) fn latency(line: &str) -> Option<Latency> {
    let (name, rest) = line.split_once('(')?;
    let (unit_name, figures) = rest.split_once(')')?;
    let pairs = figures.trim_start_matches([':', ' ']).split(',').filter_map(|pair| {
        let (name, text) = pair.split_once('=')?;
        Some((name.trim().to_owned(), number(text)?))
    });
    let pairs: BTreeMap<String, Quantity> = pairs.collect();
    let is_line = pairs.contains_key("avg") && pairs.contains_key("min");
    Some(Latency { timer: timer(name).filter(|_| is_line)?, unit_ns: unit(unit_name)?, figures: pairs })
}

/// `clat percentiles (usec):`.
pub(super) fn percentiles_of(line: &str) -> Option<(Timer, f64)> {
    let (name, rest) = line.split_once(" percentiles (")?;
    Some((timer(name)?, unit(rest.split_once(')')?.0)?))
}
