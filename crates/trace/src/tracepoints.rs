//! What every recording begins with: the tracepoints that this kernel has, and a ring for each CPU that records them.

use crate::catalogue::LostWithout;
use crate::error::{Absence, TraceError};
use crate::format::Format;
use crate::trace::Missing;
use disk::kernel::scheduling::cpus_online;
use disk::kernel::tracefs::TraceFs;
use disk::kernel::tracepoint_ring::Ring;
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// A tracepoint that this kernel has.
struct Found {
    path: &'static str,
    lost_without: LostWithout,
    /// Whether it only explains an operation's time: a recording can go on without it for a while.
    explains: bool,
    /// By which the kernel knows it.
    number: u64,
}

/// Tracepoints that are to be recorded.
pub(crate) struct Tracepoints {
    tracefs: TraceFs,
    found: Vec<Found>,
    missing: Vec<Missing>,
}

impl Tracepoints {
    /// None yet.
    pub(crate) fn open() -> Result<Self, TraceError> {
        let tracefs = TraceFs::open().map_err(TraceError::unreadable)?;
        Ok(Self { tracefs, found: Vec::new(), missing: Vec::new() })
    }

    /// Adds a tracepoint if this kernel has it, and if `take` finds the fields that it needs in its description. `take`
    /// fails with the name of one that is not there. One that only `explains` can be paused.
    pub(crate) fn add(
        &mut self,
        path: &'static str,
        lost_without: LostWithout,
        explains: bool,
        take: impl FnOnce(&Format) -> Result<(), &'static str>,
    ) -> Result<(), TraceError> {
        match self.describe(path, take) {
            Ok(number) => {
                self.found.push(Found { path, lost_without, explains, number });
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
            LostWithout::Calls | LostWithout::Journal => {
                self.missing.push(Missing { tracepoint, lost_without, reason });
                Ok(())
            }
        }
    }

    /// A ring for each CPU that is online, which records them from now on; and the tracepoints that are not recorded.
    pub(crate) fn record(mut self, pages: usize) -> Result<(Vec<Ring>, Vec<Missing>), TraceError> {
        let mut rings = rings(pages)?;
        for Found { path, lost_without, explains, number } in std::mem::take(&mut self.found) {
            for (cpu, ring) in &mut rings {
                match ring.record(*cpu, number, explains) {
                    Ok(()) => {}
                    Err(source) if is_refusal(&source) => return Err(TraceError::NotPermitted { source }),
                    Err(source) => {
                        self.leave_out(path, lost_without, Absence::Refused { source })?;
                        break;
                    }
                }
            }
        }
        Ok((rings.into_values().collect(), self.missing))
    }
}

fn rings(pages: usize) -> Result<BTreeMap<usize, Ring>, TraceError> {
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

fn is_refusal(error: &io::Error) -> bool {
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
