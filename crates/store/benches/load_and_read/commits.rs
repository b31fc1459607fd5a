//! What commits cost beyond the disk's own syncs, and what threads that wait for them cost at least.

use crate::settings::Settings;
use crate::{Failure, key, processor_time, together, value};
use model::IoMode;
use rustix::thread::futex;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use store::storage::{Directory, Durable, Storage, StorageFile};
use store::{BLOCK_BYTES, Batch, Commit, ReadEngine, Store, StoreError};

const ROUNDS: usize = 5;
/// How long each turn takes.
const TURN: Duration = Duration::from_secs(1);
const FILE_BLOCKS: u64 = 1024;
/// Times that each thread is woken to measure what that takes.
const WAKES: u32 = 2000;

/// Memory that direct I/O takes.
#[repr(C, align(4096))]
struct Block([u8; BLOCK_BYTES]);

/// Threads that write.
#[derive(Clone, Copy)]
struct Writers {
    threads: u64,
    /// Writes that each thread has under way; `None` if it waits for each.
    under_way: Option<usize>,
}

/// The same number of writes under way at once, by threads that wait for each and by threads that do not.
const WRITERS: [Writers; 8] = [
    Writers { threads: 1, under_way: None },
    Writers { threads: 8, under_way: None },
    Writers { threads: 1, under_way: Some(8) },
    Writers { threads: 2, under_way: Some(4) },
    Writers { threads: 64, under_way: None },
    Writers { threads: 1, under_way: Some(64) },
    Writers { threads: 2, under_way: Some(32) },
    Writers { threads: 4, under_way: Some(16) },
];

/// What writers did in one turn.
#[derive(Clone, Copy)]
struct Turn {
    /// Groups that the log committed for each sync that the disk made by itself right before.
    ratio: f64,
    group_writes: f64,
    commits_a_second: f64,
    /// Processor time of a commit.
    processor_us: f64,
}

/// In turns: one thread that writes a block and syncs, then the store's writers. Prints how many groups the log commits
/// for each sync that the disk makes by itself.
pub(crate) fn compare(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    let file = prefilled(directory)?;
    let store = Store::open(&directory.join("store"), &settings.options)?;
    let next = AtomicU64::new(0);
    let mut turns = vec![Vec::new(); WRITERS.len()];
    for _ in 0..ROUNDS {
        for (turns, writers) in turns.iter_mut().zip(WRITERS) {
            let own = own_syncs_a_second(&*file)?;
            let turn = turn(&store, writers, &next, own)?;
            println!("{}: the disk's own syncs {own:.0} /s, {}", writers.name(), turn.words());
            turns.push(turn);
        }
    }
    println!("\nmedians of {ROUNDS} rounds");
    for (turns, writers) in turns.iter_mut().zip(WRITERS) {
        turns.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
        println!("{}: {}", writers.name(), turns[turns.len() / 2].words());
    }
    store.close()?;
    let processors = thread::available_parallelism()?.get();
    for threads in [1, 8, 64] {
        let wake_us = wake_up_us(threads);
        println!(
            "to put {threads} threads to sleep and to wake them takes {wake_us:.1} us of processor time each: \
             with {processors} processors, threads that wait for each write commit at most {:.0} /s",
            processors as f64 * 1e6 / wake_us
        );
    }
    Ok(())
}

impl Writers {
    fn name(self) -> String {
        match self.under_way {
            None => format!("{} threads that wait", self.threads),
            Some(under_way) => format!("{} threads with {under_way} writes under way", self.threads),
        }
    }
}

impl Turn {
    fn words(&self) -> String {
        let Self { ratio, group_writes, commits_a_second, processor_us } = self;
        format!(
            "{ratio:.2} groups of {group_writes:.1} writes for each of them, {commits_a_second:.0} commits/s, \
             {processor_us:.1} us of processor time each"
        )
    }
}

fn turn(store: &Store, writers: Writers, next: &AtomicU64, own_a_second: f64) -> Result<Turn, Failure> {
    let before = store.statistics().counts;
    let (began, processor) = (Instant::now(), processor_time());
    together(writers.threads, |_| match writers.under_way {
        None => put_each(store, next, began),
        Some(under_way) => put_many(store, next, began, under_way),
    })?;
    let (passed_s, processor) = (began.elapsed().as_secs_f64(), processor_time().saturating_sub(processor));
    let after = store.statistics().counts;
    let commits = (after.batches - before.batches) as f64;
    let groups = (after.log_groups - before.log_groups) as f64;
    Ok(Turn {
        ratio: groups / passed_s / own_a_second,
        group_writes: commits / groups,
        commits_a_second: commits / passed_s,
        processor_us: processor.as_secs_f64() * 1e6 / commits,
    })
}

fn put_each(store: &Store, next: &AtomicU64, began: Instant) -> Result<(), StoreError> {
    while began.elapsed() < TURN {
        let number = next.fetch_add(1, Ordering::Relaxed);
        store.put(&key(number), &value(number))?;
    }
    Ok(())
}

fn put_many(store: &Store, next: &AtomicU64, began: Instant, under_way: usize) -> Result<(), StoreError> {
    let mut commits: VecDeque<Commit<'_>> = VecDeque::with_capacity(under_way);
    let mut batch = Batch::new();
    while began.elapsed() < TURN {
        while commits.len() < under_way {
            let number = next.fetch_add(1, Ordering::Relaxed);
            batch.clear();
            batch.put(&key(number), &value(number))?;
            commits.push_back(store.write_async(&batch)?);
        }
        commits.pop_front().map_or(Ok(()), Commit::wait)?;
        while commits.front().is_some_and(Commit::is_done) {
            commits.pop_front().map_or(Ok(()), Commit::wait)?;
        }
    }
    commits.into_iter().try_for_each(Commit::wait)
}

/// The processor time that it takes a thread to sleep on a futex and to be woken together with others, by one system
/// call for all of them, as the store wakes the writers of a group.
fn wake_up_us(threads: u32) -> f64 {
    let (turn, left) = (AtomicU32::new(0), AtomicU32::new(0));
    let sleep = |word: &AtomicU32, value: u32| {
        // It may return early: the caller looks again.
        let _ = futex::wait(word, futex::Flags::PRIVATE, value, None);
    };
    let wake = |word: &AtomicU32, threads: u32| {
        let _ = futex::wake(word, futex::Flags::PRIVATE, threads);
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for seen in 0..WAKES {
                    while turn.load(Ordering::Acquire) == seen {
                        sleep(&turn, seen);
                    }
                    if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                        wake(&left, 1);
                    }
                }
            });
        }
        let began = processor_time();
        for _ in 0..WAKES {
            left.store(threads, Ordering::Release);
            turn.fetch_add(1, Ordering::AcqRel);
            wake(&turn, i32::MAX as u32);
            loop {
                match left.load(Ordering::Acquire) {
                    0 => break,
                    some => sleep(&left, some),
                }
            }
        }
        let taken = processor_time().saturating_sub(began);
        taken.as_secs_f64() * 1e6 / f64::from(WAKES * threads)
    })
}

/// A file as a segment of the log: its blocks are there.
fn prefilled(directory: &Path) -> Result<std::sync::Arc<dyn StorageFile>, Failure> {
    let storage = Directory::open(directory, ReadEngine::Psync, IoMode::Direct, 1, BLOCK_BYTES)?;
    let file = storage.create("own", IoMode::Direct)?;
    let block = Block([0; BLOCK_BYTES]);
    for at in 0..FILE_BLOCKS {
        file.write_at(&block.0, at * BLOCK_BYTES as u64, Durable::Later)?;
    }
    file.sync()?;
    storage.sync_names()?;
    Ok(file)
}

fn own_syncs_a_second(file: &dyn StorageFile) -> Result<f64, Failure> {
    let block = Block([1; BLOCK_BYTES]);
    let (began, mut syncs) = (Instant::now(), 0);
    while began.elapsed() < TURN {
        file.write_at(&block.0, syncs % FILE_BLOCKS * BLOCK_BYTES as u64, Durable::Later)?;
        file.sync()?;
        syncs += 1;
    }
    Ok(syncs as f64 / began.elapsed().as_secs_f64())
}
