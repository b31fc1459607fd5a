//! Commits through io_uring: a thread of the kernel syncs, and the thread that waits for the ring is woken by it.

use crate::support::{Recorded, Stamp, awake, is_possible, shares};
use disk::arena::Arena;
use disk::backend::{AnyBackend, BackendKind, Setup};
use disk::file_table::FileTable;
use disk::filesystem::FileSystemKind;
use driver::{Backend, MonotonicClock};
use forget::{Delays, ForgettingDisk, unsupported};
use model::{BlockKind, BlockOp, Completion, IoMode};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use trace::waterfall::Stage;
use trace::{Limits, Tracer, now_ns};

const BLOCK: u32 = 4096;
const COMMITS: usize = 6;

fn ring(file: &Path) -> AnyBackend {
    let mut files = FileTable::new();
    files.open(file, IoMode::Buffered, true).unwrap();
    let arena = Arc::new(Arena::new(BLOCK as usize).unwrap());
    let setup = Setup {
        files: Arc::new(files),
        arena,
        clock: MonotonicClock::start(),
        in_flight_max: 1,
        registered: true,
    };
    BackendKind::Uring.build(&setup).unwrap()
}

fn perform(ring: &mut AnyBackend, operation: BlockOp) {
    let mut completions: Vec<Completion> = Vec::new();
    assert_eq!(ring.submit(&[operation]).unwrap(), 1);
    ring.reap(1, None, &mut completions).unwrap();
    assert!(completions.iter().all(|completion| completion.result >= 0), "{completions:?}");
}

fn commits(file: &Path) -> Recorded {
    let made = File::create(file).unwrap();
    made.write_all_at(&[7; BLOCK as usize], 0).unwrap();
    made.sync_all().unwrap();
    let mut ring = ring(file);
    let write = BlockOp { id: 0, kind: BlockKind::Write, file: 0, offset: 0, length: BLOCK, buffer: 0 };
    let sync = BlockOp { kind: BlockKind::DataSync, length: 0, buffer: u32::MAX, ..write };
    let tracer = Tracer::start(Limits::default()).unwrap();
    let stamps = (0..COMMITS).map(|_| {
        perform(&mut ring, write);
        let from_ns = now_ns();
        perform(&mut ring, sync);
        Stamp { from_ns, to_ns: now_ns() }
    });
    let stamps = stamps.collect();
    let trace = tracer.stop();
    let thread = trace.thread(rustix::thread::gettid().as_raw_nonzero().get() as u32);
    Recorded { trace, thread, stamps }
}

#[test]
fn a_slow_flush_is_the_biggest_part_of_a_rings_commit() {
    let kind = FileSystemKind::Ext4;
    if !is_possible() {
        return;
    }
    if let Err(reason) = BackendKind::Uring.supported() {
        skip::because(reason);
        return;
    }
    if let Some(reason) = unsupported(kind, kind.minimum_bytes()) {
        skip::because(reason);
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let disk = ForgettingDisk::new(kind.minimum_bytes(), folder, kind).unwrap();
    disk.slow_down(Delays { write: Duration::ZERO, flush: Duration::from_millis(250) });
    let recorded = awake(|| commits(&disk.path().join("log")));
    disk.slow_down(Delays::default());
    let sums = recorded.by_stage();
    println!("{}", shares(&sums));
    let biggest = sums.iter().max_by_key(|(_, sum)| **sum).map(|((stage, _), _)| *stage);
    assert_eq!(biggest, Some(Stage::Flush), "{}", shares(&sums));
}
