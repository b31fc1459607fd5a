//! Figures that are powers of two, as limits are: a disk does not deliver one.

use super::figures::of;
use crate::claim::Claim;
use crate::claim::Property::{
    OsdHddIops, OsdSsdIops, ReadIops, SequentialReadIops, SequentialWriteIops, WriteIops,
};
use crate::law::{Law, Looks, Reads};
use crate::reading::Reading;
use crate::status::Status;

/// From here on a power of two is unlikely by chance: below it one figure of a few hundred hits one.
const POWER_OF_TWO_MIN: f64 = 1024.0;

pub(super) const LAW: Law = Law {
    name: "power-of-two",
    looks: Looks::AtFigures,
    needs: "",
    held: "No figure is a power of two.",
    broken: "",
    advice: "Look for a limit on this volume; a disk does not deliver a power of two.",
    lacking: "The file has no such figures.",
    reads: Reads::Rated(read),
};

fn read(disk: &Claim) -> Vec<Reading> {
    let rates = [ReadIops, SequentialReadIops, WriteIops, SequentialWriteIops, OsdSsdIops, OsdHddIops];
    let judged = rates.into_iter().filter_map(|rate| {
        of(disk, [rate], |[per_s]| {
            let exact = per_s >= POWER_OF_TWO_MIN && per_s <= 2_f64.powi(40) && per_s.log2().fract() == 0.0;
            let status = if exact { Status::Warn } else { Status::Pass };
            (status, format!("{} is 2^{}, as limits are", disk.shown(rate), per_s.max(1.0).log2()))
        })
    });
    judged.collect()
}
