//! What is below a directory, looked for down to the devices, as far as `/sys` and the mounts show: a loop device is
//! what holds its file, a mapped device what its parts are, an overlay what its upper layer is. A layer that cannot be
//! followed makes the whole place unseen: it is not taken for a device.

mod leaf;
mod system;
#[cfg(test)]
mod tests;

use model::medium::{Below, Medium, Veil, WriteCache, of_names};
use std::path::{Path, PathBuf};
use system::System;

/// Loops over loops over layers end here.
const DEPTH_MAX: usize = 8;

/// What is below a path: what holds its files, and whether that forgets what was not flushed.
pub fn below(path: &Path) -> Below {
    System::running().below(path, DEPTH_MAX)
}

/// Why what is below a path is memory: a clause; `None` if it is not, or if that is unknown.
pub fn memory_below(path: &Path) -> Option<String> {
    match below(path).medium {
        Medium::Memory(what) => Some(what),
        Medium::Device | Medium::Unseen { .. } => None,
    }
}

impl System {
    fn below(&self, path: &Path, depth: usize) -> Below {
        let lost = |why: &str| Below::unseen(Veil::Lost, format!("{} {why}", path.display()));
        let Some(depth) = depth.checked_sub(1) else { return lost("is below too many layers") };
        let Some(mount) = (self.mount_of)(path) else { return lost("is on no mount of this namespace") };
        match of_names(&mount.filesystem, None, None) {
            Medium::Memory(what) => return memory(what),
            // Its counters are of no device, but memory below shows through.
            Medium::Unseen { veil, what } => {
                let upper = upper_layer(&mount.options).map(|upper| self.below(&upper, depth));
                let upper = upper.filter(|upper| matches!(upper.medium, Medium::Memory(_)));
                return upper.unwrap_or_else(|| Below::unseen(veil, what));
            }
            Medium::Device => {}
        }
        let parts = (self.disks_of)(path, &mount).into_iter().map(|disk| self.of_disk(&disk, depth));
        parts.reduce(Below::and).unwrap_or_else(|| {
            Below::unseen(Veil::Pool, format!("{} is on no block device that is listed", mount.filesystem))
        })
    }

    /// For a whole disk, by its name below `/sys/block`.
    fn of_disk(&self, disk: &str, depth: usize) -> Below {
        let lost = |why: &str| Below::unseen(Veil::Lost, format!("{disk} {why}"));
        let Some(depth) = depth.checked_sub(1) else { return lost("is below too many layers") };
        match of_names("", Some(disk), self.attribute(disk, "device/model").as_deref()) {
            Medium::Memory(what) => return memory(what),
            Medium::Unseen { veil, what } => return Below::unseen(veil, what),
            Medium::Device => {}
        }
        if disk.starts_with("zram") {
            return self.of_zram(disk);
        }
        if disk.starts_with("loop") {
            return self.of_loop(disk, depth);
        }
        let parts: Vec<String> = self.parts_of(disk);
        let of_part = |part: &String| through(disk, part, self.of_disk(&self.whole(part), depth));
        match parts.iter().map(of_part).reduce(Below::and) {
            Some(found) => self.stacked(disk, found),
            // A mapped device without parts leads to none.
            None if disk.starts_with("dm-") || disk.starts_with("md") => lost("has no parts that are listed"),
            None => Below { medium: Medium::Device, write_cache: self.write_cache(disk) },
        }
    }

    /// Without a backing device, or in a kernel that has none, every block is in memory. A backing device gets the
    /// pages that somebody writes back (`Documentation/admin-guide/blockdev/zram.rst`), and no flush.
    fn of_zram(&self, disk: &str) -> Below {
        if self.attribute(disk, "backing_dev").is_none_or(|device| device == "none") {
            return memory(format!("{disk} is a zram without a backing device: a compressed disk in memory"));
        }
        let why = format!("{disk} is a zram, which keeps blocks in memory until they are written back");
        Below { medium: Medium::Device, write_cache: WriteCache::Hidden(why) }
    }

    /// A loop device keeps what it is given in the page cache of its file until a flush, whatever its own flag says.
    fn of_loop(&self, disk: &str, depth: usize) -> Below {
        let Some(image) = self.attribute(disk, "loop/backing_file").map(PathBuf::from) else {
            return Below::unseen(Veil::Lost, format!("{disk} does not name its file"));
        };
        let own = format!("{disk} is a loop device, whose file's page cache holds what was not flushed");
        let own = match self.attribute(disk, "queue/write_cache").as_deref() {
            Some("write back") => WriteCache::Volatile(own),
            _ => WriteCache::Hidden(format!("{own}, and its queue/write_cache says that it needs no flush")),
        };
        let file = format!("{disk} is a loop device whose file {}", image.display());
        let Below { medium, write_cache } = self.below(&image, depth);
        let medium = match medium {
            Medium::Memory(what) => Medium::Memory(format!("{file} is in memory: {what}")),
            Medium::Unseen { veil, what } => {
                Medium::Unseen { veil, what: format!("{file} is on a layer that hides its device: {what}") }
            }
            Medium::Device => Medium::Device,
        };
        Below { medium, write_cache }.and(Below { medium: Medium::Device, write_cache: own })
    }

    /// A mapped device or an array passes flushes on, unless its own flag says that it needs none.
    fn stacked(&self, disk: &str, found: Below) -> Below {
        let has_flag = self.attribute(disk, "queue/write_cache").is_some_and(|flag| flag == "write through");
        match found.write_cache {
            WriteCache::Volatile(what) if has_flag => {
                let why = format!("{what}, and queue/write_cache of {disk} says that it needs no flush");
                Below { write_cache: WriteCache::Hidden(why), ..found }
            }
            write_cache => Below { write_cache, ..found },
        }
    }
}

fn memory(what: String) -> Below {
    Below { write_cache: WriteCache::Hidden(what.clone()), medium: Medium::Memory(what) }
}

/// The same, with the name of what it is a part of.
fn through(disk: &str, part: &str, mut found: Below) -> Below {
    match &mut found.medium {
        Medium::Memory(what) | Medium::Unseen { what, .. } => {
            *what = format!("{disk} is made of {part}: {what}");
        }
        Medium::Device => {}
    }
    found
}

/// Where an overlay's new files go. In a container the path is another namespace's, and may lead nowhere.
fn upper_layer(options: &str) -> Option<PathBuf> {
    let upper = options.split(',').find_map(|option| option.strip_prefix("upperdir="))?;
    Some(PathBuf::from(upper))
}
