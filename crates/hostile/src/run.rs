//! A run directory as somebody may have spoiled it: the files of a sound run, changed by a seed.

mod analysis;

pub use analysis::analyse;
pub(crate) use analysis::in_history;

use crate::json::Change;
use crate::mutation;
use crate::random::Random;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const TRIALS: &str = "trials.jsonl";
const SIDECARS: &str = "sidecars";

/// The files of a run by their names below its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(BTreeMap<PathBuf, Vec<u8>>);

impl Files {
    /// Reads what Syncline wrote while it measured; reports and advice are left out.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(directory: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for name in ["plan.json", "host.json", TRIALS] {
            files.insert(PathBuf::from(name), fs::read(directory.join(name))?);
        }
        for entry in fs::read_dir(directory.join(SIDECARS))? {
            let entry = entry?;
            files.insert(Path::new(SIDECARS).join(entry.file_name()), fs::read(entry.path())?);
        }
        Ok(Self(files))
    }

    /// Writes them into a directory of their own.
    ///
    /// # Errors
    /// A directory or a file that cannot be made.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory.join(SIDECARS))?;
        self.0.iter().try_for_each(|(name, bytes)| fs::write(directory.join(name), bytes))
    }

    /// The same files after one to four changes, and what was changed, in a line.
    pub fn spoiled(&self, seed: u64) -> (Self, String) {
        let mut random = Random::new(seed);
        let mut files = self.clone();
        let changes: Vec<String> = (0..=random.below(3)).map(|_| files.spoil(&mut random)).collect();
        (files, changes.join(", "))
    }

    fn spoil(&mut self, random: &mut Random) -> String {
        let Some(name) = self.any(random) else { return "nothing is left".to_owned() };
        let what = match random.below(16) {
            0 => {
                self.0.remove(&name);
                "removed"
            }
            1 => {
                let other = self.any(random).and_then(|other| self.0.get(&other)).cloned();
                self.0.insert(name.clone(), other.unwrap_or_default());
                "another file's content"
            }
            2 | 3 => {
                self.change(&name, |bytes| mutation::mutated(random, bytes));
                "bytes"
            }
            4..9 if name.as_os_str() == TRIALS => {
                self.change(&name, |bytes| each_line_changed(random, bytes));
                "the same place of every record"
            }
            9..14 if name.as_os_str() == TRIALS => {
                self.change(&name, |bytes| one_line_changed(random, bytes));
                "a record"
            }
            14 if name.as_os_str() == TRIALS => {
                self.change(&name, |bytes| lines_shuffled(random, bytes));
                "lines"
            }
            _ => {
                self.change(&name, |bytes| json_changed(random, bytes));
                "a value"
            }
        };
        format!("{}: {what}", name.display())
    }

    /// Any of the files: as often the plan, the host or the records as all sidecars together.
    fn any(&self, random: &mut Random) -> Option<PathBuf> {
        let (sidecars, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.0.keys().partition(|name| name.starts_with(SIDECARS));
        let from = if sidecars.is_empty() || random.below(4) > 0 { others } else { sidecars };
        // The records are what most is made of.
        let records = from.iter().find(|name| name.as_os_str() == TRIALS).filter(|_| random.below(2) == 0);
        records.or_else(|| random.one_of(&from)).map(|name| (*name).clone())
    }

    fn change(&mut self, name: &Path, change: impl FnOnce(&[u8]) -> Vec<u8>) {
        if let Some(bytes) = self.0.get_mut(name) {
            *bytes = change(bytes);
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Text that is no longer JSON is changed as bytes.
fn json_changed(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return mutation::mutated(random, bytes) };
    let changes: Vec<Change> = (0..=random.below(3)).map(|_| Change::draw(random, &value)).collect();
    with_changes(value, &changes)
}

fn with_changes(mut value: Value, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        change.apply(&mut value);
    }
    let mut text = value.to_string().into_bytes();
    text.push(b'\n');
    text
}

fn one_line_changed(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut lines = lines(bytes);
    let place = random.below(lines.len());
    if let Some(line) = lines.get_mut(place) {
        *line = json_changed(random, line);
    }
    lines.concat()
}

/// The same change in every record: then it is not an outlier, but what all trials say.
fn each_line_changed(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut lines = lines(bytes);
    let Some(first) = lines.first().and_then(|line| serde_json::from_slice::<Value>(line).ok()) else {
        return mutation::mutated(random, bytes);
    };
    let changes: Vec<Change> = (0..=random.below(2)).map(|_| Change::draw(random, &first)).collect();
    for line in &mut lines {
        if let Ok(value) = serde_json::from_slice(line) {
            *line = with_changes(value, &changes);
        }
    }
    lines.concat()
}

fn lines_shuffled(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut lines = lines(bytes);
    for _ in 0..=random.below(6) {
        let (one, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(4) {
            0 if one < lines.len() => lines.swap(one, other),
            1 if one < lines.len() => drop(lines.remove(one)),
            2 if one < lines.len() => lines.insert(other, lines[one].clone()),
            _ => lines.insert(other.min(lines.len()), b"\n".to_vec()),
        }
    }
    lines.concat()
}
