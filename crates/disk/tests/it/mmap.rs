//! What is particular to mapped files: their bounds, their faults, and how a process dies of them.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use crate::support;

use disk::backend::BackendKind;
use disk::counters::process;
use disk::file_table::{Advice, FileTable, FileTableError};
use disk::files::{Layout, create};
use disk::page_cache;
use driver::Backend;
use model::{BlockKind, BlockOp, IoMode};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;
use std::sync::Barrier;
use support::stage::{BLOCK, Stage, advised, arena, build, moves, perform, setup};
use support::work;

const SIZE: u64 = 8 << 20;
const BLOCKS: u64 = SIZE / BLOCK as u64;

fn cached_bytes(path: &Path) -> u64 {
    page_cache::residency(path).value().expect("cachestat").cached_bytes
}

#[test]
fn an_empty_file_cannot_be_mapped() {
    let stage = Stage::with_file_of(0);
    let error = BackendKind::Mmap.build(&stage.setup(IoMode::Mmap, arena(4096), 1)).unwrap_err().to_string();
    let expected = format!("{}: an empty file cannot be mapped; ", stage.path.display());
    assert!(error.starts_with(&expected) && !error.contains('\n'), "{error}");
}

#[test]
fn an_operation_beyond_the_end_is_an_error_that_names_it() {
    let stage = Stage::with_file_of(6000);
    let setup = stage.setup(IoMode::Mmap, arena(8192), 1);
    let last = BlockOp { length: 6000, ..moves(BlockKind::Read, 0, 0, 0) };
    assert_eq!(perform(&mut build(BackendKind::Mmap, &setup).unwrap(), &[last]), [6000]);
    for kind in [BlockKind::Read, BlockKind::Write, BlockKind::WriteDsync, BlockKind::WriteSync] {
        for offset in [1905, 4096, 8192, u64::MAX] {
            let mut backend = build(BackendKind::Mmap, &setup).unwrap();
            let operation = moves(kind, 0, offset, 0);
            backend.submit(&[operation]).unwrap();
            let error = backend.reap(1, None, &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
            let expected =
                format!("{}: {operation} is beyond the 6000 bytes that are mapped", stage.path.display());
            assert_eq!(error.to_string(), expected);
        }
    }
}

fn died_by_bus_error(output: &Output) -> String {
    assert_eq!(output.status.signal(), Some(libc::SIGBUS), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file that shrinks under a mapping kills the process that reads it; four threads at once, and the reason is still
/// told once and whole.
#[test]
fn a_truncated_file_kills_the_process_and_the_reason_is_told_once() {
    let directory = support::scratch();
    for _ in 0..10 {
        let mut helper = support::helper("mmap::helper_reads_a_truncated_file", directory.path());
        let complaint = died_by_bus_error(&helper.output().unwrap());
        let line = "SIGBUS: a mapped read or write failed: the file was truncated or the device reported an I/O error";
        assert_eq!(complaint.matches(line).count(), 1, "{complaint}");
    }
}

#[test]
#[ignore = "run by a_truncated_file_kills_the_process_and_the_reason_is_told_once"]
fn helper_reads_a_truncated_file() {
    let path = support::path_of_parent().join("data");
    std::fs::write(&path, vec![1; SIZE as usize]).unwrap();
    let together = Barrier::new(4);
    std::thread::scope(|scope| {
        for member in 0..4 {
            let (path, together) = (&path, &together);
            scope.spawn(move || {
                let setup = setup(path, IoMode::Mmap, true, arena(4096), 1);
                let mut backend = build(BackendKind::Mmap, &setup).unwrap();
                together.wait();
                if member == 0 {
                    std::fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap();
                }
                together.wait();
                perform(&mut backend, &[moves(BlockKind::Read, 0, 0, 0)]);
            });
        }
    });
}

/// A SIGBUS that somebody sends is not a failed read, and still kills.
#[test]
fn a_bus_error_that_was_sent_kills_without_a_reason() {
    let directory = support::scratch();
    let output = support::helper("mmap::helper_is_sent_a_bus_error", directory.path()).output().unwrap();
    assert!(!died_by_bus_error(&output).contains("SIGBUS"));
}

#[test]
#[ignore = "run by a_bus_error_that_was_sent_kills_without_a_reason"]
fn helper_is_sent_a_bus_error() {
    let path = support::path_of_parent().join("data");
    std::fs::write(&path, [1; 4096]).unwrap();
    let _backend = build(BackendKind::Mmap, &setup(&path, IoMode::Mmap, true, arena(4096), 1));
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::BUS).unwrap();
    // The signal may end the process on another thread, while this one goes on.
    std::thread::sleep(std::time::Duration::from_secs(10));
}

/// Advice decides what one read of a cold file brings into the page cache. By system calls and mapped alike.
#[test]
fn advice_sets_how_far_the_kernel_reads_ahead() {
    let directory = work();
    let path = directory.path().join("data");
    create(&path, Layout::Prefilled, SIZE, 0).unwrap();
    for (kind, mode) in [(BackendKind::Psync, IoMode::Buffered), (BackendKind::Mmap, IoMode::Mmap)] {
        let [normal, random, sequential] =
            [Advice::Normal, Advice::Random, Advice::Sequential].map(|advice| {
                page_cache::evict(&path).unwrap();
                let setup = advised(&path, mode, advice);
                assert_eq!(setup.files.get(0).unwrap().advice, advice);
                // Two blocks from the beginning, where the kernel assumes that more will be read.
                let reads = [0, 1].map(|block| moves(BlockKind::Read, 0, block * u64::from(BLOCK), 0));
                perform(&mut build(kind, &setup).unwrap(), &reads);
                cached_bytes(&path)
            });
        println!("{mode}: normal {normal}, random {random}, sequential {sequential} bytes");
        assert_eq!(random, 2 * u64::from(BLOCK), "{mode}");
        assert!(normal > random && sequential > random, "{mode}: {normal} and {sequential}");
    }
}

#[test]
fn advice_for_a_file_that_was_never_opened_is_refused() {
    let error = FileTable::new().advise(0, Advice::Random).unwrap_err();
    assert!(matches!(error, FileTableError::NoSuchFile { index: 0, files: 0 }), "{error}");
}

/// Reading a cold file through a mapping faults it in. While another process has it mapped its pages stay; once that
/// has ended they go, as any others.
#[test]
fn a_mapped_file_is_faulted_in_and_evicted_when_it_is_mapped_no_more() {
    let directory = work();
    let path = directory.path().join("data");
    create(&path, Layout::Prefilled, SIZE, 0).unwrap();
    assert_eq!(page_cache::evict(&path).unwrap().value(), Some(&0.0));
    let mut child = support::helper("mmap::helper_reads_a_mapped_file", directory.path()).spawn().unwrap();
    let major_faults: u64 = support::answer(&mut child, "major faults ").parse().unwrap();
    let warm = page_cache::cached_share(&path).unwrap();
    let mapped = page_cache::evict(&path).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    println!("{major_faults} major faults of {BLOCKS} blocks; evicted while mapped: {mapped:?} stays");
    assert_eq!(warm.value(), Some(&1.0));
    assert!(major_faults > 0, "nothing was read from the device");
    assert!(mapped.value().is_some_and(|&share| share > 0.9), "{mapped:?}");
    assert_eq!(page_cache::evict(&path).unwrap().value(), Some(&0.0));
}

#[test]
#[ignore = "run by a_mapped_file_is_faulted_in_and_evicted_when_it_is_mapped_no_more"]
fn helper_reads_a_mapped_file() {
    let path = support::path_of_parent().join("data");
    let mut backend = build(BackendKind::Mmap, &setup(&path, IoMode::Mmap, false, arena(4096), 1)).unwrap();
    let reads: Vec<_> =
        (0..BLOCKS).map(|block| moves(BlockKind::Read, 0, block * u64::from(BLOCK), 0)).collect();
    let before = process::counters().major_faults;
    perform(&mut backend, &reads);
    println!("major faults {}", process::counters().major_faults - before);
    std::thread::sleep(support::UNTIL_KILLED);
}
