//! A file, an arena and a backend for them, and operations to perform.

use disk::arena::Arena;
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::file_table::{Advice, FileTable};
use driver::{Backend, MonotonicClock};
use model::{BlockKind, BlockOp, Completion, IoMode};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) const BLOCK: u32 = 4096;

/// Every backend that moves data, with every mode that it takes.
pub(crate) const ARMS: [(BackendKind, IoMode); 7] = [
    (BackendKind::Psync, IoMode::Buffered),
    (BackendKind::Psync, IoMode::Direct),
    (BackendKind::Psync, IoMode::DontCache),
    (BackendKind::Uring, IoMode::Buffered),
    (BackendKind::Uring, IoMode::Direct),
    (BackendKind::Uring, IoMode::DontCache),
    (BackendKind::Mmap, IoMode::Mmap),
];

/// A mode that the backend takes: its own if it has one.
pub(crate) fn mode_of(kind: BackendKind) -> IoMode {
    match kind {
        BackendKind::Psync | BackendKind::Uring | BackendKind::Null => IoMode::Buffered,
        BackendKind::Mmap => IoMode::Mmap,
    }
}

/// A directory with one file in it, which goes away with this.
pub(crate) struct Stage {
    _directory: TempDir,
    pub(crate) path: PathBuf,
}

impl Stage {
    pub(crate) fn with_file_of(bytes: u64) -> Self {
        let directory = super::scratch();
        let path = directory.path().join("data");
        File::create(&path).and_then(|file| file.set_len(bytes)).expect("target is writable");
        Self { _directory: directory, path }
    }

    pub(crate) fn setup(&self, mode: IoMode, arena: Arc<Arena>, in_flight_max: usize) -> Setup {
        setup(&self.path, mode, true, arena, in_flight_max)
    }
}

pub(crate) fn setup(
    path: &Path,
    mode: IoMode,
    write: bool,
    arena: Arc<Arena>,
    in_flight_max: usize,
) -> Setup {
    let mut files = FileTable::new();
    files.open(path, mode, write).expect("a regular file");
    Setup { files: Arc::new(files), arena, clock: MonotonicClock::start(), in_flight_max, registered: true }
}

/// A setup for reading whose file has been given advice.
pub(crate) fn advised(path: &Path, mode: IoMode, advice: Advice) -> Setup {
    let mut files = FileTable::new();
    let index = files.open(path, mode, false).expect("a regular file");
    files.advise(index, advice).expect("taken");
    let clock = MonotonicClock::start();
    Setup { files: Arc::new(files), arena: arena(BLOCK as usize), clock, in_flight_max: 1, registered: true }
}

pub(crate) fn arena(bytes: usize) -> Arc<Arena> {
    let mut arena = Arena::new(bytes).expect("memory");
    arena.fill_random(bytes as u64);
    Arc::new(arena)
}

/// The backend, or `None` with the reason on the terminal where this machine cannot have it.
pub(crate) fn build(kind: BackendKind, setup: &Setup) -> Option<AnyBackend> {
    if let Err(reason) = kind.supported() {
        skip::because(reason);
        return None;
    }
    Some(kind.build(setup).expect("supported"))
}

pub(crate) fn moves(kind: BlockKind, id: u32, offset: u64, buffer: u32) -> BlockOp {
    BlockOp { id, kind, file: 0, offset, length: BLOCK, buffer }
}

pub(crate) fn sync(kind: BlockKind) -> BlockOp {
    BlockOp { id: 0, kind, file: 0, offset: 0, length: 0, buffer: u32::MAX }
}

/// Performs the operations, as many at once as the backend takes, and returns their results by position.
pub(crate) fn perform(backend: &mut impl Backend<Op = BlockOp>, operations: &[BlockOp]) -> Vec<i32> {
    let mut results = vec![i32::MIN; operations.len()];
    let (mut submitted, mut completed) = (0, 0);
    let mut out: Vec<Completion> = Vec::new();
    while completed < operations.len() {
        let numbered: Vec<_> =
            (submitted..operations.len()).map(|id| BlockOp { id: id as u32, ..operations[id] }).collect();
        submitted += backend.submit(&numbered).expect("valid operations");
        backend.reap(1, None, &mut out).expect("performed");
        for completion in out.drain(..) {
            assert_eq!(results[completion.id as usize], i32::MIN, "completed twice: {completion:?}");
            results[completion.id as usize] = completion.result;
            completed += 1;
        }
    }
    results
}
