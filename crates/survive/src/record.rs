//! The file of a series: a line of settings, then a line for each crash, in JSON. A series goes on where its file ends.

use crate::crash::Crash;
use crate::subject::{Limits, Subject};
use disk::filesystem::FileSystemKind;
use model::printable;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How each file begins. What is killed before it has written its first line leaves a part of it.
const BEGINNING: &[u8] = br#"{"format":"#;

/// Counts changes of the file or of what a seed decides.
const FORMAT: u32 = 1;

/// What all crashes of a file have in common. By these settings a crash can be repeated, and counted with the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesSettings {
    format: u32,
    /// Version of Syncline.
    program: String,
    file_system: String,
    /// Whether each crash created its table.
    creates: bool,
    /// The first crashes have it.
    pub seed: u64,
    disk_bytes: u64,
    writers: u32,
    loaded: u64,
    checkpoints_ms: u64,
    start_ms: u64,
}

impl SeriesSettings {
    /// The settings of a series that begins at this seed.
    pub fn new(file_system: FileSystemKind, creates: bool, limits: &Limits, seed: u64) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            file_system: file_system.name().to_owned(),
            creates,
            seed,
            disk_bytes: limits.disk_bytes,
            writers: limits.writers,
            loaded: limits.loaded,
            checkpoints_ms: limits.checkpoints.as_millis() as u64,
            start_ms: limits.start.as_millis() as u64,
        }
    }

    /// Their line of a file.
    pub fn line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// Requires that crashes with these settings may be added to those of a file.
    pub fn require_same(&self, of_file: &Self) -> Result<(), RecordError> {
        let pairs = [
            ("format", of_file.format.to_string(), self.format.to_string()),
            ("version of Syncline", of_file.program.clone(), self.program.clone()),
            ("file system", of_file.file_system.clone(), self.file_system.clone()),
            ("creation of the table", of_file.creates.to_string(), self.creates.to_string()),
            ("seed", of_file.seed.to_string(), self.seed.to_string()),
            ("size of the disk", of_file.disk_bytes.to_string(), self.disk_bytes.to_string()),
            ("number of writers", of_file.writers.to_string(), self.writers.to_string()),
            ("rows of a writer", of_file.loaded.to_string(), self.loaded.to_string()),
            ("pause of checkpoints", of_file.checkpoints_ms.to_string(), self.checkpoints_ms.to_string()),
            ("limit of a start", of_file.start_ms.to_string(), self.start_ms.to_string()),
        ];
        match pairs.into_iter().find(|(_, there, here)| there != here) {
            Some((name, there, here)) => {
                Err(RecordError::Other { name: name.to_owned(), there: printable(&there).into_owned(), here })
            }
            None => Ok(()),
        }
    }
}

/// A crash with what was crashed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedCrash {
    pub server: String,
    /// What the server's programs call their version.
    pub version: String,
    pub settings: Vec<(String, String)>,
    #[serde(flatten)]
    pub crash: Crash,
}

impl RecordedCrash {
    /// A crash of a subject whose programs have this version.
    pub fn new(of: &Subject<'_>, version: &str, crash: Crash) -> Self {
        let text = |(name, value): &(&'static str, &'static str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            server: of.server.name().to_owned(),
            version: version.to_owned(),
            settings: of.promise.settings.iter().map(text).collect(),
            crash,
        }
    }

    /// Its line of a file.
    pub fn line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// `None` if the file has no whole line.
    pub settings: Option<SeriesSettings>,
    pub crashes: Vec<RecordedCrash>,
    /// Length of its whole lines. A process that was killed leaves a part of one behind them.
    pub whole_bytes: usize,
}

impl Recorded {
    /// Reads a file's bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        let whole_bytes = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let whole = bytes.get(..whole_bytes).unwrap_or_default();
        let begun = bytes.len().min(BEGINNING.len());
        if bytes[..begun] != BEGINNING[..begun] {
            return Err(RecordError::Foreign);
        }
        let mut recorded = Self { settings: None, crashes: Vec::new(), whole_bytes };
        let mut seen = HashSet::new();
        for (place, line) in whole.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let damaged = |why: String| RecordError::Line { line: place + 1, why };
            let unlike = |error: serde_json::Error| damaged(printable(&error.to_string()).into_owned());
            if place == 0 {
                recorded.settings = Some(serde_json::from_slice(line).map_err(unlike)?);
                continue;
            }
            let crash: RecordedCrash = serde_json::from_slice(line).map_err(unlike)?;
            let of = (crash.server.clone(), crash.settings.clone(), crash.crash.end, crash.crash.seed);
            // Counted twice, it would make the bound tighter than it is.
            if !seen.insert(of) {
                return Err(damaged("the same crash as in a line before".to_owned()));
            }
            recorded.crashes.push(crash);
        }
        Ok(recorded)
    }

    /// The crashes of a subject.
    ///
    /// # Errors
    /// One of them is of other programs than those of this version.
    pub fn of(&self, subject: &Subject<'_>, version: &str) -> Result<Vec<Crash>, RecordError> {
        let server = subject.server.name();
        let settings = &subject.promise.settings;
        let is_of = |of: &&RecordedCrash| {
            let names = of.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            of.server == server && names.eq(settings.iter().copied())
        };
        let crashes = self.crashes.iter().filter(is_of);
        let same = |of: &RecordedCrash| {
            if of.version == version {
                return Ok(of.crash.clone());
            }
            let there = printable(&of.version).into_owned();
            Err(RecordError::Other { name: format!("version of {server}"), there, here: version.to_owned() })
        };
        crashes.map(same).collect()
    }
}

/// Why crashes cannot be added to a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("it is not a series of crashes, and Syncline leaves it as it is; take a new file")]
    Foreign,
    #[error("line {line} is none of a series of crashes: {why}")]
    Line { line: usize, why: String },
    #[error("it has crashes of other settings: the {name} is {there} there and {here} here")]
    Other { name: String, there: String, here: String },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::End;
    use crate::fate::{Fate, Loss};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn settings(seed: u64) -> SeriesSettings {
        SeriesSettings::new(FileSystemKind::Ext4, false, &Limits::default(), seed)
    }

    fn recorded(seed: u64, fate: Fate) -> RecordedCrash {
        let settings = vec![("appendfsync".to_owned(), "always".to_owned())];
        let crash = Crash {
            end: End::PowerLoss,
            seed,
            moment_ms: 100.5,
            kept: Some("only what was flushed".to_owned()),
            unflushed_bytes: Some(4096),
            crashes_in_recovery: 1,
            acknowledged_commits: 10,
            fate,
            recovery_ms: Some(12.0),
            complaints: vec!["a \"line\"".to_owned()],
        };
        RecordedCrash { server: "valkey".to_owned(), version: "8.0.1".to_owned(), settings, crash }
    }

    fn file(crashes: &[RecordedCrash]) -> String {
        let lines = crashes.iter().map(|crash| crash.line().expect("finite"));
        settings(7).line().expect("finite") + &lines.collect::<String>()
    }

    #[test]
    fn a_file_is_read_as_it_was_written_up_to_its_last_whole_line() {
        let lost = Fate::Lost(Loss { lost_commits: 3, lost_over_ms: 1.25, ..Loss::default() });
        let ends = Fate::DoesNotStart { why: "invalid page".to_owned() };
        let crashes = [recorded(7, Fate::Kept), recorded(8, lost), recorded(9, ends)];
        let text = file(&crashes);
        let whole =
            Recorded { settings: Some(settings(7)), crashes: crashes.to_vec(), whole_bytes: text.len() };
        assert_eq!(Recorded::parse(text.as_bytes()), Ok(whole.clone()));
        for cut in 0..text.len() {
            let read = Recorded::parse(&text.as_bytes()[..cut]).expect("its whole lines are sound");
            assert!(read.whole_bytes <= cut && whole.crashes.starts_with(&read.crashes), "{cut}");
            assert!(read.whole_bytes == 0 || read.settings == whole.settings, "{cut}");
        }
    }

    /// A text of one line without its end was taken for the rest of a killed process, and cut to nothing.
    #[test]
    fn a_file_of_something_else_is_left_alone() {
        for text in ["a note", "a note\n", "{}", "{\"server\":\"valkey\"", "\n"] {
            assert_eq!(Recorded::parse(text.as_bytes()), Err(RecordError::Foreign), "{text:?}");
        }
    }

    #[test]
    fn a_crash_that_is_there_twice_is_refused() {
        let text = file(&[recorded(7, Fate::Kept), recorded(7, Fate::Kept)]);
        assert!(matches!(Recorded::parse(text.as_bytes()), Err(RecordError::Line { line: 3, .. })));
        assert!(matches!(Recorded::parse(b"{\"format\":1}\n"), Err(RecordError::Line { line: 1, .. })));
    }

    #[test]
    fn other_settings_are_named() {
        assert_eq!(settings(7).require_same(&settings(7)), Ok(()));
        let xfs = SeriesSettings::new(FileSystemKind::Xfs, false, &Limits::default(), 7);
        for (other, expected) in [(settings(8), "seed"), (xfs, "file system")] {
            let refused = settings(7).require_same(&other);
            assert!(
                matches!(&refused, Err(RecordError::Other { name, .. }) if name == expected),
                "{refused:?}"
            );
        }
    }

    /// Anybody may have written the file: it is a value, or one line. A fuzz target of its own would have every
    /// server's client in each build of all targets.
    #[test]
    fn a_spoiled_file_is_a_value_or_a_line() {
        let lost = Fate::Lost(Loss { lost_commits: 3, lost_over_ms: 1.25, ..Loss::default() });
        let sound = file(&[recorded(7, Fate::Kept), recorded(8, lost), recorded(9, Fate::Kept)]).into_bytes();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut below = |limit: usize| (random.next_u64() % limit.max(1) as u64) as usize;
        for _ in 0..5_000 {
            let mut bytes = sound.clone();
            for _ in 0..=below(3) {
                let place = below(bytes.len());
                match below(4) {
                    0 => bytes[place] = below(256) as u8,
                    1 => bytes.truncate(place),
                    2 => {
                        let part = bytes[place..(place + below(80)).min(bytes.len())].to_vec();
                        let to = below(bytes.len());
                        bytes.splice(to..to, part);
                    }
                    _ => drop(bytes.drain(place..(place + below(40)).min(bytes.len()))),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            match Recorded::parse(&bytes) {
                Ok(found) => {
                    assert!(found.whole_bytes <= bytes.len());
                    let lines = found.crashes.iter().map(RecordedCrash::line);
                    assert!(lines.into_iter().all(|line| line.is_ok()));
                }
                Err(why) => assert!(!why.to_string().contains('\n'), "{why}"),
            }
        }
    }
}
