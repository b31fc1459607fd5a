//! Bandwidth that carries the requests: a request moves a sector at least, so requests a second × 512 B is a lower
//! bound of bytes a second.

use super::figures::{ALIKE, is_same, of};
use crate::claim::Claim;
use crate::claim::Property::{
    ReadBandwidth, ReadIops, SequentialReadIops, SequentialWriteIops, WriteBandwidth, WriteIops,
};
use crate::law::{Law, Looks, Reads};
use crate::reading::Reading;
use crate::status::Status;

/// The least that a request can move, bytes: a sector.
const SECTOR_BYTES: f64 = 512.0;
/// What the figures of requests are measured with, bytes.
const PAGE_BYTES: f64 = 4096.0;

pub(super) const LAW: Law = Law {
    name: "bytes-per-request",
    looks: Looks::AtFigures,
    needs: "",
    held: "The bandwidth carries the requests.",
    broken: "",
    advice: "Measure both again without a limit on requests or bytes, and with requests of 4 KiB.",
    lacking: "The file has no such figures.",
    reads: Reads::Rated(read),
};

fn read(disk: &Claim) -> Vec<Reading> {
    let pairs = [
        (ReadIops, ReadBandwidth),
        (SequentialReadIops, ReadBandwidth),
        (WriteIops, WriteBandwidth),
        (SequentialWriteIops, WriteBandwidth),
    ];
    let judged = pairs.into_iter().filter_map(|(requests, bandwidth)| {
        of(disk, [requests, bandwidth], |[per_s, bytes_per_s]| {
            let both = format!("{} and {}", disk.shown(requests), disk.shown(bandwidth));
            let bytes = if per_s > 0.0 { bytes_per_s / per_s } else { f64::INFINITY };
            if is_same(per_s, bytes_per_s) {
                let text = format!("{both} are one number, in requests and in bytes: a cap, not a disk");
                (Status::Fail, text)
            } else if bytes < SECTOR_BYTES {
                (Status::Fail, format!("{both}: a request would move {bytes:.0} B, less than a sector"))
            } else if bytes * ALIKE < PAGE_BYTES {
                (Status::Warn, format!("{both}: requests of 4 KiB alone would move more than that"))
            } else {
                (Status::Pass, String::new())
            }
        })
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::disk;

    #[test]
    fn requests_need_their_bytes() {
        for (bandwidth, expected) in [(545e6, Status::Pass), (300e6, Status::Warn), (40e6, Status::Fail)] {
            let disk = disk(&[(ReadIops, 95_000.0), (ReadBandwidth, bandwidth)]);
            assert_eq!(LAW.judge(&[disk], "disk").status, expected, "{bandwidth}");
        }
    }
}
