//! Ceph's `osd_mclock_max_capacity_iops_ssd` and `…_hdd`, in a `ceph.conf` or in what `ceph config dump` prints.
//!
//! Both have many other settings, which are passed over.

use super::entry::{Entry, Figure, Property};
use crate::read::ReadError;
use std::collections::BTreeMap;

const SETTINGS: [(&str, Property); 2] = [
    ("osd_mclock_max_capacity_iops_ssd", Property::OsdSsdIops),
    ("osd_mclock_max_capacity_iops_hdd", Property::OsdHddIops),
];

pub(super) fn read(source: &str, text: &str) -> Option<Result<Vec<Entry>, ReadError>> {
    text.lines().any(|line| setting(line).is_some()).then(|| entries(source, text))
}

fn entries(source: &str, text: &str) -> Result<Vec<Entry>, ReadError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut section = String::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        if let Some(name) = raw.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut section);
        }
        let Some((before, name, property, value)) = setting(raw) else { continue };
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let number = number.ok_or_else(|| {
            ReadError::at(source, line as u64, format!("{name}: expected operations a second, such as 21500"))
        })?;
        let osd = before.unwrap_or_else(|| section.clone());
        let figure = Figure { property, name: name.to_owned(), text: value.to_owned(), value: number };
        let place = *places.entry(osd).or_insert_with_key(|osd| {
            entries.push(Entry { name: osd.clone(), line, figures: Vec::new() });
            entries.len() - 1
        });
        entries[place].figures.push(figure);
    }
    Ok(entries)
}

/// The OSD that a line of `ceph config dump` names, the setting, and the value as written. In a `ceph.conf` the words of a name
/// may be apart by blanks or dashes.
fn setting(line: &str) -> Option<(Option<String>, &'static str, Property, &str)> {
    let line = line.split(['#', ';']).next().unwrap_or_default().trim();
    if let Some((name, value)) = line.split_once('=') {
        let name = name.trim().replace([' ', '-'], "_");
        let (known, property) = SETTINGS.iter().find(|(known, _)| *known == name)?;
        return Some((None, known, *property, value.trim()));
    }
    let mut words = line.split_whitespace();
    let osd = words.next()?;
    let (known, property) = words.find_map(|word| SETTINGS.iter().find(|(known, _)| *known == word))?;
    Some((Some(osd.to_owned()), known, *property, words.next()?))
}
