//! The simulated device: queueing in virtual time, faults, and what a power cut leaves.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use disk::backend::simulated::{DeviceModel, Effect, Fault, ServiceTime, Simulated, Trigger};
use driver::{Backend, Clock, DriveError, Driver, Next, Recorder, VirtualClock, Workload};
use model::{BlockKind, BlockOp, Completion, Nanos};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

const RECORD: u32 = 4096;

fn steady() -> DeviceModel {
    DeviceModel {
        channels: 2,
        read: ServiceTime::Fixed(Nanos(100)),
        write: ServiceTime::Fixed(Nanos(10)),
        sync: ServiceTime::Fixed(Nanos(1000)),
        ..DeviceModel::default()
    }
}

fn operation(id: u32, kind: BlockKind, offset: u64) -> BlockOp {
    let length = if kind.moves_data() { RECORD } else { 0 };
    BlockOp { id, kind, file: 0, offset, length, buffer: 0 }
}

fn device(model: DeviceModel) -> (VirtualClock, Simulated) {
    let clock = VirtualClock::default();
    (clock.clone(), Simulated::new(clock, model))
}

/// Submits the operations together and returns how each ended, in the order in which they ended.
fn run(backend: &mut Simulated, operations: &[BlockOp]) -> Vec<(u32, u64, i32)> {
    let mut out = Vec::new();
    backend.submit(operations).unwrap();
    backend.reap(operations.len(), None, &mut out).unwrap();
    out.iter().map(|c| (c.id, c.stamps.unwrap().ended.0, c.result)).collect()
}

#[test]
fn channels_serve_in_parallel_and_the_rest_queues() {
    let (clock, mut backend) = device(steady());
    let reads: Vec<_> = (0..5).map(|id| operation(id, BlockKind::Read, 0)).collect();
    let ends: Vec<_> = run(&mut backend, &reads).into_iter().map(|(_, ended, _)| ended).collect();
    assert_eq!(ends, [100, 100, 200, 200, 300]);
    assert_eq!(clock.now(), Nanos(300));
}

#[test]
fn time_stops_at_the_deadline_and_at_what_was_asked_for() {
    let (clock, mut backend) = device(steady());
    let mut out = Vec::new();
    backend.submit(&[operation(0, BlockKind::Read, 0), operation(1, BlockKind::DataSync, 0)]).unwrap();
    backend.reap(1, Some(Nanos(60)), &mut out).unwrap();
    assert_eq!((out.len(), clock.now()), (0, Nanos(60)));
    backend.reap(0, Some(Nanos(5000)), &mut out).unwrap();
    assert_eq!((out.len(), clock.now()), (0, Nanos(60)), "looking takes no time");
    backend.reap(1, Some(Nanos(5000)), &mut out).unwrap();
    assert_eq!((out.len(), clock.now()), (1, Nanos(100)));
    backend.reap(7, None, &mut out).unwrap();
    assert_eq!((out.len(), clock.now()), (2, Nanos(1000)));
    backend.reap(0, Some(Nanos(5000)), &mut out).unwrap();
    assert_eq!(clock.now(), Nanos(5000), "with nothing in flight it waits");
    assert!(backend.reap(1, None, &mut out).is_err());
}

#[test]
fn faults_hit_what_they_name() {
    let faults = vec![
        Fault { trigger: Trigger::Operation(1), kind: None, effect: Effect::Errno(libc::EIO) },
        Fault { trigger: Trigger::Operation(2), kind: Some(BlockKind::Write), effect: Effect::Short(512) },
        Fault { trigger: Trigger::Operation(3), kind: Some(BlockKind::Write), effect: Effect::Short(512) },
        Fault { trigger: Trigger::Operation(4), kind: None, effect: Effect::Stuck },
    ];
    let (_, mut backend) = device(DeviceModel { faults, volatile_cache: false, ..steady() });
    let kinds = [BlockKind::Write, BlockKind::Write, BlockKind::Write, BlockKind::Read];
    let operations: Vec<_> =
        (0..4).map(|id| operation(id as u32, kinds[id], (id as u32 * RECORD).into())).collect();
    let results: Vec<_> = run(&mut backend, &operations).into_iter().map(|(_, _, result)| result).collect();
    assert_eq!(results, [4096, -libc::EIO, 512, 4096]);
    backend.submit(&[operation(0, BlockKind::Read, 0)]).unwrap();
    let stuck = backend.reap(1, None, &mut Vec::new()).unwrap_err();
    assert_eq!(stuck.kind(), io::ErrorKind::TimedOut);
    let left = backend.power_cut();
    assert_eq!([0, 1, 2].map(|number| left.survived(number)), [true, false, true]);
    let second = 2 * u64::from(RECORD);
    assert_eq!([left.version(0, second), left.version(0, second + 512)], [Some(2), None], "512 bytes of it");
}

#[test]
fn a_fault_by_probability_hits_that_share() {
    let fault = Fault { trigger: Trigger::Probability(0.1), kind: None, effect: Effect::Errno(libc::EIO) };
    let (_, mut backend) = device(DeviceModel { faults: vec![fault], ..steady() });
    let operations: Vec<_> = (0..10_000).map(|id| operation(id, BlockKind::Read, 0)).collect();
    let failed = run(&mut backend, &operations).iter().filter(|(_, _, result)| *result < 0).count();
    assert!((900..1100).contains(&failed), "{failed} of 10000 failed");
}

#[test]
fn a_sync_covers_what_had_completed_before_it_was_submitted() {
    let (clock, mut backend) = device(steady());
    let mut out = Vec::new();
    let block = u64::from(RECORD);
    run(&mut backend, &[operation(0, BlockKind::Write, 0)]);
    // Submitted together: the write completes before the sync does, but had not when the sync was submitted.
    let pair = [operation(0, BlockKind::Write, block), operation(1, BlockKind::DataSync, 0)];
    backend.submit(&pair).unwrap();
    backend.reap(1, None, &mut out).unwrap();
    // Overwritten while the sync is under way: the older data is what the sync makes durable.
    backend.submit(&[operation(0, BlockKind::Write, 0)]).unwrap();
    // Another file is not covered, and a write with dsync needs no sync.
    let elsewhere = BlockOp { file: 1, ..operation(2, BlockKind::Write, 0) };
    let durable = [(3, BlockKind::WriteDsync), (4, BlockKind::WriteSync)]
        .map(|(id, kind)| operation(id, kind, u64::from(id - 1) * block));
    backend.submit(&[elsewhere, durable[0], durable[1]]).unwrap();
    backend.reap(5, None, &mut out).unwrap();
    assert!(out.iter().all(|completion| completion.result >= 0) && out.len() == 6, "at {:?}", clock.now());
    let left = backend.power_cut();
    let survived = [0, 1, 3, 4, 5, 6].map(|number| left.survived(number));
    assert_eq!(survived, [true, false, false, false, true, true]);
    assert_eq!(left.version(0, 0), Some(0));
    assert_eq!(left.version(0, block), None);
}

#[test]
fn a_drive_that_lies_loses_what_it_acknowledged() {
    let lie = Fault { trigger: Trigger::Operation(1), kind: None, effect: Effect::IgnoresSync };
    for (faults, survives) in [(vec![], true), (vec![lie], false)] {
        let (_, mut backend) = device(DeviceModel { faults, ..steady() });
        run(&mut backend, &[operation(0, BlockKind::Write, 0)]);
        run(&mut backend, &[operation(0, BlockKind::DataSync, 0)]);
        assert_eq!(backend.power_cut().survived(0), survives);
        assert!(backend.submit(&[operation(0, BlockKind::Read, 0)]).is_err(), "the power is off");
        assert!(backend.reap(0, None, &mut Vec::new()).is_err(), "the power is off");
    }
}

#[test]
fn an_unsynced_write_may_survive_torn() {
    let mut torn = 0;
    for seed in 0..100 {
        let (_, mut backend) = device(DeviceModel { seed, unsynced_survival: 0.5, ..steady() });
        run(&mut backend, &[operation(0, BlockKind::Write, 0)]);
        let left = backend.power_cut();
        let kept = (0..8).filter(|block| left.version(0, block * 512) == Some(0)).count();
        assert_eq!(left.survived(0), kept == 8);
        torn += usize::from((1..8).contains(&kept));
    }
    assert!(torn > 90, "{torn} of 100");
}

/// Appends a record, syncs, acknowledges: the numbers of acknowledged writes outlive the workload.
struct Commits {
    acknowledged: Rc<RefCell<Vec<u64>>>,
    sync: bool,
    submitted: u64,
    step: Option<BlockKind>,
}

impl Workload for Commits {
    type Op = BlockOp;

    fn poll(&mut self, _now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        if let Some(kind) = self.step.take() {
            out.push(operation(0, kind, self.submitted * u64::from(RECORD)));
            self.submitted += 1;
        }
        Next::Wait
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(0, completion.began(), completion.ended());
        let wrote = !self.sync || self.submitted % 2 == 1;
        self.step = Some(if wrote && self.sync { BlockKind::DataSync } else { BlockKind::Write });
        if !self.sync || !wrote {
            let number = self.submitted - if self.sync { 2 } else { 1 };
            self.acknowledged.borrow_mut().push(number);
        }
    }

    fn in_flight_max(&self) -> usize {
        1
    }

    fn families(&self) -> &'static [&'static str] {
        &["latency"]
    }
}

/// Runs commits until the power fails; returns acknowledged commits, and how many of them are lost.
fn commits_until_power_fails(sync: bool, seed: u64) -> (usize, usize) {
    let power_cut_at = Some(Nanos::from_millis(5 + seed));
    let (clock, backend) = device(DeviceModel { seed, power_cut_at, ..DeviceModel::default() });
    let acknowledged = Rc::default();
    let workload =
        Commits { acknowledged: Rc::clone(&acknowledged), sync, submitted: 0, step: Some(BlockKind::Write) };
    let failed = Driver::new(workload, backend.clone(), clock.clone()).run().err();
    assert!(matches!(failed, Some(DriveError::Backend(_))), "{failed:?}");
    assert_eq!(Some(clock.now()), power_cut_at);
    let left = backend.power_cut();
    let acknowledged = acknowledged.borrow();
    (acknowledged.len(), acknowledged.iter().filter(|number| !left.survived(**number)).count())
}

#[test]
fn an_acknowledged_commit_survives_if_and_only_if_it_was_synced() {
    for seed in 0..10 {
        let (commits, lost) = commits_until_power_fails(true, seed);
        assert!(commits > 50 && lost == 0, "{lost} of {commits} lost");
        let (commits, lost) = commits_until_power_fails(false, seed);
        assert!(commits > 300 && lost == commits, "{lost} of {commits} lost");
    }
}

#[test]
fn the_same_seed_gives_the_same_history() {
    let history = |seed| {
        let fault =
            Fault { trigger: Trigger::Probability(0.1), kind: None, effect: Effect::Errno(libc::EIO) };
        let (_, mut backend) = device(DeviceModel { seed, faults: vec![fault], ..DeviceModel::default() });
        let kinds = [BlockKind::Read, BlockKind::Write, BlockKind::WriteDsync, BlockKind::FullSync];
        let operations: Vec<_> = (0..400).map(|id| operation(id, kinds[id as usize % 4], 0)).collect();
        run(&mut backend, &operations);
        backend.log().to_vec()
    };
    assert_eq!(history(1), history(1));
    assert_ne!(history(1), history(2));
}
