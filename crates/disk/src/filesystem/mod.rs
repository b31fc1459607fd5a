//! A fresh xfs, ext4 or btrfs in a file of Syncline, loop-mounted inside the work directory: a journal if the host
//! has none, and a device whose counters no other tenant touches.
//!
//! Needs root. util-linux's `mount` sets the loop device up with `autoclear`, so it is detached with its last
//! mount; in a private mount namespace ([`crate::kernel::scheduling::private_mounts`]) that happens by itself when
//! the last process ends. Syncline itself opens the image only, never the device.

mod image;
mod kind;
mod loop_mount;
mod tool;

pub use crate::kernel::loop_mount::{LoopMount, unmount, unmount_below};
pub use loop_mount::{find, make, mount, mount_image, require_possible};
pub use model::{FileSystemKind, FreshFileSystem};

use crate::failure::Failure;
use crate::files::FileError;
use crate::work_directory::WorkDirectoryError;
use std::path::PathBuf;

/// A loop file system could not be made, mounted or unmounted.
#[derive(Debug, thiserror::Error)]
pub enum FilesystemError {
    /// Not root.
    #[error("a fresh {kind} needs root, to mount it: run as root, or drop the filesystem parameter")]
    NotRoot {
        /// The file system that was requested.
        kind: FileSystemKind,
    },
    /// A program is missing.
    #[error("a fresh {kind} needs {program}: install the package {package}")]
    NoTool {
        /// The file system that was requested.
        kind: FileSystemKind,
        /// The program that is missing.
        program: &'static str,
        /// The package that has it, on Debian.
        package: &'static str,
    },
    /// No loop devices.
    #[error(
        "a fresh {kind} needs loop devices and there is no /dev/loop-control: load the kernel module loop"
    )]
    NoLoopDevices {
        /// The file system that was requested.
        kind: FileSystemKind,
    },
    /// The image is too small.
    #[error(
        "a fresh {kind} needs at least {minimum_bytes} bytes, but {size_bytes} were requested: request more"
    )]
    TooSmall {
        /// The file system that was requested.
        kind: FileSystemKind,
        /// Bytes that were requested.
        size_bytes: u64,
        /// Bytes that its mkfs wants.
        minimum_bytes: u64,
    },
    /// The kernel is too old for an option.
    #[error("a fresh {fresh} needs {needs}, and this is Linux {release}: leave the option out")]
    OldKernel {
        /// The file system that was requested.
        fresh: FreshFileSystem,
        /// The first version that has it.
        needs: &'static str,
        /// What runs here.
        release: String,
    },
    /// The loop device discards nothing.
    #[error(
        "a fresh {kind} with discard needs a file system below that can punch holes into the image: leave discard out"
    )]
    NoDiscard {
        /// The file system that was requested.
        kind: FileSystemKind,
    },
    /// A program failed.
    #[error("{program} failed on {path}: {message}")]
    Tool {
        program: &'static str,
        /// What it was run on.
        path: PathBuf,
        /// What it printed, in one line.
        message: String,
    },
    /// The directory is not a work directory.
    #[error(transparent)]
    NotOurs(WorkDirectoryError),
    /// The image could not be made.
    #[error(transparent)]
    Image(#[from] FileError),
    /// A system call failed.
    #[error(transparent)]
    Kernel(#[from] Failure),
}
