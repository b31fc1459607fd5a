//! What these tests share: a loop of commits that stamps itself, and what became of its time.

use disk::kernel::scheduling::{cpus_online, pin_current_thread};
use rustix::fs::OFlags;
use rustix::process::setpriority_process;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use trace::waterfall::{Operation, Stage, Waterfall};
use trace::{Limits, Trace, TraceError, Tracer, now_ns};

/// One operation as the program saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
}

/// A trace, and what the program that was traced saw itself.
pub(crate) struct Recorded {
    pub(crate) trace: Trace,
    pub(crate) thread: u32,
    pub(crate) stamps: Vec<Stamp>,
}

/// Whether tracing is possible here; a reason that it is not is recorded as a skip.
#[track_caller]
pub(crate) fn is_possible() -> bool {
    match Tracer::start(Limits { ring_pages: 16, ..Limits::default() }) {
        Ok(_) => true,
        Err(error @ (TraceError::NotPermitted { .. } | TraceError::NoTracefs { .. })) => {
            skip::because(error);
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// How a commit writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// Each at the end of the file: its size changes, which is metadata.
    Append,
    /// Over the same block, through the page cache.
    Overwrite,
    /// Over the same block, past the page cache.
    OverwriteDirect,
}

/// Runs `act` while every CPU has something to do that gives way to everything else. Some kernels hide what happens
/// while a CPU is idle, and then nothing tells when a request was done.
pub(crate) fn awake<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    let ends = AtomicBool::new(false);
    let ends = &ends;
    std::thread::scope(|scope| {
        for cpu in 0..cpus_online() {
            scope.spawn(move || {
                // A CPU that is not allowed to this process stays as it is.
                let _ = pin_current_thread(cpu);
                setpriority_process(None, 19).unwrap();
                while !ends.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let acted = scope.spawn(act).join();
        ends.store(true, Ordering::Relaxed);
        acted.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked))
    })
}

/// A block at an address that direct I/O takes.
#[repr(align(4096))]
struct Block([u8; 4096]);

/// What [`commits`] gives, from a trace in which nothing was lost: on a machine that is too busy for the reader,
/// records are.
#[track_caller]
pub(crate) fn whole(record: impl Fn() -> Recorded) -> Option<Recorded> {
    const TRIES: usize = 10;
    let whole = (0..TRIES).map(|_| record()).find(|recorded| recorded.trace.lost == 0);
    if whole.is_none() {
        skip::because("the machine is too busy to read every record");
    }
    whole
}

/// Commits in a loop while a trace is on: a write of 4 KiB and an fdatasync, which is what is stamped.
pub(crate) fn commits(file: &Path, write: Write, commits: usize) -> Recorded {
    let flags = if write == Write::OverwriteDirect { OFlags::DIRECT.bits() as i32 } else { 0 };
    let mut options = File::options();
    let file =
        options.read(true).write(true).create(true).truncate(true).custom_flags(flags).open(file).unwrap();
    let block = Block([7; 4096]);
    file.write_all_at(&block.0, 0).unwrap();
    file.sync_all().unwrap();
    let tracer = Tracer::start(Limits::default()).unwrap();
    let stamps = (1..=commits as u64).map(|commit| {
        let offset = if write == Write::Append { commit * 4096 } else { 0 };
        file.write_all_at(&block.0, offset).unwrap();
        let from_ns = now_ns();
        file.sync_data().unwrap();
        Stamp { from_ns, to_ns: now_ns() }
    });
    let stamps = stamps.collect();
    let trace = tracer.stop();
    let thread = trace.thread(rustix::thread::gettid().as_raw_nonzero().get() as u32);
    Recorded { trace, thread, stamps }
}

impl Recorded {
    /// What each operation's time was spent on.
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let waterfall = Waterfall::new(&self.trace);
        let operation = |stamp: &Stamp| waterfall.operation(self.thread, stamp.from_ns, stamp.to_ns);
        self.stamps.iter().map(operation).collect()
    }

    /// Time of all operations by what it was spent on, nanoseconds.
    pub(crate) fn by_stage(&self) -> BTreeMap<(Stage, bool), u64> {
        let mut sums = BTreeMap::new();
        for segment in self.operations().iter().flat_map(|operation| &operation.segments) {
            *sums.entry((segment.stage, segment.journal)).or_default() += segment.duration_ns();
        }
        sums
    }
}

/// The parts of the whole time, in one line, for the message of a failure.
pub(crate) fn shares(sums: &BTreeMap<(Stage, bool), u64>) -> String {
    let whole: u64 = sums.values().sum();
    let mut sorted: Vec<_> = sums.iter().collect();
    sorted.sort_by_key(|(_, sum)| std::cmp::Reverse(**sum));
    let share = |((stage, journal), sum): (&(Stage, bool), &u64)| {
        format!(
            "{stage:?}{} {:.1} %",
            if *journal { " (journal)" } else { "" },
            *sum as f64 * 100.0 / whole as f64
        )
    };
    sorted.into_iter().map(share).collect::<Vec<_>>().join(", ")
}
