//! Files that tell a scheduler how fast a disk is, and what arithmetic says about the figures in them.
//!
//! | file | of |
//! |---|---|
//! | `io_properties.yaml` | Seastar and ScyllaDB, written by `iotune` |
//! | `osd_mclock_max_capacity_iops_ssd`, `…_hdd` in a `ceph.conf`, or in what `ceph config dump` prints | Ceph's mClock scheduler |
//! | `io.cost.model`, `io.cost.qos` | Linux, cgroup v2 |
//!
//! [`read`] recognises and reads such a file, [`DeviceFile::audit`] judges it, and [`capacity`] finds the same figures in a run.

mod capacity;
mod ceph;
mod checks;
mod entry;
mod io_cost;
mod seastar;

pub use capacity::{Ability, Capacity, NoCapacity, capacity};

use crate::audit::{Applied, Belief, NumberReport, Report, RowReport};
use crate::read::ReadError;
use checks::Check;
use entry::{Entry, Figure};
use model::printable;
use verdict::{Audit, Status};

/// A file of device figures.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceFile {
    source: String,
    pub(crate) entries: Vec<Entry>,
}

/// Most entries that are judged.
const ENTRIES_MAX: usize = 100_000;

/// Reads a file of device figures; `None` if it is none.
pub fn read(source: &str, bytes: &[u8]) -> Option<Result<DeviceFile, ReadError>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let readers: [Reader; 3] = [seastar::read, io_cost::read, ceph::read];
    let entries = readers.iter().find_map(|reader| reader(source, text))?;
    Some(entries.and_then(|entries| {
        if entries.len() > ENTRIES_MAX {
            return Err(ReadError::whole(source, format!("more than {ENTRIES_MAX} entries")));
        }
        Ok(DeviceFile { source: source.to_owned(), entries })
    }))
}

type Reader = fn(&str, &str) -> Option<Result<Vec<Entry>, ReadError>>;

impl DeviceFile {
    /// Judges every figure by the checks that apply to it.
    pub fn audit(&self) -> Report {
        let readings: Vec<(&Check, Vec<checks::Reading>)> =
            checks::CHECKS.iter().map(|check| (check, (check.judge)(&self.entries))).collect();
        let rows = self.entries.iter().enumerate().map(|(index, entry)| {
            let own: Vec<(&Check, &checks::Reading)> = readings
                .iter()
                .flat_map(|(check, readings)| readings.iter().map(move |reading| (*check, reading)))
                .filter(|(_, reading)| reading.entry == index)
                .collect();
            row(entry, &own)
        });
        let rows = rows.collect();
        let audits: Vec<Audit> = readings.iter().map(|(check, readings)| check.audit(readings)).collect();
        Report::new(self.source.clone(), Vec::new(), rows, audits)
    }
}

fn row(entry: &Entry, readings: &[(&Check, &checks::Reading)]) -> RowReport {
    let numbers: Vec<NumberReport> = entry.figures.iter().map(|figure| number(figure, readings)).collect();
    let mut reasons: Vec<(Status, String)> = readings
        .iter()
        .filter(|(_, reading)| reading.status != Status::Pass)
        .map(|(check, reading)| (reading.status, format!("{}: {}", check.name, reading.text)))
        .collect();
    reasons.sort_by_key(|(status, _)| *status);
    let mut applied: Vec<&str> = readings.iter().map(|(check, _)| check.name).collect();
    applied.dedup();
    RowReport {
        label: printable(&entry.name).into_owned(),
        place: format!("line {}", entry.line),
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
        checks: objecting.iter().map(|(check, _)| check.name.to_owned()).collect(),
        advice: objecting.first().map_or_else(String::new, |(check, _)| check.advice.to_owned()),
    }
}

#[cfg(test)]
mod tests;
