//! Mounting an image inside the work directory, and finding and unmounting what is mounted there.

use super::{FilesystemError, Kind, image, tool};
use crate::failure::Failure;
use crate::kernel::mounts::{self, Mount};
use crate::work_directory::require_marked;
use rustix::io::Errno;
use rustix::mount::UnmountFlags;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a mount that is busy is waited for.
const BUSY_LIMIT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(10);
/// btrfs discards by itself since Linux 6.2 where the device can, and a loop device can.
const MOUNT_OPTIONS: &str = "loop,nodiscard,nosuid,nodev";

/// A loop file system of ours. Plain data: it stays mounted when this is dropped, for the next worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopMount {
    /// Where it is mounted; files go here.
    pub point: PathBuf,
    /// The image file.
    pub image: PathBuf,
    /// Name of the loop device, such as `loop0`.
    pub device: String,
}

/// The file system of this kind below a work directory: mounted already, or made and mounted now.
///
/// # Errors
/// One clear error that says what is missing: root, a program, loop devices, space.
pub fn mount(work_directory: &Path, kind: Kind, size_bytes: u64) -> Result<LoopMount, FilesystemError> {
    if let Some(mounted) = find(work_directory, kind)? {
        return Ok(mounted);
    }
    require_marked(work_directory).map_err(FilesystemError::NotOurs)?;
    let [mount_program, losetup_program] = require_possible(kind, size_bytes)?;
    let (image, point) = (image_path(work_directory, kind), mount_point(work_directory, kind));
    // What is left of an interrupted attempt is not mounted: it was looked for above.
    match std::fs::remove_file(&image) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::on("remove", &image)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    image::make(&image, kind, size_bytes)?;
    std::fs::create_dir_all(&point).map_err(Failure::on("create", &point))?;
    let arguments = ["-t", kind.name(), "-o", MOUNT_OPTIONS].map(OsStr::new);
    let arguments = [&arguments[..], &[image.as_os_str(), point.as_os_str()]].concat();
    tool::run(&mount_program, "mount", &arguments, &image)?;
    let mounted = find(work_directory, kind)?;
    let mounted = mounted
        .ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
        .map_err(Failure::on("find the mount of", &image))?;
    // Without direct I/O the image's pages would be cached a second time, on the host.
    let node = Path::new("/dev").join(&mounted.device);
    tool::run(&losetup_program, "losetup", &[OsStr::new("--direct-io=on"), node.as_os_str()], &node)?;
    Ok(mounted)
}

/// Whether a file system of this kind and size can be made and mounted here, as far as that shows before anything is made:
/// root, the size, loop devices, every program. The paths of `mount` and `losetup`.
///
/// # Errors
/// One clear error that says what is missing.
pub fn require_possible(kind: Kind, size_bytes: u64) -> Result<[PathBuf; 2], FilesystemError> {
    if !rustix::process::geteuid().is_root() {
        return Err(FilesystemError::NotRoot { kind });
    }
    let minimum_bytes = kind.minimum_bytes();
    if size_bytes < minimum_bytes {
        return Err(FilesystemError::TooSmall { kind, size_bytes, minimum_bytes });
    }
    if !Path::new("/dev/loop-control").exists() {
        return Err(FilesystemError::NoLoopDevices { kind });
    }
    tool::locate(kind, kind.program(), kind.package())?;
    Ok([tool::locate(kind, "mount", "mount")?, tool::locate(kind, "losetup", "mount")?])
}

/// The file system of this kind, if it is mounted below the work directory in this mount namespace.
pub fn find(work_directory: &Path, kind: Kind) -> Result<Option<LoopMount>, Failure> {
    let point = mount_point(work_directory, kind);
    Ok(ours_below(work_directory)?.into_iter().find(|mounted| mounted.point == point))
}

/// Unmounts a loop file system, which detaches its loop device. Its image stays until the work directory goes.
pub fn unmount(mounted: &LoopMount) -> Result<(), FilesystemError> {
    // A ring's files are let go of by a kernel worker, a moment after the process that had it has ended. A lazy unmount
    // is no way out: the device would stay busy behind our back, unseen.
    let started = Instant::now();
    loop {
        match rustix::mount::unmount(&mounted.point, UnmountFlags::NOFOLLOW) {
            Err(Errno::BUSY) if started.elapsed() < BUSY_LIMIT => sleep(BUSY_PAUSE),
            result => return Ok(result.map_err(Failure::on("unmount", &mounted.point))?),
        }
    }
}

/// Unmounts the loop file systems whose image is inside this work directory; others are left alone.
pub fn unmount_below(work_directory: &Path) -> Result<(), FilesystemError> {
    // Last mounted, first unmounted.
    ours_below(work_directory)?.iter().rev().try_for_each(unmount)
}

/// Mounts below the work directory whose loop device is backed by an image inside it: those are ours.
fn ours_below(work_directory: &Path) -> Result<Vec<LoopMount>, Failure> {
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

fn image_path(work_directory: &Path, kind: Kind) -> PathBuf {
    work_directory.join(format!("{kind}.image"))
}

fn mount_point(work_directory: &Path, kind: Kind) -> PathBuf {
    work_directory.join(format!("mnt-{kind}"))
}
