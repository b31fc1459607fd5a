//! Threads read and write the same keys at the same time, and an order of their operations has to explain what each of
//! them found: over groups of writers, switches of memtables, flushes and merges.

mod checker;

use crate::support::{Random, leveled, small, tiered};
use checker::{Action, KEYS, Of, Operation, check};
use model::{DurabilityClass, IoMode};
use std::ops::{ControlFlow, Range};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use store::{Batch, Commit, Keys, Options, Store};

const THREADS: u64 = 4;
/// Groups of keys, each with a history of its own.
const GROUPS: u64 = 12;
/// For each thread. A group's history then has a few hundred.
const OPERATIONS: u64 = 700;
/// Writes that a thread has under way at most.
const UNDER_WAY_MAX: usize = 6;

fn key(group: u64, key: usize) -> [u8; 3] {
    [b'a' + group as u8, b'/', b'0' + key as u8]
}

/// A value of some length that is different for each number.
fn value(number: u32) -> Vec<u8> {
    let bytes = 4 + (number % 37) as usize * 4;
    number.to_be_bytes().iter().copied().cycle().take(bytes).collect()
}

fn number(value: &[u8]) -> u32 {
    u32::from_be_bytes(value[..4].try_into().unwrap())
}

/// One thread on the store.
struct Client<'a> {
    store: &'a Store,
    /// Moments, each given out once.
    clock: &'a AtomicU64,
    random: Random,
    /// The last number that this thread wrote: every thread has its own.
    written: u32,
    /// What it did, by group.
    done: Vec<Vec<Operation>>,
    under_way: Vec<UnderWay<'a>>,
}

/// A write that has not returned yet.
struct UnderWay<'a> {
    commit: Commit<'a>,
    group: u64,
    called: u64,
    action: Action,
}

/// Wakes the thread that waits for a task.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future as a runtime does.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => thread::park(),
        }
    }
}

impl Client<'_> {
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    fn operate(&mut self) {
        if self.random.below(8) == 0 || self.under_way.len() == UNDER_WAY_MAX {
            self.await_one();
        }
        let group = self.random.below(GROUPS);
        let called = self.now();
        let (action, returned) = match self.random.below(12) {
            10.. => return self.begin_write(group, called),
            0..3 => self.write_one(group),
            3 => self.write_some(group),
            4..7 => self.read_one(group),
            7 => self.read_all_at_once(group),
            8 => self.read_a_snapshot(group),
            _ => self.scan(group),
        };
        self.done[group as usize].push(Operation { called, returned, action });
    }

    /// A new value, or none in one of four cases.
    fn next_value(&mut self) -> Option<u32> {
        self.written += THREADS as u32;
        (self.random.below(4) > 0).then_some(self.written)
    }

    fn write_one(&mut self, group: u64) -> (Action, u64) {
        let (at, new) = (self.random.below(KEYS as u64) as usize, self.next_value());
        match new {
            Some(new) => self.store.put(&key(group, at), &value(new)).unwrap(),
            None => self.store.delete(&key(group, at)).unwrap(),
        }
        let mut changes = [Of::Another; KEYS];
        changes[at] = Of::This(new);
        (Action::Write(changes), self.now())
    }

    fn write_some(&mut self, group: u64) -> (Action, u64) {
        let (batch, action) = self.next_batch(group);
        self.store.write(&batch).unwrap();
        (action, self.now())
    }

    /// Goes on before the write is in the log.
    fn begin_write(&mut self, group: u64, called: u64) {
        let (batch, action) = self.next_batch(group);
        let commit = self.store.write_async(&batch).unwrap();
        self.under_way.push(UnderWay { commit, group, called, action });
    }

    /// Waits for any one of the writes that are under way.
    fn await_one(&mut self) {
        if self.under_way.is_empty() {
            return;
        }
        let one = self.random.below(self.under_way.len() as u64) as usize;
        let UnderWay { commit, group, called, action } = self.under_way.swap_remove(one);
        let outcome = if self.random.below(2) == 0 { commit.wait() } else { block_on(commit) };
        outcome.unwrap();
        let returned = self.now();
        self.done[group as usize].push(Operation { called, returned, action });
    }

    fn next_batch(&mut self, group: u64) -> (Batch, Action) {
        let mut batch = Batch::new();
        let changes: [Of; KEYS] = std::array::from_fn(|at| {
            if self.random.below(3) == 0 {
                return Of::Another;
            }
            let new = self.next_value();
            match new {
                Some(new) => batch.put(&key(group, at), &value(new)).unwrap(),
                None => batch.delete(&key(group, at)).unwrap(),
            };
            Of::This(new)
        });
        (batch, Action::Write(changes))
    }

    fn read_one(&mut self, group: u64) -> (Action, u64) {
        let at = self.random.below(KEYS as u64) as usize;
        let mut found = [Of::Another; KEYS];
        found[at] = Of::This(self.store.get(&key(group, at)).unwrap().as_deref().map(number));
        (Action::Read(found), self.now())
    }

    fn read_all_at_once(&mut self, group: u64) -> (Action, u64) {
        let keys: [_; KEYS] = std::array::from_fn(|at| key(group, at));
        let values = self.store.multi_get(&keys).unwrap();
        let returned = self.now();
        (Action::Read(std::array::from_fn(|at| Of::This(values[at].as_deref().map(number)))), returned)
    }

    /// What a snapshot has is of the moment in which it was made, however late it is read.
    fn read_a_snapshot(&mut self, group: u64) -> (Action, u64) {
        let snapshot = self.store.snapshot();
        let returned = self.now();
        if self.random.below(4) == 0 {
            thread::yield_now();
        }
        let found =
            std::array::from_fn(|at| Of::This(snapshot.get(&key(group, at)).unwrap().as_deref().map(number)));
        (Action::Read(found), returned)
    }

    fn scan(&mut self, group: u64) -> (Action, u64) {
        let mut found = [Of::This(None); KEYS];
        let prefix = &key(group, 0)[..2];
        let visit = |key: &[u8], value: &[u8]| {
            found[usize::from(key[2] - b'0')] = Of::This(Some(number(value)));
            ControlFlow::Continue(())
        };
        self.store.scan(&Keys::prefix(prefix), visit).unwrap();
        (Action::Read(found), self.now())
    }
}

/// Runs the threads on a new store and checks what they did. Returns how many operations there were.
fn run(seed: u64, options: &Options) -> usize {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path(), options).unwrap();
    let clock = AtomicU64::new(0);
    let clients = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let mut client = Client {
                    store: &store,
                    clock: &clock,
                    random: Random::new(seed * THREADS + thread + 1),
                    written: thread as u32,
                    done: vec![Vec::new(); GROUPS as usize],
                    under_way: Vec::new(),
                };
                scope.spawn(move || {
                    for count in 0..OPERATIONS {
                        client.operate();
                        // Switches of memtables at moments that no threshold chooses.
                        if count % 200 == 199 && thread == 0 {
                            client.store.drain().unwrap();
                        }
                        if count % 150 == 149 && thread == 1 {
                            client.store.sync().unwrap();
                        }
                    }
                    while !client.under_way.is_empty() {
                        client.await_one();
                    }
                    client.done
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for group in 0..GROUPS as usize {
        let history: Vec<Operation> = clients.iter().flat_map(|done| done[group].iter().copied()).collect();
        if let Err(stuck) = check(&history) {
            let beside =
                |other: &&Operation| other.called < stuck.returned + 20 && other.returned + 20 > stuck.called;
            let near: Vec<_> = history.iter().filter(beside).collect();
            panic!("seed {seed}, {options:?}: nothing explains {stuck:?} among {near:#?}");
        }
    }
    assert!(store.statistics().counts.flushes > 3);
    (THREADS * OPERATIONS) as usize
}

/// Runs at the same time, each on a store of its own: threads are then stopped anywhere, for the others. Threads that
/// had CPUs of their own did not find in minutes what these find in seconds.
fn run_together(seeds: Range<u64>) -> usize {
    thread::scope(|scope| {
        let runs: Vec<_> = seeds.map(|seed| scope.spawn(move || run(seed, &options(seed)))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    })
}

fn options(seed: u64) -> Options {
    let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
    let mut options = Options {
        memtable_bytes: 8 << 10,
        background_threads: 2,
        partitions: 1 + (seed % 3) as usize,
        compaction: if seed.is_multiple_of(2) { tiered() } else { leveled() },
        ..small(classes[(seed % 3) as usize])
    };
    (options.log.io, options.data.io) = (IoMode::Buffered, IoMode::Buffered);
    if seed % 6 == 5 && disk::files::direct_support(&std::env::temp_dir()).is_ok() {
        // Groups of writers beside each other.
        (options.log.io, options.log.depth) = (IoMode::Direct, 2);
    }
    options
}

#[test]
fn what_threads_find_has_an_order() {
    run_together(0..6);
}

/// Part of `make soak`: `LINEARIZABLE_SECONDS` of random load, from `SOAK_SEED` on.
#[test]
#[ignore = "minutes: make soak runs it"]
fn at_length() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let (seconds, first) = (number("LINEARIZABLE_SECONDS", 600), number("SOAK_SEED", 12));
    let (begun, mut seed, mut operations) = (Instant::now(), first, 0);
    while begun.elapsed() < Duration::from_secs(seconds) {
        operations += run_together(seed..seed + 6);
        seed += 6;
    }
    println!(
        "soak: linearizable histories: {operations} executions, 0 failures, seeds {first} to {}, {} s",
        seed - 1,
        begun.elapsed().as_secs()
    );
}
