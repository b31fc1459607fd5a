//! Seastar's `io_properties.yaml`: the keys of `doc/io-properties-file.md`, in the part of YAML that `iotune` writes.
//!
//! A quantity may end in `k`, `M`, `G` or `T`, powers of 1024 (Seastar's `parse_memory_size`).

use super::disks::Disk;
use crate::read::error::ReadError;
use crate::read::program::NumberedLine;
use laws::{Property, Rated};
use model::excerpt;

/// The four that are required, with what they are of.
const REQUIRED: [(&str, Property); 4] = [
    ("read_iops", Property::ReadIops),
    ("read_bandwidth", Property::ReadBandwidth),
    ("write_iops", Property::WriteIops),
    ("write_bandwidth", Property::WriteBandwidth),
];
/// The others that Seastar reads.
const OPTIONAL: [&str; 5] =
    ["read_saturation_length", "write_saturation_length", "physical_block_size", "duplex", "rate_factor"];

pub(super) fn read(source: &str, lines: &[NumberedLine<'_>]) -> Option<Result<Vec<Disk>, ReadError>> {
    let has = |wanted: fn(&str) -> bool| lines.iter().any(|(_, line)| wanted(without_comment(line)));
    let is_ours = has(|line| line == "disks:") && has(|line| line.contains("mountpoint"));
    is_ours.then(|| read_disks(source, lines))
}

fn read_disks(source: &str, lines: &[NumberedLine<'_>]) -> Result<Vec<Disk>, ReadError> {
    let mut disks: Vec<Disk> = Vec::new();
    let mut mountpoints = false;
    for (line, raw) in lines {
        let at = |what: String| ReadError::at(source, *line, what);
        let content = without_comment(raw);
        if content.is_empty() || matches!(content, "disks:" | "---" | "...") {
            continue;
        }
        let item = content.strip_prefix("- ").map(str::trim);
        let (key, value) = match item.unwrap_or(content).split_once(':') {
            Some((key, value)) => (key.trim(), unquoted(value.trim())),
            None if mountpoints && item.is_some() => {
                if let Some(disk) = disks.last_mut() {
                    disk.name.push_str(if disk.name.is_empty() { "" } else { ", " });
                    disk.name.push_str(item.unwrap_or_default());
                }
                continue;
            }
            None => return Err(at("expected key: value".to_owned())),
        };
        if item.is_some() {
            disks.push(Disk { name: String::new(), line: *line, figures: Vec::new() });
        }
        let disk = disks
            .last_mut()
            .ok_or_else(|| at(format!("{} is before the first \"- mountpoint:\"", excerpt(key))))?;
        mountpoints = key == "mountpoints";
        match REQUIRED.iter().find(|(name, _)| *name == key) {
            Some((name, property)) => {
                if disk.has(*property) {
                    return Err(at(format!("{name} is given twice")));
                }
                let number = quantity(value)
                    .ok_or_else(|| at(format!("{name}: expected a number such as 95000 or 545M")))?;
                let figure = Rated {
                    property: *property,
                    name: (*name).to_owned(),
                    text: value.to_owned(),
                    value: number,
                    is_default: false,
                };
                disk.figures.push(figure);
            }
            None if key == "mountpoint" => value.clone_into(&mut disk.name),
            None if mountpoints || OPTIONAL.contains(&key) => {}
            None => return Err(at(format!("Seastar has no key \"{}\" here", excerpt(key)))),
        }
    }
    for disk in &disks {
        let lacks = |(name, _): &&(&str, Property)| !disk.figures.iter().any(|figure| figure.name == *name);
        if let Some((name, _)) = REQUIRED.iter().find(lacks) {
            return Err(ReadError::at(source, disk.line, format!("lacks {name}, which Seastar requires")));
        }
    }
    Ok(disks)
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before).trim()
}

fn unquoted(value: &str) -> &str {
    let inner = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

fn quantity(text: &str) -> Option<f64> {
    let (digits, factor) = match text.char_indices().last()? {
        (end, 'k' | 'K') => (&text[..end], 1024_f64),
        (end, 'M') => (&text[..end], 1024_f64.powi(2)),
        (end, 'G') => (&text[..end], 1024_f64.powi(3)),
        (end, 'T') => (&text[..end], 1024_f64.powi(4)),
        _ => (text, 1.0),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| digits.parse::<f64>().ok()).flatten()?;
    Some(number * factor).filter(|value| value.is_finite())
}
