//! Writers that commit, each one transaction after the other, and note when each was acknowledged.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use server::{Client, Row, Server, ServerError, Write};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What the writers write.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// New rows, each in a transaction of its own.
    Inserts,
    /// New rows and new versions of older ones, in transactions of one row and of several.
    Mixed(Mixed),
}

/// See [`Work::Mixed`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixed {
    /// Rows of each writer that were there before.
    pub(crate) loaded: u64,
    /// The most rows of one transaction.
    pub(crate) at_once: usize,
    pub(crate) seed: u64,
}

/// One in this many transactions writes more than one row, if the server has transactions.
const LARGER_IN: u64 = 4;
/// Rows of one transaction are as far apart, so that they are on different pages. It is a prime, so that they are
/// different rows.
const STRIDE: u64 = 97;

/// A transaction of a writer.
#[derive(Clone, Debug)]
pub(crate) struct Commit {
    /// When it was acknowledged; `None` if it was only requested.
    pub(crate) acknowledged: Option<Instant>,
    /// Its places in [`Written::writes`].
    writes: Range<usize>,
}

impl Commit {
    pub(crate) fn is_acknowledged_before(&self, moment: Instant) -> bool {
        self.acknowledged.is_some_and(|at| at < moment)
    }
}

/// What one writer has written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) writer: u32,
    /// Its rows before the load have the sequences from 0 to this one, and version 0.
    pub(crate) loaded: u64,
    /// In order. All but the last were acknowledged.
    pub(crate) commits: Vec<Commit>,
    writes: Vec<Write>,
    /// When and why it was refused, if it was.
    pub(crate) refused: Option<(Instant, ServerError)>,
}

impl Written {
    /// Nothing yet.
    pub(crate) fn by(writer: u32, loaded: u64) -> Self {
        Self { writer, loaded, commits: Vec::new(), writes: Vec::with_capacity(1 << 16), refused: None }
    }

    /// Notes a transaction that is requested.
    pub(crate) fn request(&mut self, writes: &[Write]) {
        let begin = self.writes.len();
        self.writes.extend_from_slice(writes);
        self.commits.push(Commit { acknowledged: None, writes: begin..self.writes.len() });
    }

    /// Notes that the last transaction was acknowledged.
    pub(crate) fn acknowledge(&mut self, at: Instant) {
        if let Some(last) = self.commits.last_mut() {
            last.acknowledged = Some(at);
        }
    }

    /// The writes of a transaction.
    pub(crate) fn of(&self, commit: &Commit) -> &[Write] {
        self.writes.get(commit.writes.clone()).unwrap_or_default()
    }

    /// Every write that was requested.
    pub(crate) fn writes(&self) -> &[Write] {
        &self.writes
    }
}

/// Writers at work.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    /// Transactions that were acknowledged first: one for each writer.
    begun: Receiver<()>,
    writers: Vec<JoinHandle<Written>>,
}

impl Load {
    /// Starts a writer on each connection; the first of them has this number.
    pub(crate) fn start(clients: Vec<Box<dyn Client>>, first: u32, work: Work) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (begins, begun) = mpsc::channel();
        let write = |(writer, client): (usize, Box<dyn Client>)| {
            let (stop, begins) = (Arc::clone(&stop), begins.clone());
            thread::spawn(move || write(Writer::new(first + writer as u32, work), client, &stop, &begins))
        };
        let writers = clients.into_iter().enumerate().map(write).collect();
        Self { stop, begun, writers }
    }

    /// Waits until a transaction was acknowledged, or every writer has ended; says whether one was.
    pub(crate) fn await_first(&self, limit: Duration) -> bool {
        self.begun.recv_timeout(limit).is_ok()
    }

    /// Ends the writers and waits for them: those that are refused end by themselves.
    pub(crate) fn stop(self) -> Vec<Written> {
        self.stop.store(true, Ordering::Relaxed);
        let end = |writer: JoinHandle<Written>| writer.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.writers.into_iter().map(end).collect()
    }
}

/// Connections for a number of writers.
pub(crate) fn connect(
    server: &dyn Server,
    home: &server::Home,
    writers: u32,
) -> Result<Vec<Box<dyn Client>>, ServerError> {
    (0..writers).map(|_| server.connect(home)).collect()
}

/// Writes the rows that are there before a load: this many of each writer.
pub(crate) fn fill(
    client: &mut dyn Client,
    writers: u32,
    loaded: u64,
    at_once: usize,
) -> Result<(), ServerError> {
    let rows = |writer: u32| (0..loaded).map(move |sequence| Row { writer, sequence }.first());
    let all: Vec<Write> = (0..writers).flat_map(rows).collect();
    all.chunks(at_once).try_for_each(|writes| client.write(writes))
}

/// A connection that asks for checkpoints until it is dropped.
pub(crate) struct Checkpoints {
    go_on: Sender<()>,
    thread: JoinHandle<Option<(Instant, ServerError)>>,
}

impl Checkpoints {
    /// Asks for one at once, and for the next after each pause.
    pub(crate) fn start(mut client: Box<dyn Client>, pause: Duration) -> Self {
        let (go_on, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            loop {
                if let Err(why) = client.checkpoint() {
                    return Some((Instant::now(), why));
                }
                if stopped.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                    return None;
                }
            }
        });
        Self { go_on, thread }
    }

    /// When and why one was refused, if one was.
    pub(crate) fn stop(self) -> Option<(Instant, ServerError)> {
        drop(self.go_on);
        self.thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// What a writer does next.
struct Writer {
    work: Work,
    draw: Xoshiro256PlusPlus,
    /// The version of each of its rows, by sequence.
    versions: Vec<u32>,
    written: Written,
}

impl Writer {
    fn new(writer: u32, work: Work) -> Self {
        let (seed, loaded) = match work {
            Work::Inserts => (0, 0),
            Work::Mixed(mixed) => (mixed.seed, mixed.loaded),
        };
        Self {
            work,
            draw: Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(u64::from(writer))),
            versions: vec![0; loaded as usize],
            written: Written::by(writer, loaded),
        }
    }

    /// The next transaction.
    fn next(&mut self, writes: &mut Vec<Write>) {
        writes.clear();
        let Work::Mixed(Mixed { at_once, .. }) = self.work else {
            writes.push(self.insert());
            return;
        };
        let is_larger = at_once > 1 && self.draw.next_u64().is_multiple_of(LARGER_IN);
        let rows = if is_larger { 2 + self.draw.next_u64() % (at_once as u64 - 1) } else { 1 };
        // Rows of this transaction are not updated by it.
        let before = self.versions.len() as u64;
        let start = self.draw.next_u64();
        for place in 0..rows {
            let is_update = before > rows * STRIDE && self.draw.next_u64().is_multiple_of(2);
            let write = if is_update {
                self.update((start % before + place * STRIDE) % before)
            } else {
                self.insert()
            };
            writes.push(write);
        }
    }

    fn insert(&mut self) -> Write {
        self.versions.push(0);
        Row { writer: self.written.writer, sequence: self.versions.len() as u64 - 1 }.first()
    }

    fn update(&mut self, sequence: u64) -> Write {
        let version = &mut self.versions[sequence as usize];
        *version += 1;
        Write { row: Row { writer: self.written.writer, sequence }, version: *version }
    }
}

fn write(mut writer: Writer, mut client: Box<dyn Client>, stop: &AtomicBool, begins: &Sender<()>) -> Written {
    let mut writes = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        writer.next(&mut writes);
        writer.written.request(&writes);
        match client.write(&writes) {
            Ok(()) => {
                writer.written.acknowledge(Instant::now());
                if writer.written.commits.len() == 1 {
                    // Nobody waits for it any more.
                    let _ = begins.send(());
                }
            }
            Err(why) => {
                writer.written.refused = Some((Instant::now(), why));
                break;
            }
        }
    }
    writer.written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn a_transaction_writes_different_rows_and_each_its_next_version() {
        let mixed = Mixed { loaded: 5000, at_once: 50, seed: 3 };
        let mut writer = Writer::new(7, Work::Mixed(mixed));
        let mut versions: BTreeMap<Row, u32> =
            (0..5000).map(|sequence| (Row { writer: 7, sequence }, 0)).collect();
        let (mut writes, mut updates, mut larger) = (Vec::new(), 0, 0);
        for _ in 0..2000 {
            writer.next(&mut writes);
            let rows: BTreeSet<Row> = writes.iter().map(|write| write.row).collect();
            assert_eq!(rows.len(), writes.len());
            larger += usize::from(writes.len() > 1);
            for write in &writes {
                let next = versions.get(&write.row).map_or(0, |version| version + 1);
                assert_eq!(write.version, next);
                versions.insert(write.row, next);
                updates += usize::from(next > 0);
            }
        }
        assert!(updates > 1000 && (300..700).contains(&larger), "{updates} {larger}");
    }
}
