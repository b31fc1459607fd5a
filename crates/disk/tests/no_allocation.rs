//! The measuring loop allocates nothing: a page fault or an allocator's lock would be measured as the disk's.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use disk::arena::Arena;
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::file_table::FileTable;
use driver::{Driver, MonotonicClock, Next, Recorder, Workload};
use model::{BlockKind, BlockOp, Completion, IoMode, Nanos, Value};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use workload::commit::{Commit, Parameters, SCHEMA};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BLOCKS: u64 = 1024;
const BLOCK: u32 = 4096;

/// Keeps `depth` operations in flight; from the second on, an operation's end is the next one's beginning. After half
/// of its operations it emits only every 200 µs, so that waiting for a deadline is covered too. It ends after
/// [`OPERATIONS`] and not before [`RUNTIME`].
struct Mixed {
    free: Vec<u32>,
    depth: usize,
    emitted: u64,
    completed: u64,
}

impl Workload for Mixed {
    type Op = BlockOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        if now >= RUNTIME && self.completed >= OPERATIONS {
            return Next::Done;
        }
        while let Some(id) = self.free.pop() {
            let random = self.emitted.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            self.emitted += 1;
            let (kind, length) = match self.emitted % 64 {
                0 => (BlockKind::DataSync, 0),
                1 => (BlockKind::WriteDsync, BLOCK),
                2..8 => (BlockKind::Write, BLOCK),
                _ => (BlockKind::Read, BLOCK),
            };
            let offset = random % BLOCKS * u64::from(BLOCK);
            out.push(BlockOp { id, kind, file: 0, offset, length, buffer: id * BLOCK });
        }
        let is_paced = now.0 * 2 > RUNTIME.0 && self.completed * 2 > OPERATIONS;
        if is_paced { Next::At(now + Nanos(200_000)) } else { Next::Wait }
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(0, completion.began(), completion.ended());
        self.completed += 1;
        self.free.push(completion.id);
    }

    fn in_flight_max(&self) -> usize {
        self.depth
    }

    fn families(&self) -> &'static [&'static str] {
        &["latency", "other_latency"]
    }
}

/// A workload that notes how often its thread has allocated: at its first poll after the warm-up, and at its last.
struct Noted<W> {
    workload: W,
    operations: u64,
    allocations_at_start: Option<u64>,
    allocations_at_end: u64,
    operations_at_start: u64,
}

/// Operations before the first that is looked at, and all of them: a slow disk takes longer for them.
const WARM_UP: u64 = 50;
const OPERATIONS: u64 = 300;
/// Long enough that the recorder closes intervals.
const RUNTIME: Nanos = Nanos::from_millis(250);

impl<W: Workload> Workload for Noted<W> {
    type Op = W::Op;

    fn poll(&mut self, now: Nanos, out: &mut Vec<W::Op>) -> Next {
        if self.operations >= WARM_UP && self.allocations_at_start.is_none() {
            self.allocations_at_start = Some(ALLOCATIONS.get());
            self.operations_at_start = self.operations;
        }
        let next = self.workload.poll(now, out);
        self.allocations_at_end = ALLOCATIONS.get();
        next
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        self.operations += 1;
        self.workload.complete(completion, recorder);
    }

    fn in_flight_max(&self) -> usize {
        self.workload.in_flight_max()
    }

    fn families(&self) -> &'static [&'static str] {
        self.workload.families()
    }
}

/// Drives a workload on a backend, and checks that nothing was allocated once it was warm.
fn check<W>(workload: W, kind: BackendKind, files: FileTable, arena_bytes: usize) -> W
where
    W: Workload<Op = BlockOp>,
{
    let arena = Arc::new(Arena::new(arena_bytes).unwrap());
    let clock = MonotonicClock::start();
    let in_flight_max = workload.in_flight_max();
    let setup = Setup { files: Arc::new(files), arena, clock, in_flight_max, registered: true };
    let backend: AnyBackend = kind.build(&setup).unwrap();
    let noted = Noted {
        workload,
        operations: 0,
        allocations_at_start: None,
        allocations_at_end: 0,
        operations_at_start: 0,
    };
    let driven = Driver::new(noted, backend, clock).run().unwrap().workload;
    let warm = driven.operations - driven.operations_at_start;
    assert!(warm > 0, "{kind:?}: no operation after the warm-up");
    let allocations = driven.allocations_at_end - driven.allocations_at_start.unwrap();
    assert_eq!(allocations, 0, "{kind:?}: in {warm} operations");
    driven.workload
}

fn file(directory: &Path, name: &str, size_bytes: u64) -> std::path::PathBuf {
    let path = directory.join(name);
    File::create(&path).unwrap().set_len(size_bytes).unwrap();
    path
}

fn is_supported(kind: BackendKind) -> bool {
    kind.supported().inspect_err(|reason| skip::because(reason)).is_ok()
}

const ARMS: [(BackendKind, IoMode); 6] = [
    (BackendKind::Null, IoMode::Buffered),
    (BackendKind::Psync, IoMode::Buffered),
    (BackendKind::Psync, IoMode::Direct),
    (BackendKind::Uring, IoMode::Buffered),
    (BackendKind::Uring, IoMode::Direct),
    (BackendKind::Mmap, IoMode::Mmap),
];

#[test]
fn the_loop_allocates_nothing_after_warm_up() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = file(directory.path(), "data", BLOCKS * u64::from(BLOCK));
    for (kind, mode) in ARMS.into_iter().filter(|(kind, _)| is_supported(*kind)) {
        let depth = 16;
        let mut files = FileTable::new();
        files.open(&path, mode, true).unwrap();
        let free = (0..depth as u32).collect();
        let workload = Mixed { free, depth, emitted: 0, completed: 0 };
        check(workload, kind, files, depth * BLOCK as usize);
    }
}

#[test]
fn the_commit_workload_allocates_nothing_after_warm_up() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    // A log is written by system calls.
    for (kind, mode) in ARMS.into_iter().filter(|(kind, mode)| is_supported(*kind) && *mode != IoMode::Mmap) {
        let mut configuration = SCHEMA.defaults();
        // A synchronous backend has one operation in flight, so its commits have no reads beside them.
        let read_depth = if kind == BackendKind::Psync { 0 } else { 32 };
        for (parameter, value) in [
            ("mode", Value::Name(mode.name().to_owned())),
            ("read_depth", Value::Count(read_depth)),
            ("group_size", Value::Count(4)),
            ("record_size", Value::Bytes(u64::from(BLOCK))),
            ("data_size", Value::Bytes(BLOCKS * u64::from(BLOCK))),
            // Small enough to wrap.
            ("wal_size", Value::Bytes(64 * u64::from(BLOCK))),
            ("groups", Value::Count(OPERATIONS / 4)),
            ("runtime", Value::Duration(Nanos::ZERO)),
        ] {
            configuration.0.insert(parameter.to_owned(), value);
        }
        let parameters = Parameters::read(&configuration).unwrap();
        let mut files = FileTable::new();
        for (name, size_bytes, mode) in [
            ("data", parameters.data_size, parameters.data_mode()),
            ("wal", parameters.wal_size, parameters.wal_mode()),
        ] {
            files.open(&file(directory.path(), name, size_bytes), mode, true).unwrap();
        }
        let arena_bytes = parameters.arena_bytes();
        let driven = check(Commit::new(parameters, 1), kind, files, arena_bytes);
        assert!(driven.commits() > 0, "{kind:?} {mode}: no commit");
        assert_eq!(driven.reads() > 0, read_depth > 0, "{kind:?} {mode}");
    }
}
