//! Claims for tests, written as a table whose columns are named as the roles of published tables are.

use crate::claim::{
    Arrivals, Cache, Claim, Direction, Estimate, Figure, LatencyFigure, Median, Property, Rated, Spread,
    SpreadKind, Sync, System,
};
use crate::law::Law;
use crate::status::Status;
use model::IoMode;
use model::durability::DurabilityClass;
use std::sync::Arc;

/// The claims of a table: a header and a line for each. A number is as uncertain as its last digit.
pub(crate) fn claims(table: &str) -> Vec<Claim> {
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let claim = |(number, line): (usize, &str)| {
        let mut claim = Claim { place: format!("line {}", number + 2), ..Claim::default() };
        for (name, cell) in header.iter().zip(line.split(',')).filter(|(_, cell)| !cell.is_empty()) {
            put(&mut claim, name, cell);
        }
        claim
    };
    lines.enumerate().map(claim).collect()
}

/// Checks what becomes of a law, and that its text contains these words.
#[track_caller]
pub(crate) fn check(law: &'static Law, table: &str, status: Status, words: &str) {
    let judgement = law.judge(&claims(table), "row");
    let text = format!("{}\n{}\n{}", judgement.summary, judgement.evidence.join("\n"), judgement.advice());
    assert_eq!(judgement.status, status, "{}: {text}", law.name);
    assert!(text.contains(words), "{} does not say {words:?}: {text}", law.name);
    assert_eq!(judgement.advice().is_empty(), !judgement.is_broken(), "{}", law.name);
}

fn printed(cell: &str) -> Figure {
    if let Some(thousands) = cell.strip_suffix('k') {
        let uncertainty = if thousands.contains('.') { 0.1 } else { 1.0 };
        return Figure { value: thousands.parse().unwrap(), uncertainty }.scaled(1e3);
    }
    let decimals = cell.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let zeros = cell.len() - cell.trim_end_matches('0').len();
    let whole = if cell.contains('.') { 0 } else { zeros.min(cell.len().saturating_sub(2)) };
    let uncertainty = if cell.contains('e') { 0.0 } else { 10_f64.powi(whole as i32 - decimals as i32) };
    Figure { value: cell.parse().unwrap(), uncertainty }
}

fn bytes(cell: &str) -> u64 {
    ["KiB", "MiB", "GiB"]
        .iter()
        .zip(1..)
        .find_map(|(unit, power)| Some(cell.strip_suffix(unit)?.parse::<u64>().ok()? << (10 * power)))
        .unwrap_or_else(|| cell.parse().unwrap())
}

fn put(claim: &mut Claim, name: &str, cell: &str) {
    let setting = &mut claim.setting;
    let count = || cell.parse().ok();
    let mode = || Some(IoMode::from_name(cell).unwrap());
    match name {
        "label" => cell.clone_into(&mut claim.label),
        "study" => claim.study = Some(cell.to_owned()),
        "rw" => {
            setting.direction = Some(Direction::from_pattern(cell).unwrap());
            setting.pattern = Some(cell.to_owned());
        }
        "mode" => setting.mode = mode(),
        "direct" => setting.mode = Some(if cell == "1" { IoMode::Direct } else { IoMode::Buffered }),
        "log_mode" => setting.log_mode = mode(),
        "ioengine" => setting.engine = Some(cell.to_owned()),
        "iodepth" => setting.iodepth = count(),
        "numjobs" => setting.numjobs = count(),
        "in_flight" => setting.in_flight = count(),
        "rate_iops" => {
            setting.arrivals = Some(if cell == "none" { Arrivals::Closed } else { Arrivals::Open });
        }
        "synced" => setting.synced = Some(cell == "1"),
        "sync" => setting.sync = Some(Sync::NAMES.iter().find(|(name, _)| *name == cell).unwrap().1),
        "system" => setting.system = Some(System::NAMES.iter().find(|(name, _)| *name == cell).unwrap().1),
        "durability" => {
            let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
            setting.durability = classes.into_iter().find(|class| class.to_string() == cell);
        }
        "said_of" => setting.said_of_device = Some(cell != "memory"),
        "cache" => setting.cache = Some(if cell == "warm" { Cache::Warm } else { Cache::Cold }),
        "block_bytes" => setting.block_bytes = Some(bytes(cell)),
        "file_bytes" => setting.file_bytes = Some(bytes(cell)),
        "memory_bytes" => setting.memory_bytes = Some(bytes(cell)),
        "memory_cap_bytes" => setting.memory_cap_bytes = Some(bytes(cell)),
        "passes" => setting.passes = count(),
        "cache_drops" => setting.cache_drops = count(),
        "reads_per_commit" => setting.reads_per_commit = cell.parse().ok(),
        "knob" => drop(Arc::make_mut(&mut setting.knobs).insert(name.to_owned(), cell.to_owned())),
        "n" => claim.n = count(),
        "rank" => claim.rank = count(),
        "runtime_s" => claim.runtime_s = cell.parse().ok(),
        "operations" => claim.operations = Some(printed(cell).value as u64),
        "iops" => claim.operations_per_s = Some(claim.measured("iops", printed(cell))),
        "commits_per_s" => claim.commits_per_s = Some(claim.measured("commits", printed(cell))),
        "bandwidth_mib_per_s" => {
            claim.bandwidth_bytes_per_s =
                Some(claim.measured("bandwidth", printed(cell).scaled(1_048_576.0)));
        }
        _ => figure(claim, name, printed(cell)),
    }
}

/// A latency (`sync_latency_p50_us`), or a figure with its partners (`COLUMN`, `COLUMN_ci`, `COLUMN_median`).
fn figure(claim: &mut Claim, name: &str, figure: Figure) {
    if let Some((line, rest)) = name.split_once("latency_") {
        let (what, unit) = rest.rsplit_once('_').unwrap();
        let factor =
            [("ns", 1.0), ("us", 1e3), ("ms", 1e6)].iter().find(|(known, _)| *known == unit).unwrap().1;
        let what = what.replace('_', ".");
        let number = format!("{}latency {what}", line.replace('_', " "));
        let value = claim.measured(&number, figure.scaled(factor));
        let line = match line {
            "sync_" => &mut claim.sync,
            "commit_" => &mut claim.commit,
            _ => &mut claim.latency,
        };
        line.put(latency_figure(&what), value);
        return;
    }
    let base = ["_ci", "_median", "_mean"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let of_base = |known: &Estimate| known.column.trim_end_matches("_mean") == base;
    if !claim.estimates.iter().any(of_base) {
        let column = if name.ends_with("_mean") { name } else { base }.to_owned();
        let figure = (column == "iops").then(|| claim.rate()).flatten();
        let same_as = figure.map(|_| column.clone());
        claim.estimates.push(Estimate { column, same_as, figure, spread: None, median: None });
    }
    let estimate = claim.estimates.iter_mut().find(|known| of_base(known)).unwrap();
    let column = name.to_owned();
    if name.ends_with("_ci") {
        estimate.spread = Some(Spread { column, kind: SpreadKind::HalfWidth, figure });
    } else if name.ends_with("_median") {
        estimate.median = Some(Median { column, figure });
    } else {
        estimate.figure = Some(figure);
    }
}

fn latency_figure(what: &str) -> LatencyFigure {
    match what {
        "mean" => LatencyFigure::Mean,
        "sd" => LatencyFigure::StandardDeviation,
        "min" => LatencyFigure::Min,
        "max" => LatencyFigure::Max,
        _ => LatencyFigure::Percentile(what.trim_start_matches('p').parse::<f64>().unwrap() / 100.0),
    }
}

/// A disk in a file for a scheduler.
pub(crate) fn disk(figures: &[(Property, f64)]) -> Claim {
    let rated = |(property, value): &(Property, f64)| {
        let (name, text) = (format!("{property:?}"), value.to_string());
        Rated { property: *property, name, text, value: *value, is_default: false }
    };
    Claim { rated: figures.iter().map(rated).collect(), ..Claim::default() }
}
