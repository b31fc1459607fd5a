//! What machine a run was made on, and what its files were on.

use crate::mechanism::Measured;
use serde::{Deserialize, Serialize};

/// The machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Host name.
    pub name: String,
    /// Distribution, as it calls itself.
    pub distribution: String,
    /// Kernel release.
    pub kernel: String,
    /// Kernel command line.
    pub kernel_command_line: String,
    /// Processor model.
    pub processor: String,
    /// Logical CPUs online.
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
    /// What decides which pages memory has: transparent huge pages and those that are reserved, as `name=value`. Empty in
    /// older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_settings: Vec<String>,
    /// Whether the run was made as root.
    pub root: bool,
}

/// The file system and device below a trial's files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// File system type.
    pub filesystem: String,
    /// Mount options.
    pub mount_options: String,
    /// Why it is memory and not storage, if that is known, as a clause. Older records do not have it;
    /// [`Placement::medium`] knows most of them by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<String>,
    /// Block device name below `/sys/block` or a partition of it, such as `nvme0n1p2`.
    pub device: Measured<String>,
    /// Device model.
    pub model: Measured<String>,
    /// Firmware revision of the device; `None` in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<Measured<String>>,
    /// Size of the device, bytes.
    pub device_bytes: Measured<u64>,
    /// `write back` (volatile) or `write through`.
    pub write_cache: Measured<String>,
    /// Whether the device takes force-unit-access writes.
    pub fua: Measured<bool>,
    /// Active I/O scheduler.
    pub scheduler: Measured<String>,
    /// Whether it is a spinning disk.
    pub rotational: Measured<bool>,
    /// Alignment of offsets and lengths that `O_DIRECT` needs, bytes (statx `STATX_DIOALIGN`).
    pub direct_offset_alignment_bytes: Measured<u64>,
    /// Alignment of memory that `O_DIRECT` needs, bytes.
    pub direct_memory_alignment_bytes: Measured<u64>,
    /// Settings and limits of the device's queue (`/sys/block/*/queue`), as `name=value`: readahead, the most and the largest
    /// segments of a request, its largest size, merging, writeback throttling. Empty in older records and without a device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue_settings: Vec<String>,
}
