//! The store's own code on a simulated disk, under a model checker (shuttle): it chooses which thread goes on at each
//! use of a lock, a condition, a futex or an atomic, in many random orders, and finds threads that wait forever.
//!
//! At a random moment of each execution the disk is copied as it would be after power loss: the copy must have every
//! write that was acknowledged, and everything that a reader had seen.
//!
//! `INTERLEAVINGS` executions of each scenario and scheduler, from `SOAK_SEED` on. A failure prints the schedule, with
//! which `shuttle::replay` repeats it. Orders of memory accesses that only weak atomics allow are not tried.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the tests beside the sources are not run here"
)]

#[path = "../../src/ahead.rs"]
mod ahead;
#[path = "../../src/applied.rs"]
mod applied;
#[path = "../../src/background.rs"]
mod background;
#[path = "../../src/batch.rs"]
mod batch;
#[path = "../../src/block.rs"]
mod block;
#[path = "../../src/cache.rs"]
mod cache;
#[path = "../../src/checksum.rs"]
mod checksum;
#[path = "../../src/codec.rs"]
mod codec;
#[path = "../../src/commit.rs"]
mod commit;
#[path = "../../src/compaction/mod.rs"]
mod compaction;
#[path = "../../src/counters.rs"]
mod counters;
#[path = "../../src/cursor.rs"]
mod cursor;
#[path = "../../src/entry.rs"]
mod entry;
#[path = "../../src/error.rs"]
mod error;
#[path = "../../src/file_writer.rs"]
mod file_writer;
#[path = "../../src/files.rs"]
mod files;
#[path = "../../src/format.rs"]
mod format;
#[path = "../../src/gate.rs"]
mod gate;
#[path = "../../src/gets.rs"]
mod gets;
#[path = "../../src/group_commit.rs"]
mod group_commit;
#[path = "../../src/key_prefix.rs"]
mod key_prefix;
#[path = "../../src/keys.rs"]
mod keys;
#[path = "../../src/large_value.rs"]
mod large_value;
#[path = "../../src/limits.rs"]
mod limits;
#[path = "../../src/log/mod.rs"]
mod log;
#[path = "../../src/manifest.rs"]
mod manifest;
#[path = "../../src/memtable/mod.rs"]
mod memtable;
#[path = "../../src/merge.rs"]
mod merge;
#[path = "../../src/open.rs"]
mod open;
#[path = "../../src/options.rs"]
mod options;
#[path = "../../src/read.rs"]
mod read;
#[path = "../../src/reserve.rs"]
mod reserve;
#[path = "../../src/rotate.rs"]
mod rotate;
#[path = "../../src/run/mod.rs"]
mod run;
#[path = "../../src/scan.rs"]
mod scan;
#[path = "../../src/shared.rs"]
mod shared;
#[path = "../../src/storage/mod.rs"]
mod storage;
#[path = "../../src/store.rs"]
mod store;
mod sync;
#[path = "../../src/transfers.rs"]
mod transfers;
#[path = "../../src/values/mod.rs"]
mod values;
#[path = "../../src/verify.rs"]
mod verify;
#[path = "../../src/version.rs"]
mod version;
#[path = "../../src/write.rs"]
mod write;

use crate::batch::Batch;
use crate::options::{CompactionOptions, LogPacking, LogSync, Options, SizeTieredOptions};
use crate::storage::simulated::{Disk, Fault, FaultKind, Survival};
use crate::store::Store;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::thread;
use model::{DurabilityClass, IoMode};
use shuttle::future::block_on;
use shuttle::rand::{Rng, thread_rng};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};
use std::sync::Arc;
use std::time::Instant;

/// Places in the code at which the PCT scheduler takes a thread's turn away.
const TURNS_TAKEN: usize = 4;
/// What the store's calls need at most.
const STACK_BYTES: usize = 1 << 20;

/// What the threads do, and whether the disk fails.
#[derive(Clone, Copy, Debug)]
struct Scenario {
    packing: LogPacking,
    depth: usize,
    durability: DurabilityClass,
    /// So small that it is replaced, flushed and merged meanwhile.
    has_small_memtable: bool,
    fails: bool,
}

impl Scenario {
    fn options(self) -> Options {
        let mut options = Options {
            durability: self.durability,
            memtable_bytes: if self.has_small_memtable { 300 } else { 1 << 20 },
            memtables_max: 2,
            background_threads: if self.has_small_memtable { 2 } else { 0 },
            compaction: CompactionOptions::SizeTiered(SizeTieredOptions {
                runs_merged: 2,
                size_ratio: 3.0,
                runs_max: 3,
                merge_for_scans: true,
            }),
            ..Options::default()
        };
        (options.log.io, options.log.packing, options.log.depth) = (IoMode::Direct, self.packing, self.depth);
        options.log.sync = match self.packing {
            LogPacking::Packed => LogSync::Fdatasync,
            LogPacking::Padded => LogSync::Dsync,
        };
        // In some of the scenarios values go to value files, and these are collected.
        options.values.separate_bytes = if self.packing == LogPacking::Padded { 64 } else { 0 };
        options.values.garbage_percent = 1;
        options.log.segment_bytes = 16 << 10;
        (options.data.write_depth, options.data.compaction_read_depth) = (0, 0);
        options
    }
}

const WRITERS: u64 = 3;
const WRITES: u64 = 4;

fn key(writer: u64) -> [u8; 1] {
    [b'a' + writer as u8]
}

fn batch(writer: u64, count: u64) -> Batch {
    let mut batch = Batch::new();
    batch.put(&key(writer), &count.to_be_bytes().repeat(8)).unwrap();
    batch
}

/// The count that a writer's key has.
fn found(store: &Store, writer: u64) -> u64 {
    let value = store.get(&key(writer)).unwrap();
    value.map_or(0, |value| u64::from_be_bytes(value[..8].try_into().unwrap()))
}

/// Counts up in a key of its own, each time another way to wait; notes what was acknowledged. Returns at a failure.
fn write(store: &Store, writer: u64, acknowledged: &AtomicU64) -> Option<()> {
    let note = |count| acknowledged.fetch_max(count, Ordering::SeqCst);
    match writer {
        0 => {
            for count in 1..=WRITES {
                store.write(&batch(writer, count)).ok()?;
                note(count);
            }
        }
        1 => {
            let begin = |count| store.write_async(&batch(writer, count)).ok();
            let commits: Vec<_> = (1..=WRITES).map(begin).collect::<Option<_>>()?;
            for (count, commit) in (1..).zip(commits) {
                // A write that nobody waits for holds none up.
                if count % 2 == 0 {
                    commit.wait().ok()?;
                    note(count);
                }
            }
        }
        _ => {
            for count in 1..=WRITES {
                let commit = store.write_async(&batch(writer, count)).ok()?;
                if count == 2 {
                    store.sync().ok()?;
                    assert!(commit.is_done());
                }
                block_on(commit).ok()?;
                note(count);
            }
        }
    }
    Some(())
}

/// Counts that some moment had, by writer.
type Counts = [u64; WRITERS as usize];

/// What a store on a copy of the disk has after power loss.
fn survivors(disk: &Disk, scenario: Scenario) -> Counts {
    let copy = disk.duplicate();
    copy.restart(match scenario.durability {
        DurabilityClass::Power => Survival::Synced,
        DurabilityClass::None | DurabilityClass::Process => Survival::Everything,
    });
    let options = Options { background_threads: 0, ..scenario.options() };
    let store = Store::open_on(Arc::new(copy), &options).unwrap();
    std::array::from_fn(|writer| found(&store, writer as u64))
}

fn assert_at_least(survivors: Counts, least: Counts, what: &str) {
    let are_there = survivors.iter().zip(least).all(|(found, least)| *found >= least);
    assert!(are_there, "{survivors:?} survive, {least:?} were {what}");
}

/// One execution.
fn execute(scenario: Scenario) {
    let disk = Disk::new();
    let store = Arc::new(Store::open_on(Arc::new(disk.clone()), &scenario.options()).unwrap());
    let acknowledged: Arc<[AtomicU64; WRITERS as usize]> = Arc::default();
    let now = |of: &[AtomicU64; WRITERS as usize]| of.each_ref().map(|count| count.load(Ordering::SeqCst));
    if scenario.fails {
        let at = disk.operations() + thread_rng().gen_range(0..20);
        disk.plan(Fault { at, kind: FaultKind::InputOutput });
    }
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, acknowledged) = (Arc::clone(&store), Arc::clone(&acknowledged));
            thread::spawn(move || write(&store, writer, &acknowledged[writer as usize]).is_some())
        })
        .collect();
    let reader = thread::spawn({
        let (store, disk, acknowledged) = (Arc::clone(&store), disk.clone(), Arc::clone(&acknowledged));
        move || {
            for _ in 0..2 {
                let least = now(&acknowledged);
                assert_at_least(survivors(&disk, scenario), least, "acknowledged");
                let seen = std::array::from_fn(|writer| found(&store, writer as u64));
                assert_at_least(seen, least, "acknowledged and are read");
                assert_at_least(survivors(&disk, scenario), seen, "seen");
            }
        }
    });
    let have_written: Vec<bool> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
    reader.join().unwrap();
    assert_at_least(survivors(&disk, scenario), now(&acknowledged), "acknowledged in the end");
    let store = Arc::into_inner(store).unwrap();
    if !scenario.fails {
        assert_eq!(have_written, [true; WRITERS as usize]);
        assert_eq!(now(&acknowledged), [WRITES; WRITERS as usize]);
        store.close().unwrap();
        assert_eq!(survivors(&disk, scenario), [WRITES; WRITERS as usize]);
        let problems = verify::verify_on(Arc::new(disk)).unwrap().problems;
        assert!(problems.is_empty(), "{problems:?}");
    }
}

fn run(scheduler: impl Scheduler + 'static, scenario: Scenario) -> usize {
    let mut config = Config::new();
    (config.stack_size, config.silence_warnings) = (STACK_BYTES, true);
    Runner::new(scheduler, config).run(move || execute(scenario))
}

fn main() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let (executions, seed) = (number("INTERLEAVINGS", 20) as usize, number("SOAK_SEED", 12));
    let begun = Instant::now();
    let mut done = 0;
    for fails in [false, true] {
        for has_small_memtable in [false, true] {
            for (packing, depth, durability) in [
                (LogPacking::Packed, 2, DurabilityClass::Power),
                (LogPacking::Padded, 2, DurabilityClass::Power),
                (LogPacking::Packed, 1, DurabilityClass::Process),
            ] {
                let scenario = Scenario { packing, depth, durability, has_small_memtable, fails };
                done += run(RandomScheduler::new_from_seed(seed, executions), scenario);
                done += run(PctScheduler::new_from_seed(seed, TURNS_TAKEN, executions), scenario);
            }
        }
    }
    println!(
        "soak: interleavings of the store: {done} executions, 0 failures, seed {seed}, {} s",
        begun.elapsed().as_secs()
    );
}
