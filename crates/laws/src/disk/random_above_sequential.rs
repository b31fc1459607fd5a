//! Random requests that are faster than sequential ones.

use super::figures::{ALIKE, of};
use crate::claim::Claim;
use crate::claim::Property::{ReadIops, SequentialReadIops, SequentialWriteIops, WriteIops};
use crate::law::{Law, Looks, Reads};
use crate::reading::Reading;
use crate::status::Status;

pub(super) const LAW: Law = Law {
    name: "random-above-sequential",
    looks: Looks::AtFigures,
    needs: "",
    held: "Sequential requests are at least as fast as random ones.",
    broken: "",
    advice: "Measure both again, in one run and with the same depth: `syncline run device-model`.",
    lacking: "The file has no such figures.",
    reads: Reads::Rated(read),
};

fn read(disk: &Claim) -> Vec<Reading> {
    let pairs = [(ReadIops, SequentialReadIops), (WriteIops, SequentialWriteIops)];
    let judged = pairs.into_iter().filter_map(|(random, sequential)| {
        of(disk, [random, sequential], |[at_random, in_order]| {
            let status = if at_random > in_order * ALIKE { Status::Warn } else { Status::Pass };
            (status, format!("{} is above {}", disk.shown(random), disk.shown(sequential)))
        })
    });
    judged.collect()
}
