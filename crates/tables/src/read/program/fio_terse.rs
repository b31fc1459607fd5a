//! fio's `--minimal` output, versions 3, 4 and 5: one line a job, fields between semicolons (HOWTO, "Terse output"). It
//! has no option, so every setting is unknown.

use super::output::{NumberedLine, Output};
use crate::read::fio::rows_of_job;
use fio::json::{FioDirection, FioJob, FioLatency};
use laws::{Circumstances, Claim, Direction};

/// Fields before the figures: version, fio's version, job, group, error.
const HEAD: usize = 5;
/// Fields of one direction up to version 4, and in version 5 with the counts of samples and the rate's.
const DIRECTION: usize = 41;
const DIRECTION_5: usize = 47;
/// Percentiles in a direction.
const PERCENTILES: std::ops::Range<usize> = 12..32;
const MICRO: f64 = 1e3;

pub(super) fn read(lines: &[NumberedLine<'_>]) -> Output {
    let mut output = Output::default();
    for (number, line) in lines {
        for row in job(line.trim()).unwrap_or_default() {
            output.push(*number, row);
        }
    }
    output
}

fn job(line: &str) -> Option<Vec<Claim>> {
    let fields: Vec<&str> = line.split(';').collect();
    let length = match *fields.first()? {
        "3" | "4" => DIRECTION,
        "5" => DIRECTION_5,
        _ => return None,
    };
    if !fields.get(1)?.starts_with("fio-") {
        return None;
    }
    let side = |place: usize| direction(fields.get(HEAD + place * length..HEAD + (place + 1) * length)?);
    let job = FioJob {
        name: (*fields.get(2)?).to_owned(),
        error: fields.get(4)?.parse().ok(),
        read: side(0),
        write: side(1),
        ..FioJob::default()
    };
    let row = |(direction, mut row): (Direction, Claim)| {
        row.setting = Circumstances { direction: Some(direction), ..Circumstances::default() };
        cut(&mut row);
        row
    };
    Some(rows_of_job(&job).into_iter().map(row).collect())
}

/// How far its numbers were cut: whole operations and KiB per second, whole microseconds, but means and deviations in
/// full.
fn cut(row: &mut Claim) {
    row.uncertainties.extend([("iops".to_owned(), 1.0), ("bandwidth".to_owned(), 1024.0)]);
    for family in ["latency", "completion latency"] {
        row.uncertainties.extend(["min", "max"].map(|name| (format!("{family} {name}"), MICRO)));
    }
    let percentiles = row.completion.iter().flat_map(|line| &line.percentiles);
    let steps = percentiles.map(|known| (format!("completion latency {}", known.name()), MICRO));
    row.uncertainties.extend(steps.collect::<Vec<_>>());
}

/// The figures of a direction; `None` if it did nothing.
fn direction(fields: &[&str]) -> Option<FioDirection> {
    let number = |place: usize| fields.get(place)?.parse::<f64>().ok();
    let kib = number(0).filter(|kib| *kib > 0.0)?;
    // Percentiles stand between the completion's own figures and those of the whole latency.
    let latency = |from: usize| FioLatency {
        min_ns: number(from).map(|micros| micros * MICRO),
        max_ns: number(from + 1).map(|micros| micros * MICRO),
        mean_ns: number(from + 2).map(|micros| micros * MICRO),
        stddev_ns: number(from + 3).map(|micros| micros * MICRO),
        ..FioLatency::default()
    };
    let percentile = |field: &&str| {
        let (percent, micros) = field.split_once("%=")?;
        let percent = percent.parse().ok().filter(|percent| *percent > 0.0)?;
        Some((percent, micros.parse::<f64>().ok()? * MICRO))
    };
    let percentiles = fields.get(PERCENTILES)?.iter().filter_map(percentile).collect();
    Some(FioDirection {
        bytes: Some((kib * 1024.0) as u64),
        bytes_per_s: number(1).map(|kib| kib * 1024.0),
        iops: number(2),
        runtime_ms: number(3).map(|millis| millis as u64),
        completion: Some(FioLatency { percentiles, ..latency(8) }),
        total: Some(latency(32)),
        ..FioDirection::default()
    })
}
