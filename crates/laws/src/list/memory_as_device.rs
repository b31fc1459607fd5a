//! Figures that are given as a device's and are faster than any: page 002 takes 1.2 µs for 8 KiB, a copy from the
//! page cache, for what its SSD does.

use crate::claim::{Claim, time};
use crate::law::{Law, Looks, Reads};
use crate::reading::MEASURED;
use crate::status::Status;

/// No device answers earlier, ns: a trip over PCIe and an interrupt or a poll. The fastest (Optane) needs about 5
/// µs for 4 KiB, and even `null_blk` more than two microseconds through `io_uring` or `pread`.
pub(super) const DEVICE_MIN_NS: f64 = 2000.0;

pub const LAW: Law = Law {
    name: "memory-as-device",
    looks: Looks::AtFigures,
    needs: "said_of, latency_mean_us",
    held: "Latencies attributed to a device are long enough for one in {}.",
    broken: "Latencies of memory are attributed to a device in {}.",
    advice: "Read them as what a copy in memory costs; to learn what the device costs, read and write past \
        the page cache or count the device's own operations.",
    lacking: "No {} attributes its figures to a device and gives a latency.",
    reads: Reads::Each(MEASURED, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    if !claim.setting.said_of_device? {
        return None;
    }
    let (name, fastest) = claim.fastest().filter(|(_, fastest)| fastest.value > 0.0)?;
    let is_memory = fastest.most() < DEVICE_MIN_NS;
    let text = format!(
        "attributed to a device, but its latency ({name}) is {}: a device needs {} or more.",
        time(fastest.value),
        time(DEVICE_MIN_NS)
    );
    Some((if is_memory { Status::Fail } else { Status::Pass }, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn memory_given_as_a_device() {
        let table = |row: &str| format!("said_of,block_bytes,latency_mean_us\n{row}\n");
        check(&LAW, &table("disk,8KiB,1.21"), Status::Fail, "is 1.21 µs: a device needs 2.00 µs or more");
        check(&LAW, &table("ssd,8KiB,81"), Status::Pass, "long enough for");
        check(&LAW, &table("memory,8KiB,1.21"), Status::NotAssessable, "to a device");
        check(&LAW, &table(",8KiB,1.21"), Status::NotAssessable, "to a device");
    }
}
