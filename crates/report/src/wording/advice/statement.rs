//! What was measured for a value.

use crate::quantity;
use crate::wording::times;
use advice::{Arm, Cached, Compared, Follows, Log, Statement, Survives, Syncs, Work};
use model::figure::{count, exact_percent, percent, ratio, ratios, round, round_figure, round_figures};
use model::metric::Unit;
use model::units::{format_bytes_approximate, format_significant};
use verdict::Estimate;

/// What was measured, without a full stop.
pub fn measured(statement: &Statement) -> String {
    match statement {
        Statement::Compared { pairs, follows } => {
            let follows = follows.map_or("", follow);
            format!("{}{follows}", all(pairs))
        }
        Statement::Keeps(Survives::RocksDbProcess) => {
            "acknowledged writes survive if the process dies".to_owned()
        }
        Statement::Keeps(Survives::SqlitePower) => {
            "acknowledged transactions survive a power loss, if the drive honours flushes".to_owned()
        }
        Statement::Keeps(Survives::InnodbPages) => {
            "pages survive a power loss while they are written".to_owned()
        }
        Statement::WritesPerSecond { block, iops } => {
            format!("random writes of {block}: {} a second", quantity::with_interval(iops, Unit::Count))
        }
        Statement::WritesWhileLoading { bytes_per_s } => {
            format!(
                "{} a second are written while keys are loaded and compacted, without a limit",
                format_bytes_approximate(*bytes_per_s)
            )
        }
        Statement::SharedFlush { pair, share, alone_us } => shared_flush(pair, share, alone_us),
        Statement::Cost { cached: Cached::Nothing, ratio } => {
            format!("raw, with nothing cached: {}", simultaneous(ratio))
        }
        Statement::Cost { cached: Cached::NineTenthsOfBoth, ratio } => {
            format!("with 90 % of the sequential pages cached too: {}", simultaneous(ratio))
        }
        Statement::Depth { depth, reads_per_s, of_best: near } => {
            let near = near.as_ref().map_or_else(String::new, |near| format!("; it gives {}", of_best(near)));
            format!("{depth} reads in flight are enough: {} IOPS{near}", round(*reads_per_s))
        }
        Statement::Buffers { headroom, table_pages, trials, share_missing_at_most } => {
            let sizes: Vec<String> = table_pages.iter().map(u64::to_string).collect();
            format!(
                "with temp_buffers of {headroom} times the table, or more, a second read found every page in them, in each \
                 of {} with tables of {} pages; at most {} of trials could miss one (95 %)",
                count(*trials, "trial"),
                sizes.join(", "),
                percent(*share_missing_at_most)
            )
        }
        Statement::Syncs(found) => syncs(found),
    }
}

/// Pairs behind each other.
fn all(pairs: &[Compared]) -> String {
    pairs.iter().map(compared).collect::<Vec<_>>().join("; ")
}

/// `a write with RWF_DSYNC compared with write and fdatasync: 9 300 and 7 750/s, 1.20× the commits/s (1.15–1.25, 99.4 % simultaneous, 10 rounds
/// of study commit-modes)`.
pub(super) fn compared(pair: &Compared) -> String {
    let Compared { ratio, figures, rounds, study, is_floor_known, is_close, .. } = pair;
    let interval = ratio.interval.map_or_else(String::new, |interval| format!("{}, ", ratios(interval)));
    let level =
        ratio.level.map_or_else(String::new, |level| format!("{} simultaneous, ", exact_percent(level)));
    let floor = if *is_floor_known { "" } else { "; A/A noise floor unknown" };
    let close = if *is_close { " (no more than 5 % apart)" } else { "" };
    let (ours, theirs) = (arm(&pair.ours), arm(&pair.theirs));
    let named = quantity::named(&pair.metric);
    let figures = figures.map_or_else(String::new, |(of_ours, of_theirs)| {
        let (of_ours, of_theirs) = round_figures(of_ours, of_theirs, named.unit);
        format!("{of_ours} and {of_theirs}, ")
    });
    format!(
        "{ours} compared with {theirs}: {figures}{} the {} ({interval}{level}{} of study {study}{floor}){close}",
        times(ratio),
        named.title,
        count(*rounds, "round")
    )
}

fn arm(arm: &Arm) -> String {
    match arm {
        Arm::Value(name) => name.clone(),
        Arm::RocksDbDefault => "RocksDB's default".to_owned(),
        Arm::WriteDsync => "a write with RWF_DSYNC".to_owned(),
        Arm::WriteAndFdatasync => "write and fdatasync".to_owned(),
        Arm::WritesDsync(writes) => format!("{writes} writes with RWF_DSYNC"),
        Arm::WritesAndFdatasync(writes) => format!("{writes} writes and fdatasync"),
        Arm::HugePages => "buffers in huge pages".to_owned(),
        Arm::SmallPages => "buffers in small pages".to_owned(),
        Arm::InOrder { block } => format!("writes of {block} in order"),
        Arm::AtRandom { block } => format!("writes of {block} at random"),
        Arm::UsualReadahead => "the usual readahead".to_owned(),
        Arm::DoubleReadahead => "twice the readahead (POSIX_FADV_SEQUENTIAL)".to_owned(),
        Arm::OnFilesystem { filesystem, log } => format!("{filesystem} with {}", kind(*log)),
        Arm::Log(log) => kind(*log).to_owned(),
        Arm::OverwrittenLog => "an overwritten log".to_owned(),
        Arm::Committers(1.0) => "1".to_owned(),
        Arm::Committers(number) => format!("{number} committers"),
        Arm::RandomPage { cached_percentage } => {
            format!("a random page ({cached_percentage} % of them cached)")
        }
        Arm::SequentialPage => "a sequential one (none cached)".to_owned(),
        Arm::ReadsAround => "beside commits, direct reads".to_owned(),
        Arm::ReadsThrough => "buffered reads".to_owned(),
        Arm::DirectTables { work, memory_cap } => {
            let work = match work {
                Work::Reads => "reads of stored keys",
                Work::LoadAndDrain => "load and drain",
            };
            let cap = memory_cap.as_ref().map_or_else(String::new, |cap| format!(", memory_cap = {cap}"));
            format!("direct ({work}{cap})")
        }
        Arm::BufferedTables => "buffered".to_owned(),
        Arm::WriteAheadLog => "the write-ahead log".to_owned(),
        Arm::RollbackJournal { mode, synchronous } => {
            format!("a rollback journal ({mode}, synchronous = {synchronous})")
        }
        Arm::Reader { block_size, hint } => {
            let block = if block_size == "0B" { "whole files" } else { block_size };
            format!("{block}, hint {hint}")
        }
    }
}

fn kind(log: Log) -> &'static str {
    match log {
        Log::Growing => "a growing log",
        Log::Allocated => "an allocated log",
        Log::Written => "a prefilled log",
    }
}

fn follow(follows: Follows) -> &'static str {
    match follows {
        Follows::OrderGainsNothing => ": writing pages in order gains nothing here",
        Follows::CommitsDoNotWait => ": commits do not wait for each other's flushes",
    }
}

fn shared_flush(pair: &Compared, share: &Estimate, alone_us: &Estimate) -> String {
    let bounds = share.interval.map_or_else(String::new, |interval| format!(" ({})", ratios(interval)));
    format!(
        "{}: flushes delay commits, and {} that shared one flush would take {}{bounds} of their time; the manual's \
         starting point is half of the {} that a single commit takes",
        compared(pair),
        arm(&pair.ours),
        share.point.map_or_else(|| "–".to_owned(), format_significant),
        quantity::with_interval(alone_us, Unit::Microseconds)
    )
}

/// `31.2× (30.1–32.4, 99.38 % simultaneous)`.
fn simultaneous(estimate: &Estimate) -> String {
    match (estimate.interval, estimate.level) {
        (Some(interval), Some(level)) => {
            format!("{} ({}, {} simultaneous)", times(estimate), ratios(interval), exact_percent(level))
        }
        (_, _) => times(estimate),
    }
}

/// `0.970× of the best depth's IOPS (0.955–0.985, 99.4 %)`.
fn of_best(estimate: &Estimate) -> String {
    let proof = match (estimate.interval, estimate.level) {
        (Some(interval), Some(level)) => format!(" ({}, {})", ratios(interval), exact_percent(level)),
        (_, _) => String::new(),
    };
    let point = estimate.point.map_or_else(|| "–".to_owned(), ratio);
    format!("{point} of the best depth's IOPS{proof}")
}

pub(super) fn syncs(found: &Syncs) -> String {
    let log = match found.log {
        Log::Growing => "that grows",
        Log::Allocated => "allocated",
        Log::Written => "written before",
    };
    format!(
        "fdatasync p99 below 10 ms in {} of {} (highest {}, on a log {log}, study {}); at most {} of such trials could be above \
         ({})",
        found.trials - found.above,
        count(found.trials, "trial"),
        round_figure(found.highest_us, Unit::Microseconds),
        found.study,
        percent(found.share_above_at_most),
        exact_percent(found.level)
    )
}
