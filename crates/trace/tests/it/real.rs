//! Commits on this machine's own disk, and on file systems with and without a journal.

use crate::support::{Recorded, Write, awake, commits, is_possible, shares, whole};
use disk::filesystem::{FileSystemKind, mount, require_possible};
use disk::work_directory::WorkDirectory;
use std::path::Path;
use trace::waterfall::{Stage, Waterfall};
use trace::{Call, Limits, Tracer};

const COMMITS: usize = 100;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Segments without a gap, from the program's stamp to the program's stamp; and the kernel's own stamps of the system
/// call agree with the program's.
#[track_caller]
fn check(name: &str, recorded: &Recorded) {
    println!("{name}: {} events, {}", recorded.trace.events.len(), shares(&recorded.by_stage()));
    assert_eq!(recorded.trace.beyond_limit, 0);
    let operations = recorded.operations();
    for (stamp, operation) in recorded.stamps.iter().zip(&operations) {
        assert_eq!(operation.segments[0].from_ns, stamp.from_ns);
        assert!(operation.segments.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns));
        assert_eq!(operation.duration_ns(), stamp.to_ns - stamp.from_ns);
    }
    let is_flushed =
        |stage| matches!(stage, Stage::Flush | Stage::FlushToRun | Stage::FlushBehindFlush | Stage::Unknown);
    let flushed = operations.iter().flat_map(|operation| &operation.segments);
    assert!(flushed.clone().any(|segment| is_flushed(segment.stage)), "{operations:#?}");

    let waterfall = Waterfall::new(&recorded.trace);
    let calls = waterfall.calls(recorded.thread).iter().filter(|span| span.call == Call::Fdatasync);
    let calls: Vec<u64> = calls.map(|span| span.to_ns - span.from_ns).collect();
    assert_eq!(calls.len(), recorded.stamps.len());
    let mut beyond: Vec<u64> = (recorded.stamps.iter().zip(calls))
        .map(|(stamp, call)| (stamp.to_ns - stamp.from_ns).saturating_sub(call))
        .collect();
    beyond.sort_unstable();
    let mut latencies: Vec<u64> = recorded.stamps.iter().map(|stamp| stamp.to_ns - stamp.from_ns).collect();
    latencies.sort_unstable();
    // A thread may lose its CPU between its stamp and the system call; half of the operations do not.
    let (beyond_ns, latency_ns) = (beyond[COMMITS / 2], latencies[COMMITS / 2]);
    println!("  median {latency_ns} ns, of which {beyond_ns} ns beyond the system call");
    assert!(beyond_ns <= (latency_ns / 100).max(5_000), "{beyond_ns} of {latency_ns} ns");
}

#[test]
fn the_segments_of_a_commit_sum_to_the_latency_that_the_program_saw() {
    if !is_possible() {
        return;
    }
    let directory = tempfile::tempdir_in(folder()).unwrap();
    for write in [Write::Append, Write::Overwrite, Write::OverwriteDirect] {
        let recorded = whole(|| awake(|| commits(&directory.path().join("log"), write, COMMITS)));
        recorded.inspect(|recorded| check(&format!("{write:?}"), recorded));
    }
}

#[test]
fn so_they_do_on_ext4_xfs_and_btrfs() {
    if !is_possible() {
        return;
    }
    for kind in [FileSystemKind::Ext4, FileSystemKind::Xfs, FileSystemKind::Btrfs] {
        if let Err(error) = require_possible(kind, kind.minimum_bytes()) {
            skip::because(error);
            continue;
        }
        let work = WorkDirectory::create(folder()).unwrap();
        let mounted = mount(work.path(), kind, kind.minimum_bytes()).unwrap();
        let recorded = whole(|| awake(|| commits(&mounted.point.join("log"), Write::Append, COMMITS)));
        recorded.inspect(|recorded| check(kind.name(), recorded));
        work.remove().unwrap();
    }
}

#[test]
fn a_limit_of_memory_is_kept_and_what_is_beyond_it_is_counted() {
    if !is_possible() {
        return;
    }
    let limits = Limits { events_max: 10, ..Limits::default() };
    let tracer = Tracer::start(limits).unwrap();
    for _ in 0..50 {
        std::thread::yield_now();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let trace = tracer.stop();
    assert_eq!(trace.events.len(), 10);
    assert!(trace.beyond_limit >= 50, "{}", trace.beyond_limit);
}
