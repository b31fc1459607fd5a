//! The description of a commit configuration.

use super::definitions::DEFINITIONS;
use super::levels::{Pacing, Sync};
use super::parameters::{PARAMETERS, Parameters};
use crate::describe::{for_trial, named, owned};
use crate::{IoEngine, steady_ramp};
use model::description::{
    Counted, Direction, Duration, Figures, Flushes, Hits, Interleaving, Load, Multiple, Names,
    OperationRatio, Part, Rate, Room, Stream, SyncUnit, Timed, Whole,
};
use model::{Configuration, Description, IoMode, LevelError};

/// Metric families whose timed region depends on how the log is written. Page 000 derived 3.07× from the sync alone,
/// although write and sync together differ by 1.06×.
const PARTLY_TIMED: &[&str] = &["sync_latency", "write_latency", "efficiency_share"];
const COMMITS: &str = "commits_per_s";

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let committers = u64::from(p.committers);
    let (read_depth, writes) = (u64::from(p.read_depth), p.writes_of_group());
    let own = Description {
        streams: streams(&p),
        syncs: p.sync != Sync::None,
        durability: Some(p.durability()),
        threads: committers,
        in_flight_max: committers * (read_depth + writes),
        ratio: (read_depth > 0).then(|| OperationRatio {
            parameter: named(&PARAMETERS.reads_per_commit),
            level: p.reads_per_commit,
            realised: "realised_reads_per_commit".to_owned(),
            is_held: p.pacing == Pacing::Exact,
        }),
        turns: Interleaving::of(leaves_nothing_behind(&p)),
        room: Room {
            registers_buffers: p.registered && p.ioengine == IoEngine::Uring,
            files: p.files(),
            ..Room::default()
        },
        data_bytes: Some(p.data_size),
        layout: Some(p.wal_layout),
        cache: p.cache,
        owns_buffers: true,
        buffer_pages: Some(p.buffer_pages),
        duration: steady_ramp::lengthen(
            p.steady_ramp,
            Duration {
                phase_s: p.runtime.seconds(),
                phases: 1,
                operations: p.groups_of_all(),
                ends_on_time: true,
                ..Duration::default()
            },
        ),
        names: Names {
            layout_parameter: Some(named(&PARAMETERS.wal_layout)),
            sets_several: sets_both_modes(&p),
            ..Names::default()
        },
        figures: Figures {
            families: owned(&["commit_latency", "sync_latency", "read_latency"]),
            timed: timed(&p),
            counts_in_flight: true,
            loads: loads(&p),
            multiples: multiples(&p),
            flushes: flushes(&p),
            hits: (read_depth > 0).then(|| Hits::Fetched {
                metric: "device_read_bytes_per_read".to_owned(),
                read_bytes: u64::from(p.page_size),
            }),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

fn streams(p: &Parameters) -> Vec<Stream> {
    let committers = u64::from(p.committers);
    let record = Stream {
        direction: Direction::Write,
        role: "wal".to_owned(),
        mode: p.wal_mode(),
        is_random: Some(false),
        block_bytes: Some(p.record_size),
        share: None,
        in_flight_max: Some(committers * p.writes_of_group()),
        size_parameter: Some(named(&PARAMETERS.record_size)),
        trial_bytes_max: (p.groups > 0).then(|| p.groups_of_all().saturating_mul(p.group_bytes())),
    };
    let page = Stream {
        direction: Direction::Read,
        role: "data".to_owned(),
        mode: p.data_mode(),
        is_random: Some(true),
        block_bytes: Some(u64::from(p.page_size)),
        share: None,
        in_flight_max: Some(committers * u64::from(p.read_depth)),
        size_parameter: Some(named(&PARAMETERS.page_size)),
        trial_bytes_max: None,
    };
    std::iter::once(record).chain((p.read_depth > 0).then_some(page)).collect()
}

/// Whether an arm can take turns. The kernel writes back what buffered writes leave in memory during the next arm's
/// turn, and a log that cannot wrap is full after a number of turns that depends on how fast it is.
fn leaves_nothing_behind(p: &Parameters) -> bool {
    p.wal_layout.is_reusable() && (p.sync != Sync::None || p.wal_mode() == IoMode::Direct)
}

/// A group of separate writes has one latency, from the first's submission to the last's completion.
fn loads(p: &Parameters) -> Vec<Load> {
    let write =
        Load { overlapping_max: p.writes_of_group(), ..Load::moving("wal", COMMITS, "write_latency") };
    let sync = matches!(p.sync, Sync::Fdatasync | Sync::Fsync).then(|| Load::each(COMMITS, "sync_latency"));
    let read = (p.read_depth > 0).then(|| Load::moving("data", "reads_per_s", "read_latency"));
    std::iter::once(write).chain(sync).chain(read).collect()
}

/// A commit acknowledges a group, and exact pacing reads the same number of pages for each.
fn multiples(p: &Parameters) -> Vec<Multiple> {
    let transactions = Multiple::new("transactions_per_s", f64::from(p.group_size), COMMITS);
    let is_paced = p.read_depth > 0 && p.pacing == Pacing::Exact;
    let reads = is_paced.then(|| Multiple::new("reads_per_s", p.reads_per_commit as f64, COMMITS));
    std::iter::once(transactions).chain(reads).collect()
}

fn flushes(p: &Parameters) -> Option<Flushes> {
    (p.sync != Sync::None).then(|| Flushes {
        unit: SyncUnit::Commit,
        rates: vec![Rate::each(COMMITS)],
        counted: Some(Counted { metric: "device_flushes_per_commit".to_owned(), operations: 1 }),
        is_forced: p.sync == Sync::Dsync && p.wal_mode() == IoMode::Direct,
        if_declared: false,
        sync_latency: matches!(p.sync, Sync::Fdatasync | Sync::Fsync).then(|| "sync_latency".to_owned()),
        acknowledged_latency: Some("commit_latency".to_owned()),
    })
}

/// All modes except direct leave the writing to the sync, and so do all syncs except dsync.
fn timed(p: &Parameters) -> Vec<Timed> {
    let written = if p.wal_mode() == IoMode::Direct { Part::WrittenBeforeSync } else { Part::WrittenBySync };
    let durable = match p.sync {
        Sync::Dsync => Part::DurableByWrite,
        Sync::Fdatasync | Sync::Fsync | Sync::None => Part::DurableBySync,
    };
    let synced = match p.ioengine {
        IoEngine::Uring => Part::SyncedByWorker,
        IoEngine::Psync => Part::SyncedByCaller,
    };
    let parts = [
        (PARAMETERS.mode.name(), written),
        (PARAMETERS.wal_mode.name(), written),
        (PARAMETERS.sync.name(), durable),
        (PARAMETERS.ioengine.name(), synced),
    ];
    let of_family = |family: &&str| {
        parts.map(|(parameter, part)| Timed {
            family: (*family).to_owned(),
            parameter: parameter.to_owned(),
            part,
            instead: Whole { metric: "commit_latency".to_owned(), with: None },
        })
    };
    PARTLY_TIMED.iter().flat_map(of_family).collect()
}

/// `mode` sets the mode of the page reads and of the log together, unless one of them has its own.
fn sets_both_modes(p: &Parameters) -> Option<(String, Vec<String>)> {
    let own = vec![named(&PARAMETERS.data_mode), named(&PARAMETERS.wal_mode)];
    let both = p.read_depth > 0 && p.data_mode.is_none() && p.wal_mode.is_none();
    both.then(|| (named(&PARAMETERS.mode), own))
}
