//! Mounting an image inside the work directory, and finding what is mounted there.

use super::{FileSystemKind, FilesystemError, image, tool};
use crate::failure::Failure;
use crate::kernel::loop_mount::{self, LoopMount};
use crate::work_directory::{require_inside, require_marked};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// btrfs discards by itself since Linux 6.2 if the device can, and a loop device can.
const MOUNT_OPTIONS: &str = "loop,nodiscard,nosuid,nodev";

/// The file system of this kind below a work directory: mounted already, or made and mounted now.
///
/// # Errors
/// One clear error that says what is missing: root, a program, loop devices, space.
pub fn mount(
    work_directory: &Path,
    kind: FileSystemKind,
    size_bytes: u64,
) -> Result<LoopMount, FilesystemError> {
    if let Some(mounted) = find(work_directory, kind)? {
        return Ok(mounted);
    }
    require_marked(work_directory).map_err(FilesystemError::NotOurs)?;
    require_possible(kind, size_bytes)?;
    let (image, point) = (image_path(work_directory, kind), mount_point(work_directory, kind));
    // What is left of an interrupted attempt is not mounted: it was looked for above.
    match std::fs::remove_file(&image) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::on("remove", &image)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    image::make(&image, kind, size_bytes)?;
    mount_image(work_directory, kind, &image, &point, &[])
}

/// Mounts an image inside a work directory on a directory inside it, which is made if it is missing, with
/// `more_options` of mount(8).
///
/// # Errors
/// One clear error that says what is missing, or what `mount` said.
pub fn mount_image(
    work_directory: &Path,
    kind: FileSystemKind,
    image: &Path,
    point: &Path,
    more_options: &[&str],
) -> Result<LoopMount, FilesystemError> {
    let mount_program = tool::locate(kind, "mount", "mount")?;
    let losetup_program = tool::locate(kind, "losetup", "mount")?;
    std::fs::create_dir_all(point).map_err(Failure::on("create", point))?;
    let options = [&[MOUNT_OPTIONS], more_options].concat().join(",");
    let arguments = ["-t", kind.name(), "-o", &options].map(OsStr::new);
    let arguments = [&arguments[..], &[image.as_os_str(), point.as_os_str()]].concat();
    tool::run(&mount_program, "mount", &arguments, image)?;
    let mounted = loop_mount::ours_below(work_directory)?.into_iter().find(|mounted| mounted.point == point);
    let mounted = mounted
        .ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
        .map_err(Failure::on("find the mount of", image))?;
    // Without direct I/O the image's pages would be cached a second time, on the host.
    let node = Path::new("/dev").join(&mounted.device);
    let arguments = [OsStr::new("--direct-io=on"), node.as_os_str()];
    if let Err(error) = tool::run(&losetup_program, "losetup", &arguments, &node) {
        // The next trial would find it mounted and use it.
        loop_mount::unmount(&mounted)?;
        return Err(error);
    }
    Ok(mounted)
}

/// Makes a file system in a file inside a work directory that holds zeros.
///
/// # Errors
/// The program is missing, or failed.
pub fn make(kind: FileSystemKind, image: &Path) -> Result<(), FilesystemError> {
    require_inside(image).map_err(FilesystemError::NotOurs)?;
    image::make_in(image, kind)
}

/// Whether a file system of this kind and size can be made and mounted here, as far as that shows before anything is
/// made: root, the size, loop devices, every program.
///
/// # Errors
/// One clear error that says what is missing.
pub fn require_possible(kind: FileSystemKind, size_bytes: u64) -> Result<(), FilesystemError> {
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
    tool::locate(kind, "mount", "mount")?;
    tool::locate(kind, "losetup", "mount").map(drop)
}

/// The file system of this kind, if it is mounted below the work directory in this mount namespace.
pub fn find(work_directory: &Path, kind: FileSystemKind) -> Result<Option<LoopMount>, Failure> {
    let point = mount_point(work_directory, kind);
    Ok(loop_mount::ours_below(work_directory)?.into_iter().find(|mounted| mounted.point == point))
}

fn image_path(work_directory: &Path, kind: FileSystemKind) -> PathBuf {
    work_directory.join(format!("{kind}.image"))
}

fn mount_point(work_directory: &Path, kind: FileSystemKind) -> PathBuf {
    work_directory.join(format!("mnt-{kind}"))
}
