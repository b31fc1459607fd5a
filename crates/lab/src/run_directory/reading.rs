//! Reads what may have been written by anything: another version, a torn disk, somebody who means harm. Each file and each
//! line has a limit far above what Syncline writes, so a hostile one costs a sentence and not the memory.

use super::{PLAN, RunError, TRIALS, io_error, may_be_repeated};
use model::FORMAT_VERSION;
use model::plan::Plan;
use model::trial::{TrialKey, TrialRecord};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A plan of the most configurations there may be has a tenth of this; a sidecar a hundredth.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// A record is a few kilobytes.
const LINE_BYTES_MAX: u64 = 4 << 20;
/// A hundred thousand trials.
const TRIALS_BYTES_MAX: u64 = 1 << 30;

/// Opens a regular file: a pipe would be waited for without end, and opening a device can have effects of its own.
fn open(path: &Path, bytes_max: u64) -> Result<File, RunError> {
    let metadata = fs::metadata(path).map_err(io_error(path, "read"))?;
    if !metadata.is_file() {
        return Err(foreign(path, None, "it is no regular file"));
    }
    if metadata.len() > bytes_max {
        let what = format!("it has {} bytes, and no run has more than {bytes_max}", metadata.len());
        return Err(foreign(path, None, what));
    }
    File::open(path).map_err(io_error(path, "read"))
}

fn foreign(path: &Path, line: Option<usize>, what: impl Into<String>) -> RunError {
    RunError::Foreign { path: path.to_owned(), line, what: what.into() }
}

/// A file that is one JSON value.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    serde_json::from_slice(&bytes(path)?).map_err(|error| foreign(path, None, error.to_string()))
}

fn bytes(path: &Path) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::new();
    // What grows while it is read ends at the limit, and is no JSON.
    let mut file = open(path, FILE_BYTES_MAX)?.take(FILE_BYTES_MAX);
    file.read_to_end(&mut bytes).map_err(io_error(path, "read"))?;
    Ok(bytes)
}

/// The plan of a run directory.
pub(super) fn plan(directory: &Path) -> Result<Plan, RunError> {
    let path = directory.join(PLAN);
    let is_there = match fs::metadata(&path) {
        Ok(metadata) => metadata.is_file(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => false,
        // A directory that is closed to this user may well hold a run.
        Err(error) => return Err(io_error(&path, "read")(error)),
    };
    if !is_there {
        let why = match fs::metadata(directory) {
            Err(_) => "there is nothing of that name",
            Ok(metadata) if metadata.is_dir() => "it has no plan.json",
            Ok(_) => "it is a file",
        };
        return Err(RunError::NotARun { path: directory.to_owned(), why });
    }
    versioned(&path, None, &bytes(&path)?, |plan: &Plan| plan.format_version)
}

/// The version alone: what a newer one holds beside it is not for this program to understand.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Version {
    format_version: Option<serde_json::Value>,
}

/// What was written by this version or an older one.
fn versioned<T: DeserializeOwned>(
    path: &Path,
    line: Option<usize>,
    text: &[u8],
    version: fn(&T) -> u32,
) -> Result<T, RunError> {
    let unreadable = |error: serde_json::Error| {
        let what = error.to_string();
        // Of a line it is the file's line that counts, which is told already.
        foreign(path, line, if line.is_some() { what.replace("line 1 column", "column") } else { what })
    };
    let read = serde_json::from_slice(text);
    if read.as_ref().is_ok_and(|value| version(value) <= FORMAT_VERSION) {
        return read.map_err(unreadable);
    }
    // A newer version is told before whatever else is wrong with it.
    let version: Version = serde_json::from_slice(text).map_err(unreadable)?;
    match version.format_version.as_ref().and_then(serde_json::Value::as_u64) {
        Some(found) if found > u64::from(FORMAT_VERSION) => {
            Err(RunError::Newer { path: path.to_owned(), line, found })
        }
        Some(_) => read.map_err(unreadable),
        None => Err(foreign(path, line, "it has no format_version")),
    }
}

/// Records, remarks, and how many bytes of the file are whole lines.
pub(super) fn trials(path: &Path) -> Result<(Vec<TrialRecord>, Vec<String>, u64), RunError> {
    let file = match open(path, TRIALS_BYTES_MAX) {
        Err(RunError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            return Ok((Vec::new(), Vec::new(), 0));
        }
        other => other?,
    };
    let mut lines = Lines { reader: BufReader::new(file), path, number: 0, whole_bytes: 0, torn_bytes: 0 };
    let mut found = Trials::default();
    let mut line = Vec::new();
    while lines.next(&mut line)? {
        if !line.is_empty() {
            let record =
                versioned(path, Some(lines.number), &line, |record: &TrialRecord| record.format_version)?;
            found.add(record, lines.number);
        }
    }
    if lines.torn_bytes > 0 {
        found.remarks.insert(
            0,
            format!(
                "the last line of {TRIALS} was torn ({} bytes, a kill in the middle of writing) and is dropped; that trial \
                 runs again",
                lines.torn_bytes
            ),
        );
    }
    found.remarks.extend(found.repeated());
    Ok((found.records, found.remarks, lines.whole_bytes))
}

/// The lines of a file, one at a time.
struct Lines<'a> {
    reader: BufReader<File>,
    path: &'a Path,
    number: usize,
    whole_bytes: u64,
    torn_bytes: u64,
}

impl Lines<'_> {
    /// Reads the next whole line without its end; `false` where there is none. A last line without an end is torn, however
    /// long it is.
    fn next(&mut self, line: &mut Vec<u8>) -> Result<bool, RunError> {
        line.clear();
        self.number += 1;
        let mut limited = (&mut self.reader).take(LINE_BYTES_MAX);
        let read = limited.read_until(b'\n', line).map_err(io_error(self.path, "read"))?;
        if line.pop_if(|last| *last == b'\n').is_some() {
            self.whole_bytes += read as u64;
            return Ok(true);
        }
        let (rest, ended) = skip_line(&mut self.reader).map_err(io_error(self.path, "read"))?;
        if ended {
            let what = format!("it has more than {LINE_BYTES_MAX} bytes");
            return Err(foreign(self.path, Some(self.number), what));
        }
        self.torn_bytes = (read + rest) as u64;
        Ok(false)
    }
}

/// Passes over the rest of a line without keeping it: its bytes, and whether it has an end.
fn skip_line(reader: &mut impl BufRead) -> io::Result<(usize, bool)> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (bytes, is_over) = (end.map_or(buffer.len(), |end| end + 1), end.is_some() || buffer.is_empty());
        reader.consume(bytes);
        skipped += bytes;
        if is_over {
            return Ok((skipped, end.is_some()));
        }
    }
}

/// Records as they come: one per trial, the later one in the place of one that failed.
#[derive(Default)]
struct Trials {
    records: Vec<TrialRecord>,
    remarks: Vec<String>,
    places: BTreeMap<TrialKey, usize>,
    /// First line that repeats a trial, and how many do.
    repeats: Option<(usize, usize)>,
}

impl Trials {
    fn add(&mut self, record: TrialRecord, line: usize) {
        match self.places.get(&record.key) {
            None => {
                self.places.insert(record.key.clone(), self.records.len());
                self.records.push(record);
            }
            Some(place) if may_be_repeated(&self.records[*place]) => self.records[*place] = record,
            Some(_) => {
                let (first, count) = self.repeats.unwrap_or((line, 0));
                self.repeats = Some((first, count + 1));
            }
        }
    }

    fn repeated(&self) -> Option<String> {
        let (first, count) = self.repeats?;
        let more = if count > 1 { format!(", and so do {} more", count - 1) } else { String::new() };
        Some(format!("{TRIALS} line {first} repeats a trial that is recorded already; it is left out{more}"))
    }
}
