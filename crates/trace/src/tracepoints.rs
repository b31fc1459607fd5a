//! What every recording begins with: the tracepoints that this kernel has, and a ring for each CPU that records them.

use crate::catalogue::LostWithout;
use crate::error::{Absence, TraceError};
use crate::format::Format;
use crate::trace::Missing;
use disk::kernel::scheduling::cpus_online;
use disk::kernel::tracefs::TraceFs;
use disk::kernel::tracepoint_ring::{Ring, Selection};
use rustix::io::Errno;
use std::ffi::CString;
use std::io;
use std::path::Path;

/// When a tracepoint is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// Until the recording is paused, and again from when it is resumed on.
    InWindows,
    /// The same, and disarmed between windows. That interrupts every CPU several times, and is worth it only if an
    /// armed tracepoint that nobody records costs much.
    ArmedInWindows,
}

/// A tracepoint that this kernel has.
struct Found {
    path: &'static str,
    lost_without: LostWithout,
    when: When,
    selection: Selection,
}

/// Tracepoints that are to be recorded.
pub(crate) struct Tracepoints {
    tracefs: TraceFs,
    found: Vec<Found>,
    missing: Vec<Missing>,
}

/// A ring for each CPU that is online, which the kernel writes to.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) rings: Vec<Ring>,
    /// What is armed in windows.
    armed: Vec<Selection>,
}

impl Tracepoints {
    /// None yet.
    pub(crate) fn open() -> Result<Self, TraceError> {
        let tracefs = TraceFs::open().map_err(TraceError::unreadable)?;
        Ok(Self { tracefs, found: Vec::new(), missing: Vec::new() })
    }

    /// Adds a tracepoint, or those of its events that pass a filter, if this kernel has it and if `take` finds the
    /// fields that it needs in its description. `take` fails with the name of one that is not there.
    pub(crate) fn add(
        &mut self,
        (path, filter): (&'static str, Option<CString>),
        lost_without: LostWithout,
        when: When,
        take: impl FnOnce(&Format) -> Result<(), &'static str>,
    ) -> Result<(), TraceError> {
        match self.describe(path, take) {
            Ok(number) => {
                self.found.push(Found { path, lost_without, when, selection: Selection { number, filter } });
                Ok(())
            }
            Err(reason) => self.leave_out(path, lost_without, reason),
        }
    }

    fn describe(
        &self,
        path: &str,
        take: impl FnOnce(&Format) -> Result<(), &'static str>,
    ) -> Result<u64, Absence> {
        let text = self.tracefs.read(&Path::new("events").join(path).join("format"));
        let text = text.map_err(|failure| {
            if failure.is(Errno::NOENT) { Absence::NotThere } else { Absence::Unreadable(failure) }
        })?;
        let format = Format::read(&text)?;
        take(&format).map_err(|field| Absence::NoField { field })?;
        Ok(format.id.into())
    }

    /// Goes on without a tracepoint, unless everything rests on it.
    fn leave_out(
        &mut self,
        tracepoint: &'static str,
        lost_without: LostWithout,
        reason: Absence,
    ) -> Result<(), TraceError> {
        match lost_without {
            LostWithout::Everything => Err(TraceError::NoTracepoint { tracepoint, reason }),
            LostWithout::Calls | LostWithout::Journal | LostWithout::Packets => {
                self.missing.push(Missing { tracepoint, lost_without, reason });
                Ok(())
            }
        }
    }

    /// Records them from now on; and the tracepoints that are not recorded.
    pub(crate) fn record(mut self, pages: usize) -> Result<(Recording, Vec<Missing>), TraceError> {
        let mut recording = Recording { rings: rings(pages)?, armed: Vec::new() };
        for Found { path, lost_without, when, selection } in std::mem::take(&mut self.found) {
            let record = match when {
                When::Always => Ring::record,
                When::InWindows => Ring::record_with_pauses,
                When::ArmedInWindows => Ring::record_for_a_while,
            };
            match recording.rings.iter_mut().try_for_each(|ring| record(ring, &selection)) {
                Ok(()) if when == When::ArmedInWindows => recording.armed.push(selection),
                Ok(()) => {}
                Err(source) if is_refusal(&source) => return Err(TraceError::NotPermitted { source }),
                Err(source) => self.leave_out(path, lost_without, Absence::Refused { source })?,
            }
        }
        Ok((recording, self.missing))
    }
}

impl Recording {
    /// A window ends: nothing more of it is recorded.
    pub(crate) fn pause(&self) {
        self.rings.iter().for_each(Ring::pause);
    }

    /// Disarms what is armed in windows, which takes the kernel tens of milliseconds for each tracepoint. Armed
    /// tracepoints of calls make every call of the machine slower, also if nothing is recorded of it.
    pub(crate) fn release(&mut self) {
        self.rings.iter_mut().for_each(Ring::release);
    }

    /// A window begins. If the kernel refuses a tracepoint, nothing of the window is recorded.
    ///
    /// # Errors
    /// The kernel's.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        let Self { rings, armed } = self;
        let arm = |ring: &mut Ring| armed.iter().try_for_each(|each| ring.record_for_a_while(each));
        let done = rings.iter_mut().try_for_each(|ring| arm(ring).and_then(|()| ring.resume()));
        if done.is_err() {
            self.pause();
            self.release();
        }
        done
    }
}

fn rings(pages: usize) -> Result<Vec<Ring>, TraceError> {
    let mut rings = Vec::new();
    for cpu in 0..cpus_online() {
        match Ring::new(cpu, pages) {
            Ok(ring) => rings.push(ring),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NODEV) => {}
            Err(source) if is_refusal(&source) => return Err(TraceError::NotPermitted { source }),
            Err(source) => return Err(TraceError::NoRing { cpu, source }),
        }
    }
    Ok(rings)
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::ACCESS | Errno::PERM))
}
