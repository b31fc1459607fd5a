//! What holds the files of a place: a device, memory, or something behind which no device can be seen.

use crate::host::Placement;
use crate::mechanism::Measured;

/// What holds the files of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A block device, as far as can be seen.
    Device,
    /// Memory: nothing there survives a power loss, and no figure is one of a device. Says what it is, a clause.
    Memory(String),
    /// A file system behind which no device can be seen.
    Unseen(Veil),
}

/// What stands between the files and whatever device holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Veil {
    /// Layers of other file systems (overlayfs), as containers have them.
    Layers,
    /// A network file system, or one of the hypervisor's host.
    Network,
    /// A program (FUSE).
    Program,
    /// An object store: there is no file system at all.
    ObjectStore,
}

/// What the placement of data in an object store has for a file system.
const OBJECT_STORE: &str = "object store";

/// File systems in memory (`include/uapi/linux/magic.h` has their numbers).
const IN_MEMORY: &[&str] = &["tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs"];
/// Whose device is another machine's.
const NETWORK: &[&str] = &[
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "ceph",
    "9p",
    "virtiofs",
    "afs",
    "lustre",
    "beegfs",
    "gpfs",
    "orangefs",
    "coda",
    "fuse.glusterfs",
    "fuse.sshfs",
    "fuse.s3fs",
    "fuse.ceph",
    "fuse.juicefs",
];

impl Placement {
    /// The placement of data in an object store: nothing is known below it, and the local disk has no part in it.
    pub fn in_object_store() -> Self {
        const WHY: &str = "the data lies in an object store";
        let (text, yes, bytes) =
            (|| Measured::unsupported(WHY), || Measured::unsupported(WHY), || Measured::unsupported(WHY));
        Self {
            filesystem: OBJECT_STORE.to_owned(),
            mount_options: String::new(),
            in_memory: None,
            device: text(),
            model: text(),
            firmware: None,
            device_bytes: bytes(),
            write_cache: text(),
            fua: yes(),
            scheduler: text(),
            rotational: yes(),
            direct_offset_alignment_bytes: bytes(),
            direct_memory_alignment_bytes: bytes(),
            queue_settings: Vec::new(),
        }
    }

    /// What holds the files, as far as it is recorded: by the worker that looked, or by the names of file system and device.
    pub fn medium(&self) -> Medium {
        if let Some(what) = &self.in_memory {
            return Medium::Memory(what.clone());
        }
        let device = self.device.value().map(String::as_str);
        of_names(&self.filesystem, device, self.model.value().map(String::as_str))
    }
}

/// What the names of a file system, its device and the device's model show.
pub fn of_names(filesystem: &str, device: Option<&str>, model: Option<&str>) -> Medium {
    if IN_MEMORY.contains(&filesystem) {
        return Medium::Memory(format!("{filesystem} is a file system in memory"));
    }
    if let Some(what) = device.and_then(device_in_memory) {
        return Medium::Memory(what);
    }
    if model.is_some_and(|model| model.trim() == "scsi_debug") {
        return Medium::Memory("scsi_debug is a disk in memory".to_owned());
    }
    if NETWORK.contains(&filesystem) {
        return Medium::Unseen(Veil::Network);
    }
    match filesystem {
        "overlay" | "aufs" | "unionfs" => Medium::Unseen(Veil::Layers),
        OBJECT_STORE => Medium::Unseen(Veil::ObjectStore),
        // A block device below a FUSE file system (fuseblk) is seen; what its program does of a sync is not.
        "fuse" | "fuseblk" => Medium::Unseen(Veil::Program),
        other if other.starts_with("fuse.") => Medium::Unseen(Veil::Program),
        _ => Medium::Device,
    }
}

/// Block devices whose driver keeps the blocks in memory, or nowhere. Whether a zram is one
/// of them depends on its backing device (`/sys/block/zramN/backing_dev`), which a name does not show.
fn device_in_memory(name: &str) -> Option<String> {
    let numbered = |stem: &str| {
        let rest = name.strip_prefix(stem)?.split('p').next()?;
        (!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())).then_some(())
    };
    if numbered("ram").is_some() {
        return Some(format!("{name} is a RAM disk (brd)"));
    }
    numbered("nullb").map(|()| format!("{name} is null_blk, which keeps nothing on a device"))
}

impl Veil {
    /// What cannot be known about what lies behind it: a clause.
    pub const fn unknown(self) -> &'static str {
        match self {
            Self::Layers => {
                "which of the layers' devices holds the files, what its counters say, and whether a sync flushed its cache"
            }
            Self::Network => {
                "whether the server put on a device what it acknowledged, what its device did, and what it has cached"
            }
            Self::Program => {
                "what the program that serves the files makes of a sync, what it caches, and which device it uses"
            }
            Self::ObjectStore => "what the store has cached, and which devices it uses",
        }
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layers => "a file system of layers",
            Self::Network => "a network file system",
            Self::Program => "a file system that a program serves (FUSE)",
            Self::ObjectStore => "an object store",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run on S3 printed the local disk with its write cache.
    #[test]
    fn an_object_store_has_no_device() {
        let placement = Placement::in_object_store();
        assert_eq!(placement.medium(), Medium::Unseen(Veil::ObjectStore));
        assert_eq!((placement.device.value(), placement.write_cache.value()), (None, None));
        let record = serde_json::to_string(&placement).unwrap();
        assert_eq!(serde_json::from_str::<Placement>(&record).unwrap().medium(), placement.medium());
    }

    #[test]
    fn memory_is_recognised_by_name() {
        let is_memory = |filesystem, device| matches!(of_names(filesystem, device, None), Medium::Memory(_));
        for filesystem in ["tmpfs", "ramfs"] {
            assert!(is_memory(filesystem, None), "{filesystem}");
        }
        for device in ["ram0", "ram15", "nullb0", "nullb0p1"] {
            assert!(is_memory("ext4", Some(device)), "{device}");
        }
        // A zram may have a backing device, and others only begin alike.
        for device in ["zram0", "vda1", "nvme0n1p2", "rampart0", "ram"] {
            assert_eq!(of_names("ext4", Some(device), None), Medium::Device, "{device}");
        }
        assert!(matches!(of_names("ext4", Some("sdb"), Some("scsi_debug      ")), Medium::Memory(_)));
    }

    #[test]
    fn what_hides_its_device_is_no_device() {
        for (filesystem, veil) in [
            ("overlay", Veil::Layers),
            ("nfs4", Veil::Network),
            ("9p", Veil::Network),
            ("virtiofs", Veil::Network),
            ("fuse.sshfs", Veil::Network),
            ("fuse.ntfs-3g", Veil::Program),
            ("fuse", Veil::Program),
        ] {
            assert_eq!(of_names(filesystem, None, None), Medium::Unseen(veil), "{filesystem}");
        }
        for filesystem in ["ext4", "xfs", "btrfs", "zfs"] {
            assert_eq!(of_names(filesystem, None, None), Medium::Device, "{filesystem}");
        }
    }
}
