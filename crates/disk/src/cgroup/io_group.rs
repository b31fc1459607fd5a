//! Syncline's own control group that limits the I/O on one device: `blkio.throttle.*_device` of cgroup v1 or `io.max`
//! of cgroup v2.

use super::CapError;
use super::group::{Group, write};
use super::hierarchy::{self, Version};
use super::io_limits::{FILES, KEYS, io_limits};
use crate::failure::Failure;
use crate::kernel::block_device::BlockDevice;
use model::IoCap;
use model::mechanism::Measured;
use std::path::Path;

/// A group with limits on what its processes read and write on a device, held as long as this value lives; removed when
/// it is dropped. A buffered write that no process of the group syncs is not charged to it
/// ([`model::Description::cap_reach`]).
#[derive(Debug)]
pub struct IoGroup(Group);

impl IoGroup {
    /// Makes the group `syncline-<id>` with limits on the device below `directory`. `id` is that of the work directory,
    /// and a number where a run needs several.
    ///
    /// # Errors
    /// [`CapError::IoUnavailable`] with the reason.
    pub fn create(id: &str, directory: &Path, cap: &IoCap) -> Result<Self, CapError> {
        let device = match BlockDevice::below(directory) {
            Measured::Value(device) => device,
            Measured::Unsupported { unsupported } => {
                return Err(CapError::IoUnavailable { why: unsupported });
            }
        };
        let path = device.disk_directory.join("dev");
        let number = std::fs::read_to_string(&path).map_err(Failure::on("read", &path))?;
        let mut why = "no cgroup hierarchy with blkio or io is mounted".to_owned();
        for parent in hierarchy::parents_of("blkio")? {
            // In v1 a group's own limits are the only ones that hold for it: those above would be escaped.
            if parent.version == Version::V1
                && let Some(limit) = io_limits(&device).unwrap_or_default().first()
            {
                why = format!("{}: this process is limited already", limit.words());
                continue;
            }
            let limit = |group: &Path, version| limit(group, version, number.trim(), cap);
            match Group::create_in(&parent, "io", id, limit) {
                Ok(group) => return Ok(Self(group)),
                Err(failure) => why = failure.to_string(),
            }
        }
        Err(CapError::IoUnavailable { why })
    }

    /// The group's directory: what a worker is given to [`super::enter`].
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Whether it can be a memory group too: in v2 a process is in one group, in v1 in one of each controller.
    pub fn excludes_memory_group(&self) -> bool {
        self.0.version() == Version::V2
    }

    /// Removes the group. Its processes must have ended; waits half a second for them to be gone.
    pub fn remove(mut self) -> Result<(), CapError> {
        Ok(self.0.remove_now()?)
    }
}

/// Writes the limits on the device with this number, `253:0`.
fn limit(group: &Path, version: Version, number: &str, cap: &IoCap) -> Result<(), Failure> {
    match version {
        Version::V1 => cap.limits().try_for_each(|(of, per_s)| {
            let file = FILES.iter().find(|(_, limited)| *limited == of).map_or("", |(file, _)| *file);
            write(&group.join(file), &format!("{number} {per_s}"))
        }),
        Version::V2 => {
            let key = |of| KEYS.iter().find(|(_, limited)| *limited == of).map_or("", |(key, _)| *key);
            let pairs = cap.limits().map(|(of, per_s)| format!(" {}={per_s}", key(of)));
            write(&group.join("io.max"), &format!("{number}{}", pairs.collect::<String>()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn each_version_gets_its_own_words() {
        let group = tempfile::tempdir().unwrap();
        let cap = IoCap::parse("riops=100 wbps=1MiB").unwrap();
        for (file, _) in FILES {
            fs::write(group.path().join(file), "").unwrap();
        }
        fs::write(group.path().join("io.max"), "").unwrap();
        let read = |name: &str| fs::read_to_string(group.path().join(name)).unwrap();
        limit(group.path(), Version::V1, "254:0", &cap).unwrap();
        assert_eq!(read("blkio.throttle.read_iops_device"), "254:0 100");
        assert_eq!(read("blkio.throttle.write_bps_device"), "254:0 1048576");
        assert_eq!(read("blkio.throttle.write_iops_device"), "");
        limit(group.path(), Version::V2, "254:0", &cap).unwrap();
        assert_eq!(read("io.max"), "254:0 wbps=1048576 riops=100");
    }
}
