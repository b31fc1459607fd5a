//! What holds the files of a place: a device, memory, or something behind which no device can be seen; and whether it
//! keeps what was not flushed.

use serde::{Deserialize, Serialize};

/// What holds the files of a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Medium {
    /// A block device, as far as can be seen.
    Device,
    /// Memory: nothing there survives a power loss, and no figure is one of a device. Says what it is, a clause.
    Memory(String),
    /// A layer below hides its device, or is not a device of this machine.
    Unseen {
        veil: Veil,
        /// Which layer that is, a clause.
        what: String,
    },
}

/// What stands between the files and whatever device holds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Veil {
    /// Layers of other file systems (overlayfs), as containers have them.
    Layers,
    /// A network file system or device, or a file system of the hypervisor's host.
    Network,
    /// A program (FUSE, ublk).
    Program,
    /// A file system or volume of devices that the kernel does not list (ZFS).
    Pool,
    /// A path that leads nowhere in this mount namespace, or too many layers.
    Lost,
    /// An object store: there is no file system at all.
    ObjectStore,
}

/// Whether the layers below keep acknowledged writes in memory until a flush. The flag `queue/write_cache` alone shows
/// that there is such a cache, and never that there is none: root may write either word into it, and the kernel then
/// sends no flushes (`Documentation/ABI/stable/sysfs-block`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "why")]
pub enum WriteCache {
    /// None, and something besides the flag shows it. Says what, a clause.
    Absent(String),
    /// A layer has one, and the kernel sends it flushes. Says which, a clause.
    Volatile(String),
    /// Nothing but the flag says that there is none, or there is no flag. A clause.
    Unproven(String),
    /// A layer has one, and the kernel sends it no flush, because its flag says that there is none. A clause.
    Hidden(String),
}

/// What is below a place, down to its devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Below {
    /// What holds the files.
    pub medium: Medium,
    /// Whether it keeps what was not flushed.
    pub write_cache: WriteCache,
}

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

/// Block devices that are another machine's, a program's or a pool's, by the stem of their name.
const VEILED_DEVICES: &[(&str, Veil)] =
    &[("nbd", Veil::Network), ("rbd", Veil::Network), ("ublkb", Veil::Program), ("zd", Veil::Pool)];

impl Below {
    /// For two parts of one place, what is true of the worse one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let medium = self.medium.or_worse(other.medium);
        Self { medium, write_cache: self.write_cache.or_worse(other.write_cache) }
    }

    /// What a veil hides is unknown.
    pub fn unseen(veil: Veil, what: String) -> Self {
        let write_cache = WriteCache::Unproven(what.clone());
        Self { medium: Medium::Unseen { veil, what }, write_cache }
    }
}

impl Medium {
    /// Memory before what is unseen, and that before a device.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let rank = |medium: &Self| match medium {
            Self::Device => 0,
            Self::Unseen { .. } => 1,
            Self::Memory(_) => 2,
        };
        if rank(&other) > rank(&self) { other } else { self }
    }
}

impl WriteCache {
    #[must_use]
    fn or_worse(self, other: Self) -> Self {
        let rank = |cache: &Self| match cache {
            Self::Absent(_) => 0,
            Self::Volatile(_) => 1,
            Self::Unproven(_) => 2,
            Self::Hidden(_) => 3,
        };
        if rank(&other) > rank(&self) { other } else { self }
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
    if let Some(veil) = veil_of(filesystem) {
        return Medium::Unseen { veil, what: format!("{filesystem} is {}", veil.name()) };
    }
    let veiled = |name: &str| VEILED_DEVICES.iter().find(|(stem, _)| is_numbered(name, stem)).copied();
    match device.and_then(veiled) {
        Some((_, veil)) => {
            Medium::Unseen { veil, what: format!("{} is {}", device.unwrap_or_default(), veil.name()) }
        }
        None => Medium::Device,
    }
}

/// What a file system hides its device behind; `None` if it hides none.
fn veil_of(filesystem: &str) -> Option<Veil> {
    if NETWORK.contains(&filesystem) {
        return Some(Veil::Network);
    }
    match filesystem {
        "overlay" | "aufs" | "unionfs" => Some(Veil::Layers),
        "zfs" => Some(Veil::Pool),
        // A block device below a FUSE file system (fuseblk) is seen; what its program does of a sync is not.
        "fuse" | "fuseblk" => Some(Veil::Program),
        other => other.starts_with("fuse.").then_some(Veil::Program),
    }
}

/// Block devices whose driver keeps the blocks in memory, or nowhere. Whether a zram is one
/// of them depends on its backing device (`/sys/block/zramN/backing_dev`), which a name does not show.
fn device_in_memory(name: &str) -> Option<String> {
    if is_numbered(name, "ram") {
        return Some(format!("{name} is a RAM disk (brd)"));
    }
    is_numbered(name, "nullb").then(|| format!("{name} is null_blk, which keeps nothing on a device"))
}

/// `nbd0` and its partition `nbd0p1`, but not `nbd`.
pub(crate) fn is_numbered(name: &str, stem: &str) -> bool {
    let rest = name.strip_prefix(stem).and_then(|rest| rest.split('p').next());
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Veil {
    /// What cannot be known about what lies behind it: a clause.
    pub const fn unknown(self) -> &'static str {
        match self {
            Self::Layers => {
                "which of the layers' devices holds the files, what its counters say, and whether a sync flushed its \
                 cache"
            }
            Self::Network => {
                "whether the server put on a device what it acknowledged, what its device did, and what it has cached"
            }
            Self::Program => {
                "what the program that serves the files makes of a sync, what it caches, and which device it uses"
            }
            Self::Pool => {
                "which devices hold the files, what their counters say, and whether a sync flushed their caches"
            }
            Self::Lost => "what holds the files, whether it caches them, and whether a sync reached a device",
            Self::ObjectStore => "what the store has cached, and which devices it uses",
        }
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layers => "a file system of layers",
            Self::Network => "storage of another machine",
            Self::Program => "storage that a program serves",
            Self::Pool => "a pool of devices that the kernel does not list",
            Self::Lost => "a layer that cannot be followed",
            Self::ObjectStore => "an object store",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run on S3 printed the local disk with its write cache.
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
        for device in ["zram0", "vda1", "nvme0n1p2", "rampart0", "ram", "nbd"] {
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
            ("zfs", Veil::Pool),
        ] {
            let found = of_names(filesystem, None, None);
            assert!(
                matches!(found, Medium::Unseen { veil: seen, .. } if seen == veil),
                "{filesystem}: {found:?}"
            );
        }
        for device in ["nbd0", "rbd1", "ublkb0", "zd16"] {
            assert!(matches!(of_names("ext4", Some(device), None), Medium::Unseen { .. }), "{device}");
        }
        for filesystem in ["ext4", "xfs", "btrfs"] {
            assert_eq!(of_names(filesystem, None, None), Medium::Device, "{filesystem}");
        }
    }
}
