//! What machine a run was made on, and what its files were on.

pub use crate::io_cap::LimitOf;

use crate::mechanism::Measured;
use crate::medium::{Below, Medium, Veil, WriteCache, is_numbered, of_names};
use crate::units::format_bytes_approximate;
use serde::{Deserialize, Serialize};

/// The machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    pub name: String,
    /// Distribution, as it calls itself.
    pub distribution: String,
    pub kernel: String,
    pub kernel_command_line: String,
    pub processor: String,
    pub cpus: usize,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Hypervisor or container, or `none`.
    pub virtualisation: String,
    /// Frequency governor of CPU 0.
    pub governor: Measured<String>,
    /// The kernel's clock source.
    pub clock_source: String,
    /// `vm.dirty_*` settings, as `name=value`.
    pub dirty_settings: Vec<String>,
    /// What decides which pages memory has: transparent huge pages and those that are reserved, as `name=value`. Empty
    /// in older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_settings: Vec<String>,
    /// Whether the run was made as root.
    pub root: bool,
    /// Databases that were found, the most certain first; `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub databases: Option<Vec<FoundDatabase>>,
}

/// A database that was found on the machine before the first trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundDatabase {
    /// Its name on the command line.
    pub database: String,
    /// The most certain of what was found.
    pub trace: Trace,
}

/// By what a database was found, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trace {
    /// A process of its server.
    Process,
    /// A socket of its server.
    Socket,
    /// A directory where its server usually keeps its data.
    DataDirectory,
}

/// The file system and device below a trial's files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    pub filesystem: String,
    pub mount_options: String,
    /// Why it is memory and not storage, a clause: in older records, which do not have what is below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<String>,
    /// What is below, down to the devices. Older records do not have it; [`Placement::medium`] then knows most of it by
    /// name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Below>,
    /// Block device name below `/sys/block` or a partition of it, such as `nvme0n1p2`.
    pub device: Measured<String>,
    pub model: Measured<String>,
    /// Firmware revision of the device; `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<Measured<String>>,
    /// Size of the device, bytes.
    pub device_bytes: Measured<u64>,
    /// `queue/write_cache` of the device: `write back` (volatile) or `write through`. It is a flag that root may set,
    /// and no evidence: see [`Placement::volatile_cache`].
    pub write_cache: Measured<String>,
    /// Whether the device takes force-unit-access writes.
    pub fua: Measured<bool>,
    pub scheduler: Measured<String>,
    /// Whether it is a spinning disk.
    pub rotational: Measured<bool>,
    /// Alignment of offsets and lengths that `O_DIRECT` needs, bytes (statx `STATX_DIOALIGN`).
    pub direct_offset_alignment_bytes: Measured<u64>,
    /// Alignment of memory that `O_DIRECT` needs, bytes.
    pub direct_memory_alignment_bytes: Measured<u64>,
    /// The lowest limits that control groups at and above the worker set for the whole device. `None` if that is
    /// unknown: in older records, without a device, if the groups cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_limits: Option<Vec<IoLimit>>,
    /// Settings and limits of the device's queue (`/sys/block/*/queue`), as `name=value`: readahead, the most and the
    /// largest segments of a request, its largest size, merging, writeback throttling. Empty in older records and
    /// without a device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue_settings: Vec<String>,
}

impl Placement {
    /// One setting of the device's queue; `None` if it was not recorded.
    pub fn queue_setting(&self, name: &str) -> Option<&str> {
        let mut settings = self.queue_settings.iter().filter_map(|line| line.split_once('='));
        settings.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The placement of data in an object store: nothing is known below it, and the local disk has no part in it.
    pub fn in_object_store() -> Self {
        const WHY: &str = "the data lies in an object store";
        let (text, yes, bytes) =
            (|| Measured::unsupported(WHY), || Measured::unsupported(WHY), || Measured::unsupported(WHY));
        Self {
            filesystem: "object store".to_owned(),
            mount_options: String::new(),
            in_memory: None,
            below: Some(Below::unseen(Veil::ObjectStore, WHY.to_owned())),
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
            io_limits: None,
        }
    }

    /// What holds the files, as far as it is recorded: by the worker that looked, or by the names of file system and
    /// device.
    pub fn medium(&self) -> Medium {
        match (&self.below, &self.in_memory) {
            (Some(below), _) => below.medium.clone(),
            (None, Some(what)) => Medium::Memory(what.clone()),
            (None, None) => {
                let device = self.device.value().map(String::as_str);
                of_names(&self.filesystem, device, self.model.value().map(String::as_str))
            }
        }
    }

    /// Whether acknowledged writes need a flush. A record without the worker's look at the layers has the flag alone.
    pub fn volatile_cache(&self) -> WriteCache {
        if let Some(below) = &self.below {
            return below.write_cache.clone();
        }
        let is_loop = self.device.value().is_some_and(|name| is_numbered(name, "loop"));
        match (self.write_cache.value().map(String::as_str), self.fua.value()) {
            (Some("write back"), _) => WriteCache::Volatile("the device reports a volatile cache".to_owned()),
            (Some("write through"), _) if is_loop => WriteCache::Hidden(
                "queue/write_cache of a loop device says that it needs no flush".to_owned(),
            ),
            (Some("write through"), _) => WriteCache::Unproven(
                "queue/write_cache reports no volatile cache, and nothing else shows that".to_owned(),
            ),
            (Some(other), _) => WriteCache::Unproven(format!("queue/write_cache has {other:?}")),
            (None, _) => WriteCache::Unproven("the device does not report its write cache".to_owned()),
        }
    }
}

/// A limit of a control group on a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IoLimit {
    pub of: LimitOf,
    /// How much of it a second.
    pub per_s: u64,
    pub group: String,
}

impl IoLimit {
    /// `At most 10 MiB written a second, by control group /sys/fs/cgroup/x`.
    pub fn words(&self) -> String {
        let bytes = || format_bytes_approximate(self.per_s as f64);
        let what = match self.of {
            LimitOf::BytesRead => format!("{} read", bytes()),
            LimitOf::BytesWritten => format!("{} written", bytes()),
            LimitOf::Reads => format!("{} reads", self.per_s),
            LimitOf::Writes => format!("{} writes", self.per_s),
        };
        format!("At most {what} a second, by control group {}", self.group)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn an_object_store_has_no_device() {
        let placement = Placement::in_object_store();
        assert_eq!(
            placement.medium(),
            Medium::Unseen { veil: Veil::ObjectStore, what: "the data lies in an object store".to_owned() }
        );
        assert_eq!((placement.device.value(), placement.write_cache.value()), (None, None));
        let record = serde_json::to_string(&placement).unwrap();
        assert_eq!(serde_json::from_str::<Placement>(&record).unwrap().medium(), placement.medium());
    }
}
