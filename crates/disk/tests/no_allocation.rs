//! The measuring loop allocates nothing: a page fault or an allocator's lock would be measured as the disk's.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use disk::arena::Arena;
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::file_table::FileTable;
use driver::{Driver, MonotonicClock, Next, Recorder, Workload};
use model::{BlockKind, BlockOp, Completion, IoMode, Nanos};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::File;
use std::sync::Arc;

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

/// Keeps `depth` operations in flight; from the second on, an operation's end is the next one's beginning. In the second
/// half of its time it emits only every 200 µs, so that waiting for a deadline is covered too.
struct Mixed {
    free: Vec<u32>,
    depth: usize,
    emitted: u64,
    completed: u64,
    from: Nanos,
    until: Nanos,
    allocations_at_start: Option<u64>,
    allocations_at_end: u64,
}

impl Workload for Mixed {
    type Op = BlockOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        if now >= self.from && self.allocations_at_start.is_none() {
            self.allocations_at_start = Some(ALLOCATIONS.get());
        }
        if now >= self.until {
            self.allocations_at_end = ALLOCATIONS.get();
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
        if now.0 * 2 > self.until.0 { Next::At(now + Nanos(200_000)) } else { Next::Wait }
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(0, completion.latency());
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

#[test]
fn the_loop_allocates_nothing_after_warm_up() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = directory.path().join("data");
    File::create(&path).unwrap().set_len(BLOCKS * u64::from(BLOCK)).unwrap();
    for (kind, mode) in [
        (BackendKind::Null, IoMode::Buffered),
        (BackendKind::Psync, IoMode::Buffered),
        (BackendKind::Psync, IoMode::Direct),
        (BackendKind::Uring, IoMode::Buffered),
        (BackendKind::Uring, IoMode::Direct),
    ] {
        if let Err(reason) = kind.supported() {
            eprintln!("skipped: {reason}");
            continue;
        }
        let depth = 16;
        let mut files = FileTable::new();
        files.open(&path, mode, true).unwrap();
        let arena = Arc::new(Arena::new(depth * BLOCK as usize).unwrap());
        let clock = MonotonicClock::start();
        let setup = Setup { files: Arc::new(files), arena, clock, in_flight_max: depth };
        let backend: AnyBackend = kind.build(&setup).unwrap();
        let workload = Mixed {
            free: (0..depth as u32).collect(),
            depth,
            emitted: 0,
            completed: 0,
            from: Nanos::from_millis(20),
            until: Nanos::from_millis(350),
            allocations_at_start: None,
            allocations_at_end: 0,
        };
        let driven = Driver::new(workload, backend, clock).run().unwrap().workload;
        assert!(driven.completed > 100, "{kind:?} {mode}: only {} operations", driven.completed);
        let allocations = driven.allocations_at_end - driven.allocations_at_start.unwrap();
        assert_eq!(allocations, 0, "{kind:?} {mode}: in {} operations", driven.completed);
    }
}
