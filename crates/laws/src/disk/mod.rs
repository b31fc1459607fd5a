//! The laws over the figures of disks in files for a scheduler, one file each. To add one: its file and its line in
//! [`DISK_LAWS`].

mod bytes_per_request;
mod default_figures;
mod latency_target;
mod osd_capacity;
mod power_of_two;
mod random_above_sequential;
mod writes_above_reads;

use crate::claim::{Claim, Property};
use crate::law::{Found, Law, Told};
use crate::reading::{Concern, Reading};
use crate::status::Status;

/// Every law over figures of disks.
pub const DISK_LAWS: &[&Law] = &[
    &bytes_per_request::LAW,
    &power_of_two::LAW,
    &writes_above_reads::LAW,
    &random_above_sequential::LAW,
    &osd_capacity::LAW,
    &default_figures::LAW,
    &latency_target::LAW,
];

/// Figures that differ by less are alike: two measurements of one disk do.
const ALIKE: f64 = 1.05;
/// Most findings of a law that are listed; each disk has its own beside it.
const EVIDENCE_MAX: usize = 10;

/// Whether two figures are one number: less than half an operation apart.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.5
}

/// A reading of a disk that has all of these figures, measured.
fn of<const N: usize>(
    disk: &Claim,
    properties: [Property; N],
    judge: impl Fn([f64; N]) -> (Status, String),
) -> Option<Reading> {
    let mut values = [0.0; N];
    for (value, property) in values.iter_mut().zip(properties) {
        *value = disk.rated(property).filter(|figure| !figure.is_default)?.value;
    }
    let (status, text) = judge(values);
    Some(Reading::new(concern(disk, &properties), status, text))
}

fn concern(disk: &Claim, properties: &[Property]) -> Concern {
    let figures = properties.iter().filter_map(|property| disk.rated(*property));
    Concern::Names(figures.map(|figure| figure.name.clone()).collect())
}

/// The first finding is the summary: its figures name the disk.
pub(crate) fn found(law: &Law, Found { readings, notes, .. }: Found) -> Found {
    let status = readings.iter().map(|reading| reading.status).min().unwrap_or(Status::NotApplicable);
    let off = readings.iter().filter(|reading| reading.is_off());
    let evidence: Vec<String> = off.map(|reading| format!("{}.", reading.text)).collect();
    let summary = match (status, evidence.as_slice()) {
        (Status::NotApplicable | Status::NotAssessable, _) => law.lacking.to_owned(),
        (Status::Pass, _) | (_, []) => law.held.to_owned(),
        (_, [only]) => only.clone(),
        (_, [first, ..]) => {
            format!("{} of {} are found; the first: {first}", evidence.len(), readings.len())
        }
    };
    let evidence =
        if evidence.len() > 1 { evidence.into_iter().take(EVIDENCE_MAX).collect() } else { Vec::new() };
    Found { readings, notes, told: Some(Told { status, summary, evidence }) }
}
