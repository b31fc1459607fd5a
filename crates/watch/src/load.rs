//! How busy the disk is, from the kernel's counters.

use crate::state::SkipReason;
use disk::counters::diskstats::DeviceSnapshot;
use disk::kernel::block_device::BlockDevice;
use model::mechanism::{DeviceCounters, Measured};
use std::path::Path;
use std::time::{Duration, Instant};

/// The whole disk below a directory: a partition shares it with others.
pub fn whole_disk(directory: &Path) -> Measured<BlockDevice> {
    BlockDevice::below(directory).map(|device| BlockDevice {
        name: device.disk.clone(),
        disk: device.disk.clone(),
        directory: device.disk_directory.clone(),
        disk_directory: device.disk_directory.clone(),
    })
}

/// The counters of a disk at an instant.
#[derive(Debug)]
pub struct Look {
    counters: Measured<DeviceSnapshot>,
    at: Instant,
}

impl Look {
    pub fn take(disk: &Measured<BlockDevice>) -> Self {
        let counters = disk.and_then(DeviceSnapshot::take);
        Self { counters, at: Instant::now() }
    }

    /// The share of the time until a later look in which the disk had requests.
    pub fn busy_share_until(&self, later: &Self) -> Measured<f64> {
        let time = later.at.duration_since(self.at);
        self.counters.zip(&later.counters, |before, after| busy_share(&before.delta(after), time))
    }
}

/// Field 10 of the kernel's `Documentation/admin-guide/iostats.rst` over the time; the kernel counts in ticks, so it
/// may count a little more than there was.
fn busy_share(counters: &DeviceCounters, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { (counters.busy_s / time.as_secs_f64()).min(1.0) }
}

/// Why a disk is not probed, if it is not: it is busier than the limit, or nobody knows whether it is.
pub fn too_busy(busy_share: &Measured<f64>, limit_share: f64) -> Option<SkipReason> {
    match busy_share {
        Measured::Value(busy_share) if *busy_share <= limit_share => None,
        Measured::Value(busy_share) => Some(SkipReason::Busy { busy_share: *busy_share, limit_share }),
        Measured::Unsupported { unsupported } => Some(SkipReason::LoadUnknown { why: unsupported.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_probed_at_its_limit_and_not_above_and_not_if_nobody_knows() {
        assert_eq!(too_busy(&Measured::Value(0.2), 0.2), None);
        assert_eq!(
            too_busy(&Measured::Value(0.21), 0.2),
            Some(SkipReason::Busy { busy_share: 0.21, limit_share: 0.2 })
        );
        let unknown = too_busy(&Measured::unsupported("no line"), 1.0);
        assert!(matches!(unknown, Some(SkipReason::LoadUnknown { .. })));
    }

    #[test]
    fn the_share_is_of_the_time_and_never_above_one() {
        let counters = |busy_s| DeviceCounters {
            reads: 0,
            read_bytes: 0,
            writes: 0,
            written_bytes: 0,
            discards: 0,
            flushes: Measured::Value(0),
            busy_s,
            queue_s: 0.0,
        };
        let of = |busy_s, time_s| busy_share(&counters(busy_s), Duration::from_secs(time_s));
        assert!((of(1.0, 4) - 0.25).abs() < 1e-9);
        assert!((of(4.1, 4) - 1.0).abs() < 1e-9);
        assert!(of(1.0, 0).abs() < 1e-9);
    }
}
