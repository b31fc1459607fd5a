//! What arithmetic says about a device's figures.

use super::disk::{Disk, Property};
use model::printable;
use verdict::{Audit, Status};

use Property::{
    OsdHddIops, OsdSsdIops, RateMaxPercent, RateMinPercent, ReadBandwidth, ReadIops, ReadLatencyUs,
    ReadPercentile, SequentialReadIops, SequentialWriteIops, WriteBandwidth, WriteIops, WriteLatencyUs,
    WritePercentile,
};

/// The least that a request can move, bytes: a sector.
const SECTOR_BYTES: f64 = 512.0;
/// What the figures of requests are measured with, bytes.
const PAGE_BYTES: f64 = 4096.0;
/// Figures that differ by less are alike: two measurements of one disk do.
const ALIKE: f64 = 1.05;
/// From here on a power of two is unlikely by chance: below it one figure of a few hundred hits one.
const POWER_OF_TWO_MIN: f64 = 1024.0;

/// Most findings of a check that are listed; each disk has its own beside it.
const EVIDENCE_MAX: usize = 10;

/// What was found about one disk.
pub(super) struct Reading {
    /// The disk's index.
    pub(super) disk: usize,
    /// The figures that it is about.
    pub(super) properties: Vec<Property>,
    pub(super) status: Status,
    /// A clause with the figures.
    pub(super) text: String,
}

/// A check of device files.
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) judge: fn(&[Disk]) -> Vec<Reading>,
    /// If nothing was found, and what to do if something was.
    pub(super) sound: &'static str,
    pub(super) advice: &'static str,
}

/// Every check.
pub(super) const CHECKS: [Check; 7] = [
    Check {
        name: "bytes-per-request",
        judge: bytes_per_request,
        sound: "The bandwidth carries the requests.",
        advice: "Measure both again without a limit on requests or bytes, and with requests of 4 KiB.",
    },
    Check {
        name: "power-of-two",
        judge: power_of_two,
        sound: "No figure is a power of two.",
        advice: "Look for a limit on this volume; a disk does not deliver a power of two.",
    },
    Check {
        name: "writes-above-reads",
        judge: writes_above_reads,
        sound: "Reads are at least as fast as writes.",
        advice: "Measure writes for longer than the disk's cache and its burst last: the profile sustained of the study device does.",
    },
    Check {
        name: "random-above-sequential",
        judge: random_above_sequential,
        sound: "Sequential requests are at least as fast as random ones.",
        advice: "Measure both again, in one run and with the same depth: `syncline run device-model`.",
    },
    Check {
        name: "osd-capacity",
        judge: osd_capacity,
        sound: "The capacities are within the limits that Ceph has for them.",
        advice: "Measure random writes of 4 KiB with caches that survive a power loss only: `syncline run device-model`.",
    },
    Check {
        name: "default-figures",
        judge: default_figures,
        sound: "No figure is a default.",
        advice: "Measure it: a default says nothing about this disk: `syncline run device-model`.",
    },
    Check {
        name: "latency-target",
        judge: latency_target,
        sound: "The targets can be kept.",
        advice: "The kernel holds the rate between min and max while the percentile of the latency is below its limit: correct them.",
    },
];

impl Check {
    pub(super) fn audit(&self, readings: &[Reading]) -> Audit {
        let status = readings.iter().map(|reading| reading.status).min().unwrap_or(Status::NotApplicable);
        let found = readings.iter().filter(|reading| reading.status != Status::Pass);
        let evidence: Vec<String> = found.map(|reading| format!("{}.", reading.text)).collect();
        let found = evidence.len();
        let summary = match (status, found) {
            (Status::NotApplicable | Status::NotAssessable, _) => "The file has no such figures.".to_owned(),
            (Status::Pass, _) => self.sound.to_owned(),
            (Status::Warn | Status::Fail, 1) => evidence[0].clone(),
            (Status::Warn | Status::Fail, many) => {
                format!("{many} of {} are found; the first: {}", readings.len(), evidence[0])
            }
        };
        Audit {
            name: self.name.to_owned(),
            status,
            summary,
            advice: if matches!(status, Status::Warn | Status::Fail) {
                self.advice.to_owned()
            } else {
                String::new()
            },
            evidence: if found > 1 { evidence.into_iter().take(EVIDENCE_MAX).collect() } else { Vec::new() },
            about: Vec::new(),
            unassessed: Vec::new(),
        }
    }
}

/// Whether two figures are one number: less than half an operation apart.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.5
}

/// Readings of the disks that have all of these figures.
fn of<const N: usize>(
    disks: &[Disk],
    properties: [Property; N],
    judge: impl Fn(&Disk, [f64; N]) -> (Status, String),
) -> Vec<Reading> {
    let reading = |(index, disk): (usize, &Disk)| {
        let mut values = [0.0; N];
        for (value, property) in values.iter_mut().zip(properties) {
            *value = disk.value(property)?;
        }
        let (status, text) = judge(disk, values);
        Some(Reading { disk: index, properties: properties.to_vec(), status, text })
    };
    disks.iter().enumerate().filter_map(reading).collect()
}

/// A request moves a sector at least, so requests a second × 512 B is a lower bound of bytes a second.
fn bytes_per_request(disks: &[Disk]) -> Vec<Reading> {
    let pairs = [
        (ReadIops, ReadBandwidth),
        (SequentialReadIops, ReadBandwidth),
        (WriteIops, WriteBandwidth),
        (SequentialWriteIops, WriteBandwidth),
    ];
    let judged = pairs.into_iter().flat_map(|(requests, bandwidth)| {
        of(disks, [requests, bandwidth], |disk, [per_s, bytes_per_s]| {
            let (one, other) = (disk.shown(requests), disk.shown(bandwidth));
            let bytes = if per_s > 0.0 { bytes_per_s / per_s } else { f64::INFINITY };
            if is_same(per_s, bytes_per_s) {
                (
                    Status::Fail,
                    format!("{one} and {other} are one number, in requests and in bytes: a cap, not a disk"),
                )
            } else if bytes < SECTOR_BYTES {
                (
                    Status::Fail,
                    format!("{one} and {other}: a request would move {bytes:.0} B, less than a sector"),
                )
            } else if bytes * ALIKE < PAGE_BYTES {
                (
                    Status::Warn,
                    format!("{one} and {other}: requests of 4 KiB alone would move more than that"),
                )
            } else {
                (Status::Pass, String::new())
            }
        })
    });
    judged.collect()
}

fn power_of_two(disks: &[Disk]) -> Vec<Reading> {
    let rates = [ReadIops, SequentialReadIops, WriteIops, SequentialWriteIops, OsdSsdIops, OsdHddIops];
    let judged = rates.into_iter().flat_map(|rate| {
        of(disks, [rate], |disk, [per_s]| {
            let exact = per_s >= POWER_OF_TWO_MIN && per_s <= 2_f64.powi(40) && per_s.log2().fract() == 0.0;
            let status = if exact { Status::Warn } else { Status::Pass };
            (status, format!("{} is 2^{}, as limits are", disk.shown(rate), per_s.max(1.0).log2()))
        })
    });
    judged.collect()
}

fn writes_above_reads(disks: &[Disk]) -> Vec<Reading> {
    let pairs =
        [(ReadIops, WriteIops), (SequentialReadIops, SequentialWriteIops), (ReadBandwidth, WriteBandwidth)];
    let judged = pairs.into_iter().flat_map(|(reads, writes)| {
        of(disks, [reads, writes], |disk, [read, written]| {
            let status = if written > read * ALIKE { Status::Warn } else { Status::Pass };
            let (one, other) = (disk.shown(writes), disk.shown(reads));
            (
                status,
                format!(
                    "{one} is above {other}: a cache or a burst may have taken the writes, as in a measurement of 30 s"
                ),
            )
        })
    });
    judged.collect()
}

fn random_above_sequential(disks: &[Disk]) -> Vec<Reading> {
    let pairs = [(ReadIops, SequentialReadIops), (WriteIops, SequentialWriteIops)];
    let judged = pairs.into_iter().flat_map(|(random, sequential)| {
        of(disks, [random, sequential], |disk, [at_random, in_order]| {
            let status = if at_random > in_order * ALIKE { Status::Warn } else { Status::Pass };
            (status, format!("{} is above {}", disk.shown(random), disk.shown(sequential)))
        })
    });
    judged.collect()
}

/// Ceph's own limits of what its benchmark is believed (`osd_mclock_iops_capacity_threshold_hdd` and `…_ssd`, and their
/// `low_threshold`s).
fn osd_capacity(disks: &[Disk]) -> Vec<Reading> {
    let limits = [(OsdHddIops, 50.0, 500.0), (OsdSsdIops, 1000.0, 80_000.0)];
    let judged = limits.into_iter().flat_map(|(capacity, low, high)| {
        of(disks, [capacity], |disk, [per_s]| {
            let shown = disk.shown(capacity);
            let status = match (low..=high).contains(&per_s) {
                true => Status::Pass,
                // An arm does not move that often. A fast SSD writes more than Ceph expects.
                false if capacity == OsdHddIops && per_s > high => Status::Fail,
                false => Status::Warn,
            };
            let name = printable(&disk.name);
            let text = format!(
                "{shown} of {name} is outside {low} to {high}, what Ceph believes of its own benchmark"
            );
            (status, text)
        })
    });
    judged.collect()
}

/// Ceph's defaults, by their values, and the presets of io.cost, by `ctrl=auto`.
fn default_figures(disks: &[Disk]) -> Vec<Reading> {
    let defaults = [(OsdHddIops, 315.0), (OsdSsdIops, 21_500.0)];
    let judged = defaults.into_iter().flat_map(|(capacity, default)| {
        of(disks, [capacity], |disk, [per_s]| {
            let status = if is_same(per_s, default) { Status::Warn } else { Status::Pass };
            (status, format!("{} is Ceph's default, so nothing was measured", disk.shown(capacity)))
        })
    });
    let presets = disks.iter().enumerate().filter_map(|(index, disk)| {
        let presets = disk.figures.iter().filter(|figure| figure.is_default);
        let properties: Vec<Property> = presets.map(|figure| figure.property).collect();
        let first = disk.shown(*properties.first()?);
        let text =
            format!("ctrl=auto: {first} and the figures beside it are the kernel's presets, not measured");
        Some(Reading { disk: index, properties, status: Status::Warn, text })
    });
    judged.chain(presets).collect()
}

fn latency_target(disks: &[Disk]) -> Vec<Reading> {
    let targets = [(ReadPercentile, ReadLatencyUs), (WritePercentile, WriteLatencyUs)];
    let judged = targets.into_iter().flat_map(|(percentile, latency)| {
        of(disks, [percentile, latency], |disk, [percent, limit_us]| {
            // The kernel ignores the latency if the percentile is 0.
            let can_be_kept = percent == 0.0 || percent <= 100.0 && limit_us > 0.0;
            let text = format!("{} with {} cannot be kept", disk.shown(percentile), disk.shown(latency));
            (if can_be_kept { Status::Pass } else { Status::Fail }, text)
        })
    });
    let bounds = of(disks, [RateMinPercent, RateMaxPercent], |disk, [min, max]| {
        let in_order = (1.0..=10_000.0).contains(&min) && (min..=10_000.0).contains(&max);
        let text = format!(
            "{} and {} are not a range within 1 to 10000",
            disk.shown(RateMinPercent),
            disk.shown(RateMaxPercent)
        );
        (if in_order { Status::Pass } else { Status::Fail }, text)
    });
    judged.chain(bounds).collect()
}
