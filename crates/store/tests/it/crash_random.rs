//! Random histories, options and faults: beyond what can be tried exhaustively.

use crate::support::{
    Model, Random, Step, content, history, key, leveled, open, separated, small, tiered, value,
};
use model::{DurabilityClass, IoMode};
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};
use store::{Batch, LogLayout, LogPacking, LogSync, Options, Store, ValueOptions, verify_on};

fn options(random: &mut Random) -> Options {
    let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
    let mut options = small(classes[random.below(3) as usize]);
    options.log.layout =
        [LogLayout::Append, LogLayout::Prefilled, LogLayout::Recycled][random.below(3) as usize];
    options.log.packing = [LogPacking::Packed, LogPacking::Padded][random.below(2) as usize];
    options.log.sync = [LogSync::Fdatasync, LogSync::Dsync][random.below(2) as usize];
    options.log.io = [IoMode::Buffered, IoMode::Direct][random.below(2) as usize];
    options.log.depth = 1 + random.below(4) as usize;
    options.compaction = if random.below(2) == 0 { tiered() } else { leveled() };
    options.values = if random.below(2) == 0 { separated() } else { ValueOptions::default() };
    options.memtable_bytes = [200, 1000, 100_000][random.below(3) as usize];
    options.data.write_depth = random.below(4) as usize;
    options.data.compaction_read_depth = random.below(3) as usize;
    options.data.compaction_read_bytes = 4096;
    options
}

/// One store over several lives, each with other options and ended by a fault. After each, its content is what some
/// prefix of the life's steps makes of what it began with, and no acknowledged step of its class is missing.
fn lives(seed: u64) {
    let mut random = Random::new(seed);
    let partitions = 1 + random.below(3) as usize;
    let disk = Disk::new();
    let mut began = Model::new();
    for life in 0..4 {
        let options = Options { partitions, ..options(&mut random) };
        let story = format!("seed {seed}, life {life}, {}", options.durability);
        let steps = history(random.below(1 << 30), 60, 30);
        let kind = [FaultKind::Stop, FaultKind::InputOutput, FaultKind::NoSpace][random.below(3) as usize];
        disk.plan(Fault { at: disk.operations() + random.below(200), kind });
        let (mut acknowledged, mut durable) = (0, 0);
        if let Ok(store) = open(&disk, &options) {
            for (index, step) in steps.iter().enumerate() {
                if step.perform(&store).is_err() {
                    break;
                }
                acknowledged = index + 1;
                if options.durability == DurabilityClass::Power || !matches!(step, Step::Write(_)) {
                    durable = acknowledged;
                }
            }
        }
        let survival = match random.below(3) {
            0 => Survival::Everything,
            1 => Survival::Synced,
            _ => Survival::Chance(random.below(1 << 30)),
        };
        disk.restart(survival);
        let is_alive = survival == Survival::Everything && options.durability != DurabilityClass::None;
        let at_least = if is_alive { acknowledged } else { durable };
        let options = Options { partitions, ..self::options(&mut random) };
        let store = open(&disk, &options).unwrap_or_else(|error| panic!("{story}: {error}"));
        let found = content(&store).unwrap_or_else(|error| panic!("{story}: {error}"));
        store.sync().unwrap();
        drop(store);
        let mut state = began.clone();
        let mut held = at_least == 0 && state == found;
        for (index, step) in steps.iter().take(acknowledged + 1).enumerate() {
            step.apply(&mut state);
            held |= index + 1 >= at_least && state == found;
        }
        assert!(held, "{story}: {kind:?} {survival:?}: {acknowledged} acknowledged, {durable} durable");
        began = found;
    }
}

#[test]
fn no_history_loses_what_it_promised() {
    for seed in 0..400 {
        lives(seed);
    }
}

/// Threads share the groups of the log, and groups overlap. Over several lives, each with other options and ended by a
/// fault, each thread has what was acknowledged to it, and nothing of what it did not write yet; what one life found,
/// all later ones find.
#[test]
fn no_thread_loses_what_was_acknowledged_to_it() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let partitions = 1 + random.below(3) as usize;
        let disk = Disk::new();
        let mut expected = Model::new();
        for life in 0..4 {
            let mut options = Options { partitions, ..options(&mut random) };
            options.background_threads = random.below(3) as usize;
            let kind =
                [FaultKind::Stop, FaultKind::InputOutput, FaultKind::NoSpace][random.below(3) as usize];
            let fault = Fault { at: disk.operations() + random.below(400), kind };
            let acknowledged = write_from_threads(&disk, &options, fault, life);
            let survival = match random.below(3) {
                0 => Survival::Everything,
                1 => Survival::Synced,
                _ => Survival::Chance(seed),
            };
            disk.restart(survival);
            let is_kept = match options.durability {
                DurabilityClass::Power => true,
                DurabilityClass::Process => survival == Survival::Everything,
                DurabilityClass::None => false,
            };
            let story = format!("seed {seed}, life {life}, {kind:?}, {survival:?}, {:?}", options.log);
            let options = Options { partitions, ..self::options(&mut random) };
            let store = open(&disk, &options).unwrap_or_else(|error| panic!("{story}: {error}"));
            let found = content(&store).unwrap_or_else(|error| panic!("{story}: {error}"));
            for (thread, acknowledged) in (0..THREADS).zip(acknowledged) {
                let key = key(life * THREADS + thread);
                // The writes after the last one that was acknowledged may be there or not.
                let least = if is_kept { acknowledged } else { 0 };
                let is_last = |number: u16| match found.get(&key) {
                    Some(found) => *found == value(number),
                    None => number == 0,
                };
                assert!((least..=acknowledged + under_way(thread)).any(is_last), "{story}: {thread}");
                expected.extend(found.get(&key).map(|value| (key, value.clone())));
            }
            assert_eq!(found, expected, "{story}: what an earlier life found");
            store.close().unwrap_or_else(|error| panic!("{story}: {error}"));
            let problems = verify_on(Arc::new(disk.clone())).unwrap().problems;
            assert!(problems.is_empty(), "{story}: {problems:?}");
        }
    }
}

const THREADS: u8 = 4;

/// Writes that a thread has under way at most.
fn under_way(thread: u8) -> u16 {
    if thread.is_multiple_of(2) { 1 } else { 5 }
}

/// Each thread puts rising numbers to a key of its own until a put fails. Returns the last number that was acknowledged
/// to each.
fn write_from_threads(disk: &Disk, options: &Options, fault: Fault, life: u8) -> Vec<u16> {
    disk.plan(fault);
    let Ok(store) = open(disk, options) else { return vec![0; THREADS.into()] };
    thread::scope(|scope| {
        let store = &store;
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || put_until_a_failure(store, thread, life)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn put_until_a_failure(store: &Store, thread: u8, life: u8) -> u16 {
    const WRITES_MAX: u16 = 200;
    let key = key(life * THREADS + thread);
    let mut acknowledged = 0;
    let mut commits = VecDeque::new();
    for number in 1..=WRITES_MAX {
        let mut batch = Batch::new();
        batch.put(&key, &value(number)).unwrap();
        let Ok(commit) = store.write_async(&batch) else { break };
        commits.push_back((number, commit));
        if commits.len() == usize::from(under_way(thread)) {
            let (number, commit) = commits.pop_front().unwrap();
            if commit.wait().is_err() {
                return acknowledged;
            }
            acknowledged = number;
        }
    }
    for (number, commit) in commits {
        if commit.wait().is_err() {
            break;
        }
        acknowledged = number;
    }
    acknowledged
}
