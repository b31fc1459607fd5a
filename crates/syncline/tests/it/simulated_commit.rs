//! The commit workload on a simulated device in virtual time: the same state machine that runs on a real ring, with
//! power cuts, lying drives and I/O errors that no real disk gives on demand.

use crate::laboratory::assert_line;

use disk::backend::simulated::{DeviceModel, Effect, Fault, ServiceTime, Simulated, Trigger};
use driver::{DriveError, Driven, Driver, Next, Recorder, SliceLength, VirtualClock, Workload};
use model::{BlockKind, BlockOp, Completion, Nanos};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use workload::commit::{Commit, Parameters, SCHEMA};

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    let mut values = SCHEMA.defaults();
    for (name, level) in changes {
        values.0.insert((*name).to_owned(), SCHEMA.parameter(name).unwrap().parse(level).unwrap());
    }
    (SCHEMA.check)(&values).unwrap();
    Parameters::read(&values).unwrap()
}

/// What a commit workload did, noted from outside: writes by their number on the device, and which groups of them were
/// acknowledged.
#[derive(Debug, Default)]
struct Notes {
    submitted: u64,
    group: Vec<u64>,
    acknowledged: Vec<Vec<u64>>,
}

/// Passes everything through and takes notes.
struct Witness {
    commit: Commit,
    notes: Rc<RefCell<Notes>>,
}

impl Workload for Witness {
    type Op = BlockOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        let before = out.len();
        let next = self.commit.poll(now, out);
        let mut notes = self.notes.borrow_mut();
        for operation in &out[before..] {
            if matches!(operation.kind, BlockKind::Write | BlockKind::WriteDsync | BlockKind::WriteSync) {
                let number = notes.submitted;
                notes.group.push(number);
            }
            notes.submitted += 1;
        }
        next
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let before = self.commit.commits();
        self.commit.complete(completion, recorder);
        if self.commit.commits() > before {
            let mut notes = self.notes.borrow_mut();
            let group = std::mem::take(&mut notes.group);
            notes.acknowledged.push(group);
        }
    }

    fn in_flight_max(&self) -> usize {
        self.commit.in_flight_max()
    }

    fn families(&self) -> &'static [&'static str] {
        self.commit.families()
    }
}

fn drive(parameters: Parameters, model: DeviceModel) -> Result<Driven<Commit>, DriveError> {
    let clock = VirtualClock::default();
    Driver::new(Commit::new(parameters, model.seed), Simulated::new(clock.clone(), model), clock).run()
}

/// Runs until the power fails and counts acknowledged commits, and those of them that are lost.
fn acknowledged_and_lost(parameters: Parameters, model: &DeviceModel) -> (usize, usize) {
    let clock = VirtualClock::default();
    let device = Simulated::new(clock.clone(), model.clone());
    let notes = Rc::new(RefCell::new(Notes::default()));
    let witness = Witness { commit: Commit::new(parameters, model.seed), notes: Rc::clone(&notes) };
    let ended = Driver::new(witness, device.clone(), clock).run();
    assert!(matches!(ended, Err(DriveError::Backend(_))), "the power did not fail");
    let survivors = device.power_cut();
    let notes = notes.borrow();
    let lost =
        notes.acknowledged.iter().filter(|group| !group.iter().all(|number| survivors.survived(*number)));
    (notes.acknowledged.len(), lost.count())
}

fn power_cut(seed: u64) -> DeviceModel {
    DeviceModel { seed, power_cut_at: Some(Nanos(20_000_000 + seed * 7919)), ..DeviceModel::default() }
}

#[test]
fn no_acknowledged_commit_is_lost_by_a_power_cut() {
    for seed in 0..20 {
        for sync in [
            [("sync", "fdatasync"), ("group_write", "each")],
            [("sync", "fsync"), ("group_write", "coalesced")],
            [("sync", "dsync"), ("group_write", "coalesced")],
        ] {
            let changes = [&sync[..], &[("group_size", "4"), ("reads_per_commit", "2")]].concat();
            let (acknowledged, lost) = acknowledged_and_lost(parameters(&changes), &power_cut(seed));
            assert!(acknowledged > 20, "only {acknowledged} commits before the power cut");
            assert_eq!(
                lost, 0,
                "{sync:?} seed {seed}: {lost} of {acknowledged} acknowledged commits are lost"
            );
        }
    }
}

/// The test above can fail: without a sync, or on a drive that acknowledges flushes it does not do, commits are lost.
#[test]
fn unsynced_commits_and_lying_drives_lose_some() {
    let unsynced = acknowledged_and_lost(parameters(&[("sync", "none")]), &power_cut(1));
    assert!(unsynced.1 > 0, "{unsynced:?}");
    let lie = Fault {
        trigger: Trigger::Probability(1.0),
        kind: Some(BlockKind::DataSync),
        effect: Effect::IgnoresSync,
    };
    let lying = acknowledged_and_lost(parameters(&[]), &DeviceModel { faults: vec![lie], ..power_cut(1) });
    assert!(lying.1 > 0, "{lying:?}");
}

#[test]
fn a_failed_or_short_operation_ends_the_trial_and_is_named() {
    for (kind, effect, message) in [
        (
            BlockKind::Read,
            Effect::Errno(5),
            "read of 4096 bytes at offset 410423296 of file 0: Input/output error (os error 5)",
        ),
        (
            BlockKind::Write,
            Effect::Errno(5),
            "write of 512 bytes at offset 2048 of file 1: Input/output error (os error 5)",
        ),
        (
            BlockKind::Write,
            Effect::Short(100),
            "write of 512 bytes at offset 2048 of file 1: moved 100 of 512 bytes",
        ),
        (BlockKind::DataSync, Effect::Errno(5), "fdatasync of file 1: Input/output error (os error 5)"),
    ] {
        let faults = vec![Fault { trigger: Trigger::Operation(40), kind: None, effect }];
        let any = Fault { trigger: Trigger::Probability(0.05), kind: Some(kind), effect };
        let model = DeviceModel { faults: vec![any], ..DeviceModel::default() };
        let error = drive(parameters(&[("runtime", "1s")]), model).unwrap_err();
        assert!(matches!(error, DriveError::Operation { .. }), "{error}");
        assert_line(&error.to_string(), message);
        // Whichever operation it hits, the fortieth is the end.
        assert!(drive(parameters(&[]), DeviceModel { faults, ..DeviceModel::default() }).is_err());
    }
}

fn steady(channels: usize) -> DeviceModel {
    DeviceModel {
        channels,
        read: ServiceTime::Fixed(Nanos(80_000)),
        write: ServiceTime::Fixed(Nanos(10_000)),
        sync: ServiceTime::Fixed(Nanos(50_000)),
        ..DeviceModel::default()
    }
}

/// With fixed service times what a commit must cost can be worked out by hand.
#[test]
fn latencies_are_what_the_device_takes() {
    let driven =
        drive(parameters(&[("read_depth", "0"), ("groups", "100"), ("runtime", "0s")]), steady(4)).unwrap();
    let nanos = |family: &str| driven.recorder.histogram(family).unwrap().max();
    for (family, expected) in
        [("write_latency", 10_000_u64), ("sync_latency", 50_000), ("commit_latency", 60_000)]
    {
        assert!(nanos(family).abs_diff(expected) <= expected / 1000, "{family}: {}", nanos(family));
    }
    assert_eq!(driven.elapsed(), Nanos(100 * 60_000));
    assert!((driven.in_flight_mean - 1.0).abs() < 1e-9, "one operation at a time: {}", driven.in_flight_mean);
}

#[test]
fn pacing_decides_whether_the_ratio_holds() {
    let ratio = |pacing: &str, reads: &str| {
        let changes = [("pacing", pacing), ("reads_per_commit", reads), ("groups", "500"), ("runtime", "0s")];
        let driven = drive(parameters(&changes), steady(64)).unwrap();
        driven.workload.reads() as f64 / driven.workload.commits() as f64
    };
    assert!((ratio("exact", "2") - 2.0).abs() < 1e-9);
    assert!((ratio("exact", "50") - 50.0).abs() < 1e-9);
    // Page 000's trigger: reads run on during write and sync, so 1 and 8 come to nearly the same.
    let (one, eight) = (ratio("trigger", "1"), ratio("trigger", "8"));
    assert!(one > 20.0 && (one / eight - 1.0).abs() < 0.5, "{one} and {eight}");
}

#[test]
fn the_same_seed_is_the_same_history() {
    let history = |seed| {
        let driven =
            drive(parameters(&[("runtime", "50ms")]), DeviceModel { seed, ..DeviceModel::default() })
                .unwrap();
        (driven.elapsed(), driven.operations, driven.workload.commits())
    };
    assert_eq!(history(3), history(3));
    let different: BTreeSet<_> = (0..5).map(history).collect();
    assert!(different.len() > 1);
}

/// A commit that has begun when its turn ends is completed in the drain: the next trial's turn begins with nothing
/// unsynced.
#[test]
fn a_turn_leaves_no_write_without_its_sync() {
    let clock = VirtualClock::default();
    let device = Simulated::new(clock.clone(), steady(4));
    let commit = Commit::new(parameters(&[("group_size", "4"), ("group_write", "each")]), 1);
    let mut driver = Driver::new(commit, device.clone(), clock.clone());
    let (mut drained, mut seen) = (0, 0);
    // Slices end at all points of a commit, which takes about 100 µs.
    for length in 0..50 {
        let slice = Nanos(1_000_000 + 7_000 * length);
        let taken = driver.take_turn(SliceLength { slice, settle: Nanos::ZERO }).unwrap();
        drained += u32::from(taken.drain > Nanos::ZERO);
        let log = device.log();
        assert!(log.iter().all(|logged| logged.completion.is_some()), "something is in flight");
        let last = |kind| log.iter().rposition(|logged| logged.operation.kind == kind);
        assert!(last(BlockKind::DataSync) > last(BlockKind::Write), "after {length} turns");
        assert!(log.len() > seen);
        seen = log.len();
    }
    assert!(drained > 10, "{drained} of 50");
}
