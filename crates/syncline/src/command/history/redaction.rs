//! A history without names: each run is read without its own, and what tells runs and disks apart is a number.

use model::redaction::REDACTED;
use std::collections::{BTreeMap, BTreeSet};
use verdict::history::{Disk, Probe, Unfit, Unused};

/// A run of a history, with the disk that it really measured: the run itself may be without names.
pub(super) struct Read {
    pub(super) probe: Probe,
    pub(super) disk: Disk,
}

/// Gives the runs and their disks numbers for names: the runs in the order of time.
pub(super) fn numbered(read: Vec<Read>) -> Vec<Probe> {
    let all = |name: fn(&Disk) -> &String| -> BTreeMap<String, String> {
        let names: BTreeSet<&String> = read.iter().map(|read| name(&read.disk)).collect();
        let is_only = names.len() == 1;
        let number = |(place, name): (usize, &String)| {
            let number = if is_only { REDACTED.to_owned() } else { format!("{REDACTED}-{}", place + 1) };
            (name.clone(), number)
        };
        names.into_iter().enumerate().map(number).collect()
    };
    let (hosts, directories) = (all(|disk| &disk.host), all(|disk| &disk.directory));
    let of = |names: &BTreeMap<String, String>, name: &String| names.get(name).cloned().unwrap_or_default();
    let mut read = read;
    read.sort_by(|one, other| {
        (&one.probe.began_at, &one.probe.run).cmp(&(&other.probe.began_at, &other.probe.run))
    });
    let renamed = |(number, read): (usize, Read)| {
        let Disk { host, directory, device: _ } = &read.disk;
        let device = read.probe.disk.device.clone();
        let disk = Disk { host: of(&hosts, host), directory: of(&directories, directory), device };
        read.probe.renamed(format!("run-{number}"), disk)
    };
    (1..).zip(read).map(renamed).collect()
}

/// A run that is not used, without its name and the names in the error.
pub(super) fn unnamed(unused: Unused) -> Unused {
    let why = match unused.why {
        Unfit::Unreadable { error: _ } => Unfit::Unreadable { error: REDACTED.to_owned() },
        other @ (Unfit::MeasuredNothing
        | Unfit::Shared
        | Unfit::ClockNotSet { .. }
        | Unfit::CopyOf { .. }) => other,
    };
    Unused { run: REDACTED.to_owned(), why }
}
