//! `io.cost.model` and `io.cost.qos` of Linux (`Documentation/admin-guide/cgroup-v2.rst`): a line for each device, with
//! its number and nested keys. The model and the qualities of one device are one disk. The kernel's
//! `iocost_coef_gen.py` prints the model's figures alone.

use super::disks::{Disk, Disks};
use crate::read::error::ReadError;
use crate::read::program::NumberedLine;
use laws::{Property, Rated};
use model::excerpt;

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

pub(super) fn read(source: &str, lines: &[NumberedLine<'_>]) -> Option<Result<Vec<Disk>, ReadError>> {
    let is_device = |line: &str| {
        let begins = line.split_whitespace().next().is_some_and(is_number);
        begins && (line.contains(" ctrl=") || [" rbps=", " wbps="].iter().all(|key| line.contains(key)))
    };
    lines.iter().any(|(_, line)| is_device(command(line))).then(|| read_disks(source, lines))
}

/// Whether a line is of the file, and not text around it: it begins with a device number or has a known key next.
fn is_entry(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next(), words.next());
    let Some((key, _)) = second.and_then(|word| word.split_once('=')) else { return false };
    let is_known = KEYS.iter().any(|(name, _)| *name == key) || WORDS.iter().any(|(name, _)| *name == key);
    is_known || first.is_some_and(is_number)
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

fn read_disks(source: &str, lines: &[NumberedLine<'_>]) -> Result<Vec<Disk>, ReadError> {
    let mut disks = Disks::default();
    for (line, text) in lines.iter().filter(|(_, text)| is_entry(command(text))) {
        let at = |what: String| ReadError::at(source, *line, what);
        let mut words = command(text).split_whitespace();
        let Some(number) = words.next() else { continue };
        if !is_number(number) {
            return Err(at("expected a device number such as 8:16, then key=value".to_owned()));
        }
        disks.named(number, *line);
        // The kernel prints its presets behind it, and ignores what is written behind it.
        let is_default = words.clone().any(|word| word == "ctrl=auto");
        for word in words {
            if let Some(figure) = figure(word, is_default).map_err(at)? {
                disks.add(number, *line, figure);
            }
        }
    }
    Ok(disks.into_list())
}

/// The figure of `key=value`, if the key has one.
fn figure(word: &str, is_default: bool) -> Result<Option<Rated>, String> {
    let (key, text) = word.split_once('=').ok_or_else(|| format!("{}: expected key=value", excerpt(word)))?;
    if let Some((_, known)) = WORDS.iter().find(|(name, _)| *name == key) {
        return if known.contains(&text) {
            Ok(None)
        } else {
            Err(format!("{key}={}: expected {}", excerpt(text), known.join(" or ")))
        };
    }
    let (name, property) = KEYS
        .iter()
        .find(|(name, _)| *name == key)
        .ok_or_else(|| format!("the kernel has no key \"{}\" here", excerpt(key)))?;
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    let value = value.ok_or_else(|| format!("{key}={}: expected a number", excerpt(text)))?;
    Ok(Some(Rated {
        property: *property,
        name: (*name).to_owned(),
        text: text.to_owned(),
        value,
        is_default,
    }))
}
