//! Ceph's own limits of what its benchmark is believed (`osd_mclock_iops_capacity_threshold_hdd` and `…_ssd`, and their
//! `low_threshold`s).

use super::figures::of;
use crate::claim::Claim;
use crate::claim::Property::{OsdHddIops, OsdSsdIops};
use crate::law::{Law, Looks, Reads};
use crate::reading::Reading;
use crate::status::Status;

pub(super) const LAW: Law = Law {
    name: "osd-capacity",
    looks: Looks::AtFigures,
    needs: "",
    held: "The capacities are within the limits that Ceph has for them.",
    broken: "",
    advice: "Measure random writes of 4 KiB with caches that survive a power loss only: `syncline run \
            device-model`.",
    lacking: "The file has no such figures.",
    reads: Reads::Rated(read),
};

fn read(disk: &Claim) -> Vec<Reading> {
    let limits = [(OsdHddIops, 50.0, 500.0), (OsdSsdIops, 1000.0, 80_000.0)];
    let judged = limits.into_iter().filter_map(|(capacity, low, high)| {
        of(disk, [capacity], |[per_s]| {
            let status = match (low..=high).contains(&per_s) {
                true => Status::Pass,
                // An arm does not move that often. A fast SSD writes more than Ceph expects.
                false if capacity == OsdHddIops && per_s > high => Status::Fail,
                false => Status::Warn,
            };
            let shown = format!("{} of {}", disk.shown(capacity), disk.label);
            (status, format!("{shown} is outside {low} to {high}, what Ceph believes of its own benchmark"))
        })
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::disk;

    /// The capacity that `export --format ceph-mclock` writes for a fast SSD failed.
    #[test]
    fn a_fast_ssd_is_not_refused() {
        let of = |kind, value| LAW.judge(&[disk(&[(kind, value)])], "disk").status;
        assert_eq!(
            [of(OsdSsdIops, 180_000.0), of(OsdSsdIops, 60_000.0), of(OsdSsdIops, 400.0)],
            [Status::Warn, Status::Pass, Status::Warn]
        );
        assert_eq!([of(OsdHddIops, 4520.0), of(OsdHddIops, 20.0)], [Status::Fail, Status::Warn]);
    }
}
