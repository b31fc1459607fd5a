//! Writes that are faster than reads: a cache or a burst took them.

use super::figures::{ALIKE, of};
use crate::claim::Claim;
use crate::claim::Property::{
    ReadBandwidth, ReadIops, SequentialReadIops, SequentialWriteIops, WriteBandwidth, WriteIops,
};
use crate::law::{Law, Looks, Reads};
use crate::reading::Reading;
use crate::status::Status;

pub(super) const LAW: Law = Law {
    name: "writes-above-reads",
    looks: Looks::AtFigures,
    needs: "",
    held: "Reads are at least as fast as writes.",
    broken: "",
    advice: "Measure writes for longer than the disk's cache and its burst last: the profile sustained \
            of the study device does.",
    lacking: "The file has no such figures.",
    reads: Reads::Rated(read),
};

fn read(disk: &Claim) -> Vec<Reading> {
    let pairs =
        [(ReadIops, WriteIops), (SequentialReadIops, SequentialWriteIops), (ReadBandwidth, WriteBandwidth)];
    let judged = pairs.into_iter().filter_map(|(reads, writes)| {
        of(disk, [reads, writes], |[read, written]| {
            let status = if written > read * ALIKE { Status::Warn } else { Status::Pass };
            let why = "a cache or a burst may have taken the writes, as in a measurement of 30 s";
            (status, format!("{} is above {}: {why}", disk.shown(writes), disk.shown(reads)))
        })
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::disk;

    /// Two measurements of one disk differ by a few percent.
    #[test]
    fn writes_above_the_reads_are_a_burst() {
        for (writes, expected) in [(120_000.0, Status::Warn), (96_000.0, Status::Pass)] {
            let disk = disk(&[(ReadIops, 95_000.0), (WriteIops, writes)]);
            assert_eq!(LAW.judge(&[disk], "disk").status, expected, "{writes}");
        }
    }
}
