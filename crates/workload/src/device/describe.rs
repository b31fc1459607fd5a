//! The description of a device configuration.

use super::FAMILIES;
use super::definitions::DEFINITIONS;
use super::kinds::Kind;
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
    let kinds: Vec<Parameters> = p.kinds().into_iter().map(|kind| kind.parameters).collect();
    let jobs = kinds.iter().map(|kind| u64::from(kind.numjobs)).sum();
    let in_flight_max = kinds.iter().map(|kind| u64::from(kind.numjobs) * u64::from(kind.iodepth)).sum();
    let pauses = kinds.iter().any(|kind| pauses(kind, p.has_others()));
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
        depth: (kinds.len() == 1 && !pauses).then_some(depth),
        pauses,
        arrivals: if p.has_others() { arrivals_of_all(&kinds) } else { arrivals(&p, p.readers().as_ref()) },
        turns: Interleaving {
            slice_min_s: if kinds.iter().any(reads_ahead) { READAHEAD_SLICE_MIN_S } else { 0.0 },
            ..Interleaving::of(leaves_nothing_behind(&p) && !p.has_others() && !p.trims())
        },
        room: Room {
            registers_buffers: p.registered && kinds.iter().any(|kind| kind.ioengine == IoEngine::Uring),
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
                moved_bytes: kinds
                    .iter()
                    // What was written is read back, and holes are filled again.
                    .filter(|kind| kind.verifies() || kind.trims())
                    .map(|kind| kind.size)
                    .fold(p.size.saturating_mul(u64::from(p.precondition_passes)), u64::saturating_add),
                ..Duration::default()
            },
        ),
        figures: Figures {
            families: owned(FAMILIES),
            timed: timed(&p),
            counts_in_flight: true,
            loads: loads(&p),
            multiples: multiples(&kinds),
            flushes: syncs(&p).then(|| Flushes {
                unit: SyncUnit::Sync,
                rates: sync_rates(&p),
                counted: None,
                is_forced: false,
                if_declared: false,
                sync_latency: Some("sync_latency".to_owned()),
                acknowledged_latency: None,
            }),
            hits: read_bytes(&kinds).map(|read_bytes| Hits::Share {
                metric: "page_cache_hit_share".to_owned(),
                reads: "read_iops".to_owned(),
                read_bytes,
            }),
            reached_device: Some("device_written_bytes_per_written_byte".to_owned()),
            ..Figures::default()
        },
        ..Description::default()
    };
    for_trial(&DEFINITIONS, configuration, own)
}

/// Whether a job has nothing in flight for a time by itself: the count of operations in flight then says nothing.
fn pauses(kind: &Parameters, is_one_of_several: bool) -> bool {
    let begins_later = kind.start_delay > Nanos::ZERO || kind.start_delay_step > Nanos::ZERO;
    let waits = kind.flow > 0 || kind.rate_iops.is_some();
    kind.thinktime > Nanos::ZERO || begins_later || is_one_of_several && waits
}

/// Bytes of a read on average, if they are the same for all kinds of jobs that read.
fn read_bytes(kinds: &[Parameters]) -> Option<u64> {
    let mut sizes = kinds.iter().filter(|kind| kind.rw.reads()).map(Parameters::read_bytes_mean);
    let first = sizes.next()?;
    sizes.all(|bytes| bytes == first).then_some(first)
}

/// Pauses of a job that only a count of operations ends.
fn paused_s(p: &Parameters) -> f64 {
    let pauses = p.number_ios / p.thinktime_blocks.max(1);
    if p.runtime == Nanos::ZERO { pauses as f64 * p.thinktime.seconds() } else { 0.0 }
}

fn streams(p: &Parameters) -> Vec<Stream> {
    let kinds = p.kinds();
    let of_all = |direction: Direction| {
        let of_kind = |(place, kind): (usize, &Kind)| match direction {
            Direction::Read if !reads(&kind.parameters) => Vec::new(),
            Direction::Write if !writes(&kind.parameters) => Vec::new(),
            _ => of_each_size(&kind.parameters, direction, size_parameter(p, place, direction)),
        };
        kinds.iter().enumerate().flat_map(of_kind).collect::<Vec<_>>()
    };
    of_all(Direction::Read).into_iter().chain(of_all(Direction::Write)).collect()
}

/// The parameter that has the sizes of a kind of jobs.
fn size_parameter(p: &Parameters, place: usize, direction: Direction) -> &'static str {
    let named =
        |sizes: &Sizes| if sizes.is_empty() { PARAMETERS.bs.name() } else { PARAMETERS.bssplit.name() };
    match (place, p.has_others()) {
        (0, _) if direction == Direction::Write && p.sizes_differ() => PARAMETERS.bssplit_writes.name(),
        (0, _) => named(&p.bssplit),
        (_, true) => PARAMETERS.teams.name(),
        (_, false) => PARAMETERS.beside_bs.name(),
    }
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

/// The rate of an open loop of several kinds of jobs, if each has a rate.
fn arrivals_of_all(kinds: &[Parameters]) -> Option<Arrivals> {
    let rates = kinds.iter().map(|kind| Some(kind.rate_per_s()? * f64::from(kind.numjobs)));
    Some(Arrivals {
        parameter: PARAMETERS.rate_iops.name().to_owned(),
        per_s: rates.sum::<Option<f64>>()?,
        rates: owned(&[OPERATIONS]),
    })
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
fn multiples(kinds: &[Parameters]) -> Vec<Multiple> {
    let (reads, writes) = (kinds.iter().any(reads), kinds.iter().any(writes));
    if kinds.iter().any(Parameters::trims) {
        return Vec::new();
    }
    let bs = kinds.first().map_or(0, |kind| kind.bs);
    let one_size = kinds.iter().all(|kind| kind.bssplit.is_empty() && !kind.sizes_differ() && kind.bs == bs);
    let bandwidth = one_size.then(|| Multiple::new("bandwidth_bytes_per_s", f64::from(bs), OPERATIONS));
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

/// Whether any operation reads: a mix may consist of writes only.
fn reads(p: &Parameters) -> bool {
    p.rw.reads() && read_percentage(p) > 0
}

/// Whether any operation writes: a mix may consist of reads only.
fn writes(p: &Parameters) -> bool {
    p.rw.writes() && read_percentage(p) < 100
}

/// The one kind of jobs whose operations are all the writes; the number of syncs follows from it alone.
fn writers(p: &Parameters) -> Option<Parameters> {
    let mut kinds = p.kinds().into_iter().map(|kind| kind.parameters).filter(writes);
    kinds.next().filter(|_| kinds.next().is_none())
}

/// Whether there are syncs whose number follows from the writes.
fn syncs(p: &Parameters) -> bool {
    writers(p).is_some_and(|writers| writers.syncs())
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

/// Whether the kernel reads ahead for these jobs.
fn reads_ahead(kind: &Parameters) -> bool {
    kind.mode != IoMode::Direct && kind.rw.reads() && !kind.rw.is_random()
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
    let Some(writers) = writers(p) else { return Vec::new() };
    let periodic = (writers.fdatasync > 0).then(|| Rate::every(writers.fdatasync, written(p)));
    periodic.into_iter().chain(writers.end_fsync.then(|| Rate::Times(u64::from(writers.numjobs)))).collect()
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
