//! Every backend in every mode it has, in and out of order: the bytes that were requested move, and no others.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use crate::support;

use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::filesystem::{FileSystemKind, mount};
use disk::work_directory::WorkDirectory;
use model::{BlockKind, BlockOp, IoMode};
use std::path::Path;
use std::sync::Arc;
use support::stage::{ARMS, BLOCK, Stage, arena, build, moves, perform, setup, sync};

/// Blocks of the matrix's file: a prime times a power of two, so that 17 steps through them in no obvious order.
const BLOCKS: u32 = 96;
const BYTES: u32 = BLOCKS * BLOCK;

/// The order in which a job visits the blocks.
fn orders() -> [(&'static str, Vec<u32>); 2] {
    [("sequential", (0..BLOCKS).collect()), ("random", (0..BLOCKS).map(|step| step * 17 % BLOCKS).collect())]
}

/// Fills the file by plain system calls, and returns what is in it.
fn fill(path: &Path, seed: u64) -> Vec<u8> {
    let mut content = Arena::new(BYTES as usize).unwrap();
    content.fill_random(seed);
    let bytes = content.bytes(0, BYTES as usize).to_vec();
    std::fs::write(path, &bytes).unwrap();
    std::fs::File::open(path).unwrap().sync_all().unwrap();
    bytes
}

/// What an arm writes is read back by plain system calls, and the other way round, in both orders and with every way
/// to make writes durable. Returns whether the file system has the mode.
fn check(path: &Path, kind: BackendKind, mode: IoMode) -> bool {
    let label = format!("{kind:?} {mode} on {}", path.display());
    let moved_all = |results: &[i32]| results.iter().all(|result| *result == BLOCK as i32);
    for (order_name, order) in orders() {
        let at = |kind, block: &u32| moves(kind, 0, u64::from(block * BLOCK), block * BLOCK);
        let operations = |kind| -> Vec<BlockOp> { order.iter().map(|block| at(kind, block)).collect() };
        let expected = fill(path, 1);
        let mut memory = arena(BYTES as usize);
        let of_memory = |memory: &Arc<Arena>| -> Setup { setup(path, mode, true, Arc::clone(memory), 8) };
        let Some(mut backend) = build(kind, &of_memory(&memory)) else { return true };
        let results = perform(&mut backend, &operations(BlockKind::Read));
        if mode == IoMode::DontCache && results.iter().all(|result| *result == -libc::EOPNOTSUPP) {
            return false;
        }
        assert!(moved_all(&results), "{label} {order_name} read: {results:?}");
        drop(backend);
        let read = Arc::get_mut(&mut memory).unwrap().bytes(0, BYTES as usize).to_vec();
        assert!(read == expected, "{label} {order_name}: other bytes were read");

        let ways = [
            (BlockKind::Write, None),
            (BlockKind::Write, Some(BlockKind::DataSync)),
            (BlockKind::Write, Some(BlockKind::FullSync)),
            (BlockKind::WriteDsync, None),
            (BlockKind::WriteSync, None),
        ];
        for (seed, (write, durable)) in (2..).zip(ways) {
            fill(path, 1);
            let mut memory = Arena::new(BYTES as usize).unwrap();
            memory.fill_random(seed);
            let expected = memory.bytes(0, BYTES as usize).to_vec();
            let mut backend = build(kind, &of_memory(&Arc::new(memory))).unwrap();
            let results = perform(&mut backend, &operations(write));
            assert!(moved_all(&results), "{label} {order_name} {write:?}: {results:?}");
            let synced = perform(&mut backend, &durable.map(sync).into_iter().collect::<Vec<_>>());
            assert!(synced.iter().all(|result| *result == 0), "{label} {durable:?}: {synced:?}");
            let written = std::fs::read(path).unwrap();
            assert!(
                written == expected,
                "{label} {order_name} {write:?} {durable:?}: other bytes were written"
            );
        }
    }
    true
}

#[test]
fn every_backend_in_every_mode_moves_the_right_bytes() {
    let stage = Stage::with_file_of(0);
    for (kind, mode) in ARMS {
        if !check(&stage.path, kind, mode) {
            skip::because("this file system has no RWF_DONTCACHE");
        }
    }
}

/// The same on a file system of the given kind. Not all have every mode: those that lack one say so by errno.
fn check_on(kind: FileSystemKind, program: &str, test: &str, has_dontcache: bool) {
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", program]) {
        skip::because(reason);
        return;
    }
    support::alone(test, |parent| {
        let work = WorkDirectory::create(parent).unwrap();
        let mounted = mount(work.path(), kind, kind.minimum_bytes()).unwrap();
        for (backend, mode) in ARMS {
            let has_mode = check(&mounted.point.join("data"), backend, mode);
            // Linux 6.14 brought it; before, every file system is without.
            assert!(!has_mode || mode != IoMode::DontCache || has_dontcache, "{kind} {backend:?} {mode}");
        }
    });
}

#[test]
fn they_do_on_xfs() {
    check_on(FileSystemKind::Xfs, "mkfs.xfs", "backend_data::they_do_on_xfs", true);
}

#[test]
fn they_do_on_ext4() {
    check_on(FileSystemKind::Ext4, "mkfs.ext4", "backend_data::they_do_on_ext4", true);
}

#[test]
fn they_do_on_btrfs_which_has_no_dontcache() {
    check_on(
        FileSystemKind::Btrfs,
        "mkfs.btrfs",
        "backend_data::they_do_on_btrfs_which_has_no_dontcache",
        false,
    );
}

#[test]
fn what_one_backend_writes_another_reads() {
    let blocks = 8;
    let half = blocks * BLOCK;
    let commits = [
        (BlockKind::Write, Some(BlockKind::DataSync)),
        (BlockKind::Write, Some(BlockKind::FullSync)),
        (BlockKind::WriteDsync, None),
        (BlockKind::WriteSync, None),
    ];
    for ((writer, mode), (reader, reader_mode)) in
        ARMS.into_iter().flat_map(|arm| ARMS.map(|other| (arm, other)))
    {
        for (write, commit) in commits {
            // A mapping cannot make a file longer.
            let stage = Stage::with_file_of(u64::from(half));
            let mut memory = arena(2 * half as usize);
            let setup = stage.setup(mode, Arc::clone(&memory), 4);
            let reader_setup = stage.setup(reader_mode, Arc::clone(&memory), 4);
            let (Some(mut from), Some(mut to)) = (build(writer, &setup), build(reader, &reader_setup)) else {
                continue;
            };
            let slots = || (0..blocks).map(|block| (u64::from(block * BLOCK), block * BLOCK));
            let writes: Vec<_> = slots().map(|(offset, buffer)| moves(write, 0, offset, buffer)).collect();
            let results = perform(&mut from, &writes);
            if mode == IoMode::DontCache && results[0] == -libc::EOPNOTSUPP {
                skip::because("this file system has no RWF_DONTCACHE");
                continue;
            }
            assert!(results.iter().all(|result| *result == BLOCK as i32), "{mode} {write:?}: {results:?}");
            let committed = perform(&mut from, &commit.map(sync).into_iter().collect::<Vec<_>>());
            assert!(committed.iter().all(|result| *result == 0), "{mode} {commit:?}: {committed:?}");
            let reads: Vec<_> =
                slots().map(|(offset, buffer)| moves(BlockKind::Read, 0, offset, half + buffer)).collect();
            let results = perform(&mut to, &reads);
            assert!(results.iter().all(|result| *result == BLOCK as i32), "{reader_mode} read: {results:?}");
            drop((from, to, setup, reader_setup));
            let memory = Arc::get_mut(&mut memory).expect("no backend is left");
            let (written, read) = memory.bytes(0, 2 * half as usize).split_at(half as usize);
            assert!(
                written == read,
                "{writer:?} {mode} {write:?}, {reader:?} {reader_mode}: other bytes came back"
            );
        }
    }
}

#[test]
fn a_read_beyond_the_end_is_short_and_says_so() {
    let stage = Stage::with_file_of(6000);
    for kind in [BackendKind::Psync, BackendKind::Uring] {
        let setup = stage.setup(IoMode::Buffered, arena(BLOCK as usize), 2);
        let Some(mut backend) = build(kind, &setup) else { continue };
        let offsets = [0, 4096, 8192];
        let results = perform(&mut backend, &offsets.map(|offset| moves(BlockKind::Read, 0, offset, 0)));
        assert_eq!(results, [4096, 1904, 0]);
    }
}

#[test]
fn what_the_kernel_refuses_is_a_negated_errno() {
    let stage = Stage::with_file_of(8192);
    for (kind, mode) in ARMS.into_iter().filter(|(_, mode)| *mode != IoMode::DontCache) {
        let setup = setup(&stage.path, mode, false, arena(4096), 2);
        let Some(mut backend) = build(kind, &setup) else { continue };
        let kinds = [BlockKind::Write, BlockKind::Read, BlockKind::WriteDsync, BlockKind::WriteSync];
        let results = perform(&mut backend, &kinds.map(|kind| moves(kind, 0, 0, 0)));
        assert_eq!(results, [-libc::EBADF, 4096, -libc::EBADF, -libc::EBADF], "{kind:?} {mode}");
    }
}

#[test]
fn thousands_of_operations_at_depth_64_move_the_right_bytes() {
    let (slots, blocks) = (64_u32, 4096_u32);
    let copies = slots * BLOCK;
    for (kind, mode) in ARMS.into_iter().filter(|(_, mode)| *mode != IoMode::DontCache) {
        let stage = Stage::with_file_of(u64::from(blocks * BLOCK));
        let mut memory = arena((copies + blocks * BLOCK) as usize);
        let setup = stage.setup(mode, Arc::clone(&memory), slots as usize);
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
