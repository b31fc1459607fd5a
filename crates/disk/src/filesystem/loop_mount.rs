//! Mounting an image inside the work directory, and finding what is mounted there.

use super::{FilesystemError, image, kind, tool};
use crate::failure::Failure;
use crate::kernel::loop_mount::{self, LoopMount};
use crate::work_directory::{require_inside, require_marked};
use model::{FileSystemOption, FreshFileSystem};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The fresh file system of this kind and with these options below a work directory: mounted already, or made and
/// mounted now.
///
/// # Errors
/// One clear error that says what is missing: root, a program, loop devices, space.
pub fn mount(
    work_directory: &Path,
    fresh: impl Into<FreshFileSystem>,
    size_bytes: u64,
) -> Result<LoopMount, FilesystemError> {
    let fresh = fresh.into();
    if let Some(mounted) = find(work_directory, fresh)? {
        return Ok(mounted);
    }
    require_marked(work_directory).map_err(FilesystemError::NotOurs)?;
    require_possible(fresh, size_bytes)?;
    let (image, point) = (image_path(work_directory, fresh), mount_point(work_directory, fresh));
    // What is left of an interrupted attempt is not mounted: it was looked for above.
    match std::fs::remove_file(&image) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::on("remove", &image)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    image::make(&image, fresh, size_bytes)?;
    mount_image(work_directory, fresh, &image, &point, &[])
}

/// Mounts an image inside a work directory on a directory inside it, which is made if it is missing, with
/// `more_options` of mount(8).
///
/// # Errors
/// One clear error that says what is missing, or what `mount` said.
pub fn mount_image(
    work_directory: &Path,
    fresh: impl Into<FreshFileSystem>,
    image: &Path,
    point: &Path,
    more_options: &[&str],
) -> Result<LoopMount, FilesystemError> {
    let fresh = fresh.into();
    let kind = fresh.kind();
    let mount_program = tool::locate(kind, "mount", "mount")?;
    let losetup_program = tool::locate(kind, "losetup", "mount")?;
    std::fs::create_dir_all(point).map_err(Failure::on("create", point))?;
    let options = [&kind::mount_options(fresh)[..], more_options].concat().join(",");
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
    let direct = tool::run(&losetup_program, "losetup", &arguments, &node);
    if let Err(error) = direct.and_then(|()| require_discard(fresh, &mounted)) {
        // The next trial would find it mounted and use it.
        loop_mount::unmount(&mounted)?;
        return Err(error);
    }
    Ok(mounted)
}

/// A file system takes `discard` on a device that cannot discard, and then does without. A loop device discards by
/// punching holes into its file, if the file system of that file can.
fn require_discard(fresh: FreshFileSystem, mounted: &LoopMount) -> Result<(), FilesystemError> {
    if !fresh.has(FileSystemOption::Discard) {
        return Ok(());
    }
    let most = Path::new("/sys/block").join(&mounted.device).join("queue/discard_max_bytes");
    let text = std::fs::read_to_string(&most).map_err(Failure::on("read", &most))?;
    if text.trim() == "0" {
        return Err(FilesystemError::NoDiscard { kind: fresh.kind() });
    }
    Ok(())
}

/// Makes a file system in a file inside a work directory that holds zeros.
///
/// # Errors
/// The program is missing, or failed.
pub fn make(fresh: impl Into<FreshFileSystem>, image: &Path) -> Result<(), FilesystemError> {
    require_inside(image).map_err(FilesystemError::NotOurs)?;
    image::make_in(image, fresh.into())
}

/// Whether a file system of this kind and size can be made and mounted here, as far as that shows before anything is
/// made: root, the size, loop devices, every program.
///
/// # Errors
/// One clear error that says what is missing.
pub fn require_possible(fresh: impl Into<FreshFileSystem>, size_bytes: u64) -> Result<(), FilesystemError> {
    let fresh = fresh.into();
    let kind = fresh.kind();
    if !rustix::process::geteuid().is_root() {
        return Err(FilesystemError::NotRoot { kind });
    }
    let minimum_bytes = fresh.minimum_bytes();
    if size_bytes < minimum_bytes {
        return Err(FilesystemError::TooSmall { kind, size_bytes, minimum_bytes });
    }
    if !Path::new("/dev/loop-control").exists() {
        return Err(FilesystemError::NoLoopDevices { kind });
    }
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    if let Some(needs) = kind::needs_linux(fresh, &release, rustix::param::page_size()) {
        return Err(FilesystemError::OldKernel { fresh, needs, release });
    }
    tool::locate(kind, kind::program(kind), kind::package(kind))?;
    tool::locate(kind, "mount", "mount")?;
    tool::locate(kind, "losetup", "mount").map(drop)
}

/// The file system of this kind and with these options, if it is mounted below the work directory in this mount
/// namespace.
pub fn find(work_directory: &Path, fresh: impl Into<FreshFileSystem>) -> Result<Option<LoopMount>, Failure> {
    let point = mount_point(work_directory, fresh.into());
    Ok(loop_mount::ours_below(work_directory)?.into_iter().find(|mounted| mounted.point == point))
}

fn image_path(work_directory: &Path, fresh: FreshFileSystem) -> PathBuf {
    work_directory.join(format!("{fresh}.image"))
}

fn mount_point(work_directory: &Path, fresh: FreshFileSystem) -> PathBuf {
    work_directory.join(format!("mnt-{fresh}"))
}
