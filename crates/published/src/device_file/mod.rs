//! Figures of disks in files for a scheduler, and what arithmetic says about them.
//!
//! [`judged`] judges them, and [`capacity`] finds the same figures in a run.

mod capacity;
mod checks;
mod disk;

pub use capacity::{Ability, Capacity, NoCapacity, capacity};
pub use disk::Disk;
pub(crate) use disk::{Figure, Property};

use crate::report::{Applied, Belief, NumberReport, RowReport};
use checks::Check;
use model::printable;
use verdict::{Audit, Status};

/// Every figure by the checks that apply to it: a row for each disk, and an audit for each check.
pub(crate) fn judged(disks: &[Disk]) -> (Vec<RowReport>, Vec<Audit>) {
    let readings: Vec<(&Check, Vec<checks::Reading>)> =
        checks::CHECKS.iter().map(|check| (check, (check.judge)(disks))).collect();
    let mut by_disk: Vec<Vec<(&Check, &checks::Reading)>> = vec![Vec::new(); disks.len()];
    for (check, readings) in &readings {
        for reading in readings {
            by_disk[reading.disk].push((check, reading));
        }
    }
    let rows = disks.iter().zip(&by_disk).map(|(disk, readings)| row(disk, readings)).collect();
    (rows, readings.iter().map(|(check, readings)| check.audit(readings)).collect())
}

fn row(disk: &Disk, readings: &[(&Check, &checks::Reading)]) -> RowReport {
    let numbers: Vec<NumberReport> = disk.figures.iter().map(|figure| number(figure, readings)).collect();
    let mut reasons: Vec<(Status, String)> = readings
        .iter()
        .filter(|(_, reading)| reading.status != Status::Pass)
        .map(|(check, reading)| (reading.status, format!("{}: {}", check.name, reading.text)))
        .collect();
    reasons.sort_by_key(|(status, _)| *status);
    let mut applied: Vec<&str> = readings.iter().map(|(check, _)| check.name).collect();
    applied.dedup();
    RowReport {
        label: printable(&disk.name).into_owned(),
        place: format!("line {}", disk.line),
        belief: numbers.iter().map(|number| number.belief).min().unwrap_or(Belief::Unchecked),
        checks: Applied { applied: applied.len(), of: checks::CHECKS.len() },
        reasons: reasons.into_iter().map(|(_, reason)| reason).collect(),
        numbers,
    }
}

fn number(figure: &Figure, readings: &[(&Check, &checks::Reading)]) -> NumberReport {
    let about: Vec<&(&Check, &checks::Reading)> =
        readings.iter().filter(|(_, reading)| reading.properties.contains(&figure.property)).collect();
    let worst = about.iter().min_by_key(|(_, reading)| reading.status);
    let objecting: Vec<&(&Check, &checks::Reading)> =
        about.iter().copied().filter(|(_, reading)| reading.status != Status::Pass).collect();
    NumberReport {
        name: figure.name.clone(),
        figure: printable(&figure.text).into_owned(),
        belief: worst.map_or(Belief::Unchecked, |(_, reading)| Belief::from_status(reading.status)),
        checks: objecting.iter().map(|(check, _)| check.name.into()).collect(),
        advice: objecting.first().map(|(check, _)| check.advice.into()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
