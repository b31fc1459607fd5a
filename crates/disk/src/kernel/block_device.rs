//! Which block device is below a path, found by name and number only: Syncline never opens one.

use super::mounts::{self, Mount};
use crate::failure::Failure;
use model::mechanism::Measured;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The numbers of the disk that a partition is on; `None` of a whole disk, and of one that is gone.
pub fn disk_of_partition(major: u32, minor: u32) -> Option<(u32, u32)> {
    let device = BlockDevice::in_directory(Path::new(&format!("/sys/dev/block/{major}:{minor}"))).ok()?;
    if device.name == device.disk {
        return None;
    }
    let numbers = std::fs::read_to_string(device.disk_directory.join("dev")).ok()?;
    let (major, minor) = numbers.trim().split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A block device, or a partition of one, as `/sys` knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDevice {
    /// Name in `/proc/diskstats`: `vda`, `nvme0n1p2`, `dm-0`, `loop3`.
    pub name: String,
    /// Name of the whole disk: the same, unless the device is a partition.
    pub disk: String,
    /// Its directory below `/sys/devices`.
    pub directory: PathBuf,
    /// The whole disk's directory below `/sys/devices`.
    pub disk_directory: PathBuf,
}

impl BlockDevice {
    /// The device below a path, or why none can be named.
    pub fn below(path: &Path) -> Measured<Self> {
        Self::find(path, &mounts::mount_of).into()
    }

    /// The same for a path that another process sees, which may be in another namespace: `/proc/PID/root/…`.
    pub fn below_for(process: u32, path: &Path) -> Measured<Self> {
        Self::find(path, &|path| mounts::mount_seen_by(process, path)).into()
    }

    /// Every device below a path; none if none can be named.
    pub(crate) fn all_below(path: &Path) -> Vec<Self> {
        let Ok(device) = Self::first(path, &mounts::mount_of) else { return Vec::new() };
        let others = btrfs_devices(&device.name).into_iter().filter(|name| *name != device.name);
        let others =
            others.filter_map(|name| Self::in_directory(&Path::new("/sys/class/block").join(name)).ok());
        std::iter::once(device.clone()).chain(others.collect::<Vec<_>>()).collect()
    }

    fn find(path: &Path, mount_of: &MountOf<'_>) -> Result<Self, String> {
        let device = Self::first(path, mount_of)?;
        match btrfs_devices(&device.name).len() {
            0 | 1 => Ok(device),
            several => Err(format!(
                "this btrfs spans {several} devices: the counters of no single device are \
             complete"
            )),
        }
    }

    /// One of the devices below a path.
    fn first(path: &Path, mount_of: &MountOf<'_>) -> Result<Self, String> {
        let number = number_below(path)?;
        if rustix::fs::major(number) != 0 {
            return Self::with_number(number);
        }
        // Major 0 is an anonymous device: btrfs gives each subvolume one, and file systems without a block
        // device have nothing else.
        let mount = mount_of(path).map_err(|failure| failure.to_string())?;
        let Some(upper) = mount.upper_directory() else { return Self::of_source(&mount) };
        // In a container it may be a path of the machine's.
        let number = number_below(&upper).map_err(|_| without_device(&mount))?;
        if rustix::fs::major(number) != 0 {
            return Self::with_number(number);
        }
        Self::of_source(&mounts::mount_of(&upper).map_err(|failure| failure.to_string())?)
    }

    /// The device that is mounted.
    fn of_source(mount: &Mount) -> Result<Self, String> {
        let none = || without_device(mount);
        if !mount.source.is_absolute() {
            return Err(none());
        }
        let facts = std::fs::metadata(&mount.source).map_err(|_| none())?;
        if facts.st_mode() & libc::S_IFMT != libc::S_IFBLK {
            return Err(none());
        }
        Self::with_number(facts.st_rdev())
    }

    fn with_number(number: u64) -> Result<Self, String> {
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        Self::in_directory(Path::new(&format!("/sys/dev/block/{major}:{minor}")))
    }

    fn in_directory(link: &Path) -> Result<Self, String> {
        let directory =
            std::fs::canonicalize(link).map_err(|error| format!("{}: {error}", link.display()))?;
        let disk_directory = if directory.join("partition").exists() {
            directory.parent().unwrap_or(&directory).to_owned()
        } else {
            directory.clone()
        };
        Ok(Self { name: name_of(&directory)?, disk: name_of(&disk_directory)?, directory, disk_directory })
    }
}

/// Which mount a path is on.
type MountOf<'a> = dyn Fn(&Path) -> Result<Mount, Failure> + 'a;

fn number_below(path: &Path) -> Result<u64, String> {
    let facts = std::fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(facts.st_dev())
}

fn without_device(mount: &Mount) -> String {
    format!("{} is not on a block device of its own", mount.filesystem)
}

/// sysfs writes `!` for the `/` in names such as `cciss/c0d0`.
fn name_of(directory: &Path) -> Result<String, String> {
    let name = directory.file_name().ok_or_else(|| format!("{} has no name", directory.display()))?;
    Ok(name.to_string_lossy().replace('!', "/"))
}

/// Devices of the btrfs that has this one among its devices (`/sys/fs/btrfs/<uuid>/devices`); none if it is of none.
fn btrfs_devices(name: &str) -> Vec<String> {
    let names = |directory: PathBuf| -> Option<Vec<String>> {
        let entries = std::fs::read_dir(directory).ok()?;
        Some(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
    };
    let filesystems = std::fs::read_dir("/sys/fs/btrfs").into_iter().flatten();
    let mut devices = filesystems.filter_map(|entry| names(entry.ok()?.path().join("devices")));
    devices.find(|devices| devices.iter().any(|device| device == name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_without_a_block_device_says_so() {
        let device = BlockDevice::below(Path::new("/proc"));
        assert_eq!(device.reason(), Some("proc is not on a block device of its own"));
    }

    #[test]
    fn the_devices_name_is_one_of_diskstats() {
        let device = BlockDevice::below(Path::new(env!("CARGO_MANIFEST_DIR")));
        let Some(device) = device.value() else {
            skip::because(device.reason().unwrap_or_default());
            return;
        };
        let diskstats = std::fs::read_to_string("/proc/diskstats").expect("readable");
        assert!(diskstats.split_whitespace().any(|word| word == device.name), "{device:?}");
        assert!(device.disk_directory.join("queue").exists(), "{device:?}");
    }
}
