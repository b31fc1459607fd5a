//! The recording: a ring for each CPU, and the thread that reads them.

use crate::catalogue::{Catalogue, TRACEPOINTS};
use crate::clock::{KernelClock, now_ns};
use crate::error::TraceError;
use crate::event::{Device, Event, EventKind};
use crate::format::Format;
use crate::kernel_threads::KernelThreads;
use crate::record::Record;
use crate::trace::Trace;
use crate::tracepoints::{Tracepoints, When};
use disk::kernel::block_device;
use disk::kernel::scheduling::{keep_off_cpu, run_real_time};
use disk::kernel::tracepoint_ring::Ring;
use rustix::process::setpriority_process;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long records lie in a ring before they are read, unless it fills earlier.
const INTERVAL: Duration = Duration::from_millis(50);

/// The nice value of the thread that reads, if it may not be a real-time thread.
const NICE: i32 = -10;

/// What a recording may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pages of each CPU's ring: a power of two. The kernel keeps them in memory.
    pub ring_pages: usize,
    /// Events that are kept; later ones are counted. An event has 56 bytes.
    pub events_max: usize,
    /// The CPU of the thread that is measured: the reader stays off it if there is another one.
    pub measured_cpu: Option<usize>,
    /// Folders of tracefs of which nothing is recorded, as `syscalls`: this shows what each costs.
    pub without: &'static [&'static str],
}

impl Default for Limits {
    fn default() -> Self {
        Self { ring_pages: 1024, events_max: 1 << 21, measured_cpu: None, without: &[] }
    }
}

const _: () = assert!(size_of::<Event>() == 56, "Limits says how many bytes an event has");

/// A recording that is on. Dropping it ends it.
#[derive(Debug)]
pub struct Tracer {
    ends: Arc<AtomicBool>,
    reader: Option<JoinHandle<Trace>>,
}

impl Tracer {
    /// Records from now on, on every CPU that is online.
    ///
    /// # Errors
    /// The kernel lacks a tracepoint that everything rests on, or permits none.
    pub fn start(limits: Limits) -> Result<Self, TraceError> {
        let (catalogue, mut rings, mut trace) = prepare(limits)?;
        trace.began_ns = now_ns();
        let ends = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&ends);
        let read = move || {
            let clock = KernelClock::of_this_process();
            let mut reader = Reader { catalogue, clock, trace, events_max: limits.events_max };
            if let Some(cpu) = limits.measured_cpu {
                // It then shares the CPU of what it measures, which the cost of the trace shows.
                let _ = keep_off_cpu(cpu);
            }
            // On a busy machine a ring would be full before this thread had its turn. Without the privilege, records
            // that are lost are counted.
            if run_real_time().is_err() {
                let _ = setpriority_process(None, NICE);
            }
            while !asked.load(Ordering::Acquire) {
                // Only a kernel without memory fails here: the records then wait for the next turn.
                if Ring::wait(&rings, INTERVAL).is_err() {
                    std::thread::sleep(INTERVAL);
                }
                reader.drain(&mut rings);
            }
            reader.trace.ended_ns = now_ns();
            rings.iter_mut().for_each(Ring::stop);
            reader.drain(&mut rings);
            reader.finished()
        };
        let reader = std::thread::Builder::new()
            .name("trace".into())
            .spawn(read)
            .map_err(|source| TraceError::NoReader { source })?;
        Ok(Self { ends, reader: Some(reader) })
    }

    /// Ends the recording.
    pub fn stop(mut self) -> Trace {
        self.end().unwrap_or_default()
    }

    fn end(&mut self) -> Option<Trace> {
        self.ends.store(true, Ordering::Release);
        let reader = self.reader.take()?;
        Some(reader.join().unwrap_or_else(|panicked| std::panic::resume_unwind(panicked)))
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}

/// Opens the tracepoints that this kernel has.
fn prepare(limits: Limits) -> Result<(Catalogue, Vec<Ring>, Trace), TraceError> {
    let mut tracepoints = Tracepoints::open()?;
    let mut catalogue = Catalogue::default();
    let is_left_out =
        |path: &str| path.split('/').next().is_some_and(|folder| limits.without.contains(&folder));
    for tracepoint in TRACEPOINTS.iter().filter(|of| !is_left_out(of.path)) {
        let take = |format: &Format| catalogue.add(tracepoint, format);
        tracepoints.add((tracepoint.path, None), tracepoint.lost_without, When::Always, take)?;
    }
    let (recording, missing) = tracepoints.record(limits.ring_pages)?;
    Ok((
        catalogue,
        recording.rings,
        Trace { kernel_threads: KernelThreads::of_this_machine(), missing, ..Trace::default() },
    ))
}

/// Makes events of records.
struct Reader {
    catalogue: Catalogue,
    clock: KernelClock,
    trace: Trace,
    events_max: usize,
}

impl Reader {
    fn drain(&mut self, rings: &mut [Ring]) {
        for ring in rings {
            ring.drain(|record| self.take(record));
        }
    }

    fn take(&mut self, record: &[u8]) {
        let Some(sample) = Record::sample(record, self.clock, &mut self.trace.lost) else { return };
        let Some(event) = self.catalogue.event(&sample) else {
            self.trace.lost = self.trace.lost.saturating_add(1);
            return;
        };
        // For threads outside this name space the kernel gives 0 or -1.
        if sample.thread != event.thread && sample.thread as i32 > 0 {
            self.trace.threads.insert(sample.thread, event.thread);
        }
        if self.trace.events.len() < self.events_max {
            self.trace.events.push(event);
        } else {
            self.trace.beyond_limit += 1;
        }
    }

    fn finished(mut self) -> Trace {
        self.trace.events.sort_by_key(|event| event.time_ns);
        let queued = self.trace.events.iter().filter_map(|event| match event.kind {
            EventKind::Queued(blocks) => Some(blocks.device),
            _ => None,
        });
        let devices: BTreeSet<Device> = queued.collect();
        for device in devices {
            let disk = block_device::disk_of_partition(device.major(), device.minor());
            if let Some((major, minor)) = disk {
                self.trace.disks.insert(device, Device::new(major, minor));
            }
        }
        self.trace
    }
}
