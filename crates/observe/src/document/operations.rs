//! Reads, writes and syncs, and what is written from one sync to the next.

use super::cells::{NONE, estimated, latency, share, sizes};
use crate::class::Class;
use crate::observation::{ClassFigures, Observation, SyncFigures};
use crate::plot;
use model::figure::{count, figure, interval, percent, round, round_figure};
use model::metric::Unit;
use page::{Block, Cell, Column, Section, Table};
use std::fmt::Write;

/// `None` if nothing was read, written or synced.
pub(super) fn section(seen: &Observation) -> Option<Section> {
    if seen.classes.is_empty() {
        return None;
    }
    let columns = vec![
        Column::Words("operation".into()),
        Column::Figures("seen".into()),
        Column::Figures("per s".into()),
        Column::Figures("bandwidth".into()),
        Column::Words("sizes".into()),
        Column::Figures("sequential".into()),
        Column::Figures("in flight".into()),
        Column::Figures("at most".into()),
        Column::Figures("p50 µs".into()),
        Column::Figures("p99 µs".into()),
        Column::Figures("max µs".into()),
    ];
    let mut table = Table::new("operations", columns);
    for of in &seen.classes {
        table.row(cells(of));
    }
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(recorded(seen).map(Block::note));
    let depths: Vec<String> = seen.classes.iter().filter_map(depth).collect();
    if !depths.is_empty() {
        blocks.push(Block::note(format!(
            "In flight is rate × mean latency (Little's law). Counted over the time: {}.",
            depths.join(", ")
        )));
    }
    blocks.extend(between(&seen.syncs).map(Block::paragraph));
    let failed: u64 = seen.classes.iter().map(|of| of.failed).sum();
    if failed > 0 {
        let failed = count(failed as usize, "call");
        blocks.push(Block::remark(format!("{failed} failed and are not among the figures.")));
    }
    blocks.extend(plot::latencies(&seen.classes).map(Block::Figure));
    Some(Section::new("operations", "System calls", blocks))
}

fn cells(of: &ClassFigures) -> Vec<Cell> {
    let [p50, p99, max] = latency(of.latency.as_ref());
    let is_sync = of.class == Class::Sync;
    let bandwidth = round_figure(of.bytes_per_s, Unit::BytesPerSecond);
    vec![
        Cell::of(of.class.plural()),
        Cell::of(percent(of.seen_share)),
        Cell::of(estimated(round(of.operations_per_s), of.is_estimate())),
        Cell::of(if is_sync { NONE.to_owned() } else { estimated(bandwidth, of.is_estimate()) }),
        Cell::of(if is_sync { NONE.to_owned() } else { sizes(&of.sizes) }),
        Cell::of(share(of.sequential_share)),
        Cell::of(round(of.depth_by_littles_law)),
        Cell::of(of.depth_max.to_string()),
        Cell::of(p50),
        Cell::of(p99),
        Cell::of(max),
    ]
}

/// What was recorded in windows, if not everything was.
fn recorded(seen: &Observation) -> Option<String> {
    let windows = seen.recording.windows?;
    let estimates: Vec<&ClassFigures> = seen.classes.iter().filter(|of| of.is_estimate()).collect();
    let names: Vec<&str> = estimates.iter().map(|of| of.class.plural()).collect();
    let mut text = format!(
        "Calls were recorded in {} of {} s together, {} of the time. ",
        count(windows, "window"),
        round(seen.recording.seconds),
        percent(seen.recording.share)
    );
    match names.as_slice() {
        [] => text.push_str("Syncs were recorded all the time."),
        names => {
            // Writing to a String cannot fail.
            let _ = write!(text, "Rates of {} are therefore estimates (≈)", names.join(", "));
            let intervals: Vec<String> = estimates.iter().filter_map(|of| rate_interval(of)).collect();
            if !intervals.is_empty() {
                let _ = write!(text, "; 95 % intervals over the windows: {}", intervals.join(", "));
            }
            text.push('.');
        }
    }
    Some(text)
}

fn rate_interval(of: &ClassFigures) -> Option<String> {
    let bounds = of.operations_per_s_interval?;
    Some(format!("{} {}/s", of.class.plural(), interval(bounds, of.operations_per_s, Unit::PerSecond)))
}

fn depth(of: &ClassFigures) -> Option<String> {
    (of.operations > 0).then(|| format!("{} {}", of.class.plural(), round(of.depth_counted)))
}

fn between(syncs: &SyncFigures) -> Option<String> {
    let mut sentences = Vec::new();
    if let (Some(bytes), Some(writes)) = (syncs.log_bytes_between_mean, syncs.log_writes_between_mean) {
        sentences.push(format!(
            "From one sync of a log to the next, {} in {} writes are written to it on average.",
            figure(bytes, Unit::Bytes),
            round(writes)
        ));
    } else if let Some(bytes) = syncs.bytes_between_mean {
        sentences.push(format!(
            "From one sync of a file to the next, {} are written to it on average.",
            figure(bytes, Unit::Bytes)
        ));
    }
    if syncs.durable_writes_per_s > 0.0 {
        sentences.push(format!(
            "{} writes/s are durable when they return (O_DSYNC or RWF_DSYNC), without a sync.",
            round(syncs.durable_writes_per_s)
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
