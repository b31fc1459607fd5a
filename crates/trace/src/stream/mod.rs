//! A recording without an end: batches of events in the order of their times, of operations and of what other processes
//! ask of their files.
//!
//! Recording every call costs a busy server up to a quarter of its rate: the calls' own events, those of the scheduler,
//! and reading them. So unless all of them are wanted, they are recorded in windows. Between windows their
//! tracepoints are not armed, and only what is rare is recorded.
//!
//! Memory is bounded: the rings, and the events that wait for the caller. If the caller is slower than the events come,
//! those that only explain an operation's time are left out first, so that what is counted stays right. If even that is
//! not enough, or a ring is full, the events are lost and counted.

mod calls;
mod catalogue;
mod file_event;
mod windows;

pub use catalogue::{FILE_TRACEPOINTS, FileTracepoint, Tells};
pub use file_event::{FileCall, FileEvent, FileEventKind, FileRequest};
pub use windows::Recorded;

use crate::catalogue::{Catalogue, LostWithout, TRACEPOINTS};
use crate::clock::{KernelClock, now_ns};
use crate::error::TraceError;
use crate::event::{Event, EventKind};
use crate::format::Format;
use crate::kernel_threads::KernelThreads;
use crate::record::Record;
use crate::trace::Missing;
use crate::tracepoints::{Recording, Tracepoints, When};
use catalogue::FileCatalogue;
use disk::kernel::scheduling::{cpus_online, run_real_time};
use disk::kernel::tracepoint_ring::Ring;
use rustix::process::setpriority_process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use windows::{Turn, Windows};

/// A record of this age is in its ring: the kernel takes the time and then writes.
const SETTLED_NS: u64 = 1_000_000;
/// Batches that wait for the caller.
const BATCHES_MAX: usize = 2;
/// Events that wait until the caller takes the next batch. An event has 64 bytes.
const WAITING_MAX: usize = 1 << 18;
/// Memory of all rings together, unless there are very many CPUs.
const RINGS_BYTES: usize = 64 << 20;
/// Pages of a ring: what the kernel lets an unprivileged user lock, and what a busy CPU fills in half a second.
const RING_PAGES: std::ops::RangeInclusive<usize> = 128..=4096;
/// The nice value of the thread that reads, if it may not be a real-time thread.
const NICE: i32 = -10;

/// What a stream records and may take.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// Pages of each CPU's ring: a power of two. The kernel keeps them in memory.
    pub ring_pages: usize,
    pub recorded: Recorded,
}

impl Default for StreamLimits {
    fn default() -> Self {
        let bytes = RINGS_BYTES / cpus_online().max(1);
        let pages = (bytes / rustix::param::page_size()).clamp(*RING_PAGES.start(), *RING_PAGES.end());
        // The largest power of two that is not more.
        Self { ring_pages: 1 << pages.ilog2(), recorded: Recorded::InWindows }
    }
}

/// One event of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// One as traces have it.
    Traced(Event),
    File(FileEvent),
    /// A window begins or ends. Outside windows there are only events of processes and of syncs by file systems.
    Window {
        time_ns: u64,
        opens: bool,
    },
}

impl StreamEvent {
    /// `CLOCK_MONOTONIC`, nanoseconds.
    pub const fn time_ns(&self) -> u64 {
        match self {
            Self::Traced(event) => event.time_ns,
            Self::File(event) => event.time_ns,
            Self::Window { time_ns, .. } => *time_ns,
        }
    }

    /// Whether nothing is counted by it.
    const fn only_explains(&self) -> bool {
        match self {
            Self::Traced(event) => match event.kind {
                EventKind::Issued(_) | EventKind::Completed(_) => false,
                EventKind::CallBegins(_)
                | EventKind::CallEnds(_)
                | EventKind::Queued(_)
                | EventKind::Switched { .. }
                | EventKind::Woken(_)
                | EventKind::PacketSent
                | EventKind::CommitBegins
                | EventKind::CommitEnds => true,
            },
            Self::File(_) | Self::Window { .. } => false,
        }
    }
}

/// Events that follow those of the batch before.
#[derive(Debug, Default)]
pub struct Batch {
    /// In the order of their times.
    pub events: Vec<StreamEvent>,
    /// Every event before this time is in this batch or in one before (`CLOCK_MONOTONIC`, nanoseconds).
    pub until_ns: u64,
    /// Records for which a ring or memory had no room.
    pub lost: u64,
    /// If the caller was too slow, events that only explain were left out until this time.
    pub left_out_until_ns: Option<u64>,
}

/// A recording that is on. Dropping it ends it.
#[derive(Debug)]
pub struct Stream {
    ends: Arc<AtomicBool>,
    batches: Option<Receiver<Batch>>,
    reader: Option<JoinHandle<()>>,
    missing: Vec<Missing>,
    kernel_threads: KernelThreads,
}

impl Stream {
    /// Records from now on, on every CPU that is online.
    ///
    /// # Errors
    /// The kernel lacks a tracepoint that everything rests on, or permits none.
    pub fn start(limits: StreamLimits) -> Result<Self, TraceError> {
        let prepared = Prepared::new(limits)?;
        let Prepared { catalogue, files, recording, missing } = prepared;
        let ends = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&ends);
        let (sender, batches) = sync_channel(BATCHES_MAX);
        let read = move || {
            // On a busy machine a ring would be full before this thread had its turn.
            if run_real_time().is_err() {
                let _ = setpriority_process(None, NICE);
            }
            let windows = Windows::begin(limits.recorded, now_ns());
            Reader::new(catalogue, files).run(recording, windows, &asked, &sender);
        };
        let reader = std::thread::Builder::new()
            .name("trace".into())
            .spawn(read)
            .map_err(|source| TraceError::NoReader { source })?;
        Ok(Self {
            ends,
            batches: Some(batches),
            reader: Some(reader),
            missing,
            kernel_threads: KernelThreads::of_this_machine(),
        })
    }

    /// The next events; `None` if there are none within this time.
    pub fn next(&self, wait: Duration) -> Option<Batch> {
        self.batches.as_ref()?.recv_timeout(wait).ok()
    }

    /// Ends the recording, and gives what was recorded until then.
    pub fn stop(mut self) -> Vec<Batch> {
        self.ends.store(true, Ordering::Release);
        let last = self.batches.take().into_iter().flatten().collect();
        self.join();
        last
    }

    /// Tracepoints that this kernel has not, or does not record.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// As [`crate::Trace::kernel_threads`].
    pub const fn kernel_threads(&self) -> &KernelThreads {
        &self.kernel_threads
    }

    fn join(&mut self) {
        if let Some(reader) = self.reader.take()
            && let Err(panicked) = reader.join()
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panicked);
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        // The thread then cannot wait for a caller that takes nothing more.
        self.batches = None;
        self.join();
    }
}

/// The tracepoints that this kernel has, recorded.
struct Prepared {
    catalogue: Catalogue,
    files: FileCatalogue,
    recording: Recording,
    missing: Vec<Missing>,
}

impl Prepared {
    fn new(limits: StreamLimits) -> Result<Self, TraceError> {
        let mut tracepoints = Tracepoints::open()?;
        let (mut catalogue, mut files) = (Catalogue::default(), FileCatalogue::default());
        for tracepoint in FILE_TRACEPOINTS {
            let when = match tracepoint.tells {
                Tells::Calls => When::ArmedInWindows,
                Tells::RingRequests => When::InWindows,
                // If every call is recorded, the syncs are among them.
                Tells::Syncs if limits.recorded == Recorded::Always => continue,
                Tells::Syncs | Tells::Processes => When::Always,
            };
            let take = |format: &Format| files.add(tracepoint, format);
            tracepoints.add((tracepoint.path, tracepoint.filter()), tracepoint.lost_without(), when, take)?;
        }
        for tracepoint in TRACEPOINTS {
            // The calls are in the other list, with what they ask for.
            if tracepoint.lost_without == LostWithout::Calls {
                continue;
            }
            let take = |format: &Format| catalogue.add(tracepoint, format);
            tracepoints.add((tracepoint.path, None), tracepoint.lost_without, When::InWindows, take)?;
        }
        let (recording, missing) = tracepoints.record(limits.ring_pages)?;
        Ok(Self { catalogue, files, recording, missing })
    }
}

/// Makes batches of records.
struct Reader {
    catalogue: Catalogue,
    files: FileCatalogue,
    clock: KernelClock,
    /// Events that another CPU may still have earlier ones than.
    waiting: Vec<StreamEvent>,
    lost: u64,
    left_out_until_ns: Option<u64>,
}

impl Reader {
    fn new(catalogue: Catalogue, files: FileCatalogue) -> Self {
        let clock = KernelClock::of_this_process();
        Self { catalogue, files, clock, waiting: Vec::new(), lost: 0, left_out_until_ns: None }
    }

    fn run(
        mut self,
        mut recording: Recording,
        mut windows: Windows,
        ends: &AtomicBool,
        sender: &SyncSender<Batch>,
    ) {
        while !ends.load(Ordering::Acquire) {
            let wait = windows.read_every(now_ns());
            // Only a kernel without memory fails here: the records then wait for the next turn.
            if Ring::wait(&recording.rings, wait).is_err() {
                std::thread::sleep(wait);
            }
            let until_ns = now_ns().saturating_sub(SETTLED_NS);
            self.drain(&mut recording.rings);
            match sender.try_send(self.batch(until_ns)) {
                Ok(()) => {}
                Err(TrySendError::Full(batch)) => self.take_back(batch),
                Err(TrySendError::Disconnected(_)) => return,
            }
            if let Some(turn) = windows.turn(now_ns()) {
                self.turn(turn, &mut recording);
            }
        }
        let until_ns = now_ns();
        recording.rings.iter_mut().for_each(Ring::stop);
        self.drain(&mut recording.rings);
        // A caller that is gone needs none.
        let _ = sender.send(self.batch(until_ns));
    }

    fn turn(&mut self, turn: Turn, recording: &mut Recording) {
        match turn {
            Turn::Open => {
                // What the kernel refuses now, it may permit at the next window. Until then nothing is seen.
                if recording.resume().is_ok() {
                    // After the last of its tracepoints is armed: before that some events are missing.
                    self.waiting.push(StreamEvent::Window { time_ns: now_ns(), opens: true });
                }
            }
            Turn::End => {
                // Before the first of them is paused.
                self.waiting.push(StreamEvent::Window { time_ns: now_ns(), opens: false });
                recording.pause();
            }
            Turn::Release => recording.release(),
        }
    }

    fn drain(&mut self, rings: &mut [Ring]) {
        for ring in rings {
            ring.drain(|record| self.take(record));
        }
    }

    fn take(&mut self, record: &[u8]) {
        let Some(sample) = Record::sample(record, self.clock, &mut self.lost) else { return };
        if self.files.is_known(&sample) {
            // Other requests of a ring than reads, writes and syncs are none.
            self.waiting.extend(self.files.event(&sample).map(StreamEvent::File));
        } else if let Some(event) = self.catalogue.event(&sample) {
            self.waiting.push(StreamEvent::Traced(event));
        } else {
            self.lost = self.lost.saturating_add(1);
        }
    }

    fn batch(&mut self, until_ns: u64) -> Batch {
        // The order of events of one time is that of their ring.
        self.waiting.sort_by_key(StreamEvent::time_ns);
        let settled = self.waiting.partition_point(|event| event.time_ns() < until_ns);
        let later = self.waiting.split_off(settled);
        let events = std::mem::replace(&mut self.waiting, later);
        let lost = std::mem::take(&mut self.lost);
        Batch { events, until_ns, lost, left_out_until_ns: self.left_out_until_ns.take() }
    }

    /// The caller has no room for a batch: it becomes a part of the next one.
    fn take_back(&mut self, batch: Batch) {
        let Batch { mut events, until_ns, lost, left_out_until_ns } = batch;
        events.append(&mut self.waiting);
        self.waiting = events;
        self.lost += lost;
        self.left_out_until_ns = left_out_until_ns;
        if self.waiting.len() > WAITING_MAX {
            self.waiting.retain(|event| !event.only_explains());
            self.left_out_until_ns = Some(until_ns);
        }
        if self.waiting.len() > WAITING_MAX {
            self.lost += self.waiting.len() as u64;
            self.waiting.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time_ns: u64) -> StreamEvent {
        let kind = EventKind::Woken(1);
        StreamEvent::Traced(Event { time_ns, cpu: 0, thread: 1, in_interrupt: false, kind })
    }

    fn reader(waiting: Vec<StreamEvent>) -> Reader {
        Reader { waiting, ..Reader::new(Catalogue::default(), FileCatalogue::default()) }
    }

    /// The rings of two CPUs are read one after the other.
    #[test]
    fn events_of_several_rings_are_in_the_order_of_their_times() {
        let mut reader = reader(vec![at(10), at(40), at(20), at(30)]);
        reader.lost = 3;
        let first = reader.batch(30);
        assert_eq!((first.events, first.until_ns, first.lost), (vec![at(10), at(20)], 30, 3));
        reader.waiting.push(at(35));
        let second = reader.batch(100);
        assert_eq!((second.events, second.lost), (vec![at(30), at(35), at(40)], 0));
    }

    /// A caller that was busy for a second lost calls, and every rate was too low.
    #[test]
    fn what_is_counted_stays_if_the_caller_is_slow() {
        let mut reader = reader((0..WAITING_MAX as u64).map(at).collect());
        let kind = FileEventKind::ThreadEnds { is_main: true };
        let call = FileEvent { time_ns: 1, process: 1, thread: 1, kind };
        reader.waiting.push(StreamEvent::File(call));
        let batch = reader.batch(1_000_000);
        reader.take_back(batch);
        let next = reader.batch(2_000_000);
        assert_eq!((next.events, next.lost), (vec![StreamEvent::File(call)], 0));
        assert_eq!(next.left_out_until_ns, Some(1_000_000));
    }
}
