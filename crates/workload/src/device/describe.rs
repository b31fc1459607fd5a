//! The description of a device configuration.

use super::FAMILIES;
use super::definitions::DEFINITIONS;
use super::levels::Data;
use super::parameters::{PARAMETERS, Parameters};
use crate::describe::{for_trial, named, owned};
use crate::{IoEngine, steady_ramp};
use model::description::{
    Arrivals, Content, Depth, Direction, Duration, Figures, Flushes, Hits, Interleaving, Load, Multiple,
    Part, Rate, Room, Stream, SyncUnit, Timed, Whole,
};
use model::{Configuration, Description, IoMode, Layout, LevelError, Nanos, SizeShare, Sizes};

const OPERATIONS: &str = "iops";

pub(super) fn describe(configuration: &Configuration) -> Result<Description, LevelError> {
    let p = Parameters::read(configuration)?;
    let readers = p.readers();
    let teams: Vec<&Parameters> = std::iter::once(&p).chain(&readers).collect();
    let jobs = teams.iter().map(|team| u64::from(team.numjobs)).sum();
    let in_flight_max = teams.iter().map(|team| u64::from(team.numjobs) * u64::from(team.iodepth)).sum();
    let pauses = p.thinktime > Nanos::ZERO;
    let depth = Depth { parameter: named(&PARAMETERS.iodepth), operations: u64::from(p.iodepth) };
    let own = Description {
        streams: streams(&p),
        syncs: syncs(&p),
        durability: Some(p.durability()),
        content: match p.data {
            Data::Random => Content::Random,
            Data::Zero => Content::Zero,
            Data::Compressible => Content::Compressible,
        },
        threads: jobs,
        in_flight_max,
        // The count of operations in flight cannot distinguish two depths, and pauses lower it.
        depth: (readers.is_none() && !pauses).then_some(depth),
        pauses,
        arrivals: arrivals(&p, readers.as_ref()),
        turns: Interleaving {
            slice_min_s: if reads_ahead(&p) { READAHEAD_SLICE_MIN_S } else { 0.0 },
            ..Interleaving::of(leaves_nothing_behind(&p))
        },
        room: Room {
            registers_buffers: p.registered && teams.iter().any(|team| team.ioengine == IoEngine::Uring),
            files: p.files(),
            ..Room::default()
        },
        data_bytes: Some(p.data_bytes()),
        layout: Some(Layout::Prefilled),
        cache: p.cache.of_share(p.cached_percentage),
        owns_buffers: true,
        buffer_pages: Some(p.buffer_pages),
        duration: steady_ramp::lengthen(
            p.steady_ramp,
            Duration {
                phase_s: p.runtime.seconds(),
                phases: 1,
                operations: p.number_ios.saturating_mul(u64::from(p.numjobs)),
                ends_on_time: !p.end_fsync,
                paused_s: paused_s(&p),
                ramp_s: p.ramp_time.seconds(),
                moved_bytes: p
                    .size
                    .saturating_mul(u64::from(p.precondition_passes) + u64::from(p.verifies())),
                ..Duration::default()
            },
        ),
        figures: Figures {
            families: owned(FAMILIES),
            timed: timed(&p),
            counts_in_flight: true,
            loads: loads(&p),
            multiples: multiples(&p),
            flushes: syncs(&p).then(|| Flushes {
                unit: SyncUnit::Sync,
                rates: sync_rates(&p),
                counted: None,
                is_forced: false,
                if_declared: false,
                sync_latency: Some("sync_latency".to_owned()),
                acknowledged_latency: None,
            }),
            hits: p.reads().then(|| Hits::Share {
                metric: "page_cache_hit_share".to_owned(),
                reads: "read_iops".to_owned(),
                read_bytes: p.read_bytes_mean(),
            }),
            reached_device: Some("device_written_bytes_per_written_byte".to_owned()),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

/// Pauses of a job that only a count of operations ends.
fn paused_s(p: &Parameters) -> f64 {
    let pauses = p.number_ios / p.thinktime_blocks.max(1);
    if p.runtime == Nanos::ZERO { pauses as f64 * p.thinktime.seconds() } else { 0.0 }
}

fn streams(p: &Parameters) -> Vec<Stream> {
    let named =
        |sizes: &Sizes| if sizes.is_empty() { PARAMETERS.bs.name() } else { PARAMETERS.bssplit.name() };
    let own = named(&p.bssplit);
    let of_writes =
        if p.sizes_differ() { PARAMETERS.bssplit_writes.name() } else { named(p.written_sizes()) };
    let reads = match p.readers() {
        Some(readers) => of_each_size(&readers, Direction::Read, PARAMETERS.beside_bs.name()),
        None if p.reads() && read_percentage(p) > 0 => of_each_size(p, Direction::Read, own),
        None => Vec::new(),
    };
    let writes = if writes(p) { of_each_size(p, Direction::Write, of_writes) } else { Vec::new() };
    reads.into_iter().chain(writes).collect()
}

/// What jobs read or write: a stream for each size.
fn of_each_size(team: &Parameters, direction: Direction, parameter: &str) -> Vec<Stream> {
    let stream = |size: SizeShare| Stream {
        direction,
        role: "data".to_owned(),
        mode: team.mode,
        is_random: Some(team.rw.is_random()),
        block_bytes: Some(size.bytes),
        share: (size.percent < 100).then(|| f64::from(size.percent) / 100.0),
        in_flight_max: Some(u64::from(team.numjobs) * u64::from(team.iodepth)),
        size_parameter: Some(parameter.to_owned()),
        trial_bytes_max: None,
    };
    team.sizes(direction == Direction::Write).into_iter().map(stream).collect()
}

/// The rate of an open loop. If jobs of one kind have a rate and those beside them have none, it is that kind's
/// operations.
fn arrivals(p: &Parameters, readers: Option<&Parameters>) -> Option<Arrivals> {
    let per_s = |team: &Parameters| team.rate_per_s().map(|rate| rate * f64::from(team.numjobs));
    let arrivals = |parameter: &str, per_s: f64, rate: &str| Arrivals {
        parameter: parameter.to_owned(),
        per_s,
        rates: owned(&[rate]),
    };
    match (per_s(p), readers.map(per_s)) {
        (Some(all), None) => Some(arrivals(PARAMETERS.rate_iops.name(), all, OPERATIONS)),
        (Some(own), Some(None)) => Some(arrivals(PARAMETERS.rate_iops.name(), own, "write_iops")),
        (None, Some(Some(beside))) => Some(arrivals(PARAMETERS.beside_rate_iops.name(), beside, "read_iops")),
        (Some(own), Some(Some(beside))) => {
            Some(arrivals(PARAMETERS.rate_iops.name(), own + beside, OPERATIONS))
        }
        (None, None | Some(None)) => None,
    }
}

/// Every operation moves one block, and where all go one way they are that way's operations.
fn multiples(p: &Parameters) -> Vec<Multiple> {
    let (reads, writes) = (p.reads() && read_percentage(p) > 0, writes(p));
    let one_size = p.bssplit.is_empty() && !p.sizes_differ() && p.read_bytes_max() == p.bs;
    let bandwidth = one_size.then(|| Multiple::new("bandwidth_bytes_per_s", f64::from(p.bs), OPERATIONS));
    let one_way = match (reads, writes) {
        (true, false) => Some("read_iops"),
        (false, true) => Some("write_iops"),
        (true, true) | (false, false) => None,
    };
    bandwidth.into_iter().chain(one_way.map(|metric| Multiple::new(metric, 1.0, OPERATIONS))).collect()
}

/// Percentage of reads in a mix; if there is one kind only, the pattern decides.
fn read_percentage(p: &Parameters) -> u64 {
    if p.rw.is_mix() { u64::from(p.rwmixread).min(100) } else { 50 }
}

/// Whether any operation writes: a mix may consist of reads only.
fn writes(p: &Parameters) -> bool {
    p.writes() && read_percentage(p) < 100
}

/// Whether any operation syncs.
fn syncs(p: &Parameters) -> bool {
    p.syncs() && writes(p)
}

/// Whether an arm can take turns. The kernel writes back what buffered writes leave in memory during the next arm's
/// turn, and a sync at the end of a job comes after its last turn, outside every window.
fn leaves_nothing_behind(p: &Parameters) -> bool {
    let is_written = !writes(p) || p.mode == IoMode::Direct || p.fdatasync == 1;
    is_written && !(p.end_fsync && writes(p))
}

/// A slice of reads in order is at least this long, seconds. The kernel goes on reading ahead while the next trial has
/// its turn: up to `read_ahead_kb`, 128 KiB by default, which take 0.5 ms at 250 MB/s, 2 % of the next slice. Among k
/// arms that shifts a comparison by 2 % ÷ k. The audit `carry-over` finds it if a device has more read ahead.
const READAHEAD_SLICE_MIN_S: f64 = 0.025;

/// Whether the kernel reads ahead for any job.
fn reads_ahead(p: &Parameters) -> bool {
    let in_order = |team: &Parameters| team.mode != IoMode::Direct && team.rw.reads() && !team.rw.is_random();
    in_order(p) || p.readers().is_some_and(|readers| in_order(&readers))
}

/// A sync takes the place of the write that it followed, so the depth bounds both.
fn loads(p: &Parameters) -> Vec<Load> {
    let load =
        |rates, latency: &str| Load { role: None, rates, latency: latency.to_owned(), overlapping_max: 1 };
    let sync = syncs(p).then(|| load(sync_rates(p), "sync_latency"));
    let of_range = p.sync_file_range.filter(|_| writes(p));
    let range = of_range
        .map(|_| load(vec![Rate::every(p.sync_file_range_writes, written(p))], "sync_file_range_latency"));
    let operations = Load::moving("data", OPERATIONS, "completion_latency");
    std::iter::once(operations).chain(sync).chain(range).collect()
}

/// The metric of the writes.
fn written(p: &Parameters) -> &'static str {
    if p.mixes() { "write_iops" } else { OPERATIONS }
}

/// The jobs' syncs, including the one at the end of each job.
fn sync_rates(p: &Parameters) -> Vec<Rate> {
    let periodic = (p.fdatasync > 0).then(|| Rate::every(p.fdatasync, written(p)));
    periodic.into_iter().chain(p.end_fsync.then(|| Rate::Times(u64::from(p.numjobs)))).collect()
}

/// A read times the same work in every mode: from the request until the data is there. A write or a sync does not.
fn timed(p: &Parameters) -> Vec<Timed> {
    let (mode, is_direct) = (PARAMETERS.mode.name(), p.mode == IoMode::Direct);
    let timed = |family: &str, parameter: &str, part, with: Option<(String, String)>| Timed {
        family: family.to_owned(),
        parameter: parameter.to_owned(),
        part,
        instead: Whole { metric: OPERATIONS.to_owned(), with },
    };
    let written = if is_direct { Part::WrittenBeforeSync } else { Part::WrittenBySync };
    let synced = match p.ioengine {
        IoEngine::Uring => Part::SyncedByWorker,
        IoEngine::Psync => Part::SyncedByCaller,
    };
    let sync = [
        timed("sync_latency", mode, written, None),
        timed("sync_latency", PARAMETERS.ioengine.name(), synced, None),
    ];
    let until = if is_direct { Part::UntilDevice } else { Part::UntilMemory };
    let of_writes = ["completion_latency", "write_latency"]
        .map(|family| timed(family, mode, until, Some((named(&PARAMETERS.end_fsync), true.to_string()))));
    sync.into_iter().chain(of_writes.into_iter().filter(|_| writes(p))).collect()
}
