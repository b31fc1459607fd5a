//! A file, a pool over it, and a backend that is known to fail.
#![allow(dead_code, reason = "not every test needs all of it")]

use buffer::{Geometry, Policy, Pool};
use disk::arena::Arena;
use disk::backend::{BlockBackend, Psync, Setup};
use disk::file_table::FileTable;
use driver::{Backend, MonotonicClock};
use model::{BlockKind, BlockOp, Completion, IoMode, Nanos};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

pub(crate) const PAGE_SIZE: u32 = 4096;
pub(crate) const IN_FLIGHT_MAX: usize = 4;

/// A file whose pages hold their number in every word.
pub(crate) struct Stage {
    directory: TempDir,
    pub(crate) pages: u32,
}

impl Stage {
    pub(crate) fn new(pages: u32) -> Self {
        let stage = Self { directory: tempfile::tempdir().unwrap(), pages };
        let bytes: Vec<u8> = (0..pages)
            .flat_map(|page| u64::from(page).to_ne_bytes().repeat(PAGE_SIZE as usize / 8))
            .collect();
        std::fs::write(stage.path(), bytes).unwrap();
        stage
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("pages")
    }

    /// A page's first word in the file.
    pub(crate) fn word(&self, page: u32) -> u64 {
        let mut word = [0; 8];
        let file = File::open(self.path()).unwrap();
        file.read_exact_at(&mut word, u64::from(page) * u64::from(PAGE_SIZE)).unwrap();
        u64::from_ne_bytes(word)
    }
}

/// Operations of the backend below it, some of which fail.
#[derive(Debug)]
pub(crate) struct Faulty {
    below: Psync,
    faults: Arc<Mutex<Faults>>,
    failing: Vec<Completion>,
}

/// What fails.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) reads: Vec<u32>,
    pub(crate) writes: Vec<u32>,
    /// Pages in the order in which they were read and written.
    pub(crate) trace: Vec<(BlockKind, u32)>,
}

impl Faulty {
    fn new(path: &Path, arena: &Arc<Arena>) -> Self {
        let mut files = FileTable::new();
        files.open(path, IoMode::Buffered, true).unwrap();
        let setup = Setup {
            files: Arc::new(files),
            arena: Arc::clone(arena),
            clock: MonotonicClock::start(),
            in_flight_max: IN_FLIGHT_MAX,
            registered: true,
        };
        Self { below: Psync::build(&setup).unwrap(), faults: Arc::default(), failing: Vec::new() }
    }
}

/// A pool of this number of frames; pages behind the file's end have numbers too.
pub(crate) fn pool<P: Policy>(stage: &Stage, frames: u32) -> Pool<P, Faulty> {
    faulty_pool(stage, frames).0
}

/// A pool whose backend's faults can be changed while it runs.
pub(crate) fn faulty_pool<P: Policy>(stage: &Stage, frames: u32) -> (Pool<P, Faulty>, Arc<Mutex<Faults>>) {
    let geometry = Geometry { frames, page_size: PAGE_SIZE, pages: 2 * stage.pages, file: 0 };
    let arena = Arc::new(Arena::new(geometry.bytes()).unwrap());
    let backend = Faulty::new(&stage.path(), &arena);
    let faults = Arc::clone(&backend.faults);
    (Pool::new(geometry, arena, backend, IN_FLIGHT_MAX).unwrap(), faults)
}

impl Backend for Faulty {
    type Op = BlockOp;

    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        let mut faults = self.faults.lock().unwrap();
        for operation in operations {
            let page = (operation.offset / u64::from(PAGE_SIZE)) as u32;
            faults.trace.push((operation.kind, page));
            let failing = if operation.kind == BlockKind::Read { &faults.reads } else { &faults.writes };
            if failing.contains(&page) {
                self.failing.push(Completion { id: operation.id, result: -5, stamps: None });
            } else {
                assert_eq!(self.below.submit(&[*operation])?, 1);
            }
        }
        Ok(operations.len())
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        if self.failing.is_empty() {
            return self.below.reap(at_least, deadline, out);
        }
        out.append(&mut self.failing);
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        self.below.system_calls()
    }
}

/// A backend over the stage's file that does not fail yet.
pub(crate) fn backend(stage: &Stage, arena: &Arc<Arena>) -> Faulty {
    Faulty::new(&stage.path(), arena)
}

/// The first word of a pinned page.
pub(crate) fn first_word<P: Policy>(session: &buffer::Session<'_, P, Faulty>, page: u32) -> u64 {
    session.pin(page).unwrap().words()[0].load(Ordering::Relaxed)
}
