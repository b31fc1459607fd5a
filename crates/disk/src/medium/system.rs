//! Where the layers are looked for: the running kernel, or a made-up one in tests.

use crate::kernel::block_device::BlockDevice;
use crate::kernel::mounts::{Mount, mount_of};
use std::fs;
use std::path::{Path, PathBuf};

type MountOf = dyn Fn(&Path) -> Option<Mount>;
type DisksOf = dyn Fn(&Path, &Mount) -> Vec<String>;

/// `/sys` and the mounts.
pub(super) struct System {
    /// `/sys`.
    pub(super) root: PathBuf,
    /// The mount that a path is on.
    pub(super) mount_of: Box<MountOf>,
    /// Names below `/sys/block` of the whole disks below a path on a mount.
    pub(super) disks_of: Box<DisksOf>,
}

impl System {
    pub(super) fn running() -> Self {
        Self {
            root: PathBuf::from("/sys"),
            mount_of: Box::new(|path| mount_of(path).ok()),
            disks_of: Box::new(|path, _| {
                BlockDevice::all_below(path).into_iter().map(|device| device.disk).collect()
            }),
        }
    }

    /// An attribute of a whole disk, trimmed.
    pub(super) fn attribute(&self, disk: &str, name: &str) -> Option<String> {
        fs::read_to_string(self.directory(disk).join(name)).ok().map(|text| text.trim().to_owned())
    }

    /// The devices that a mapped device, an array or a cache is made of.
    pub(super) fn parts_of(&self, disk: &str) -> Vec<String> {
        let parts = fs::read_dir(self.directory(disk).join("slaves")).into_iter().flatten();
        let mut names: Vec<String> =
            parts.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The disk that a partition is of: its directory is inside the disk's.
    pub(super) fn whole(&self, name: &str) -> String {
        let found = fs::canonicalize(self.root.join("class/block").join(name)).ok();
        let parent = found.filter(|directory| directory.join("partition").exists());
        let parent = parent.and_then(|directory| Some(directory.parent()?.file_name()?.to_str()?.to_owned()));
        parent.unwrap_or_else(|| name.to_owned())
    }

    /// sysfs writes `!` for the `/` in names such as `cciss/c0d0`.
    pub(super) fn directory(&self, disk: &str) -> PathBuf {
        self.root.join("block").join(disk.replace('/', "!"))
    }
}
