//! Targets of a latency that cannot be kept, and ranges of a rate that are none (Linux, cgroup-v2.rst, `io.cost.qos`).

use super::figures::of;
use crate::claim::Claim;
use crate::claim::Property::{
    RateMaxPercent, RateMinPercent, ReadLatencyUs, ReadPercentile, WriteLatencyUs, WritePercentile,
};
use crate::law::{Law, Looks, Reads};
use crate::reading::Reading;
use crate::status::Status;

pub(super) const LAW: Law = Law {
    name: "latency-target",
    looks: Looks::AtFigures,
    needs: "",
    held: "The targets can be kept.",
    broken: "",
    advice: "The kernel holds the rate between min and max while the percentile of the latency is below \
            its limit: correct them.",
    lacking: "The file has no such figures.",
    reads: Reads::Rated(read),
};

fn read(disk: &Claim) -> Vec<Reading> {
    let targets = [(ReadPercentile, ReadLatencyUs), (WritePercentile, WriteLatencyUs)];
    let judged = targets.into_iter().filter_map(|(percentile, latency)| {
        of(disk, [percentile, latency], |[percent, limit_us]| {
            // The kernel ignores the latency if the percentile is 0.
            let can_be_kept = percent == 0.0 || percent <= 100.0 && limit_us > 0.0;
            let text = format!("{} with {} cannot be kept", disk.shown(percentile), disk.shown(latency));
            (if can_be_kept { Status::Pass } else { Status::Fail }, text)
        })
    });
    let bounds = of(disk, [RateMinPercent, RateMaxPercent], |[min, max]| {
        let in_order = (1.0..=10_000.0).contains(&min) && (min..=10_000.0).contains(&max);
        let both = [RateMinPercent, RateMaxPercent].map(|end| disk.shown(end)).join(" and ");
        let text = format!("{both} are not a range within 1 to 10000");
        (if in_order { Status::Pass } else { Status::Fail }, text)
    });
    judged.chain(bounds).collect()
}
