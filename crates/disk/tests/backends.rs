//! The block backends on a real file system: below the target directory, because /tmp may be a tmpfs.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use disk::arena::Arena;
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::file_table::FileTable;
use driver::{Backend, Clock, MonotonicClock};
use model::{BlockKind, BlockOp, Completion, IoMode, Nanos, Operation};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const BLOCK: u32 = 4096;
const REAL: [BackendKind; 2] = [BackendKind::Psync, BackendKind::Uring];
const MODES: [IoMode; 3] = [IoMode::Buffered, IoMode::Direct, IoMode::DontCache];

/// A directory with one file in it, which goes away with this.
struct Stage {
    _directory: TempDir,
    path: PathBuf,
}

impl Stage {
    fn with_file_of(bytes: u64) -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = directory.path().join("data");
        File::create(&path).unwrap().set_len(bytes).unwrap();
        Self { _directory: directory, path }
    }

    fn setup(&self, mode: IoMode, arena: Arc<Arena>, in_flight_max: usize) -> Setup {
        let mut files = FileTable::new();
        files.open(&self.path, mode, true).unwrap();
        Setup { files: Arc::new(files), arena, clock: MonotonicClock::start(), in_flight_max }
    }
}

fn arena(bytes: usize) -> Arc<Arena> {
    let mut arena = Arena::new(bytes).unwrap();
    arena.fill_random(bytes as u64);
    Arc::new(arena)
}

/// The backend, or `None` with the reason on the terminal where this machine cannot have it.
fn build(kind: BackendKind, setup: &Setup) -> Option<AnyBackend> {
    if let Err(reason) = kind.supported() {
        eprintln!("skipped: {reason}");
        return None;
    }
    Some(kind.build(setup).unwrap())
}

fn moves(kind: BlockKind, id: u32, offset: u64, buffer: u32) -> BlockOp {
    BlockOp { id, kind, file: 0, offset, length: BLOCK, buffer }
}

fn sync(kind: BlockKind) -> BlockOp {
    BlockOp { id: 0, kind, file: 0, offset: 0, length: 0, buffer: u32::MAX }
}

/// Performs the operations, as many at once as the backend takes, and returns their results by position.
fn perform(backend: &mut impl Backend<Op = BlockOp>, operations: &[BlockOp]) -> Vec<i32> {
    let mut results = vec![i32::MIN; operations.len()];
    let (mut submitted, mut completed) = (0, 0);
    let mut out: Vec<Completion> = Vec::new();
    while completed < operations.len() {
        let numbered: Vec<_> =
            (submitted..operations.len()).map(|id| BlockOp { id: id as u32, ..operations[id] }).collect();
        submitted += backend.submit(&numbered).unwrap();
        backend.reap(1, None, &mut out).unwrap();
        for completion in out.drain(..) {
            assert_eq!(results[completion.id as usize], i32::MIN, "completed twice: {completion:?}");
            results[completion.id as usize] = completion.result;
            completed += 1;
        }
    }
    results
}

#[test]
fn what_one_backend_writes_another_reads() {
    let blocks = 8;
    let half = blocks * BLOCK;
    let commits = [
        (BlockKind::Write, Some(BlockKind::DataSync)),
        (BlockKind::Write, Some(BlockKind::FullSync)),
        (BlockKind::WriteDsync, None),
    ];
    for (writer, reader) in REAL.into_iter().flat_map(|writer| REAL.map(|reader| (writer, reader))) {
        for (mode, (write, commit)) in MODES.into_iter().flat_map(|mode| commits.map(|commit| (mode, commit)))
        {
            let stage = Stage::with_file_of(0);
            let mut memory = arena(2 * half as usize);
            let setup = stage.setup(mode, Arc::clone(&memory), 4);
            let (Some(mut from), Some(mut to)) = (build(writer, &setup), build(reader, &setup)) else {
                continue;
            };
            let slots = || (0..blocks).map(|block| (u64::from(block * BLOCK), block * BLOCK));
            let writes: Vec<_> = slots().map(|(offset, buffer)| moves(write, 0, offset, buffer)).collect();
            let results = perform(&mut from, &writes);
            if mode == IoMode::DontCache && results[0] == -libc::EOPNOTSUPP {
                eprintln!("skipped: this file system has no RWF_DONTCACHE");
                continue;
            }
            assert!(results.iter().all(|result| *result == BLOCK as i32), "{mode} {write:?}: {results:?}");
            let committed = perform(&mut from, &commit.map(sync).into_iter().collect::<Vec<_>>());
            assert!(committed.iter().all(|result| *result == 0), "{mode} {commit:?}: {committed:?}");
            let reads: Vec<_> =
                slots().map(|(offset, buffer)| moves(BlockKind::Read, 0, offset, half + buffer)).collect();
            let results = perform(&mut to, &reads);
            assert!(results.iter().all(|result| *result == BLOCK as i32), "{mode} read: {results:?}");
            drop((from, to, setup));
            let memory = Arc::get_mut(&mut memory).expect("no backend is left");
            let (written, read) = memory.bytes(0, 2 * half as usize).split_at(half as usize);
            assert!(written == read, "{mode} {write:?}: other bytes came back");
        }
    }
}

#[test]
fn a_read_beyond_the_end_is_short_and_says_so() {
    let stage = Stage::with_file_of(6000);
    let setup = stage.setup(IoMode::Buffered, arena(BLOCK as usize), 2);
    for mut backend in REAL.into_iter().filter_map(|kind| build(kind, &setup)) {
        let offsets = [0, 4096, 8192];
        let results = perform(&mut backend, &offsets.map(|offset| moves(BlockKind::Read, 0, offset, 0)));
        assert_eq!(results, [4096, 1904, 0]);
    }
}

#[test]
fn what_the_kernel_refuses_is_a_negated_errno() {
    let stage = Stage::with_file_of(8192);
    let mut files = FileTable::new();
    files.open(&stage.path, IoMode::Buffered, false).unwrap();
    let setup = Setup { files: Arc::new(files), ..stage.setup(IoMode::Buffered, arena(4096), 2) };
    for mut backend in REAL.into_iter().filter_map(|kind| build(kind, &setup)) {
        let kinds = [BlockKind::Write, BlockKind::Read, BlockKind::WriteDsync];
        let results = perform(&mut backend, &kinds.map(|kind| moves(kind, 0, 0, 0)));
        assert_eq!(results, [-libc::EBADF, 4096, -libc::EBADF]);
    }
}

#[test]
fn thousands_of_operations_at_depth_64_move_the_right_bytes() {
    let (slots, blocks) = (64_u32, 4096_u32);
    let copies = slots * BLOCK;
    for kind in REAL {
        let stage = Stage::with_file_of(u64::from(blocks * BLOCK));
        let mut memory = arena((copies + blocks * BLOCK) as usize);
        let setup = stage.setup(IoMode::Direct, Arc::clone(&memory), slots as usize);
        let Some(mut backend) = build(kind, &setup) else { continue };
        // 1237 is prime to 4096: every block once, in no obvious order.
        let order = (0..blocks).map(|step| step * 1237 % blocks);
        let of_block = |kind, block: u32, buffer| moves(kind, 0, u64::from(block * BLOCK), buffer);
        let writes: Vec<_> =
            order.clone().map(|block| of_block(BlockKind::Write, block, block * 7 % slots * BLOCK)).collect();
        let reads: Vec<_> =
            order.map(|block| of_block(BlockKind::Read, block, copies + block * BLOCK)).collect();
        for operations in [writes, reads] {
            assert!(perform(&mut backend, &operations).iter().all(|result| *result == BLOCK as i32));
        }
        drop((backend, setup));
        let memory = Arc::get_mut(&mut memory).unwrap().bytes(0, (copies + blocks * BLOCK) as usize);
        let (written, read) = memory.split_at(copies as usize);
        for (block, bytes) in read.chunks(BLOCK as usize).enumerate() {
            let slot = block * 7 % slots as usize;
            assert!(bytes == &written[slot * BLOCK as usize..][..BLOCK as usize], "block {block}");
        }
    }
}

#[test]
fn a_full_backend_takes_fewer_and_completes_what_it_took() {
    let stage = Stage::with_file_of(1 << 20);
    let setup = stage.setup(IoMode::Buffered, arena(4096), 3);
    for kind in BackendKind::ALL {
        let Some(mut backend) = build(*kind, &setup) else { continue };
        let operations: Vec<_> = (0..5).map(|id| moves(BlockKind::Read, id, 0, 0)).collect();
        assert_eq!(backend.submit(&operations).unwrap(), 3, "{kind:?}");
        assert_eq!(backend.submit(&operations[3..]).unwrap(), 0, "{kind:?}");
        let mut out = Vec::new();
        backend.reap(3, None, &mut out).unwrap();
        assert_eq!(out.len(), 3, "{kind:?}");
        assert_eq!(backend.submit(&operations[3..]).unwrap(), 2, "{kind:?}");
    }
}

#[test]
fn an_operation_outside_the_arena_or_the_table_is_refused() {
    let stage = Stage::with_file_of(1 << 20);
    let setup = stage.setup(IoMode::Buffered, arena(8192), 4);
    let good = moves(BlockKind::Read, 0, 0, 4096);
    for bad in
        [BlockOp { buffer: 4097, ..good }, BlockOp { length: 8192, ..good }, BlockOp { file: 1, ..good }]
    {
        for mut backend in REAL.into_iter().filter_map(|kind| build(kind, &setup)) {
            let mut out = Vec::new();
            let outcome = backend.submit(&[good, bad]).and_then(|_| backend.reap(2, None, &mut out));
            assert_eq!(outcome.unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{bad:?}");
        }
    }
}

#[test]
fn an_idle_backend_waits_for_the_deadline_and_never_for_nothing() {
    let stage = Stage::with_file_of(0);
    let setup = stage.setup(IoMode::Buffered, arena(4096), 1);
    for kind in BackendKind::ALL {
        let Some(mut backend) = build(*kind, &setup) else { continue };
        let mut out = Vec::new();
        let deadline = setup.clock.now() + Nanos::from_millis(20);
        backend.reap(0, Some(deadline), &mut out).unwrap();
        let late = setup.clock.now().since(deadline);
        assert!(setup.clock.now() >= deadline && late < Nanos::from_millis(500), "{kind:?}: {late:?} late");
        backend.reap(0, Some(Nanos::ZERO), &mut out).unwrap();
        assert!(backend.reap(1, None, &mut out).is_err(), "{kind:?} would wait for ever");
        assert!(out.is_empty());
    }
}

#[test]
fn psync_stops_at_the_deadline_with_work_in_its_queue() {
    let stage = Stage::with_file_of(1 << 20);
    let setup = stage.setup(IoMode::Buffered, arena(4096), 8);
    let mut backend = build(BackendKind::Psync, &setup).unwrap();
    let operations: Vec<_> = (0..8).map(|id| moves(BlockKind::Read, id, 0, 0)).collect();
    assert_eq!(backend.submit(&operations).unwrap(), 8);
    let mut out = Vec::new();
    backend.reap(2, Some(setup.clock.now()), &mut out).unwrap();
    assert_eq!(out.len(), 2);
    backend.reap(1, None, &mut out).unwrap();
    assert_eq!(out.len(), 8);
    let stamps: Vec<_> = out.iter().map(|completion| completion.stamps.unwrap()).collect();
    assert!(stamps.windows(2).all(|pair| pair[0].ended <= pair[1].began));
    assert!(stamps.iter().all(|stamps| stamps.began < stamps.ended));
}

/// Writes so large that they are still in flight when asked about.
fn large_writes(count: u32) -> Vec<BlockOp> {
    let length = 4 << 20;
    let write = |id| BlockOp { length, offset: u64::from(id * length), ..moves(BlockKind::Write, id, 0, 0) };
    (0..count).map(write).collect()
}

#[test]
fn a_ring_returns_at_the_deadline_and_may_be_dropped_with_operations_in_flight() {
    let stage = Stage::with_file_of(0);
    let mut memory = arena(4 << 20);
    let setup = stage.setup(IoMode::Direct, Arc::clone(&memory), 16);
    let Some(mut backend) = build(BackendKind::Uring, &setup) else { return };
    let mut out = Vec::new();
    assert_eq!(backend.submit(&large_writes(16)).unwrap(), 16);
    backend.reap(16, Some(setup.clock.now()), &mut out).unwrap();
    assert!(out.len() < 16, "64 MiB were written in no time");
    backend.reap(0, None, &mut out).unwrap();
    assert!(out.len() < 16, "looking is not waiting");
    drop((backend, setup));
    // The arena may be looked at again only because the ring is empty, and so may be unmapped.
    assert!(Arc::get_mut(&mut memory).is_some());
    assert_eq!(fs::metadata(&stage.path).unwrap().len(), 64 << 20, "everything submitted was written");
}

#[test]
fn signals_interrupt_neither_waiting_nor_its_result() {
    extern "C" fn ignore(_signal: libc::c_int) {}
    // SAFETY: the handler does nothing, which is async-signal-safe, and SIGUSR1 has no other use in this process.
    // Without SA_RESTART every interrupted system call of the thread says EINTR.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = ignore as *const () as usize;
        libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut());
    }
    let stage = Stage::with_file_of(0);
    for kind in REAL {
        let setup = stage.setup(IoMode::Direct, arena(4 << 20), 16);
        let Some(mut backend) = build(kind, &setup) else { continue };
        let over = AtomicBool::new(false);
        // SAFETY: asks for the identity of the calling thread.
        let target = unsafe { libc::pthread_self() };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    // SAFETY: the target is this scope's own thread, which waits for us, so it exists.
                    unsafe { libc::pthread_kill(target, libc::SIGUSR1) };
                    std::thread::sleep(Duration::from_micros(50));
                }
            });
            let writes = large_writes(16);
            let mut operations = writes.clone();
            operations.push(sync(BlockKind::DataSync));
            let results = perform(&mut backend, &operations);
            over.store(true, Ordering::Relaxed);
            assert_eq!(results[..16], [writes[0].expected_result(); 16], "{kind:?}");
            assert_eq!(results[16], 0, "{kind:?}");
        });
    }
}
