//! Ceph's `osd_mclock_max_capacity_iops_ssd` and `…_hdd`: in a `ceph.conf`, in what `ceph config dump` prints, and in
//! the commands that set them.
//!
//! Each has many other settings, which are passed over.

use super::disks::{Disk, Disks};
use crate::read::error::ReadError;
use crate::read::program::NumberedLine;
use laws::{Property, Rated};

const SETTINGS: [(&str, Property); 2] = [
    ("osd_mclock_max_capacity_iops_ssd", Property::OsdSsdIops),
    ("osd_mclock_max_capacity_iops_hdd", Property::OsdHddIops),
];
/// What `ceph config dump` prints between an OSD and its setting.
const LEVELS: [&str; 4] = ["basic", "advanced", "dev", "unknown"];

/// A line that sets a capacity.
struct Capacity<'a> {
    /// Whose it is; `None` in a `ceph.conf`, whose sections name it.
    osd: Option<String>,
    name: &'static str,
    property: Property,
    value: &'a str,
}

pub(super) fn read(source: &str, lines: &[NumberedLine<'_>]) -> Option<Result<Vec<Disk>, ReadError>> {
    lines.iter().any(|(_, line)| capacity(line).is_some()).then(|| read_disks(source, lines))
}

fn read_disks(source: &str, lines: &[NumberedLine<'_>]) -> Result<Vec<Disk>, ReadError> {
    let mut disks = Disks::default();
    let mut section = "";
    for (line, text) in lines {
        if let Some(name) = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim();
        }
        let Some(Capacity { osd, name, property, value: text }) = capacity(text) else { continue };
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        let value = value.ok_or_else(|| {
            ReadError::at(source, *line, format!("{name}: expected operations a second, such as 21500"))
        })?;
        let figure =
            Rated { property, name: name.to_owned(), text: text.to_owned(), value, is_default: false };
        disks.add(osd.as_deref().unwrap_or(section), *line, figure);
    }
    Ok(disks.into_list())
}

/// The capacity that a line sets. In a `ceph.conf` the words of a name may be apart by blanks or dashes.
fn capacity(line: &str) -> Option<Capacity<'_>> {
    let line = line.split(['#', ';']).next().unwrap_or_default().trim();
    let known = |word: &str| SETTINGS.iter().find(|(name, _)| *name == word);
    if let Some((name, value)) = line.split_once('=') {
        let (name, property) = known(&name.trim().replace([' ', '-'], "_"))?;
        return Some(Capacity { osd: None, name, property: *property, value: value.trim() });
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let place = words.iter().position(|word| known(word).is_some())?;
    let (name, property) = known(words[place])?;
    // `ceph config set osd.0 NAME VALUE`, and `osd  host:a  basic  NAME  VALUE` of the dump.
    let before = words[..place].rsplit(|word| *word == "set").next()?;
    let osd: Vec<&str> = before.iter().copied().filter(|word| !LEVELS.contains(word)).collect();
    (!osd.is_empty()).then_some(())?;
    Some(Capacity { osd: Some(osd.join(" ")), name, property: *property, value: words.get(place + 1)? })
}
