//! The state machine against a subject that completes operations in any order.

mod beside;
mod metrics;
mod open_loop;
mod parameters;
mod pauses;
mod sizes;
mod syncs_of_ranges;
mod teams;
mod trims;

use super::*;
use model::{Operation, Stamps};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const KIB: u64 = 1024;

fn configuration(changes: &[(&str, &str)]) -> model::Configuration {
    let mut configuration = SCHEMA.defaults();
    for (name, level) in [("runtime", "0s"), ("number_ios", "50"), ("size", "1MiB")].iter().chain(changes) {
        let value = SCHEMA.parameter(name).unwrap().parse(level).unwrap();
        configuration.0.insert((*name).to_owned(), value);
    }
    configuration
}

pub(super) fn parameters(changes: &[(&str, &str)]) -> Parameters {
    let configuration = configuration(changes);
    (SCHEMA.check)(&configuration).unwrap();
    Parameters::read(&configuration).unwrap()
}

/// What a job did; every invariant was checked meanwhile.
struct Observed {
    /// In the order of their starts.
    operations: Vec<BlockOp>,
    device: Device,
    recorder: Recorder,
}

impl Observed {
    fn kinds(&self) -> Vec<BlockKind> {
        self.operations.iter().map(|operation| operation.kind).collect()
    }

    /// The blocks that were read or written, in order.
    fn blocks(&self) -> Vec<u64> {
        let moving = self.operations.iter().filter(|operation| operation.kind.moves_data());
        moving.map(|operation| operation.offset / u64::from(operation.length)).collect()
    }
}

fn observe_in_order(parameters: &Parameters) -> Observed {
    observe(parameters, 0, 1, |_| 0)
}

/// Runs one job to its end, one operation a microsecond; `order` chooses which operation in flight completes next.
fn observe(parameters: &Parameters, job: u32, seed: u64, order: impl FnMut(usize) -> usize) -> Observed {
    observe_job(parameters, Device::new(parameters.clone(), job, seed), order)
}

fn observe_job(
    parameters: &Parameters,
    mut device: Device,
    mut order: impl FnMut(usize) -> usize,
) -> Observed {
    let mut recorder = Recorder::new(device.families());
    let mut in_flight: Vec<BlockOp> = Vec::new();
    let (mut now, mut operations) = (0, Vec::new());
    loop {
        let before = in_flight.len();
        let next = device.poll(Nanos(now), &mut in_flight);
        check(&in_flight, before, parameters);
        let time_left = parameters.runtime == Nanos::ZERO || Nanos(now) < parameters.runtime;
        let is_sync = |kind: BlockKind| !kind.moves_data() && kind != BlockKind::PunchHole;
        assert!(time_left || in_flight[before..].iter().all(|operation| is_sync(operation.kind)));
        operations.extend_from_slice(&in_flight[before..]);
        if in_flight.is_empty() {
            match next {
                Next::At(at) => now = at.0,
                Next::Done => break,
                Next::Wait => panic!("nothing in flight and not done: stuck"),
            }
            continue;
        }
        now += 1000;
        let done = in_flight.remove(order(in_flight.len()));
        let stamps = Some(Stamps { began: Nanos(now - 1000), ended: Nanos(now) });
        device.complete(&Completion { id: done.id, result: done.expected_result(), stamps }, &mut recorder);
    }
    Observed { operations, device, recorder }
}

/// `in_flight[before..]` has just been started.
fn check(in_flight: &[BlockOp], before: usize, p: &Parameters) {
    let ids: BTreeSet<u32> = in_flight.iter().map(|operation| operation.id).collect();
    assert_eq!(ids.len(), in_flight.len(), "two operations in flight share an id");
    let reads = || in_flight.iter().filter(|operation| operation.kind == BlockKind::Read);
    let buffers: BTreeSet<u32> = reads().map(|read| read.buffer).collect();
    assert_eq!(buffers.len(), reads().count(), "two reads in flight share a buffer");
    assert!(ids.last().is_none_or(|id| (*id as usize) < p.in_flight_max()));
    for (index, operation) in in_flight.iter().enumerate().skip(before) {
        assert_eq!(operation.file, DATA_FILE);
        if operation.kind == BlockKind::PunchHole {
            assert!(
                operation.offset + u64::from(operation.length) <= p.size,
                "{operation:?} ends behind the file"
            );
            continue;
        }
        if !operation.kind.moves_data() {
            let others = in_flight.iter().filter(|other| other.id != operation.id);
            assert!(others.clone().all(|other| other.kind == BlockKind::Read), "a write beside a sync");
            assert!(operation.kind != BlockKind::FullSync || others.count() == 0, "fsync is the last");
            continue;
        }
        let is_sync = |kind: BlockKind| !kind.moves_data() && kind != BlockKind::PunchHole;
        assert!(!in_flight[..index].iter().any(|earlier| is_sync(earlier.kind)), "started during a sync");
        let (length, buffer) = (u64::from(operation.length), operation.buffer as usize);
        assert!(
            p.sizes(operation.kind != BlockKind::Read).iter().any(|size| size.bytes == length)
                && operation.offset.is_multiple_of(p.bs.into())
        );
        assert!(operation.offset + length <= p.size, "{operation:?} ends behind the file");
        let sizes_vary = !p.bssplit.is_empty() || p.sizes_differ();
        assert!(p.bs > p.bs_max() || buffer.is_multiple_of(p.bs as usize) || sizes_vary);
        assert!(buffer + operation.length as usize <= p.arena_bytes());
        assert_eq!(operation.kind != BlockKind::Read, p.payload().contains(&buffer), "reads spare payload");
    }
}

#[test]
fn in_order_wraps_at_the_end_of_the_file() {
    let seen = observe_in_order(&parameters(&[("rw", "read"), ("size", "20KiB"), ("number_ios", "12")]));
    assert_eq!(seen.blocks(), [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]);
}

/// The examples `backwards-read` and `disk-zone-profile` of fio.
#[test]
fn in_order_goes_backward_and_leaves_holes() {
    let blocks = |changes: &[(&str, &str)]| {
        let own = [("rw", "read"), ("size", "40KiB"), ("number_ios", "8")];
        observe_in_order(&parameters(&[&own[..], changes].concat())).blocks()
    };
    assert_eq!(blocks(&[("order", "backward")]), [9, 8, 7, 6, 5, 4, 3, 2]);
    assert_eq!(blocks(&[("hole", "8KiB")]), [0, 3, 6, 9, 0, 3, 6, 9]);
    assert_eq!(blocks(&[("hole", "8KiB"), ("hole_every", "8KiB")]), [0, 1, 4, 5, 8, 9, 0, 1]);
    let refusal = |changes: &[(&str, &str)]| {
        let own = [("rw", "read"), ("size", "40KiB")];
        (SCHEMA.check)(&configuration(&[&own[..], changes].concat())).unwrap_err()
    };
    assert!(refusal(&[("hole", "1KiB")]).contains("multiples of bs"));
    assert!(refusal(&[("hole", "40KiB")]).contains("a larger size"));
}

/// A sequential ramp followed by a new job read the same blocks twice, the second time from the page cache that was
/// proven cold.
#[test]
fn after_a_ramp_a_job_goes_on_where_it_was() {
    let p = parameters(&[("rw", "read"), ("size", "20KiB"), ("number_ios", "4")]);
    let ramp = Parameters { number_ios: 3, ..p.clone() };
    let ramped = observe_in_order(&ramp);
    assert_eq!(ramped.blocks(), [0, 1, 2]);
    let measured = observe_job(&p, ramped.device.go_on(p.clone()), |_| 0);
    assert_eq!((measured.blocks(), measured.device.reads()), (vec![3, 4, 0, 1], 4));
}

/// As with fio's `rw`, reads and writes are one sequence, not two.
#[test]
fn a_mix_in_order_has_one_position() {
    let seen = observe_in_order(&parameters(&[("rw", "rw"), ("size", "40KiB"), ("number_ios", "10")]));
    assert_eq!(seen.blocks(), (0..10).collect::<Vec<_>>());
    assert_eq!(seen.kinds().iter().collect::<std::collections::HashSet<_>>().len(), 2);
}

#[test]
fn a_mix_has_its_share_of_reads() {
    for (rwmixread, expected) in [("0", 0.0), ("30", 0.3), ("100", 1.0)] {
        let p = parameters(&[("rw", "randrw"), ("rwmixread", rwmixread), ("number_ios", "20000")]);
        let seen = observe_in_order(&p);
        let share = seen.device.reads() as f64 / 20_000.0;
        assert!((share - expected).abs() < 0.015, "{share} of {expected}");
        assert_eq!(seen.device.reads() + seen.device.writes(), 20_000);
        let count = |family| seen.recorder.histogram(family).unwrap().len();
        assert_eq!(count("read_latency"), seen.device.reads());
        assert_eq!(count("write_latency"), seen.device.writes());
        assert_eq!(count("completion_latency"), 20_000);
    }
}

#[test]
fn at_random_every_block_is_as_likely() {
    let p = parameters(&[("size", "64KiB"), ("number_ios", "16000")]);
    let mut counts = [0_u32; 16];
    for block in observe_in_order(&p).blocks() {
        counts[block as usize] += 1;
    }
    assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
}

/// The arms of a study share a seed, so that they differ in the factor and not in the blocks that they access.
#[test]
fn a_mix_takes_the_blocks_that_reads_take() {
    let blocks = |rw| observe_in_order(&parameters(&[("rw", rw), ("iodepth", "4")])).blocks();
    assert_eq!(blocks("randrw"), blocks("randread"));
    assert_eq!(blocks("randwrite"), blocks("randread"));
}

#[test]
fn the_same_seed_and_job_give_the_same_operations() {
    let p = parameters(&[("rw", "randrw"), ("numjobs", "3")]);
    let operations = |job, seed| observe(&p, job, seed, |_| 0).operations;
    assert_eq!(operations(1, 7), operations(1, 7));
    assert_ne!(operations(1, 7), operations(1, 8));
    assert_ne!(operations(1, 7), operations(2, 7));
}

#[test]
fn zipf_has_hot_blocks_that_are_no_neighbours() {
    let p = parameters(&[
        ("random_distribution", "zipf"),
        ("zipf_theta", "1.2"),
        ("size", "40MiB"),
        ("number_ios", "100000"),
    ]);
    let mut counts = BTreeMap::new();
    for block in observe_in_order(&p).blocks() {
        *counts.entry(block).or_insert(0_u32) += 1;
    }
    let mut ranked: Vec<(u32, u64)> = counts.iter().map(|(block, count)| (*count, *block)).collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    // The hottest block's share is 1 ÷ the sum of k^−1.2 over 10 240 blocks.
    let sum: f64 = (1..=p.blocks()).map(|rank| (rank as f64).powf(-1.2)).sum();
    for (rank, (count, _)) in ranked.iter().enumerate().take(5) {
        let expected = ((rank + 1) as f64).powf(-1.2) / sum * 1e5;
        assert!((f64::from(*count) / expected - 1.0).abs() < 0.05, "rank {rank}: {count} of {expected}");
    }
    assert!(ranked[0].1.abs_diff(ranked[1].1) > 100, "{:?}", &ranked[..2]);
    assert!(counts.keys().next_back().unwrap() > &10_000 && counts.keys().next().unwrap() < &240);
}

/// JESD219's zones: half of the accesses to a twentieth of the file.
#[test]
fn zones_have_their_accesses() {
    let p = parameters(&[
        ("random_distribution", "zoned"),
        ("zones", "50/5:30/15:20/80"),
        ("size", "4000KiB"),
        ("number_ios", "100000"),
    ]);
    let mut counts = [0_u32; 3];
    for block in observe_in_order(&p).blocks() {
        counts[usize::from(block >= 50) + usize::from(block >= 200)] += 1;
    }
    for (count, expected) in counts.into_iter().zip([50_000_u32, 30_000, 20_000]) {
        assert!(count.abs_diff(expected) < 700, "{count} of {expected}");
    }
    let without = configuration(&[("random_distribution", "zoned")]);
    insta::assert_snapshot!((SCHEMA.check)(&without).unwrap_err(), @"random_distribution = zoned needs zones: set zones = 50/5:30/15:20/80, for example");
}

/// A zone smaller than a block still has one, and what nothing accesses is never read.
#[test]
fn small_and_unused_zones() {
    let zones = [("random_distribution", "zoned"), ("zones", "90/1:0/49:10/50"), ("size", "40KiB")];
    let blocks: BTreeSet<u64> = observe_in_order(&parameters(&zones)).blocks().into_iter().collect();
    assert!(blocks.contains(&0) && blocks.iter().all(|block| *block == 0 || *block >= 5), "{blocks:?}");
}

#[test]
fn consecutive_writes_have_different_payload() {
    let p = parameters(&[("rw", "write"), ("bs", "1MiB"), ("size", "8MiB"), ("number_ios", "9")]);
    let buffers: Vec<u32> = observe_in_order(&p).operations.iter().map(|write| write.buffer >> 20).collect();
    assert_eq!(buffers, [0, 1, 2, 3, 0, 1, 2, 3, 0]);
    let mixed = parameters(&[("rw", "randrw"), ("iodepth", "3"), ("bs", "8MiB"), ("size", "8MiB")]);
    assert_eq!(mixed.payload(), 24 << 20..32 << 20);
}

#[test]
fn each_write_is_synced_before_the_next() {
    use BlockKind::{DataSync, FullSync, Write};
    for (iodepth, ioengine) in [("1", "psync"), ("8", "uring")] {
        let mut changes = vec![("rw", "randwrite"), ("fdatasync", "1"), ("number_ios", "3")];
        changes.extend([("iodepth", iodepth), ("ioengine", ioengine)]);
        let seen = observe_in_order(&parameters(&changes));
        assert_eq!(seen.kinds(), [Write, DataSync, Write, DataSync, Write, DataSync]);
        changes.push(("end_fsync", "true"));
        let seen = observe_in_order(&parameters(&changes));
        assert_eq!(seen.kinds(), [Write, DataSync, Write, DataSync, Write, DataSync, FullSync]);
        assert_eq!(seen.device.syncs(), 4);
        assert_eq!(seen.recorder.histogram("sync_latency").unwrap().len(), 4);
    }
}

#[test]
fn reads_alone_are_never_synced() {
    let p = Parameters { end_fsync: true, fdatasync: 1, ..parameters(&[]) };
    let seen = observe_in_order(&p);
    assert_eq!((seen.device.reads(), seen.device.syncs(), p.in_flight_max()), (50, 0, 1));
}

#[test]
fn the_runtime_ends_a_job_at_any_depth() {
    for iodepth in ["1", "16"] {
        let p = parameters(&[("iodepth", iodepth), ("number_ios", "0"), ("runtime", "1ms")]);
        let seen = observe_in_order(&p);
        // One operation completes every microsecond; the job waits for those in flight at the end.
        let started = 1000 + u64::from(p.iodepth) - 1;
        assert_eq!((seen.device.reads(), seen.device.started()), (started, started));
        assert_eq!(seen.device.unserved(p.runtime), 0);
    }
}

proptest! {
    /// Sequential jobs divide the file: no block is accessed twice and none is left.
    #[test]
    fn slices_cover_the_file_and_never_overlap(numjobs in 1_u32..40, more in 0_u64..100) {
        let blocks = u64::from(numjobs) + more;
        let size = format!("{}", blocks * 4 * KIB);
        let p = parameters(&[("rw", "write"), ("numjobs", &numjobs.to_string()), ("size", &size)]);
        let mut covered = Vec::new();
        for job in 0..numjobs {
            let slice: BTreeSet<u64> = observe(&p, job, 1, |_| 0).blocks().into_iter().collect();
            prop_assert!(slice.len() as u64 <= blocks.div_ceil(u64::from(numjobs)));
            covered.extend(slice);
        }
        prop_assert!(blocks > 50 * u64::from(numjobs) || covered.len() as u64 == blocks);
        let distinct: BTreeSet<u64> = covered.iter().copied().collect();
        prop_assert_eq!(distinct.len(), covered.len());
    }

    /// In any order of completions, no write is in flight beside a sync, and the run ends with exact counts.
    #[test]
    fn any_completion_order_keeps_writes_and_syncs_apart(
        seed: u64,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 64),
        rw in prop::sample::select(&["write", "randwrite", "rw", "randrw"][..]),
        iodepth in 1_u32..40,
        fdatasync in 0_u64..20,
        end_fsync: bool,
        number_ios in 1_u64..200,
        rate in prop::sample::select(&["none", "100000", "5000000"][..]),
    ) {
        let p = parameters(&[
            ("rw", rw),
            ("iodepth", &iodepth.to_string()),
            ("fdatasync", &fdatasync.to_string()),
            ("end_fsync", &end_fsync.to_string()),
            ("number_ios", &number_ios.to_string()),
            ("rate_iops", rate),
        ]);
        let mut turn = 0;
        let seen = observe(&p, 0, seed, |in_flight| {
            turn += 1;
            choices[turn % choices.len()].index(in_flight)
        });
        prop_assert_eq!(seen.device.reads() + seen.device.writes(), number_ios);
        let due = seen.device.writes().checked_div(fdatasync).unwrap_or(0);
        prop_assert_eq!(seen.device.syncs(), due + u64::from(end_fsync));
        let ends_in_fsync = seen.kinds().last() == Some(&BlockKind::FullSync);
        prop_assert_eq!(ends_in_fsync, end_fsync);
    }
}

/// As fio's jobs on one file: each begins at its beginning and goes through all of it.
#[test]
fn sequential_jobs_go_through_a_slice_or_the_whole_file() {
    let blocks = |whole_file: &str, job: u32| {
        let levels = [("rw", "read"), ("size", "64KiB"), ("numjobs", "4"), ("number_ios", "6")];
        let changes: Vec<_> = levels.into_iter().chain([("whole_file", whole_file)]).collect();
        observe(&parameters(&changes), job, 1, |_| 0).blocks()
    };
    assert_eq!(blocks("false", 2), [8, 9, 10, 11, 8, 9]);
    assert_eq!(blocks("true", 2), [0, 1, 2, 3, 4, 5]);
}
