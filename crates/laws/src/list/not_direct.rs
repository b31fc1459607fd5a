//! Rows that are stated to be direct and are faster than any device: they were served from memory. On tmpfs
//! `O_DIRECT` is accepted and ignored.

use super::memory_as_device::DEVICE_MIN_NS;
use crate::claim::{Claim, time};
use crate::law::{Law, Looks, Reads};
use crate::reading::MEASURED;
use crate::status::Status;
use model::IoMode;

pub const LAW: Law = Law {
    name: "not-direct",
    looks: Looks::AtFigures,
    needs: "mode (or direct), latency_min_us",
    held: "No direct I/O is faster than a device ({}).",
    broken: "Direct I/O is faster than any device in {}.",
    advice: "Check what held the file (tmpfs, a RAM disk, a file system that ignores O_DIRECT) and count \
        device reads and writes in /proc/diskstats; do not compare it with buffered rows.",
    lacking: "No {} states that it is direct and gives a minimum latency, a percentile or a mean.",
    reads: Reads::Each(MEASURED, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    if claim.setting.mode? != IoMode::Direct {
        return None;
    }
    let (name, fastest) = claim.fastest()?;
    // A row without operations prints zeros.
    if fastest.value <= 0.0 && claim.operations_per_s.is_none_or(|rate| rate <= 0.0) {
        return None;
    }
    if fastest.most() >= DEVICE_MIN_NS {
        return Some((Status::Pass, String::new()));
    }
    let text = format!(
        "stated to be direct, but its {} latency is {}: a device needs {} or more.",
        if name == "min" { "minimum" } else { &name },
        time(fastest.value),
        time(DEVICE_MIN_NS)
    );
    Some((Status::Fail, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn not_direct() {
        let table = |row: &str| format!("iops,direct,latency_min_ns\n{row}\n");
        check(&LAW, &table("1000,1,17000"), Status::Pass, "1 row");
        check(&LAW, &table("1000,1,630"), Status::Fail, "minimum latency is 630 ns");
        check(&LAW, &table("1000,0,630"), Status::NotAssessable, "that it is direct");
        check(&LAW, "mode,latency_p50_us\ndirect,1.2\n", Status::Fail, "p50 latency is 1.20 µs");
    }
}
