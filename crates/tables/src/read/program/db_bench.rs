//! `db_bench` of RocksDB and LevelDB: `fillseq : 1.885 micros/op 530463 ops/sec …; 58.7 MB/s`.
//!
//! `micros/op` is the mean over operations of all threads, `ops/sec` counts by the clock, and `MB/s` are 2²⁰ bytes
//! (`Stats::Report` in db_bench_tool.cc).

use super::fio_options::words;
use super::output::{NumberedLine, Output, behind, number, value};
use laws::{Circumstances, Claim, Direction, Figure, LatencyFigure, Sync, Timed};
use model::durability::DurabilityClass;
use std::collections::BTreeMap;

const MIB: f64 = 1_048_576.0;
const MARK: &str = " micros/op";

/// What was printed before the benchmarks, or typed.
#[derive(Default)]
struct Told {
    key_bytes: Option<u64>,
    value_bytes: Option<u64>,
    /// Options of the last command line; `None` if there is none.
    options: Option<BTreeMap<String, String>>,
    /// How often each benchmark was reported since.
    reported: BTreeMap<String, usize>,
}

impl Told {
    /// Forgets everything if a result is of another run: db_bench reports each benchmark of its list once.
    fn report(&mut self, name: &str) {
        let listed = self.options.as_ref().and_then(|options| options.get("benchmarks"));
        let times = listed.map_or(1, |listed| times(listed, name));
        if self.reported.get(name).copied().unwrap_or(0) >= times {
            *self = Self::default();
        }
        *self.reported.entry(name.to_owned()).or_default() += 1;
    }
}

/// How often a list of benchmarks makes db_bench report one: each `readrandom` once, `readrandom[X5]` five times.
fn times(listed: &str, name: &str) -> usize {
    let repeated = |entry: &str| match entry.trim().split_once('[') {
        Some((entry, _)) if entry == name => usize::MAX,
        Some(_) => 0,
        None => usize::from(entry.trim() == name),
    };
    listed.split(',').map(repeated).fold(0, usize::saturating_add)
}

pub(super) fn read(lines: &[NumberedLine<'_>]) -> Output {
    let mut output = Output::default();
    let mut told = Told::default();
    for (line_number, line) in lines {
        if let Some((_, options)) = line.split_once("db_bench").filter(|(_, rest)| rest.contains("--")) {
            told = Told { options: Some(command_line(options)), ..Told::default() };
        } else if let Some(bytes) = behind(line, "Keys").and_then(leading_bytes) {
            told.key_bytes = Some(bytes);
        } else if let Some(bytes) = behind(line, "Values").and_then(leading_bytes) {
            told.value_bytes = Some(bytes);
        } else if let Some(result) = result(line) {
            told.report(result.name);
            output.push(*line_number, row(&result, &told));
        } else if let Some(row) = output.rows.last_mut() {
            histogram(line, row);
        }
    }
    output
}

fn command_line(text: &str) -> BTreeMap<String, String> {
    words(text).into_iter().map(|(name, value)| (name.replace('-', "_"), value)).collect()
}

/// The 100 of `100 bytes each (50 bytes after compression)`.
fn leading_bytes(text: &str) -> Option<u64> {
    text.split_once(" bytes").and_then(|(count, _)| count.trim().parse().ok())
}

/// The line of a benchmark.
struct BenchmarkLine<'a> {
    name: &'a str,
    micros: Figure,
    /// `530463 ops/sec 188.500 seconds 100000000 operations;   58.7 MB/s (63287 of 100000 found)`.
    rest: &'a str,
}

fn result(line: &str) -> Option<BenchmarkLine<'_>> {
    let (before, rest) = line.split_once(MARK)?;
    let (name, micros) = before.split_once(':')?;
    let name = name.trim();
    let is_name = !name.is_empty() && !name.contains(' ');
    let micros = number(micros).filter(|_| is_name)?.printed;
    Some(BenchmarkLine { name, micros, rest })
}

fn row(result: &BenchmarkLine<'_>, told: &Told) -> Claim {
    let option = |option: &str| told.options.as_ref()?.get(option).map(String::as_str);
    let setting = setting(result.name, told);
    let mut row = Claim { label: result.name.to_owned(), setting, n: Some(1), ..Claim::default() };
    row.put(Timed::Operation, LatencyFigure::Mean, result.micros.scaled(1e3));
    let tokens: Vec<&str> = result.rest.split([' ', ';']).filter(|token| !token.is_empty()).collect();
    for pair in tokens.windows(2) {
        let Some(figure) = number(pair[0]).map(|found| found.printed) else { continue };
        match pair[1] {
            "ops/sec" => row.operations_per_s = Some(row.measured("iops", figure)),
            "MB/s" => row.bandwidth_bytes_per_s = Some(row.measured("bandwidth", figure.scaled(MIB))),
            "seconds" => row.runtime_s = Some(figure.value),
            "operations" => row.operations = Some(figure.value as u64),
            _ => {}
        }
    }
    let threads = option("threads").map_or(Some(1), |threads| threads.parse().ok());
    row.setting.in_flight = threads.filter(|_| told.options.is_some());
    row
}

fn setting(name: &str, told: &Told) -> Circumstances {
    let is_fill = name.starts_with("fill") || name == "overwrite";
    let is_read =
        ["read", "seek", "multiread"].iter().any(|prefix| name.starts_with(prefix)) && !name.contains("writ");
    let option = |option: &str| told.options.as_ref()?.get(option).map(String::as_str);
    let is_on = |name: &str| option(name).is_some_and(|value| matches!(value, "" | "1" | "true" | "yes"));
    // `fillsync`, and `fillrandsync` and `fillseqsync` of the programs made after it, set it themselves.
    let sync = match (is_fill, name.ends_with("sync") || is_on("sync"), &told.options) {
        (true, true, _) => Some(Sync::Fdatasync),
        (true, false, Some(_)) => Some(Sync::Never),
        (true, false, None) | (false, ..) => None,
    };
    Circumstances {
        pattern: Some(name.to_owned()),
        direction: match (is_fill, is_read) {
            (true, _) => Some(Direction::Write),
            (_, true) => Some(Direction::Read),
            (false, false) => None,
        },
        // Reads count the bytes of what they find.
        block_bytes: told.key_bytes.zip(told.value_bytes).filter(|_| is_fill).map(|(key, value)| key + value),
        sync,
        latency_holds_sync: true,
        durability: (is_fill && is_on("disable_wal")).then_some(DurabilityClass::None),
        ..Circumstances::default()
    }
}

/// The lines of `--histogram`.
fn histogram(line: &str, row: &mut Claim) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = |name: &str| {
        let place = words.iter().position(|word| *word == name)?;
        words.get(place + 1).and_then(|text| number(text)).map(|found| found.printed)
    };
    let mut put = |figure: LatencyFigure, value: Option<Figure>| {
        if let Some(micros) = value {
            row.put(Timed::Operation, figure, micros.scaled(1e3));
        }
    };
    match words.first() {
        Some(&"Count:") => put(LatencyFigure::StandardDeviation, named("StdDev:")),
        Some(&"Min:") => {
            put(LatencyFigure::Min, named("Min:"));
            put(LatencyFigure::Max, named("Max:"));
        }
        Some(&"Percentiles:") => {
            for pair in words.windows(2) {
                let percent =
                    pair[0].strip_prefix('P').and_then(|name| name.strip_suffix(':')).and_then(value);
                if let Some(percent) = percent.filter(|percent| *percent > 0.0 && *percent < 100.0) {
                    put(
                        LatencyFigure::Percentile(percent / 100.0),
                        number(pair[1]).map(|found| found.printed),
                    );
                }
            }
        }
        Some(_) | None => {}
    }
}
