//! `/proc/diskstats` (kernel `Documentation/admin-guide/iostats.rst`). After major, minor and name: field 1 reads,
//! 3 sectors read, 5 writes, 7 sectors written, 9 in flight, 10 ms busy, 11 weighted ms, 12 discards (Linux 4.18),
//! 16 flushes and 17 ms flushing (Linux 5.5).

use super::text::CounterFile;
use crate::kernel::block_device::BlockDevice;
use model::mechanism::{DeviceCounters, Measured};
use procfs::DiskStat;

pub(super) const PATH: &str = "/proc/diskstats";
/// A sector of diskstats is 512 bytes, whatever the device's block is.
const SECTOR_BYTES: u64 = 512;

/// A device's counters at one instant.
#[derive(Clone, Debug)]
pub struct DeviceSnapshot {
    /// The line of the device or partition.
    device: DiskStat,
    /// The line of the whole disk: the kernel counts a partition's flushes there only.
    disk: DiskStat,
}

impl DeviceSnapshot {
    /// Reads the counters of a device.
    pub fn take(device: &BlockDevice) -> Measured<Self> {
        Self::of_device(device, &CounterFile::open(PATH))
    }

    /// The same from the file that has them.
    pub(super) fn of_device(device: &BlockDevice, diskstats: &CounterFile) -> Measured<Self> {
        let content = match diskstats.text() {
            Ok(content) => content,
            Err(failure) => return Measured::unsupported(failure.to_string()),
        };
        match (line_of(&content, &device.name), line_of(&content, &device.disk)) {
            (Some(device), Some(disk)) => Measured::Value(Self { device, disk }),
            (None, _) | (_, None) => Measured::unsupported(format!("{} has no line in {PATH}", device.name)),
        }
    }

    /// What the device did between this snapshot and a later one.
    pub fn delta(&self, later: &Self) -> DeviceCounters {
        let (before, after) = (&self.device, &later.device);
        let grown = |field: fn(&DiskStat) -> u64| field(after).wrapping_sub(field(before));
        DeviceCounters {
            reads: grown(|line| line.reads),
            read_bytes: grown(|line| line.sectors_read) * SECTOR_BYTES,
            writes: grown(|line| line.writes),
            written_bytes: grown(|line| line.sectors_written) * SECTOR_BYTES,
            discards: grown(|line| line.discards.unwrap_or(0)),
            flushes: flushes(&self.disk, &later.disk),
            busy_s: milliseconds_s(before.time_in_progress, after.time_in_progress),
            queue_s: milliseconds_s(before.weighted_time_in_progress, after.weighted_time_in_progress),
        }
    }

    /// Requests in flight on the whole disk.
    pub(crate) fn in_flight(&self) -> u64 {
        self.disk.in_progress
    }

    /// Requests that the whole disk has completed, of every kind.
    pub(crate) fn completed(&self) -> u64 {
        let disk = &self.disk;
        let optional = disk.discards.unwrap_or(0).wrapping_add(disk.flushes.unwrap_or(0));
        disk.reads.wrapping_add(disk.writes).wrapping_add(optional)
    }
}

fn flushes(before: &DiskStat, after: &DiskStat) -> Measured<u64> {
    match (before.flushes, after.flushes) {
        (Some(before), Some(after)) => Measured::Value(after.wrapping_sub(before)),
        (None, _) | (_, None) => {
            Measured::unsupported("this kernel does not count flushes (before Linux 5.5)")
        }
    }
}

/// The kernel prints times as unsigned 32-bit milliseconds, which wrap after 49 days.
fn milliseconds_s(before: u64, after: u64) -> f64 {
    f64::from((after as u32).wrapping_sub(before as u32)) / 1e3
}

fn line_of(content: &str, name: &str) -> Option<DiskStat> {
    let line = content.lines().find(|line| line.split_whitespace().nth(2) == Some(name))?;
    DiskStat::from_line(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
 259 0 nvme0n1 100 0 800 5 10 0 80 5 0 4294967290 1000 3 0 24 1 50 9
 259 1 nvme0n1p1 60 0 480 5 4 0 32 5 0 10 20 1 0 8 1 0 0";
    const AFTER: &str = "\
 259 0 nvme0n1 200 0 1600 5 90 0 720 5 2 494 3000 3 0 24 1 58 9
 259 1 nvme0n1p1 70 0 560 5 14 0 112 5 0 1010 2020 2 0 8 1 0 0";

    fn snapshot(content: &str, name: &str) -> DeviceSnapshot {
        let read = |name| line_of(content, name).expect("listed");
        DeviceSnapshot { device: read(name), disk: read("nvme0n1") }
    }

    #[test]
    fn a_partition_counts_itself_and_its_disks_flushes() {
        let counters = snapshot(BEFORE, "nvme0n1p1").delta(&snapshot(AFTER, "nvme0n1p1"));
        let expected = DeviceCounters {
            reads: 10,
            read_bytes: 80 * 512,
            writes: 10,
            written_bytes: 80 * 512,
            discards: 1,
            flushes: Measured::Value(8),
            busy_s: 1.0,
            queue_s: 2.0,
        };
        assert_eq!(counters, expected);
    }

    #[test]
    fn busy_time_wraps_at_32_bits_and_nothing_else_does() {
        let counters = snapshot(BEFORE, "nvme0n1").delta(&snapshot(AFTER, "nvme0n1"));
        assert!((counters.busy_s - 0.5).abs() < 1e-9, "{}", counters.busy_s);
        assert_eq!(counters.reads, 100);
    }

    #[test]
    fn a_kernel_that_counts_no_flushes_says_so() {
        let line = DiskStat::from_line("8 0 sda 1 2 3 4 5 6 7 8 9 10 11").expect("an old kernel's line");
        assert!(flushes(&line, &line).reason().is_some());
    }

    #[test]
    fn a_name_is_matched_whole() {
        assert!(line_of(BEFORE, "nvme0n").is_none());
        assert_eq!(line_of(BEFORE, "nvme0n1p1").expect("listed").reads, 60);
    }
}
