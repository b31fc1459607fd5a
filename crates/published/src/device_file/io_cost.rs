//! `io.cost.model` and `io.cost.qos` of Linux (`Documentation/admin-guide/cgroup-v2.rst`): a line for each device, with its
//! number and nested keys. The model and the qualities of one device are one entry.

use super::entry::{Entry, Figure, Property, quoted};
use crate::read::ReadError;
use std::collections::BTreeMap;

/// The keys with figures.
const KEYS: [(&str, Property); 12] = [
    ("rbps", Property::ReadBandwidth),
    ("rseqiops", Property::SequentialReadIops),
    ("rrandiops", Property::ReadIops),
    ("wbps", Property::WriteBandwidth),
    ("wseqiops", Property::SequentialWriteIops),
    ("wrandiops", Property::WriteIops),
    ("rpct", Property::ReadPercentile),
    ("rlat", Property::ReadLatencyUs),
    ("wpct", Property::WritePercentile),
    ("wlat", Property::WriteLatencyUs),
    ("min", Property::RateMinPercent),
    ("max", Property::RateMaxPercent),
];
/// The keys with words, and those that the kernel knows.
const WORDS: [(&str, &[&str]); 3] =
    [("ctrl", &["auto", "user"]), ("model", &["linear"]), ("enable", &["0", "1"])];

pub(super) fn read(source: &str, text: &str) -> Option<Result<Vec<Entry>, ReadError>> {
    let is_device =
        |line: &str| line.split_whitespace().next().is_some_and(is_number) && line.contains(" ctrl=");
    text.lines().map(command).any(is_device).then(|| entries(source, text))
}

/// The line that is written to the file, also as the argument of a shell's `echo "…" > …/io.cost.model`.
fn command(line: &str) -> &str {
    let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
    let quoted = line.strip_prefix("echo ").and_then(|rest| rest.trim().strip_prefix(['"', '\'']));
    quoted.and_then(|rest| rest.split_once(['"', '\''])).map_or(line, |(inner, _)| inner)
}

/// `8:16`.
fn is_number(word: &str) -> bool {
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once(':').is_some_and(|(major, minor)| all_digits(major) && all_digits(minor))
}

fn entries(source: &str, text: &str) -> Result<Vec<Entry>, ReadError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let at = |what: String| ReadError::at(source, line as u64, what);
        let mut words = command(raw).split_whitespace();
        let Some(number) = words.next() else { continue };
        if !is_number(number) {
            return Err(at("expected a device number such as 8:16, then key=value".to_owned()));
        }
        let place = *places.entry(number).or_insert_with(|| {
            entries.push(Entry { name: number.to_owned(), line, figures: Vec::new() });
            entries.len() - 1
        });
        for word in words {
            let (key, value) =
                word.split_once('=').ok_or_else(|| at(format!("{}: expected key=value", quoted(word))))?;
            if let Some((_, known)) = WORDS.iter().find(|(name, _)| *name == key) {
                if !known.contains(&value) {
                    return Err(at(format!("{key}={}: expected {}", quoted(value), known.join(" or "))));
                }
                continue;
            }
            let (name, property) = KEYS
                .iter()
                .find(|(name, _)| *name == key)
                .ok_or_else(|| at(format!("the kernel has no key \"{}\" here", quoted(key))))?;
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
            let value_of = number.ok_or_else(|| at(format!("{key}={}: expected a number", quoted(value))))?;
            let figure = Figure {
                property: *property,
                name: (*name).to_owned(),
                text: value.to_owned(),
                value: value_of,
            };
            entries[place].figures.push(figure);
        }
    }
    Ok(entries)
}
