//! The recording: a ring for each CPU, and the thread that reads them.

use crate::catalogue::{Catalogue, LostWithout, TRACEPOINTS, Tracepoint};
use crate::error::{Absence, TraceError};
use crate::event::{Device, Event, EventKind};
use crate::format::Format;
use crate::record::Record;
use crate::trace::{Missing, Trace};
use disk::kernel::block_device;
use disk::kernel::scheduling::{cpus_online, keep_off_cpu, run_real_time};
use disk::kernel::tracefs::TraceFs;
use disk::kernel::tracepoint_ring::Ring;
use rustix::io::Errno;
use rustix::process::setpriority_process;
use rustix::time::ClockId;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
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
}

impl Default for Limits {
    fn default() -> Self {
        Self { ring_pages: 1024, events_max: 1 << 21, measured_cpu: None }
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
            let mut reader = Reader { catalogue, trace, events_max: limits.events_max };
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

/// The time now, by the clock of the events.
fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// Opens the tracepoints that this kernel has.
fn prepare(limits: Limits) -> Result<(Catalogue, Vec<Ring>, Trace), TraceError> {
    let tracefs = TraceFs::open().map_err(TraceError::unreadable)?;
    let mut trace = Trace { interrupt_threads: interrupt_threads(), ..Trace::default() };
    let mut catalogue = Catalogue::default();
    let mut found: Vec<(&Tracepoint, u64)> = Vec::new();
    for tracepoint in TRACEPOINTS {
        match described(&tracefs, tracepoint, &mut catalogue) {
            Ok(number) => found.push((tracepoint, number)),
            Err(reason) => leave_out(tracepoint.path, tracepoint.lost_without, reason, &mut trace)?,
        }
    }
    let mut rings = rings(limits.ring_pages)?;
    for (tracepoint, number) in found {
        for (cpu, ring) in &mut rings {
            match ring.record(*cpu, number) {
                Ok(()) => {}
                Err(source) if is_refusal(&source) => return Err(TraceError::NotPermitted { source }),
                Err(source) => {
                    let Tracepoint { path, lost_without, .. } = tracepoint;
                    leave_out(path, *lost_without, Absence::Refused { source }, &mut trace)?;
                    break;
                }
            }
        }
    }
    Ok((catalogue, rings.into_values().collect(), trace))
}

pub(crate) fn described(
    tracefs: &TraceFs,
    tracepoint: &Tracepoint,
    catalogue: &mut Catalogue,
) -> Result<u64, Absence> {
    let text = tracefs.read(&Path::new("events").join(tracepoint.path).join("format"))?;
    let format = Format::read(&text)?;
    catalogue.add(tracepoint, &format).map_err(|field| Absence::NoField { field })?;
    Ok(format.id.into())
}

/// Goes on without a tracepoint, unless everything rests on it.
pub(crate) fn leave_out(
    tracepoint: &'static str,
    lost_without: LostWithout,
    reason: Absence,
    trace: &mut Trace,
) -> Result<(), TraceError> {
    match lost_without {
        LostWithout::Everything => Err(TraceError::NoTracepoint { tracepoint, reason }),
        LostWithout::Calls | LostWithout::Journal => {
            trace.missing.push(Missing { tracepoint, lost_without, reason });
            Ok(())
        }
    }
}

/// A ring for each CPU that is online.
pub(crate) fn rings(pages: usize) -> Result<BTreeMap<usize, Ring>, TraceError> {
    let mut rings = BTreeMap::new();
    for cpu in 0..cpus_online() {
        match Ring::new(cpu, pages) {
            Ok(ring) => {
                rings.insert(cpu, ring);
            }
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NODEV) => {}
            Err(source) if is_refusal(&source) => return Err(TraceError::NotPermitted { source }),
            Err(source) => return Err(TraceError::NoRing { cpu, source }),
        }
    }
    Ok(rings)
}

pub(crate) fn is_refusal(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::ACCESS | Errno::PERM))
}

/// The threads of the kernel that are named `ksoftirqd/0` and so on. In a name space of processes of one's own they
/// are not seen, and the time until they run counts as the device's.
pub(crate) fn interrupt_threads() -> BTreeSet<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let numbered =
        processes.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())));
    let named = numbered.filter(|(_, path)| {
        fs::read_to_string(path.join("comm")).is_ok_and(|name| name.starts_with("ksoftirqd/"))
    });
    named.map(|(number, _)| number).collect()
}

/// Makes events of records.
struct Reader {
    catalogue: Catalogue,
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
        let sample = match Record::read(record) {
            Some(Record::Sample(sample)) => sample,
            Some(Record::Lost(records)) => {
                self.trace.lost = self.trace.lost.saturating_add(records);
                return;
            }
            Some(Record::Other) => return,
            None => {
                self.trace.lost = self.trace.lost.saturating_add(1);
                return;
            }
        };
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
