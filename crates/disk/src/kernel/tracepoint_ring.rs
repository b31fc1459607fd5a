//! Records of the kernel's tracepoints, through rings that it shares with this process (`perf_event_open(2)`).
//!
//! `perf-event2` and `perf-event-open` map one ring for each event. A trial needs some twenty events in one order, and
//! twenty rings for each CPU would lock twenty times the memory: here the events of a CPU share one ring
//! (`PERF_EVENT_IOC_SET_OUTPUT`). `perf-event-open-sys` has the layouts.

use perf_event_open_sys as sys;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsRawFd, FromRawFd, OwnedFd};
use rustix::mm::{MapFlags, ProtFlags};
use std::ffi::{CString, c_void};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use sys::bindings::{
    PERF_COUNT_SW_DUMMY, PERF_FLAG_FD_CLOEXEC, PERF_SAMPLE_CPU, PERF_SAMPLE_RAW, PERF_SAMPLE_TID,
    PERF_SAMPLE_TIME, PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT, perf_event_attr, perf_event_mmap_page,
};

/// Every record begins with a `struct perf_event_header`: its type, flags and size.
const HEADER_BYTES: usize = 8;
/// A header has 16 bits for the size.
const RECORD_BYTES_MAX: usize = 1 << 16;

/// A tracepoint, and which of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The number that its description has.
    pub number: u64,
    /// What the kernel records of it, by its fields (`Documentation/trace/events.rst`, "Event filtering"); everything
    /// without one.
    pub filter: Option<CString>,
}

/// The ring of one CPU, and the events whose records the kernel writes to it. Dropping it closes them: none stays on,
/// however the process ends.
#[derive(Debug)]
pub struct Ring {
    cpu: usize,
    /// It records nothing, and owns the ring.
    owner: OwnedFd,
    events: Vec<OwnedFd>,
    /// Those that are paused and resumed.
    pausable: Vec<OwnedFd>,
    /// Those that are recorded until the next pause, and then disarmed.
    passing: Vec<OwnedFd>,
    mapping: Mapping,
    record: Vec<u8>,
}

impl Ring {
    /// A ring of `pages` pages (a power of two) for one CPU, of any process. The kernel keeps them in memory.
    ///
    /// # Errors
    /// `ENODEV` if the CPU is offline; `EACCES` or `EPERM` without `CAP_PERFMON` (`perf_event_paranoid`); `EPERM` also
    /// if the pages exceed `perf_event_mlock_kb`.
    pub fn new(cpu: usize, pages: usize) -> io::Result<Self> {
        let mut attributes = attributes(PERF_TYPE_SOFTWARE, u64::from(PERF_COUNT_SW_DUMMY));
        attributes.set_watermark(1);
        let bytes = pages * rustix::param::page_size();
        attributes.__bindgen_anon_2.wakeup_watermark = (bytes / 4) as u32;
        let owner = open(&mut attributes, cpu)?;
        let mapping = Mapping::new(&owner, bytes)?;
        Ok(Self {
            cpu,
            owner,
            events: Vec::new(),
            pausable: Vec::new(),
            passing: Vec::new(),
            mapping,
            record: vec![0; RECORD_BYTES_MAX],
        })
    }

    /// Records a tracepoint from now on. Each record has the process and the thread, the time (`CLOCK_MONOTONIC`), the
    /// CPU and the event's own bytes, in this order.
    ///
    /// # Errors
    /// `EACCES` or `EPERM` without the privilege; `ENOENT` or `EINVAL` if there is no such tracepoint, or its filter
    /// names a field that it does not have.
    pub fn record(&mut self, tracepoint: &Selection) -> io::Result<()> {
        let event = self.enabled(tracepoint)?;
        self.events.push(event);
        Ok(())
    }

    /// The same, with pauses.
    ///
    /// # Errors
    /// Those of [`record`](Self::record).
    pub fn record_with_pauses(&mut self, tracepoint: &Selection) -> io::Result<()> {
        let event = self.enabled(tracepoint)?;
        self.pausable.push(event);
        Ok(())
    }

    /// The same until the next [`pause`](Self::pause).
    ///
    /// # Errors
    /// Those of [`record`](Self::record).
    pub fn record_for_a_while(&mut self, tracepoint: &Selection) -> io::Result<()> {
        let event = self.enabled(tracepoint)?;
        self.passing.push(event);
        Ok(())
    }

    fn enabled(&self, tracepoint: &Selection) -> io::Result<OwnedFd> {
        let event = open(&mut attributes(PERF_TYPE_TRACEPOINT, tracepoint.number), self.cpu)?;
        if let Some(filter) = &tracepoint.filter {
            // SAFETY: the descriptor is open and of a perf event; the kernel only reads the text, which ends with a
            // zero, before it returns. The binding's type is that of texts that are written.
            done(unsafe { sys::ioctls::SET_FILTER(event.as_raw_fd(), filter.as_ptr().cast_mut()) })?;
        }
        // SAFETY: both descriptors are open, of perf events, and owned by us.
        let answer = unsafe { sys::ioctls::SET_OUTPUT(event.as_raw_fd(), self.owner.as_raw_fd()) };
        done(answer)?;
        // SAFETY: the descriptor is open and of a perf event; 0 means this event alone.
        done(unsafe { sys::ioctls::ENABLE(event.as_raw_fd(), 0) })?;
        Ok(event)
    }

    /// Records nothing more of what is recorded with pauses or for a while. The tracepoints stay armed, the latter
    /// until [`release`](Self::release), and cost each thread that passes them a little.
    pub fn pause(&self) {
        for event in self.pausable.iter().chain(&self.passing) {
            // SAFETY: the descriptor is open and of a perf event; 0 means this event alone. It does not fail for one.
            let _ = unsafe { sys::ioctls::DISABLE(event.as_raw_fd(), 0) };
        }
    }

    /// Records again what is recorded with pauses.
    ///
    /// # Errors
    /// Those of `ioctl(2)`.
    pub fn resume(&self) -> io::Result<()> {
        // SAFETY: the descriptors are open and of perf events; 0 means each event alone.
        let resumed = |event: &OwnedFd| done(unsafe { sys::ioctls::ENABLE(event.as_raw_fd(), 0) });
        self.pausable.iter().try_for_each(resumed)
    }

    /// Disarms what was recorded for a while. For each tracepoint that nobody else records, the kernel waits until
    /// every CPU has left it (`tracepoint_synchronize_unregister`): tens of milliseconds. To arm and disarm one, it
    /// also changes its own code and interrupts every CPU several times for that.
    pub fn release(&mut self) {
        self.passing.clear();
    }

    /// Ends the recording; what is in the ring stays there.
    pub fn stop(&mut self) {
        self.events.clear();
        self.pausable.clear();
        self.passing.clear();
    }

    /// Hands over what is in the ring, record by record, each with its header (`struct perf_event_header`), and makes
    /// room. Nothing waits.
    pub fn drain(&mut self, mut take: impl FnMut(&[u8])) {
        let (head, mut tail) = self.mapping.ends();
        while head.wrapping_sub(tail) >= HEADER_BYTES as u64 {
            let mut header = [0; HEADER_BYTES];
            self.mapping.copy(tail, &mut header);
            let bytes = usize::from(u16::from_ne_bytes([header[6], header[7]]));
            let readable = head.wrapping_sub(tail).min(self.mapping.data_bytes as u64);
            if bytes < HEADER_BYTES || bytes as u64 > readable {
                // Not a record: nothing shows where the next one begins.
                tail = head;
                break;
            }
            let record = &mut self.record[..bytes];
            self.mapping.copy(tail, record);
            take(record);
            tail = tail.wrapping_add(bytes as u64);
        }
        self.mapping.give_back(tail);
    }

    /// Waits until one of the rings is a quarter full, or the time is over.
    ///
    /// # Errors
    /// Those of `poll(2)`; a signal is none.
    pub fn wait(rings: &[Self], limit: Duration) -> io::Result<()> {
        let mut polled: Vec<PollFd<'_>> =
            rings.iter().map(|ring| PollFd::new(&ring.owner, PollFlags::IN)).collect();
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        match rustix::event::poll(&mut polled, Some(&limit)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

fn attributes(kind: u32, configuration: u64) -> perf_event_attr {
    let mut attributes = perf_event_attr { type_: kind, config: configuration, ..Default::default() };
    attributes.size = size_of::<perf_event_attr>() as u32;
    attributes.__bindgen_anon_1.sample_period = 1;
    attributes.sample_type =
        u64::from(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW);
    attributes.set_disabled(1);
    // Events that share a ring share its clock: that of the stamps of a trial.
    attributes.set_use_clockid(1);
    attributes.clockid = libc::CLOCK_MONOTONIC;
    attributes
}

fn open(attributes: &mut perf_event_attr, cpu: usize) -> io::Result<OwnedFd> {
    const EVERY_PROCESS: libc::pid_t = -1;
    const NO_GROUP: libc::c_int = -1;
    let cpu = libc::c_int::try_from(cpu).map_err(io::Error::other)?;
    // SAFETY: the attributes are initialised, sized as `size` says, and live; the kernel keeps no pointer to them.
    let answer = unsafe {
        sys::perf_event_open(attributes, EVERY_PROCESS, cpu, NO_GROUP, PERF_FLAG_FD_CLOEXEC.into())
    };
    done(answer)?;
    // SAFETY: the kernel just gave us this descriptor, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(answer) })
}

fn done(answer: libc::c_int) -> io::Result<()> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A page of the kernel's, and the ring's bytes behind it.
#[derive(Debug)]
struct Mapping {
    start: NonNull<c_void>,
    page_bytes: usize,
    data_bytes: usize,
}

// SAFETY: the mapping belongs to this value alone, and no thread's identity matters to it.
unsafe impl Send for Mapping {}

impl Mapping {
    fn new(owner: &OwnedFd, data_bytes: usize) -> io::Result<Self> {
        let page_bytes = rustix::param::page_size();
        // SAFETY: a new mapping at an address that the kernel chooses changes no memory that is in use.
        let start = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                page_bytes + data_bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                owner,
                0,
            )
        }?;
        let start = NonNull::new(start).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        Ok(Self { start, page_bytes, data_bytes })
    }

    fn page(&self) -> *mut perf_event_mmap_page {
        self.start.as_ptr().cast()
    }

    /// Where the kernel wrote last, and where we read last: both count bytes since the beginning.
    fn ends(&self) -> (u64, u64) {
        // SAFETY: the first page of the mapping is a `perf_event_mmap_page`, whose two fields are aligned; the kernel
        // writes only the head, and reads only the tail. The acquiring read goes before every read of the data.
        unsafe {
            let head = AtomicU64::from_ptr(&raw mut (*self.page()).data_head);
            let tail = AtomicU64::from_ptr(&raw mut (*self.page()).data_tail);
            (head.load(Ordering::Acquire), tail.load(Ordering::Relaxed))
        }
    }

    /// Lets the kernel write over everything before `tail`.
    fn give_back(&self, tail: u64) {
        // SAFETY: as in `ends`; the releasing write goes after every read of the data.
        unsafe { AtomicU64::from_ptr(&raw mut (*self.page()).data_tail).store(tail, Ordering::Release) }
    }

    /// Copies bytes that were written, from a position that counts since the beginning.
    fn copy(&self, from: u64, to: &mut [u8]) {
        let at = (from % self.data_bytes as u64) as usize;
        let before_the_end = to.len().min(self.data_bytes - at);
        // SAFETY: the data lies behind the first page; `at` and both lengths stay within its `data_bytes`. The kernel
        // does not write between tail and head, where the caller reads.
        unsafe {
            let data = self.start.as_ptr().cast::<u8>().add(self.page_bytes);
            std::ptr::copy_nonoverlapping(data.add(at), to.as_mut_ptr(), before_the_end);
            let rest = &mut to[before_the_end..];
            std::ptr::copy_nonoverlapping(data, rest.as_mut_ptr(), rest.len());
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is the mapping that `new` made, and no pointer into it outlives this value.
        let _ = unsafe { rustix::mm::munmap(self.start.as_ptr(), self.page_bytes + self.data_bytes) };
    }
}
