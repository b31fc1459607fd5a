//! Longhorn's `kbench`: `Random: 94,423 / 33,124` below a metric's heading. Each figure is of a run of its own: rates
//! with 4 KiB, bandwidths with 128 KiB, latencies with one operation in flight, all direct.

use super::output::{NumberedLine, Output, behind, number};
use laws::{Circumstances, Claim, Direction, Figure, LatencyFigure, Timed};
use model::IoMode;
use model::units::parse_bytes;

const MARK: &str = "FIO Benchmark";

#[derive(Clone, Copy)]
enum Metric {
    Rate,
    Bandwidth,
    Latency,
}

const METRICS: &[(&str, Metric, &str)] = &[
    ("IOPS (Read/Write)", Metric::Rate, "IOPS"),
    ("Bandwidth in KiB/sec (Read/Write)", Metric::Bandwidth, "bandwidth"),
    ("Latency in ns (Read/Write)", Metric::Latency, "latency"),
];
const PATTERNS: &[(&str, &str)] = &[("Random", "rand"), ("Sequential", "")];

pub(super) fn read(lines: &[NumberedLine<'_>]) -> Output {
    let mut output = Output::default();
    if !lines.iter().any(|(_, line)| line.contains(MARK)) {
        return output;
    }
    let mut volumes = vec![String::new()];
    let mut file_bytes = None;
    let mut metric = None;
    for (line_number, line) in lines {
        let heading = METRICS.iter().find(|(heading, ..)| line.trim().starts_with(heading));
        if let Some(names) = behind(line, "For") {
            volumes = names.split(" vs ").map(|name| name.trim().to_owned()).collect();
        } else if let Some(size) = behind(line, "Size").or_else(|| behind(line, "SIZE")) {
            file_bytes = parse_bytes(size);
        } else if let Some((_, kind, name)) = heading {
            metric = Some((*kind, *name));
        } else if line.trim_end().ends_with(')') {
            // A metric that is not looked at, such as the idleness of the CPU.
            metric = None;
        } else if let (Some((kind, name)), Some((pattern, figures))) = (metric, figures(line)) {
            for (volume, figures) in volumes.iter().zip(figures.split(" vs ")) {
                for row in rows(kind, pattern, figures) {
                    let label =
                        format!("{volume} {} {name}", row.setting.pattern.as_deref().unwrap_or_default());
                    let study = Some(name.to_owned());
                    let setting = Circumstances { file_bytes, ..row.setting };
                    output
                        .push(*line_number, Claim { label: label.trim().to_owned(), study, setting, ..row });
                }
            }
        }
    }
    output
}

/// The pattern of a line, and its figures without the column of changes.
fn figures(line: &str) -> Option<(&'static str, &str)> {
    let (pattern, rest) =
        PATTERNS.iter().find_map(|(name, pattern)| Some((*pattern, behind(line, name)?)))?;
    Some((pattern, rest.split(" : ").next().unwrap_or(rest)))
}

/// The reads and the writes of `94,423 / 33,124`.
fn rows(metric: Metric, pattern: &str, text: &str) -> Vec<Claim> {
    let sides = [(Direction::Read, "read"), (Direction::Write, "write")];
    let row = |((direction, name), text): ((Direction, &str), &str)| {
        let found = number(text)?.printed;
        let mut row = Claim {
            setting: Circumstances {
                pattern: Some(format!("{pattern}{name}")),
                direction: Some(direction),
                mode: Some(IoMode::Direct),
                ..Circumstances::default()
            },
            ..Claim::default()
        };
        put(&mut row, metric, found);
        Some(row)
    };
    sides.into_iter().zip(text.split(" / ")).filter_map(row).collect()
}

fn put(row: &mut Claim, metric: Metric, found: Figure) {
    match metric {
        Metric::Rate => row.operations_per_s = Some(row.measured("iops", found)),
        Metric::Bandwidth => {
            row.bandwidth_bytes_per_s = Some(row.measured("bandwidth", found.scaled(1024.0)));
        }
        Metric::Latency => row.put(Timed::Operation, LatencyFigure::Mean, found),
    }
}
