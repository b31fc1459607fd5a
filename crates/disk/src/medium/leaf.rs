//! Whether a device has a volatile write cache, by more than the flag of its queue.
//!
//! Root may write either word into `queue/write_cache`. What the driver learned from the device stands elsewhere:
//! SCSI's caching mode page and virtio's configuration in an attribute `cache_type`; and a device that takes forced
//! writes (FUA) has a cache that they bypass, since the kernel offers none for a device without one
//! (`blk_validate_limits`, Linux 6.11).

use super::system::System;
use model::medium::WriteCache;
use std::fs;

impl System {
    pub(super) fn write_cache(&self, disk: &str) -> WriteCache {
        let Some(flag) = self.attribute(disk, "queue/write_cache") else {
            return WriteCache::Unproven(format!("{disk} does not report its write cache"));
        };
        if flag == "write back" {
            return WriteCache::Volatile(format!("{disk} reports a volatile cache"));
        }
        if flag != "write through" {
            return WriteCache::Unproven(format!("queue/write_cache of {disk} has {flag:?}"));
        }
        let hidden = |why: &str| {
            WriteCache::Hidden(format!("{disk} {why}, and its queue/write_cache says that it needs no flush"))
        };
        let forces_writes = self.attribute(disk, "queue/fua").is_some_and(|fua| fua == "1");
        match self.cache_type(disk).as_deref() {
            Some(known) if known.starts_with("write back") => {
                hidden("has a volatile cache by its cache_type")
            }
            _ if forces_writes => hidden("forces writes past a cache (FUA)"),
            Some(known @ ("write through" | "none")) => {
                WriteCache::Absent(format!("{disk} has no volatile cache by its cache_type, {known}"))
            }
            // The driver offers forced writes if and only if the controller reports a cache (VWC).
            None if disk.starts_with("nvme") => WriteCache::Absent(format!(
                "{disk} offers no forced writes, so its controller reports no volatile cache"
            )),
            Some(_) | None => WriteCache::Unproven(format!(
                "queue/write_cache of {disk} reports no volatile cache, and nothing else shows that"
            )),
        }
    }

    /// What the driver read from the device.
    fn cache_type(&self, disk: &str) -> Option<String> {
        self.attribute(disk, "cache_type").or_else(|| {
            let mut units = fs::read_dir(self.directory(disk).join("device/scsi_disk")).ok()?;
            let unit = units.find_map(Result::ok)?;
            let text = fs::read_to_string(unit.path().join("cache_type")).ok()?;
            Some(text.trim().to_owned())
        })
    }
}
