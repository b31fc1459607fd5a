//! Power loss, death of the process, EIO and ENOSPC at every operation of one bounded history.

use crate::support::{Model, Step, content, history, leveled, logs, open, separated, small, tiered};
use model::DurabilityClass;
use std::sync::Arc;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};
use store::{Options, verify_on};

/// What is known about a history that a fault interrupted.
struct Interrupted {
    /// The model after each number of steps.
    states: Vec<Model>,
    /// Steps that were acknowledged.
    acknowledged: usize,
    /// Steps that must survive power loss.
    durable: usize,
}

/// Performs steps until one fails.
fn run(disk: &Disk, options: &Options, steps: &[Step]) -> Interrupted {
    let mut states = vec![Model::new()];
    for step in steps {
        let mut next = states[states.len() - 1].clone();
        step.apply(&mut next);
        states.push(next);
    }
    let mut interrupted = Interrupted { states, acknowledged: 0, durable: 0 };
    let Ok(store) = open(disk, options) else { return interrupted };
    for (index, step) in steps.iter().enumerate() {
        if step.perform(&store).is_err() {
            break;
        }
        interrupted.acknowledged = index + 1;
        let is_durable = match step {
            Step::Write(_) => options.durability == DurabilityClass::Power,
            Step::Sync | Step::Drain => true,
        };
        if is_durable {
            interrupted.durable = index + 1;
        }
    }
    interrupted
}

/// After a restart the store opens, and is the state after some number of steps, not before `at_least`.
fn check(disk: &Disk, options: &Options, interrupted: &Interrupted, at_least: usize, story: &str) {
    let store = open(disk, options).unwrap_or_else(|error| panic!("{story}: {error}"));
    let found = content(&store).unwrap_or_else(|error| panic!("{story}: {error}"));
    let at_most = (interrupted.acknowledged + 1).min(interrupted.states.len() - 1);
    let held = (at_least..=at_most).any(|steps| interrupted.states[steps] == found);
    assert!(held, "{story}: not the state after {at_least} to {at_most} steps");
    // What was recovered can be written to, and is found again.
    store.put(b"key/000", b"new").unwrap_or_else(|error| panic!("{story}: {error}"));
    store.close().unwrap_or_else(|error| panic!("{story}: {error}"));
    let verification = verify_on(Arc::new(disk.clone())).unwrap_or_else(|error| panic!("{story}: {error}"));
    assert!(verification.problems.is_empty(), "{story}: {:?}", verification.problems);
    assert!(verification.unknown_files.is_empty(), "{story}: {:?}", verification.unknown_files);
}

/// What an acknowledged write survives, by what is left on the disk.
fn at_least(options: &Options, interrupted: &Interrupted, survival: Survival) -> usize {
    match (survival, options.durability) {
        (Survival::Everything, DurabilityClass::Process | DurabilityClass::Power) => interrupted.acknowledged,
        (Survival::Everything, DurabilityClass::None) | (Survival::Synced | Survival::Chance(_), _) => {
            interrupted.durable
        }
    }
}

fn every_operation(options: &Options, steps: &[Step], name: &str) {
    let whole = Disk::new();
    let interrupted = run(&whole, options, steps);
    assert_eq!(interrupted.acknowledged, steps.len());
    let operations = whole.operations();
    assert!(operations > 60, "{name}: {operations} operations");
    for at in 0..operations {
        for kind in [FaultKind::Stop, FaultKind::InputOutput, FaultKind::NoSpace] {
            let disk = Disk::new();
            disk.plan(Fault { at, kind });
            let interrupted = run(&disk, options, steps);
            for survival in [Survival::Everything, Survival::Synced, Survival::Chance(at)] {
                let copy = disk.duplicate();
                copy.restart(survival);
                let story = format!("{name}, {kind:?} at {at} of {operations}, {survival:?}");
                check(&copy, options, &interrupted, at_least(options, &interrupted, survival), &story);
            }
        }
    }
}

#[test]
fn every_operation_can_fail_in_class_power() {
    for (layout, packing, sync, io) in logs() {
        let mut options = small(DurabilityClass::Power);
        (options.log.layout, options.log.packing, options.log.sync, options.log.io) =
            (layout, packing, sync, io);
        every_operation(&options, &history(11, 40, 12), &format!("{layout:?} {packing:?} {sync:?} {io:?}"));
    }
}

#[test]
fn every_operation_can_fail_with_levels() {
    let options = Options { compaction: leveled(), ..small(DurabilityClass::Power) };
    every_operation(&options, &history(5, 60, 12), "leveled");
}

#[test]
fn every_operation_can_fail_with_separated_values() {
    for compaction in [tiered(), leveled()] {
        let options = Options { compaction, values: separated(), ..small(DurabilityClass::Power) };
        let steps = history(7, 60, 12);
        let store = open(&Disk::new(), &options).unwrap();
        for step in &steps {
            step.perform(&store).unwrap();
        }
        assert!(store.statistics().counts.compaction_value_bytes > 0, "files were collected");
        every_operation(&options, &steps, "separated values");
    }
}

#[test]
fn every_operation_can_fail_in_the_weaker_classes() {
    for durability in [DurabilityClass::Process, DurabilityClass::None] {
        for (layout, packing, sync, io) in [logs()[0], logs()[2]] {
            let mut options = small(durability);
            (options.log.layout, options.log.packing, options.log.sync, options.log.io) =
                (layout, packing, sync, io);
            every_operation(&options, &history(23, 40, 12), &format!("{durability} {layout:?} {packing:?}"));
        }
    }
}

/// The first recovery is interrupted too, at each of its operations.
#[test]
fn recovery_can_be_interrupted() {
    let options = small(DurabilityClass::Power);
    let steps = history(31, 40, 12);
    let disk = Disk::new();
    let operations = {
        run(&disk, &options, &steps);
        disk.operations()
    };
    let disk = Disk::new();
    disk.plan(Fault { at: operations - 3, kind: FaultKind::Stop });
    let interrupted = run(&disk, &options, &steps);
    disk.restart(Survival::Chance(1));
    for later in 0..60 {
        let copy = disk.duplicate();
        copy.plan(Fault { at: copy.operations() + later, kind: FaultKind::Stop });
        let _ = open(&copy, &options);
        copy.restart(Survival::Chance(later));
        check(&copy, &options, &interrupted, interrupted.durable, &format!("recovery, stop at {later}"));
    }
}
