//! Figures that nobody measured: Ceph's defaults, by their values, and the presets of io.cost, by `ctrl=auto`.

use super::figures::{concern, is_same, of};
use crate::claim::{Claim, Property};
use crate::law::{Law, Looks, Reads};
use crate::reading::Reading;
use crate::status::Status;
use Property::{OsdHddIops, OsdSsdIops};

pub(super) const LAW: Law = Law {
    name: "default-figures",
    looks: Looks::AtFigures,
    needs: "",
    held: "No figure is a default.",
    broken: "",
    advice: "Measure it: a default says nothing about this disk: `syncline run device-model`.",
    lacking: "The file has no such figures.",
    reads: Reads::Rated(read),
};

fn read(disk: &Claim) -> Vec<Reading> {
    let defaults = [(OsdHddIops, 315.0), (OsdSsdIops, 21_500.0)];
    let judged = defaults.into_iter().filter_map(|(capacity, default)| {
        of(disk, [capacity], |[per_s]| {
            let status = if is_same(per_s, default) { Status::Warn } else { Status::Pass };
            (status, format!("{} is Ceph's default, so nothing was measured", disk.shown(capacity)))
        })
    });
    judged.chain(presets(disk)).collect()
}

fn presets(disk: &Claim) -> Option<Reading> {
    let presets = disk.rated.iter().filter(|figure| figure.is_default);
    let properties: Vec<Property> = presets.map(|figure| figure.property).collect();
    let first = disk.shown(*properties.first()?);
    let text = format!("ctrl=auto: {first} and the figures beside it are the kernel's presets, not measured");
    Some(Reading::new(concern(disk, &properties), Status::Warn, text))
}
