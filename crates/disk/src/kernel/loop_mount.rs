//! What is mounted through a loop device: found, and unmounted.

use crate::failure::Failure;
use crate::kernel::mounts::{self, Mount};
use rustix::io::Errno;
use rustix::mount::UnmountFlags;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a mount that is busy is waited for.
const BUSY_LIMIT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// A loop file system of Syncline. Plain data: it stays mounted when this is dropped, for the next worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopMount {
    /// Where it is mounted; files go here.
    pub point: PathBuf,
    pub image: PathBuf,
    /// Name of the loop device, such as `loop0`.
    pub device: String,
}

/// Unmounts a loop file system, which detaches its loop device. Its image stays until the work directory goes.
pub fn unmount(mounted: &LoopMount) -> Result<(), Failure> {
    // A ring's files are let go of by a kernel worker, a moment after the process that had it has ended. A lazy unmount
    // does not help: the device would stay busy, unnoticed.
    let started = Instant::now();
    loop {
        match rustix::mount::unmount(&mounted.point, UnmountFlags::NOFOLLOW) {
            Err(Errno::BUSY) if started.elapsed() < BUSY_LIMIT => sleep(BUSY_PAUSE),
            result => return result.map_err(Failure::on("unmount", &mounted.point)),
        }
    }
}

/// Unmounts the loop file systems whose image is inside this work directory; others are left alone.
pub fn unmount_below(work_directory: &Path) -> Result<(), Failure> {
    // Last mounted, first unmounted.
    ours_below(work_directory)?.iter().rev().try_for_each(unmount)
}

/// Mounts below the work directory whose loop device is backed by an image inside it: those are Syncline's.
pub(crate) fn ours_below(work_directory: &Path) -> Result<Vec<LoopMount>, Failure> {
    let ours = |mount: Mount| {
        let device = mount.source.strip_prefix("/dev").ok()?.to_str()?.to_owned();
        let image = backing_file(&device)?;
        let inside = mount.point.starts_with(work_directory) && image.starts_with(work_directory);
        inside.then_some(LoopMount { point: mount.point, image, device })
    };
    Ok(mounts::mounts()?.into_iter().filter_map(ours).collect())
}

/// The file behind a loop device, if the device is one and attached.
pub(crate) fn backing_file(device: &str) -> Option<PathBuf> {
    let content = std::fs::read(format!("/sys/block/{device}/loop/backing_file")).ok()?;
    let path = content.strip_suffix(b"\n").unwrap_or(&content);
    Some(PathBuf::from(OsString::from_vec(path.to_vec())))
}
