//! Lives with different options: one life leaves a log, the next one reads it with other options and is killed at each
//! of its operations, and a third one reads what both left.
//!
//! With the same options in every life a log never has two groups that are in runs before one that is not: a memtable
//! ends where a segment ends. A smaller memtable at the next open cuts a segment into several, of which a kill leaves
//! some flushed.

use crate::support::{Model, Step, content, history, open, separated, small};
use model::{DurabilityClass, IoMode};
use std::sync::Arc;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};
use store::{LogLayout, LogPacking, LogSync, Options, verify_on};

/// Every log that differs in what is on the disk, or in how it gets there.
fn logs() -> Vec<(LogLayout, LogPacking, IoMode)> {
    let mut logs = Vec::new();
    for layout in [LogLayout::Append, LogLayout::Prefilled, LogLayout::Recycled] {
        for packing in [LogPacking::Packed, LogPacking::Padded] {
            for io in [IoMode::Buffered, IoMode::Direct] {
                logs.push((layout, packing, io));
            }
        }
    }
    logs
}

fn options(
    durability: DurabilityClass,
    memtable_bytes: u64,
    log: (LogLayout, LogPacking, IoMode),
) -> Options {
    let mut options = Options { memtable_bytes, ..small(durability) };
    (options.log.layout, options.log.packing, options.log.io) = log;
    if memtable_bytes < 1000 {
        options.values = separated();
    }
    options.log.sync = LogSync::Fdatasync;
    options
}

/// A store over several lives.
#[derive(Clone)]
struct Lives {
    disk: Disk,
    /// What the store has after each number of steps, of all lives so far. The first ones are no longer possible.
    states: Vec<Model>,
    /// The first of the states that are possible if the process died, and if power was lost.
    kept: usize,
    durable: usize,
}

impl Lives {
    fn new() -> Self {
        Self { disk: Disk::new(), states: vec![Model::new()], kept: 0, durable: 0 }
    }

    /// Performs steps until one fails, and drops the store.
    fn live(&mut self, options: &Options, steps: &[Step]) {
        let Ok(store) = open(&self.disk, options) else { return };
        let found = content(&store).unwrap_or_else(|error| panic!("{error}"));
        assert!(self.states[self.kept..].contains(&found), "a life begins with what the one before left");
        // What an open finds survives everything from then on.
        *self = Self { disk: self.disk.clone(), states: vec![found], kept: 0, durable: 0 };
        for step in steps {
            let mut next = self.states[self.states.len() - 1].clone();
            step.apply(&mut next);
            self.states.push(next);
            if step.perform(&store).is_err() {
                return;
            }
            let is_synced = !matches!(step, Step::Write(_));
            if is_synced || options.durability != DurabilityClass::None {
                self.kept = self.states.len() - 1;
            }
            if is_synced || options.durability == DurabilityClass::Power {
                self.durable = self.states.len() - 1;
            }
        }
    }

    /// The disk comes back: the store opens and has one of the possible states.
    fn check(&self, options: &Options, survival: Survival, story: &str) {
        self.disk.restart(survival);
        let at_least = if survival == Survival::Everything { self.kept } else { self.durable };
        let story = format!("{story}, {survival:?}");
        let store = open(&self.disk, options).unwrap_or_else(|error| panic!("{story}: {error}"));
        let found = content(&store).unwrap_or_else(|error| panic!("{story}: {error}"));
        let held = self.states[at_least..].contains(&found);
        assert!(held, "{story}: not the state after {at_least} steps or more");
        store.close().unwrap_or_else(|error| panic!("{story}: {error}"));
        let verified = verify_on(Arc::new(self.disk.clone()));
        let problems = verified.unwrap_or_else(|error| panic!("{story}: {error}")).problems;
        assert!(problems.is_empty(), "{story}: {problems:?}");
    }
}

/// Kills the second life at each of its operations.
fn kill_everywhere(first: &Options, second: &Options, story: &str) {
    let mut left = Lives::new();
    left.live(first, &history(3, 24, 12));
    left.disk.restart(Survival::Everything);
    let whole = Lives { disk: left.disk.duplicate(), ..left.clone() };
    let begin = whole.disk.operations();
    whole.clone().live(second, &history(4, 8, 12));
    let operations = whole.disk.operations() - begin;
    assert!(operations > 20, "{story}: {operations} operations");
    for at in 0..=operations {
        let mut lives = Lives { disk: left.disk.duplicate(), ..left.clone() };
        lives.disk.plan(Fault { at: begin + at, kind: FaultKind::Stop });
        lives.live(second, &history(4, 8, 12));
        for survival in [Survival::Everything, Survival::Synced, Survival::Chance(at)] {
            let copy = Lives { disk: lives.disk.duplicate(), ..lives.clone() };
            copy.check(second, survival, &format!("{story}, stop at {at} of {operations}"));
        }
    }
}

fn every_log_and_the_next(durability: DurabilityClass) {
    for log in logs() {
        let first = options(durability, 100_000, log);
        let other = match log.1 {
            LogPacking::Packed => LogPacking::Padded,
            LogPacking::Padded => LogPacking::Packed,
        };
        for memtable_bytes in [100_000, 250] {
            for next in [log, (LogLayout::Recycled, other, IoMode::Direct)] {
                let story = format!("{durability}, {log:?}, then {next:?} with {memtable_bytes}");
                kill_everywhere(&first, &options(durability, memtable_bytes, next), &story);
            }
        }
    }
}

#[test]
fn a_life_with_other_options_can_be_killed_at_every_operation_in_class_power() {
    every_log_and_the_next(DurabilityClass::Power);
}

#[test]
fn a_life_with_other_options_can_be_killed_at_every_operation_in_class_process() {
    every_log_and_the_next(DurabilityClass::Process);
}

#[test]
fn a_life_with_other_options_can_be_killed_at_every_operation_in_class_none() {
    every_log_and_the_next(DurabilityClass::None);
}
