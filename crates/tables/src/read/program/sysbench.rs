//! `sysbench`: its file and its database tests. A latency is of an event, which in the file test is a read, a write or
//! an fsync.

use super::output::{NumberedLine, Output, behind, number, value};
use laws::{Arrivals, Circumstances, Claim, Direction, Figure, LatencyFigure, Sync, Timed};
use model::IoMode;
use model::units::parse_bytes;

const MIB: f64 = 1_048_576.0;

pub(super) fn read(lines: &[NumberedLine<'_>]) -> Output {
    let mut output = Output::default();
    let is_begin = |line: &str| line.trim_start().starts_with("sysbench ") && line.contains("(using");
    let mut begins: Vec<usize> = (0..lines.len()).filter(|index| is_begin(lines[*index].1)).collect();
    if begins.is_empty() {
        // The first lines are often left out.
        begins.push(0);
    }
    for (place, begin) in begins.iter().enumerate() {
        let end = begins.get(place + 1).copied().unwrap_or(lines.len());
        let report = Report { lines: &lines[*begin..end] };
        for (line, row) in report.files().into_iter().chain(report.transactions()) {
            output.push(line, row);
        }
    }
    output
}

struct Report<'a> {
    lines: &'a [NumberedLine<'a>],
}

impl Report<'_> {
    fn find(&self, name: &str) -> Option<(u64, &str)> {
        self.lines.iter().find_map(|(number, line)| Some((*number, behind(line, name)?)))
    }

    fn has(&self, text: &str) -> bool {
        self.lines.iter().any(|(_, line)| line.contains(text))
    }

    fn figure(&self, name: &str) -> Option<Figure> {
        self.find(name).and_then(|(_, text)| number(text)).map(|found| found.printed)
    }

    /// A row with what holds for each.
    fn row(&self, label: &str) -> Claim {
        Claim {
            label: label.to_owned(),
            runtime_s: self.figure("total time").map(|time| time.value),
            n: Some(1),
            setting: Circumstances {
                in_flight: self
                    .find("Number of threads")
                    .and_then(|(_, text)| value(text))
                    .map(|count| count as u64),
                ..Circumstances::default()
            },
            ..Claim::default()
        }
    }

    fn latency(&self, row: &mut Claim) {
        if !self.has("Latency (ms)") {
            return;
        }
        for (name, figure) in [
            ("min", LatencyFigure::Min),
            ("avg", LatencyFigure::Mean),
            ("max", LatencyFigure::Max),
            ("95th percentile", LatencyFigure::Percentile(0.95)),
            ("99th percentile", LatencyFigure::Percentile(0.99)),
        ] {
            // sysbench prints 0 for a percentile that it does not take.
            let found = self.figure(name).filter(|found| found.value > 0.0 || name == "min");
            if let Some(millis) = found {
                row.put(Timed::Operation, figure, millis.scaled(1e6));
            }
        }
        row.operations = self.figure("total number of events").map(|count| count.value as u64);
    }

    /// The file test: a row for reads and one for writes; the latency belongs to neither if there are both, or fsyncs.
    fn files(&self) -> Vec<(u64, Claim)> {
        let sides =
            [("reads/s", "read, MiB/s", Direction::Read), ("writes/s", "written, MiB/s", Direction::Write)];
        let rate = |name: &str| self.figure(name).filter(|rate| rate.value > 0.0);
        let kinds = sides.iter().filter(|(name, ..)| rate(name).is_some()).count();
        let is_one_kind = kinds == 1 && rate("fsyncs/s").is_none();
        let mut rows = Vec::new();
        for (name, bandwidth, direction) in sides {
            let Some((line, _)) = self.find(name) else { continue };
            let Some(rate) = rate(name) else { continue };
            let mut row = self.row(name.trim_end_matches("/s"));
            row.operations_per_s = Some(row.measured("iops", rate));
            let bandwidth = self.figure(bandwidth).filter(|bandwidth| bandwidth.value > 0.0);
            row.bandwidth_bytes_per_s = bandwidth.map(|found| row.measured("bandwidth", found.scaled(MIB)));
            row.setting =
                Circumstances { in_flight: None, ..self.file_setting(row.setting.clone(), direction) };
            if is_one_kind {
                row.setting.in_flight = self.row("").setting.in_flight;
                self.latency(&mut row);
            }
            rows.push((line, row));
        }
        rows
    }

    fn file_setting(&self, setting: Circumstances, direction: Direction) -> Circumstances {
        let block = self.lines.iter().find_map(|(_, line)| line.trim().strip_prefix("Block size "));
        let total = self.lines.iter().find_map(|(_, line)| line.trim().strip_suffix(" total file size"));
        let is_random = self.has("Doing random");
        let is_sequential = self.has("Doing sequential");
        let name = if direction == Direction::Read { "read" } else { "write" };
        let pattern = match (is_random, is_sequential) {
            (true, false) => Some(format!("rand{name}")),
            (false, true) => Some(name.to_owned()),
            (true, true) | (false, false) => None,
        };
        let flags = self.lines.iter().find_map(|(_, line)| behind(line, "Extra file open flags"));
        let mode =
            flags.map(|flags| if flags.contains("direct") { IoMode::Direct } else { IoMode::Buffered });
        let has_syncs = self.has("calling fsync() each") || self.has("fsync() at the end of test, Enabled");
        Circumstances {
            pattern,
            direction: Some(direction),
            mode,
            block_bytes: block.and_then(parse_bytes),
            file_bytes: total.and_then(parse_bytes),
            sync: has_syncs.then_some(Sync::Later),
            engine: self.has("Using synchronous I/O mode").then(|| "sync".to_owned()),
            ..setting
        }
    }

    /// The database tests: transactions with the latency of each.
    fn transactions(&self) -> Option<(u64, Claim)> {
        let (line, text) = self.find("transactions")?;
        let (_, rest) = text.split_once('(')?;
        let rate = number(rest.split_once(" per sec")?.0)?.printed;
        let test = self
            .lines
            .iter()
            .find_map(|(_, line)| line.split_whitespace().find(|word| word.starts_with("oltp_")));
        let mut row = self.row(test.unwrap_or("transactions"));
        row.operations_per_s = Some(row.measured("iops", rate));
        row.setting.arrivals = (!self.has("--rate")).then_some(Arrivals::Closed);
        self.latency(&mut row);
        Some((line, row))
    }
}
