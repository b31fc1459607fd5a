//! File systems that Syncline serves itself (`fuse(4)`): mounted, found and unmounted.

use crate::failure::Failure;
use crate::kernel::loop_mount;
use crate::kernel::mounts;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The device whose descriptor is a connection.
pub const DEVICE: &str = "/dev/fuse";
/// What the kernel lists as the source of such a mount. Only root can choose it, or `fusermount` for a user in
/// directories of that user.
const SOURCE: &str = "syncline-fuse";
/// How long what is in use is waited for. A program that is started in a mount namespace of its own has a copy of the
/// mounts for as long as it runs.
const BUSY_LIMIT: Duration = Duration::from_mins(1);
const BUSY_PAUSE: Duration = Duration::from_millis(2);

/// Mounts a file system on a directory, for this user alone, and returns the connection, from which the calling thread
/// reads requests. The kernel aborts it when the last descriptor of it is closed.
///
/// # Errors
/// It needs root and [`DEVICE`].
pub fn mount(point: &Path) -> Result<OwnedFd, Failure> {
    let device = Path::new(DEVICE);
    let connection = rustix::fs::open(device, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(Failure::on("open", device))?;
    let user = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    // 40000 is the type of a directory, in octal.
    let options =
        format!("fd={},rootmode=40000,user_id={},group_id={}", connection.as_raw_fd(), user.0, user.1);
    let options = CString::new(options).unwrap_or_default();
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount(SOURCE, point, "fuse", flags, options.as_c_str())
        .map_err(Failure::on("mount a FUSE file system on", point))?;
    Ok(connection)
}

/// Unmounts Syncline's loop file systems below a work directory, and its file systems below those. The server of one
/// may have ended: whatever the file system above wants to write then is lost.
pub fn unmount_below(work_directory: &Path) -> Result<(), Failure> {
    let started = Instant::now();
    loop {
        loop_mount::unmount_below(work_directory)?;
        let points = points_below(work_directory)?;
        // A loop device is detached in the background, and a program that the killed process had started may be
        // ending: as long as either is there, the file system is busy.
        match points.iter().try_for_each(|point| unmount(point)) {
            Ok(()) => return Ok(()),
            Err(failure) if failure.is(Errno::BUSY) && started.elapsed() < BUSY_LIMIT => sleep(BUSY_PAUSE),
            Err(failure) => return Err(failure),
        }
    }
}

fn unmount(point: &Path) -> Result<(), Failure> {
    rustix::mount::unmount(point, UnmountFlags::NOFOLLOW).map_err(Failure::on("unmount", point))
}

/// Where Syncline's file systems are mounted below a work directory, the last mounted first.
fn points_below(work_directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let listed = mounts::mounts()?.into_iter().rev();
    let ours = listed.filter(|mount| mount.filesystem == "fuse" && mount.source == Path::new(SOURCE));
    Ok(ours.map(|mount| mount.point).filter(|point| point.starts_with(work_directory)).collect())
}
