//! The block backends on a real file system: below the target directory, because /tmp may be a tmpfs.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use crate::support;

use disk::backend::BackendKind;
use driver::{Backend, Clock};
use model::{BlockKind, BlockOp, IoMode, Nanos, Operation, RangeSync};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::retry;
use support::stage::{Stage, arena, build, mode_of, moves, perform, setup, sync};

const REAL: [BackendKind; 3] = [BackendKind::Psync, BackendKind::Uring, BackendKind::Mmap];

#[test]
fn a_full_backend_takes_fewer_and_completes_what_it_took() {
    let stage = Stage::with_file_of(1 << 20);
    for kind in BackendKind::ALL {
        let setup = stage.setup(mode_of(*kind), arena(4096), 3);
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
    let good = moves(BlockKind::Read, 0, 0, 4096);
    for bad in
        [BlockOp { buffer: 4097, ..good }, BlockOp { length: 8192, ..good }, BlockOp { file: 1, ..good }]
    {
        for kind in REAL {
            let setup = stage.setup(mode_of(kind), arena(8192), 4);
            let Some(mut backend) = build(kind, &setup) else { continue };
            let mut out = Vec::new();
            let outcome = backend.submit(&[good, bad]).and_then(|_| backend.reap(2, None, &mut out));
            assert_eq!(outcome.unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{kind:?} {bad:?}");
        }
    }
}

#[test]
fn an_idle_backend_waits_for_the_deadline_and_never_for_nothing() {
    let stage = Stage::with_file_of(4096);
    for kind in BackendKind::ALL {
        let setup = stage.setup(mode_of(*kind), arena(4096), 1);
        let Some(mut backend) = build(*kind, &setup) else { continue };
        let mut out = Vec::new();
        // Others may keep this thread from the CPU when it is to wake up.
        retry(20, || {
            let deadline = setup.clock.now() + Nanos::from_millis(20);
            backend.reap(0, Some(deadline), &mut out).unwrap();
            let woken = setup.clock.now();
            assert!(woken >= deadline, "{kind:?}: {woken:?} before {deadline:?}");
            let late = woken.since(deadline);
            if late < Nanos::from_millis(500) { Ok(()) } else { Err(format!("{kind:?}: {late:?} late")) }
        });
        backend.reap(0, Some(Nanos::ZERO), &mut out).unwrap();
        assert!(backend.reap(1, None, &mut out).is_err(), "{kind:?} would wait for ever");
        assert!(out.is_empty());
    }
}

#[test]
fn an_inline_backend_stops_at_the_deadline_with_work_in_its_queue() {
    let stage = Stage::with_file_of(1 << 20);
    for kind in [BackendKind::Psync, BackendKind::Mmap] {
        let setup = stage.setup(mode_of(kind), arena(4096), 8);
        let mut backend = build(kind, &setup).unwrap();
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
}

/// What a backend counts as system calls: psync one an operation, mmap none but those that wait for the device.
#[test]
fn system_calls_are_counted() {
    let stage = Stage::with_file_of(1 << 20);
    for (kind, expected) in
        [(BackendKind::Psync, [2, 3, 4, 5, 6, 7]), (BackendKind::Mmap, [0, 1, 3, 4, 6, 7])]
    {
        let setup = stage.setup(mode_of(kind), arena(4096), 8);
        let mut backend = build(kind, &setup).unwrap();
        let steps = [
            vec![moves(BlockKind::Read, 0, 0, 0), moves(BlockKind::Write, 0, 0, 0)],
            vec![moves(BlockKind::WriteDsync, 0, 0, 0)],
            vec![moves(BlockKind::WriteSync, 0, 0, 0)],
            vec![sync(BlockKind::DataSync)],
            vec![sync(BlockKind::FullSync)],
            vec![sync(BlockKind::RangeSync(RangeSync::Write))],
        ];
        let counted = steps.map(|step| {
            assert!(perform(&mut backend, &step).iter().all(|result| *result >= 0));
            backend.system_calls()
        });
        assert_eq!(counted, expected, "{kind:?}");
    }
}

/// A range has a length and no buffer: it may be longer than the arena.
#[test]
fn ranges_are_synced_with_each_flag() {
    let stage = Stage::with_file_of(1 << 20);
    for kind in REAL {
        let setup = stage.setup(mode_of(kind), arena(4096), 1);
        let Some(mut backend) = build(kind, &setup) else { continue };
        for what in [RangeSync::Write, RangeSync::WaitBeforeWrite, RangeSync::WaitBeforeWriteWaitAfter] {
            assert_eq!(perform(&mut backend, &[moves(BlockKind::Write, 0, 0, 0)]), [4096], "{kind:?}");
            let range = BlockOp { offset: 4096, length: 1 << 19, ..sync(BlockKind::RangeSync(what)) };
            assert_eq!(perform(&mut backend, &[range]), [0], "{kind:?} {what}");
            let negative = BlockOp { offset: u64::MAX - 4096, ..range };
            assert_eq!(perform(&mut backend, &[negative]), [-libc::EINVAL], "{kind:?} {what}");
        }
    }
}

/// A hole reads as zeroes, and its neighbours keep their data.
#[test]
fn holes_are_punched() {
    let stage = Stage::with_file_of(1 << 20);
    for kind in REAL {
        fs::write(&stage.path, vec![7_u8; 1 << 20]).unwrap();
        let setup = stage.setup(mode_of(kind), arena(4096), 1);
        let Some(mut backend) = build(kind, &setup) else { continue };
        let hole = BlockOp { offset: 8192, length: 1 << 19, ..sync(BlockKind::PunchHole) };
        assert_eq!(perform(&mut backend, &[hole]), [0], "{kind:?}");
        let bytes = fs::read(&stage.path).unwrap();
        let hole = 8192..8192 + (1 << 19);
        assert_eq!(bytes.len(), 1 << 20);
        assert!(
            bytes.iter().enumerate().all(|(place, byte)| (*byte == 0) == hole.contains(&place)),
            "{kind:?}"
        );
        let negative = BlockOp { offset: u64::MAX - 4096, length: 4096, ..sync(BlockKind::PunchHole) };
        assert_eq!(perform(&mut backend, &[negative]), [-libc::EINVAL], "{kind:?}");
    }
}

/// A device that cannot says so; none writes without the promise.
#[test]
fn an_atomic_write_is_whole_or_refused() {
    let stage = Stage::with_file_of(1 << 20);
    for kind in REAL {
        let setup = stage.setup(mode_of(kind), arena(4096), 1);
        let Some(mut backend) = build(kind, &setup) else { continue };
        let [result] = perform(&mut backend, &[moves(BlockKind::WriteAtomic, 0, 0, 0)])[..] else {
            panic!("one result")
        };
        assert!([4096, -libc::EOPNOTSUPP, -libc::EINVAL].contains(&result), "{kind:?}: {result}");
    }
}

#[test]
fn a_backend_takes_no_file_of_a_mode_that_is_not_its_own() {
    let stage = Stage::with_file_of(4096);
    for kind in REAL {
        for mode in [IoMode::Buffered, IoMode::Direct, IoMode::DontCache, IoMode::Mmap] {
            let belongs = (kind == BackendKind::Mmap) == (mode == IoMode::Mmap);
            let setup = setup(&stage.path, mode, true, arena(4096), 1);
            if kind.supported().is_err() || belongs {
                assert!(build(kind, &setup).is_some() || kind.supported().is_err());
                continue;
            }
            let error = kind.build(&setup).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::Unsupported, "{error}");
            let line = error.to_string();
            assert!(line.starts_with(stage.path.to_str().unwrap()), "{line}");
            assert!(line.contains(&format!("mode = {mode}: use")) && !line.contains('\n'), "{line}");
        }
    }
}

/// Writes so large that they are still in flight when asked about.
fn large_writes(count: u32) -> Vec<BlockOp> {
    let length = 4 << 20;
    let write = |id| BlockOp { length, offset: u64::from(id * length), ..moves(BlockKind::Write, id, 0, 0) };
    (0..count).map(write).collect()
}

#[test]
fn a_ring_returns_at_the_deadline_and_may_be_dropped_with_operations_in_flight() {
    // Other programs may have the CPU until everything is written; a ring that waited would find it so every time.
    retry(20, || {
        let stage = Stage::with_file_of(0);
        let mut memory = arena(4 << 20);
        let setup = stage.setup(IoMode::Direct, Arc::clone(&memory), 16);
        let Some(mut backend) = build(BackendKind::Uring, &setup) else { return Ok(()) };
        let mut out = Vec::new();
        assert_eq!(backend.submit(&large_writes(16)).unwrap(), 16);
        backend.reap(16, Some(setup.clock.now()), &mut out).unwrap();
        let at_the_deadline = out.len();
        backend.reap(0, None, &mut out).unwrap();
        let after_a_look = out.len();
        drop((backend, setup));
        // The arena may be looked at again only because the ring is empty, and so may be unmapped.
        assert!(Arc::get_mut(&mut memory).is_some());
        assert_eq!(fs::metadata(&stage.path).unwrap().len(), 64 << 20, "everything submitted was written");
        let returned = at_the_deadline < 16 && after_a_look < 16;
        let found = || format!("of 16 writes {at_the_deadline} had ended, then {after_a_look}");
        returned.then_some(()).ok_or_else(found)
    });
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
    for kind in [BackendKind::Psync, BackendKind::Uring] {
        let setup = stage.setup(IoMode::Direct, arena(4 << 20), 16);
        let Some(mut backend) = build(kind, &setup) else { continue };
        // The kernel gives up starting a ring's first thread when signals end three attempts, and cancels what waits
        // for it. From here on there is one.
        assert_eq!(perform(&mut backend, &[sync(BlockKind::DataSync)]), [0], "{kind:?}");
        let over = AtomicBool::new(false);
        // SAFETY: asks for the identity of the calling thread.
        let target = unsafe { libc::pthread_self() };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    // SAFETY: the target is this scope's own thread, which waits for us, so it exists.
                    unsafe { libc::pthread_kill(target, libc::SIGUSR1) };
                    // Some dozens while 64 MiB are written.
                    std::thread::sleep(Duration::from_millis(1));
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
