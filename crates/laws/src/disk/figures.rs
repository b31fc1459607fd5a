//! Figures of a disk, for the laws that compare them.

use crate::claim::{Claim, Property};
use crate::reading::{Concern, Reading};
use crate::status::Status;

/// Figures that differ by less are alike: two measurements of one disk do.
pub(super) const ALIKE: f64 = 1.05;

/// Whether two figures are one number: less than half an operation apart.
pub(super) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.5
}

/// A reading of a disk that has all of these figures, measured.
pub(super) fn of<const N: usize>(
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

pub(super) fn concern(disk: &Claim, properties: &[Property]) -> Concern {
    let figures = properties.iter().filter_map(|property| disk.rated(*property));
    Concern::Names(figures.map(|figure| figure.name.clone()).collect())
}
