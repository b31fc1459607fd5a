//! The description of the kernel's tracepoints (`Documentation/trace/events.rst`), read and never changed.

use crate::failure::Failure;
use crate::kernel::mounts;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A description of an event is a few kilobytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// `TRACEFS_MAGIC` of `linux/magic.h`.
const MAGIC: u64 = 0x7472_6163;
/// What a mount of it that has no path is called in messages.
const DETACHED: &str = "tracefs";

/// The root directory of the file system that describes the tracepoints.
#[derive(Debug)]
pub struct TraceFs {
    root: OwnedFd,
    path: PathBuf,
}

impl TraceFs {
    /// Opens it where it is mounted. If it is mounted nowhere, or below another file system, it is mounted without a
    /// place (`fsmount(2)`): nobody else sees that mount, and it is gone with this value.
    ///
    /// # Errors
    /// The kernel has no tracefs, or this process may neither read nor mount it.
    pub fn open() -> Result<Self, Failure> {
        let mounts = mounts::mounts()?;
        let mounted = mounts.into_iter().rev().find(|mount| mount.filesystem == "tracefs");
        if let Some(mount) = mounted {
            let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
            let root = rustix::fs::open(&mount.point, flags, Mode::empty())
                .map_err(Failure::on("open", &mount.point))?;
            let facts = rustix::fs::fstatfs(&root).map_err(Failure::on("read the type of", &mount.point))?;
            if facts.f_type as u64 == MAGIC {
                return Ok(Self { root, path: mount.point });
            }
        }
        let root = detached().map_err(Failure::on("mount", Path::new(DETACHED)))?;
        Ok(Self { root, path: DETACHED.into() })
    }

    /// A file below it, such as `events/sched/sched_switch/format`.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] in its source if the kernel has no such event.
    pub fn read(&self, below: &Path) -> Result<String, Failure> {
        self.text(below).map_err(Failure::on("read", &self.path.join(below)))
    }

    fn text(&self, below: &Path) -> io::Result<String> {
        let file = rustix::fs::openat(&self.root, below, OFlags::CLOEXEC, Mode::empty())?;
        let mut text = String::new();
        File::from(file).take(FILE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(text)
    }
}

fn detached() -> rustix::io::Result<OwnedFd> {
    let context = rustix::mount::fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    rustix::mount::fsconfig_create(&context)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_RDONLY | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}
