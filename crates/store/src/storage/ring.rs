//! Many reads in flight: a ring for each thread that reads, with registered files and buffers.

use super::{Read, Reads, one_after_another};
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
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// Memory that a ring reads into, unless a page for each read in flight takes more. The kernel limits how much a
/// process may register (`RLIMIT_MEMLOCK`, often 8 MiB).
const ARENA_BYTES: usize = 512 << 10;
/// Reads that are sent together, at most: the device begins while the next ones are searched for.
const SENT_AT_ONCE: usize = 8;

/// Makes the rings of a directory's threads.
#[derive(Debug)]
pub(super) struct Rings {
    path: PathBuf,
    io: IoMode,
    depth: usize,
    slot_bytes: usize,
    /// Whether reads fail without a ring. Otherwise they are performed one after another: a machine may have rings for
    /// some threads only.
    is_required: bool,
    /// Whether a thread was refused a ring.
    is_refused: AtomicBool,
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

    pub(super) fn new(path: PathBuf, io: IoMode, depth: usize, page_bytes: usize, is_required: bool) -> Self {
        let slot_bytes = page_bytes.max(ARENA_BYTES / depth / BLOCK_BYTES * BLOCK_BYTES);
        let (is_refused, alive) = (AtomicBool::new(false), Arc::new(()));
        Self { path, io, depth, slot_bytes, is_required, is_refused, alive }
    }

    pub(super) fn read_many(&self, reads: &mut dyn Reads) -> io::Result<()> {
        // The ring is taken out of the list: what takes a read's bytes may read others.
        let ring = match self.idle_ring() {
            Some(ring) => Some(ring),
            None => self.ring_if_possible(reads)?,
        };
        let Some(mut ring) = ring else {
            one_after_another(reads);
            return Ok(());
        };
        // If it fails, dropping the ring waits for what is in flight.
        self.drive(&mut ring, reads)?;
        RINGS.with_borrow_mut(|rings| rings.push(ring));
        Ok(())
    }

    /// Takes this thread's ring, if it has one that is idle.
    fn idle_ring(&self) -> Option<Ring> {
        RINGS.with_borrow_mut(|rings| {
            rings.retain(|ring| ring.owner.strong_count() > 0);
            let mine = Arc::downgrade(&self.alive);
            let place = rings.iter().position(|ring| ring.owner.ptr_eq(&mine))?;
            Some(rings.swap_remove(place))
        })
    }

    /// A ring for this thread; `None` if the kernel refuses one and reads can do without.
    fn ring_if_possible(&self, reads: &dyn Reads) -> io::Result<Option<Ring>> {
        if self.is_refused.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match self.ring(&reads.files()) {
            Ok(ring) => Ok(Some(ring)),
            Err(error) if self.is_required => Err(error),
            Err(_) => {
                self.is_refused.store(true, Ordering::Relaxed);
                Ok(None)
            }
        }
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
            pages: vec![0; self.depth * self.slot_bytes],
            ready: Vec::with_capacity(self.depth),
            operations: Vec::with_capacity(self.depth),
            completions: Vec::with_capacity(self.depth),
        })
    }

    fn drive(&self, ring: &mut Ring, reads: &mut dyn Reads) -> io::Result<()> {
        loop {
            while !ring.free.is_empty() {
                let Some(read) = reads.next() else { break };
                if read.bytes > self.slot_bytes {
                    perform(&read, reads);
                    continue;
                }
                let index = match ring.indexes.get(&read.number) {
                    Some(index) => *index,
                    None => {
                        // The file is newer than the ring. What is in flight is finished before the ring is replaced.
                        self.flush(ring, reads)?;
                        let Some(newer) = self.ring_if_possible(reads)? else {
                            perform(&read, reads);
                            one_after_another(reads);
                            return Ok(());
                        };
                        *ring = newer;
                        *ring
                            .indexes
                            .get(&read.number)
                            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?
                    }
                };
                ring.queue(index, &read, self.slot_bytes);
                if ring.operations.len() == SENT_AT_ONCE {
                    ring.send()?;
                }
            }
            // The device has the next reads while those that came are looked at.
            if !ring.ready.is_empty() {
                ring.send()?;
                ring.hand_over(reads, self.slot_bytes);
                continue;
            }
            if ring.in_flight() == 0 {
                return Ok(());
            }
            ring.take(self.slot_bytes)?;
        }
    }

    /// Completes what is in flight.
    fn flush(&self, ring: &mut Ring, reads: &mut dyn Reads) -> io::Result<()> {
        ring.hand_over(reads, self.slot_bytes);
        while ring.in_flight() > 0 {
            ring.take(self.slot_bytes)?;
            ring.hand_over(reads, self.slot_bytes);
        }
        Ok(())
    }
}

/// Performs a read without a ring.
fn perform(read: &Read, reads: &mut dyn Reads) {
    let mut bytes = AlignedBuffer::zeroed(read.bytes);
    let outcome = read.file.read_at(&mut bytes, read.offset);
    reads.complete(read.token, outcome.map(|()| &*bytes));
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
    /// What was read, one slot's bytes for each of `ready`.
    pages: Vec<u8>,
    /// Reads that have come and were not handed over: the token, and the bytes or why there are none.
    ready: Vec<(u32, io::Result<usize>)>,
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

    /// Submits what is queued.
    fn send(&mut self) -> io::Result<()> {
        if self.operations.is_empty() {
            return Ok(());
        }
        let taken = self.backend.submit(&self.operations)?;
        self.operations.drain(..taken);
        self.backend.reap(0, None, &mut self.completions)
    }

    /// Submits, waits for at least one read, and takes what has come out of the arena.
    fn take(&mut self, slot_bytes: usize) -> io::Result<()> {
        if self.completions.is_empty() {
            let taken = self.backend.submit(&self.operations)?;
            self.operations.drain(..taken);
            self.backend.reap(1, None, &mut self.completions)?;
        }
        let mut completions = std::mem::take(&mut self.completions);
        for completion in completions.drain(..) {
            let slot = completion.id as usize;
            let Some((token, bytes)) = self.slots[slot].take() else { continue };
            self.free.push(completion.id);
            let outcome = match completion.result {
                errno if errno < 0 => Err(io::Error::from_raw_os_error(-errno)),
                moved if moved as usize == bytes => {
                    let at = self.ready.len() * slot_bytes;
                    copy(&self.arena, slot * slot_bytes, &mut self.pages[at..at + bytes]);
                    Ok(bytes)
                }
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
            self.ready.push((token, outcome));
        }
        self.completions = completions;
        Ok(())
    }

    /// Hands over what was taken.
    fn hand_over(&mut self, reads: &mut dyn Reads, slot_bytes: usize) {
        for (place, (token, outcome)) in self.ready.drain(..).enumerate() {
            let at = place * slot_bytes;
            reads.complete(token, outcome.map(|bytes| &self.pages[at..at + bytes]));
        }
    }
}

/// Copies out of the arena, which stays shared with the ring.
fn copy(arena: &Arena, offset: usize, into: &mut [u8]) {
    for (word, bytes) in arena.words(offset, into.len()).iter().zip(into.chunks_exact_mut(8)) {
        bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::storage::simulated::Disk;
    use crate::storage::{Durable, Storage, StorageFile};

    /// Reads of blocks, each filled with its number.
    struct Blocks {
        file: Arc<dyn StorageFile>,
        begun: u32,
        found: Vec<u32>,
    }

    impl Reads for Blocks {
        fn next(&mut self) -> Option<Read> {
            let token = self.begun;
            self.begun += 1;
            let offset = u64::from(token) * BLOCK_BYTES as u64;
            let file = Arc::clone(&self.file);
            (token < 8).then_some(Read { token, number: 1, file, offset, bytes: BLOCK_BYTES })
        }

        fn complete(&mut self, token: u32, read: io::Result<&[u8]>) {
            assert!(read.unwrap().iter().all(|byte| u32::from(*byte) == token));
            self.found.push(token);
        }

        fn files(&self) -> Vec<(u64, String)> {
            vec![(1, "blocks".to_owned())]
        }
    }

    /// The kernel refuses a ring beyond `RLIMIT_MEMLOCK`; here the files of the ring cannot be opened.
    #[test]
    fn a_thread_without_a_ring_reads_one_after_another_unless_a_ring_is_required() {
        let file = Disk::new().create("blocks", IoMode::Direct).unwrap();
        for block in 0..8_u8 {
            let at = u64::from(block) * BLOCK_BYTES as u64;
            file.write_at(&[block; BLOCK_BYTES], at, Durable::Later).unwrap();
        }
        for is_required in [false, true] {
            let path = PathBuf::from("/there/is/no/such/directory");
            let rings = Rings::new(path, IoMode::Direct, 4, BLOCK_BYTES, is_required);
            for _ in 0..2 {
                let mut blocks = Blocks { file: Arc::clone(&file), begun: 0, found: Vec::new() };
                let outcome = rings.read_many(&mut blocks);
                assert_eq!(outcome.is_err(), is_required);
                assert_eq!(blocks.found.len(), if is_required { 0 } else { 8 });
            }
        }
    }
}
