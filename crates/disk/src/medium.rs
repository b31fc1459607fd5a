//! Whether what is below a directory is memory, looked for as far down as `/sys` and the mounts show: a loop device is what
//! holds its file, a mapped device what its parts are, an overlay what its upper layer is.

use crate::kernel::block_device::BlockDevice;
use crate::kernel::loop_mount::backing_file;
use crate::kernel::mounts;
use model::medium::{Medium, of_names};
use std::fs;
use std::path::{Path, PathBuf};

/// Loops over loops over layers end here.
const DEPTH_MAX: usize = 8;

/// Why what is below a path is memory: a clause; `None` if it is not, or if that is unknown.
pub fn memory_below(path: &Path) -> Option<String> {
    below(path, DEPTH_MAX)
}

fn below(path: &Path, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let mount = mounts::mount_of(path).ok()?;
    let device = BlockDevice::below(path);
    let device = device.value();
    if let Medium::Memory(what) = of_names(&mount.filesystem, None, None) {
        return Some(what);
    }
    match device {
        Some(device) => of_disk(&device.disk, depth),
        None => upper_layer(&mount.options).and_then(|upper| below(&upper, depth)),
    }
}

/// For a whole disk, by its name below `/sys/block`.
fn of_disk(disk: &str, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let directory = Path::new("/sys/block").join(disk.replace('/', "!"));
    let read = |name: &str| fs::read_to_string(directory.join(name)).ok().map(|text| text.trim().to_owned());
    if let Medium::Memory(what) = of_names("", Some(disk), read("device/model").as_deref()) {
        return Some(what);
    }
    // Without a backing device, or in a kernel that knows none, every block is in memory.
    if disk.starts_with("zram") && read("backing_dev").is_none_or(|device| device == "none") {
        return Some(format!("{disk} is a zram without a backing device: a compressed disk in memory"));
    }
    if let Some(image) = backing_file(disk) {
        let what = below(&image, depth)?;
        return Some(format!("{disk} is a loop device whose file {} is in memory: {what}", image.display()));
    }
    let parts = fs::read_dir(directory.join("slaves")).ok()?;
    let mut names = parts.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.find_map(|part| {
        let what = of_disk(&whole(&part), depth)?;
        Some(format!("{disk} is made of {part}: {what}"))
    })
}

/// The disk that a partition is of: its directory is inside the disk's.
fn whole(name: &str) -> String {
    let found = fs::canonicalize(Path::new("/sys/class/block").join(name)).ok();
    let parent = found.filter(|directory| directory.join("partition").exists());
    let parent = parent.and_then(|directory| Some(directory.parent()?.file_name()?.to_str()?.to_owned()));
    parent.unwrap_or_else(|| name.to_owned())
}

/// Where an overlay's new files go. In a container the path is another namespace's, and may lead nowhere.
fn upper_layer(options: &str) -> Option<PathBuf> {
    let upper = options.split(',').find_map(|option| option.strip_prefix("upperdir="))?;
    Some(PathBuf::from(upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_memory_and_this_disk_is_not() {
        let is_tmpfs = mounts::mount_of(Path::new("/dev/shm")).is_ok_and(|mount| mount.filesystem == "tmpfs");
        if is_tmpfs {
            assert_eq!(
                memory_below(Path::new("/dev/shm")).as_deref(),
                Some("tmpfs is a file system in memory")
            );
        } else {
            println!("skipped: /dev/shm is not a tmpfs here");
        }
        assert_eq!(upper_layer("rw,lowerdir=/a,upperdir=/b/c,workdir=/d"), Some(PathBuf::from("/b/c")));
        assert_eq!(upper_layer("rw,relatime"), None);
    }
}
