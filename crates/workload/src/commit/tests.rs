//! The state machine against a subject that completes operations in any order.

use super::*;
use driver::Recorder;
use model::Stamps;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    let mut configuration = SCHEMA.defaults();
    for (name, level) in [("runtime", "0s"), ("groups", "50"), ("data_size", "1MiB")].iter().chain(changes) {
        let value = SCHEMA.parameter(name).unwrap().parse(level).unwrap();
        configuration.0.insert((*name).to_owned(), value);
    }
    (SCHEMA.check)(&configuration).unwrap();
    Parameters::read(&configuration).unwrap()
}

/// What a run did; every invariant of write-ahead logging was checked meanwhile.
struct Observed {
    commits: u64,
    reads: u64,
    recorder: Recorder,
    log_offsets: Vec<u64>,
}

/// Runs to the end; `order` chooses which operation in flight completes next.
fn observe(parameters: &Parameters, seed: u64, mut order: impl FnMut(usize) -> usize) -> Observed {
    let mut workload = Commit::new(parameters.clone(), seed);
    let mut recorder = Recorder::new(workload.families());
    let mut in_flight: Vec<BlockOp> = Vec::new();
    let (mut now, mut unsynced_writes, mut log_offsets) = (0, 0, Vec::new());
    loop {
        let before = in_flight.len();
        let next = workload.poll(Nanos(now), &mut in_flight);
        for operation in &in_flight[before..] {
            check(operation, parameters);
            match operation.kind {
                BlockKind::Write | BlockKind::WriteDsync | BlockKind::WriteSync => {
                    log_offsets.push(operation.offset);
                }
                BlockKind::DataSync | BlockKind::FullSync => {
                    let writing = in_flight.iter().any(|other| other.kind == BlockKind::Write);
                    assert!(!writing && unsynced_writes > 0, "a sync before its group is written");
                }
                BlockKind::Read => {}
                BlockKind::RangeSync(_) | BlockKind::WriteAtomic | BlockKind::PunchHole => {
                    panic!("{operation} makes nothing durable")
                }
            }
        }
        let ids: BTreeSet<u32> = in_flight.iter().map(|operation| operation.id).collect();
        assert_eq!(ids.len(), in_flight.len(), "two operations in flight share an id");
        assert!(in_flight.len() <= workload.in_flight_max());
        if in_flight.is_empty() {
            assert_eq!(next, Next::Done, "nothing in flight and not done: stuck");
            break;
        }
        now += 1000;
        // The oldest completes from time to time: no device starves an operation for ever.
        let pick = if now % 50_000 == 0 { 0 } else { order(in_flight.len()) };
        let done = in_flight.remove(pick);
        match done.kind {
            BlockKind::Write | BlockKind::WriteDsync | BlockKind::WriteSync => unsynced_writes += 1,
            BlockKind::DataSync | BlockKind::FullSync => unsynced_writes = 0,
            BlockKind::Read | BlockKind::RangeSync(_) | BlockKind::WriteAtomic | BlockKind::PunchHole => {}
        }
        let stamps = Some(Stamps { began: Nanos(now - 1000), ended: Nanos(now) });
        let completion = Completion { id: done.id, result: done.length as i32, stamps };
        workload.complete(&completion, &mut recorder);
    }
    Observed { commits: workload.commits(), reads: workload.reads(), recorder, log_offsets }
}

fn check(operation: &BlockOp, p: &Parameters) {
    let end = operation.offset + u64::from(operation.length);
    let size = if operation.file == DATA_FILE { p.data_size } else { p.wal_size };
    assert!(end <= size, "{operation:?} ends behind its file of {size} bytes");
    assert!(operation.buffer as usize + operation.length as usize <= p.arena_bytes());
    let reads_end = p.read_depth * p.page_size;
    assert_eq!(
        operation.kind == BlockKind::Read,
        operation.kind.moves_data() && operation.buffer < reads_end
    );
}

#[test]
fn exact_pacing_holds_the_ratio() {
    for reads_per_commit in ["1", "4", "100"] {
        let parameters = parameters(&[("reads_per_commit", reads_per_commit)]);
        let seen = observe(&parameters, 1, |_| 0);
        assert_eq!(seen.commits, 50);
        assert_eq!(seen.reads, 50 * parameters.reads_per_commit);
    }
}

/// Page 000's `reads_per_commit` never bound: reads continued during the sync, so 1 and 8 gave the same ratio.
#[test]
fn trigger_pacing_reads_on_during_the_sync() {
    let ratio = |reads_per_commit: &str| {
        let parameters =
            parameters(&[("pacing", "trigger"), ("reads_per_commit", reads_per_commit), ("groups", "200")]);
        // The newest completes first: a sync waits while reads overtake it.
        let seen = observe(&parameters, 1, |in_flight| in_flight - 1);
        seen.reads as f64 / seen.commits as f64
    };
    let (one, eight) = (ratio("1"), ratio("8"));
    assert!(one > 8.0, "{one} reads a commit where 1 was asked");
    assert!((one / eight - 1.0).abs() < 0.3, "{one} and {eight}");
}

#[test]
fn without_reads_the_log_runs_alone() {
    for (sync, group_write, syncs) in [
        ("fdatasync", "each", 50),
        ("fsync", "coalesced", 50),
        ("dsync", "coalesced", 0),
        ("dsync", "each", 0),
        ("none", "each", 0),
    ] {
        let parameters = parameters(&[
            ("ioengine", "psync"),
            ("read_depth", "0"),
            ("sync", sync),
            ("group_write", group_write),
            ("group_size", "4"),
        ]);
        let seen = observe(&parameters, 1, |_| 0);
        let count = |family| seen.recorder.histogram(family).unwrap().len();
        assert_eq!(
            (seen.reads, seen.commits, count("commit_latency"), count("sync_latency")),
            (0, 50, 50, syncs)
        );
        assert_eq!(count("write_latency"), 50);
    }
}

#[test]
fn only_a_prefilled_log_wraps() {
    let small = [
        ("read_depth", "0"),
        ("group_size", "16"),
        ("wal_size", "64KiB"),
        ("groups", "0"),
        ("runtime", "1ms"),
    ];
    for (layout, commits_max, wraps) in
        [("prefilled", u64::MAX, true), ("append", 8, false), ("fallocated", 8, false)]
    {
        let mut changes = small.to_vec();
        changes.push(("wal_layout", layout));
        let seen = observe(&parameters(&changes), 1, |_| 0);
        assert!(seen.commits <= commits_max && seen.commits > 0);
        assert_eq!(seen.log_offsets.iter().filter(|offset| **offset == 0).count() > 1, wraps, "{layout}");
    }
}

#[test]
fn the_same_seed_reads_the_same_pages() {
    let pages = |seed| {
        let mut workload = Commit::new(parameters(&[]), seed);
        let mut out = Vec::new();
        workload.poll(Nanos::ZERO, &mut out);
        out
    };
    assert_eq!(pages(7), pages(7));
    assert_ne!(pages(7), pages(8));
}

proptest! {
    /// In any order of completions, groups are written, then synced, then acknowledged, and the run ends.
    #[test]
    fn any_completion_order_keeps_the_log_in_order(
        seed: u64,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 64),
        group_size in 1_u32..9,
        read_depth in 0_u32..40,
        reads_per_commit in 1_u32..20,
        trigger: bool,
    ) {
        let parameters = parameters(&[
            ("group_size", &group_size.to_string()),
            ("read_depth", &read_depth.to_string()),
            ("reads_per_commit", &reads_per_commit.to_string()),
            ("pacing", if trigger { "trigger" } else { "exact" }),
        ]);
        let mut turn = 0;
        let seen = observe(&parameters, seed, |in_flight| {
            turn += 1;
            choices[turn % choices.len()].index(in_flight)
        });
        prop_assert_eq!(seen.commits, 50);
        prop_assert_eq!(seen.recorder.histogram("commit_latency").unwrap().len(), 50);
    }
}

#[test]
fn combinations_without_sense_say_the_way_out() {
    for (changes, way_out) in [
        (
            vec![("ioengine", "psync")],
            "ioengine = psync has one operation in flight, but read_depth is 32: set read_depth = 0",
        ),
        (
            vec![("sync", "dsync"), ("group_size", "2")],
            "sync = dsync makes every write durable by itself, and a ring would make them so all at once, as no database does: set group_write = coalesced, or ioengine = psync",
        ),
        (vec![("groups", "0"), ("runtime", "0s")], "the trial does not end: set groups or runtime"),
        (
            vec![("group_size", "256"), ("record_size", "1MiB"), ("wal_size", "1MiB")],
            "a group of 256MiB does not fit into wal_size = 1MiB",
        ),
        (
            vec![("wal_layout", "append"), ("groups", "1000000"), ("wal_size", "1MiB")],
            "1000000 groups of 512B need wal_size = 500000KiB with an append log, which cannot wrap",
        ),
        (
            vec![("read_depth", "4096"), ("page_size", "1MiB")],
            "read_depth × page_size and the group need 4194336KiB of buffers, 1 times: at most 1GiB in all",
        ),
    ] {
        let mut configuration = SCHEMA.defaults();
        for (name, level) in changes {
            configuration.0.insert(name.to_owned(), SCHEMA.parameter(name).unwrap().parse(level).unwrap());
        }
        let message = (SCHEMA.check)(&configuration).unwrap_err();
        assert_eq!(message, way_out);
    }
}

/// One system call after another, as PostgreSQL writes its log with open_datasync.
#[test]
fn several_writes_are_each_durable_by_system_calls_alone() {
    let mut configuration = SCHEMA.defaults();
    for (name, level) in [
        ("ioengine", "psync"),
        ("read_depth", "0"),
        ("sync", "dsync"),
        ("group_size", "4"),
        ("group_write", "each"),
    ] {
        configuration.0.insert(name.to_owned(), SCHEMA.parameter(name).unwrap().parse(level).unwrap());
    }
    assert_eq!((SCHEMA.check)(&configuration), Ok(()));
    configuration
        .0
        .insert("ioengine".to_owned(), SCHEMA.parameter("ioengine").unwrap().parse("uring").unwrap());
    insta::assert_snapshot!((SCHEMA.check)(&configuration).unwrap_err(), @"sync = dsync makes every write durable by itself, and a ring would make them so all at once, as no database does: set group_write = coalesced, or ioengine = psync");
}

#[test]
fn defaults_make_sense() {
    let defaults = SCHEMA.defaults();
    assert_eq!(defaults.0.len(), SCHEMA.all().count(), "a default does not parse");
    (SCHEMA.check)(&defaults).unwrap();
}
