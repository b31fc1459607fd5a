//! Many reads in flight: a ring for each thread that reads, with registered files and buffers.

use super::{Read, Reads};
use crate::block::{AlignedBuffer, BLOCK_BYTES};
use disk::arena::Arena;
use disk::backend::{BlockBackend, Setup, Uring};
use disk::file_table::FileTable;
use driver::{Backend, MonotonicClock};
use model::{BlockKind, BlockOp, Completion, IoMode};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

/// Memory that a ring reads into, unless a page for each read in flight takes more. The kernel limits how much a process may register
/// (`RLIMIT_MEMLOCK`, often 8 MiB).
const ARENA_BYTES: usize = 512 << 10;

/// Makes the rings of a directory's threads.
#[derive(Debug)]
pub(super) struct Rings {
    path: PathBuf,
    io: IoMode,
    depth: usize,
    slot_bytes: usize,
    /// A thread drops its ring if this is gone.
    alive: Arc<()>,
}

thread_local! {
    static RINGS: RefCell<Vec<Ring>> = const { RefCell::new(Vec::new()) };
}

impl Rings {
    pub(super) fn supported() -> io::Result<()> {
        Uring::supported()
    }

    pub(super) fn new(path: PathBuf, io: IoMode, depth: usize, page_bytes: usize) -> Self {
        let slot_bytes = page_bytes.max(ARENA_BYTES / depth / BLOCK_BYTES * BLOCK_BYTES);
        Self { path, io, depth, slot_bytes, alive: Arc::new(()) }
    }

    pub(super) fn read_many(&self, reads: &mut dyn Reads) -> io::Result<()> {
        RINGS.with_borrow_mut(|rings| {
            rings.retain(|ring| ring.owner.strong_count() > 0);
            let mine = Arc::downgrade(&self.alive);
            let ring = match rings.iter().position(|ring| ring.owner.ptr_eq(&mine)) {
                Some(found) => &mut rings[found],
                None => {
                    rings.push(self.ring(&reads.files())?);
                    let last = rings.len() - 1;
                    &mut rings[last]
                }
            };
            let outcome = self.drive(ring, reads);
            if outcome.is_err() {
                // Dropping it waits for what is in flight.
                rings.retain(|ring| !ring.owner.ptr_eq(&mine));
            }
            outcome
        })
    }

    fn ring(&self, files: &[(u64, String)]) -> io::Result<Ring> {
        let mut table = FileTable::new();
        let mut indexes = HashMap::with_capacity(files.len());
        for (number, name) in files {
            let index = table.open(&self.path.join(name), self.io, false).map_err(io::Error::other)?;
            indexes.insert(*number, index);
        }
        let arena = Arc::new(Arena::new(self.depth * self.slot_bytes)?);
        let setup = Setup {
            files: Arc::new(table),
            arena: Arc::clone(&arena),
            clock: MonotonicClock::start(),
            in_flight_max: self.depth,
            registered: true,
        };
        Ok(Ring {
            owner: Arc::downgrade(&self.alive),
            backend: Uring::build(&setup)?,
            arena,
            indexes,
            slots: vec![None; self.depth],
            free: (0..self.depth as u32).rev().collect(),
            page: vec![0; self.slot_bytes],
            operations: Vec::with_capacity(self.depth),
            completions: Vec::with_capacity(self.depth),
        })
    }

    fn drive(&self, ring: &mut Ring, reads: &mut dyn Reads) -> io::Result<()> {
        loop {
            while !ring.free.is_empty() {
                let Some(read) = reads.next() else { break };
                if read.bytes > self.slot_bytes {
                    let mut bytes = AlignedBuffer::zeroed(read.bytes);
                    let outcome = read.file.read_at(&mut bytes, read.offset);
                    reads.complete(read.token, outcome.map(|()| &*bytes));
                    continue;
                }
                let index = match ring.indexes.get(&read.number) {
                    Some(index) => *index,
                    None => {
                        // The file is newer than the ring. What is in flight is finished before the ring is replaced.
                        self.flush(ring, reads)?;
                        *ring = self.ring(&reads.files())?;
                        *ring
                            .indexes
                            .get(&read.number)
                            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?
                    }
                };
                ring.queue(index, &read, self.slot_bytes);
            }
            if ring.in_flight() == 0 {
                return Ok(());
            }
            ring.step(reads, self.slot_bytes)?;
        }
    }

    /// Completes what is in flight.
    fn flush(&self, ring: &mut Ring, reads: &mut dyn Reads) -> io::Result<()> {
        while ring.in_flight() > 0 {
            ring.step(reads, self.slot_bytes)?;
        }
        Ok(())
    }
}

/// One thread's ring.
struct Ring {
    owner: Weak<()>,
    backend: Uring,
    arena: Arc<Arena>,
    /// By the number of a file.
    indexes: HashMap<u64, u16>,
    /// Token and bytes of what each slot reads.
    slots: Vec<Option<(u32, usize)>>,
    free: Vec<u32>,
    page: Vec<u8>,
    /// Queued and not yet submitted.
    operations: Vec<BlockOp>,
    completions: Vec<Completion>,
}

impl Ring {
    fn in_flight(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn queue(&mut self, file: u16, read: &Read, slot_bytes: usize) {
        let Some(slot) = self.free.pop() else { return };
        self.slots[slot as usize] = Some((read.token, read.bytes));
        self.operations.push(BlockOp {
            id: slot,
            kind: BlockKind::Read,
            file,
            offset: read.offset,
            length: read.bytes as u32,
            buffer: slot * slot_bytes as u32,
        });
    }

    /// Submits, waits for at least one read, hands over what has come.
    fn step(&mut self, reads: &mut dyn Reads, slot_bytes: usize) -> io::Result<()> {
        let taken = self.backend.submit(&self.operations)?;
        self.operations.drain(..taken);
        let mut completions = std::mem::take(&mut self.completions);
        let reaped = self.backend.reap(1, None, &mut completions);
        for completion in completions.drain(..) {
            let slot = completion.id as usize;
            let Some((token, bytes)) = self.slots[slot].take() else { continue };
            self.free.push(completion.id);
            let outcome = match completion.result {
                errno if errno < 0 => Err(io::Error::from_raw_os_error(-errno)),
                moved if moved as usize == bytes => {
                    copy(&self.arena, slot * slot_bytes, &mut self.page[..bytes]);
                    Ok(&self.page[..bytes])
                }
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
            reads.complete(token, outcome);
        }
        self.completions = completions;
        reaped
    }
}

/// Copies out of the arena, which stays shared with the ring.
fn copy(arena: &Arena, offset: usize, into: &mut [u8]) {
    for (word, bytes) in arena.words(offset, into.len()).iter().zip(into.chunks_exact_mut(8)) {
        bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
    }
}
