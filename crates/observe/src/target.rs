//! Whose operations are observed.

use crate::system::Disk;
use std::path::PathBuf;

/// Whose operations are observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A process, its threads and its descendants.
    Process(u32),
    /// The processes in the control group of a unit of systemd, or of a container.
    Unit(String),
    /// Files below a directory, for every process that has them open.
    Directory(PathBuf),
    /// Files on a disk, for every process that has them open.
    Device(Disk),
}

/// A target that cannot be observed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("there is no process {process}")]
    NoProcess { process: u32 },
    #[error("{thread} is a thread of process {process}, and no process")]
    Thread { thread: u32, process: u32 },
    #[error("process {process} is a thread of the kernel: it makes no system calls")]
    KernelThread { process: u32 },
    #[error(
        "process {process} is of another user, so that its files cannot be looked up: run as root, or grant \
         CAP_SYS_PTRACE too"
    )]
    NotOurs { process: u32 },
    #[error("process {process} is Syncline itself")]
    Itself { process: u32 },
    #[error(
        "/proc does not show the processes that Syncline is among: mount one that does (mount -t proc proc /proc)"
    )]
    OtherProcesses,
    #[error("no control group below {} is named {unit}: no unit of that name runs", root.display())]
    NoUnit { unit: String, root: PathBuf },
    #[error("a unit has a name, not {unit:?}")]
    BadUnit { unit: String },
    #[error("there is no block device {name:?}; this machine has {known}")]
    NoDevice { name: String, known: String },
    #[error("{}: no such directory", path.display())]
    NoDirectory { path: PathBuf },
}
