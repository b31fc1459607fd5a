//! Why nothing can be traced here.

use crate::format::FormatError;
use disk::Failure;
use disk::kernel::scheduling::SchedulingError;
use std::io;

/// Tracing is not possible, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Neither a mounted tracefs could be read nor one be mounted.
    #[error("{}", no_tracefs(source, *is_root))]
    NoTracefs {
        /// What failed.
        source: Failure,
        /// Whether root was refused: then it is no matter of privileges.
        is_root: bool,
    },
    /// A tracepoint without which no operation can be laid out.
    #[error("this kernel has no tracepoint {tracepoint} that can be read: {reason}")]
    NoTracepoint { tracepoint: &'static str, reason: Absence },
    /// The kernel permits no tracing to this process.
    #[error(
        "the kernel permits this process no tracepoints ({source}): run as root, or grant CAP_PERFMON: \
         setcap cap_perfmon=ep PROGRAM"
    )]
    NotPermitted {
        /// What the kernel answered.
        source: io::Error,
    },
    /// A ring could not be made.
    #[error("cannot make a ring for the records of CPU {cpu}: {source}")]
    NoRing {
        cpu: usize,
        /// What the kernel answered.
        source: io::Error,
    },
    /// The thread that reads the rings could not be started or placed.
    #[error("cannot start the thread that reads the records: {source}")]
    NoReader {
        /// What the kernel answered.
        source: io::Error,
    },
    /// Which CPUs there are cannot be read.
    #[error(transparent)]
    Cpus(#[from] SchedulingError),
}

impl TraceError {
    /// tracefs cannot be read.
    pub(crate) fn unreadable(source: Failure) -> Self {
        Self::NoTracefs { source, is_root: rustix::process::geteuid().is_root() }
    }
}

fn no_tracefs(source: &Failure, is_root: bool) -> String {
    if is_root {
        format!("this kernel's tracepoints cannot be read: {source}")
    } else {
        "this user may not read the kernel's tracepoints: run as root, or grant CAP_PERFMON and let a group of this user \
         read them: mount -t tracefs -o gid=GROUP,mode=750 nodev /sys/kernel/tracing"
            .to_owned()
    }
}

/// Why a tracepoint is not read.
#[derive(Debug, thiserror::Error)]
pub enum Absence {
    /// The kernel has none of this name.
    #[error("there is none of this name")]
    NotThere,
    /// Its description cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Failure),
    /// Its description is not one.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// This kernel's tracepoint has no such field.
    #[error("it has no field {field}")]
    NoField { field: &'static str },
    /// The kernel refuses to record it.
    #[error("it is not recorded: {source}")]
    Refused {
        /// What the kernel answered.
        source: io::Error,
    },
}
