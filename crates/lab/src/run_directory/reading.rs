//! Reads what may have been written by anything: another version, a torn disk, somebody who means harm. Each file and
//! each line has a limit far above what Syncline writes, so a hostile one costs a sentence and not the memory.

use super::error::{RunError, foreign, io_error};
use super::names::TRIALS;
use model::plan::{Plan, StudyPlan};
use model::shared::SharedTrial;
use model::spikes::SpikesOfRecording;
use model::traced::{TracedKey, TracedTrial};
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use model::{FORMAT_VERSION, file_name};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::num::NonZero;
use std::path::Path;
use std::thread;

/// A plan of the most configurations there may be has a tenth of this; a sidecar a hundredth.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// A record is a few kilobytes.
const LINE_BYTES_MAX: u64 = 4 << 20;
/// A hundred thousand trials.
const TRIALS_BYTES_MAX: u64 = 1 << 30;
/// Lines that are parsed together: far above a thread's cost, far below a run's size.
const BATCH_BYTES: usize = 2 << 20;
/// Fewer lines are not worth a thread.
const PART_LINES_MIN: usize = 16;

/// Whether a later record of the same trial takes this one's place.
pub(super) fn may_be_repeated(record: &TrialRecord) -> bool {
    match record.outcome {
        TrialOutcome::Failed(_) | TrialOutcome::Killed(_) => true,
        TrialOutcome::Ok | TrialOutcome::Unsupported(_) => false,
    }
}

/// Whether a later record takes the place of this one: of a trial that failed, or of a round in turns that was repeated
/// whole.
fn is_replaced(record: &TrialRecord, later: &TrialRecord) -> bool {
    let took_turns = !record.ensemble.is_empty() || !later.ensemble.is_empty();
    may_be_repeated(record) || (took_turns && later.session > record.session)
}

/// Drops the trials that took turns with others that have no record of the same session: such a round, or block of a
/// round, is repeated whole. Returns how many those are.
pub(super) fn drop_incomplete_ensembles(records: &mut Vec<TrialRecord>) -> usize {
    let turn_of = |record: &TrialRecord, arm| {
        (record.key.study.clone(), record.key.round, record.key.block, record.session, arm)
    };
    let taken: BTreeSet<_> = records.iter().map(|record| turn_of(record, record.key.arm())).collect();
    let before = records.len();
    records.retain(|record| record.ensemble.iter().all(|arm| taken.contains(&turn_of(record, *arm))));
    before - records.len()
}

fn require_size(path: &Path, file: &File, bytes_max: u64) -> Result<(), RunError> {
    let bytes = file.metadata().map_err(io_error(path, "read"))?.len();
    if bytes > bytes_max {
        let what = format!("it has {bytes} bytes, more than the limit of {bytes_max}");
        return Err(foreign(path, None, what));
    }
    Ok(())
}

/// A file that is one JSON value, as it was opened. The path is for messages.
pub(super) fn json<T: DeserializeOwned>(path: &Path, opened: io::Result<File>) -> Result<T, RunError> {
    let text = bytes(path, opened)?;
    serde_json::from_slice(&text).map_err(|error| foreign(path, None, misfit::<T>(&text, &error)))
}

/// What does not fit, behind the field that it is in: found by a second reading, which only what is refused needs.
fn misfit<T: DeserializeOwned>(text: &[u8], error: &serde_json::Error) -> String {
    let mut again = serde_json::Deserializer::from_slice(text);
    match serde_path_to_error::deserialize::<_, T>(&mut again) {
        Err(at) if at.path().iter().next().is_some() => format!("{}: {}", at.path(), at.inner()),
        Ok(_) | Err(_) => error.to_string(),
    }
}

fn bytes(path: &Path, opened: io::Result<File>) -> Result<Vec<u8>, RunError> {
    let file = opened.map_err(io_error(path, "read"))?;
    require_size(path, &file, FILE_BYTES_MAX)?;
    let mut bytes = Vec::new();
    // What grows while it is read ends at the limit, and is not JSON.
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).map_err(io_error(path, "read"))?;
    Ok(bytes)
}

/// The plan of a run directory. Its studies' names are parts of file names from here on, so each can be one.
pub(super) fn plan(path: &Path, opened: io::Result<File>) -> Result<Plan, RunError> {
    let mut plan = versioned(path, None, &bytes(path, opened)?, |plan: &Plan| plan.format_version)?;
    for study in &mut plan.studies {
        if let Some(objection) = file_name::objection(&study.name) {
            let what = format!("the name of study {:?} {objection}", study.name);
            return Err(foreign(path, None, what));
        }
        workload::older_plan::complete(study);
    }
    Ok(plan)
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
        let what = misfit::<T>(text, &error);
        // For a line it is the file's line that counts, which is reported already.
        foreign(path, line, if line.is_some() { what.replace("line 1 column", "column") } else { what })
    };
    let read = serde_json::from_slice(text);
    if read.as_ref().is_ok_and(|value| version(value) <= FORMAT_VERSION) {
        return read.map_err(unreadable);
    }
    // A newer version is reported before whatever else is wrong with it.
    let version: Version = serde_json::from_slice(text).map_err(unreadable)?;
    match version.format_version.as_ref().and_then(serde_json::Value::as_u64) {
        Some(found) if found > u64::from(FORMAT_VERSION) => {
            Err(RunError::Newer { path: path.to_owned(), line, found })
        }
        Some(_) => read.map_err(unreadable),
        None => Err(foreign(path, line, "it has no format_version")),
    }
}

/// Gives a record what those of earlier versions lack, if its plan describes its configuration.
pub(super) fn complete(plan: &Plan, record: &mut TrialRecord) {
    if let (Some(measurement), Some(description)) = (&mut record.measurement, plan.description(&record.key)) {
        workload::phases::complete(measurement, description);
    }
}

/// The studies that this version cannot describe, each in a sentence.
pub(super) fn undescribed(plan: &Plan) -> impl Iterator<Item = String> {
    let is_unknown = |study: &&StudyPlan| study.descriptions.len() != study.configurations.len();
    plan.studies.iter().filter(is_unknown).map(|study| {
        format!(
            "study {}: this version does not know its workload or one of its levels: audits that depend on them do not \
             apply",
            study.name
        )
    })
}

/// Records, remarks, and how many bytes of the file are whole lines.
pub(super) fn trials(path: &Path, file: &File) -> Result<(Vec<TrialRecord>, Vec<String>, u64), RunError> {
    require_size(path, file, TRIALS_BYTES_MAX)?;
    let mut file = file;
    file.rewind().map_err(io_error(path, "read"))?;
    let mut lines = Lines { reader: BufReader::new(file), path, number: 0, whole_bytes: 0, torn_bytes: 0 };
    let mut found = Trials::default();
    loop {
        let (batch, end) = lines.batch();
        for (record, (number, _)) in parsed(path, &batch).into_iter().zip(&batch) {
            found.add(record?, *number);
        }
        // What is wrong with an earlier line is reported first.
        if end? {
            break;
        }
    }
    if lines.torn_bytes > 0 {
        found.remarks.insert(
            0,
            format!(
                "the last line of {TRIALS} is incomplete ({} bytes, written by a killed process) and is dropped; \
                 that trial runs again",
                lines.torn_bytes
            ),
        );
    }
    found.remarks.extend(found.repeated());
    Ok((found.records, found.remarks, lines.whole_bytes))
}

/// What all ranks measured together, by trial. The later of two lines about one trial counts; an incomplete last line
/// is dropped, because its trial has no record either.
pub(super) fn shared(path: &Path, file: &File) -> Result<BTreeMap<TrialKey, SharedTrial>, RunError> {
    latest(path, file, |trial: &SharedTrial| trial.format_version, |trial| trial.key.clone())
}

/// What the traced trials show, in the same way.
pub(super) fn traced(path: &Path, file: &File) -> Result<BTreeMap<TracedKey, TracedTrial>, RunError> {
    latest(path, file, |trial: &TracedTrial| trial.format_version, |trial| trial.key.clone())
}

/// The spikes of each recording. An incomplete last line is dropped.
pub(super) fn spikes(path: &Path, file: &File) -> Result<Vec<SpikesOfRecording>, RunError> {
    let mut found = Vec::new();
    each(path, file, |spikes: &SpikesOfRecording| spikes.format_version, |spikes| found.push(spikes))?;
    Ok(found)
}

/// How many bytes of a file of lines are whole lines.
pub(super) fn whole_bytes(path: &Path, file: &File) -> Result<u64, RunError> {
    require_size(path, file, TRIALS_BYTES_MAX)?;
    let reader = BufReader::new(file);
    let mut lines = Lines { reader, path, number: 0, whole_bytes: 0, torn_bytes: 0 };
    while !lines.batch().1? {}
    Ok(lines.whole_bytes)
}

/// The last line about each trial.
fn latest<K: Ord, T: DeserializeOwned>(
    path: &Path,
    file: &File,
    version: fn(&T) -> u32,
    key: fn(&T) -> K,
) -> Result<BTreeMap<K, T>, RunError> {
    let mut found = BTreeMap::new();
    each(path, file, version, |trial| drop(found.insert(key(&trial), trial)))?;
    Ok(found)
}

/// Takes each whole line.
fn each<T: DeserializeOwned>(
    path: &Path,
    file: &File,
    version: fn(&T) -> u32,
    mut take: impl FnMut(T),
) -> Result<(), RunError> {
    require_size(path, file, TRIALS_BYTES_MAX)?;
    let reader = BufReader::new(file);
    let mut lines = Lines { reader, path, number: 0, whole_bytes: 0, torn_bytes: 0 };
    loop {
        let (batch, end) = lines.batch();
        for (number, text) in &batch {
            take(versioned(path, Some(*number), text, version)?);
        }
        if end? {
            return Ok(());
        }
    }
}

/// The lines of a file, one at a time.
struct Lines<'a> {
    reader: BufReader<&'a File>,
    path: &'a Path,
    number: usize,
    whole_bytes: u64,
    torn_bytes: u64,
}

/// A line's number and its bytes.
type Line = (usize, Vec<u8>);

/// The records of some lines, in their order. Parsing them is most of reading a run, so every CPU takes a part.
fn parsed(path: &Path, batch: &[Line]) -> Vec<Result<TrialRecord, RunError>> {
    let parse = |lines: &[Line]| -> Vec<Result<TrialRecord, RunError>> {
        let record = |(number, text): &Line| {
            versioned(path, Some(*number), text, |record: &TrialRecord| record.format_version)
        };
        lines.iter().map(record).collect()
    };
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let mut parts = batch.chunks(batch.len().div_ceil(cpus).max(PART_LINES_MIN));
    let Some(first) = parts.next() else { return Vec::new() };
    thread::scope(|scope| {
        // A part whose thread cannot be started is parsed here.
        let start = |part| (part, thread::Builder::new().spawn_scoped(scope, move || parse(part)));
        let others: Vec<_> = parts.map(start).collect();
        let mut records = parse(first);
        for (part, other) in others {
            records.extend(match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => parse(part),
            });
        }
        records
    })
}

impl Lines<'_> {
    /// The next lines that are not empty, a few megabytes of them, and whether the file ends behind them.
    fn batch(&mut self) -> (Vec<Line>, Result<bool, RunError>) {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while bytes < BATCH_BYTES {
            let mut line = Vec::new();
            match self.next(&mut line) {
                Ok(true) => {}
                other => return (batch, other.map(|more| !more)),
            }
            bytes += line.len();
            if !line.is_empty() {
                batch.push((self.number, line));
            }
        }
        (batch, Ok(false))
    }

    /// Reads the next whole line without its end; `false` if there is none. A last line without an end is torn, however
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

/// Records as they come: one per trial, the later one in the place of one that was repeated.
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
            Some(place) if is_replaced(&self.records[*place], &record) => self.records[*place] = record,
            Some(_) => {
                let (first, count) = self.repeats.unwrap_or((line, 0));
                self.repeats = Some((first, count + 1));
            }
        }
    }

    fn repeated(&self) -> Option<String> {
        let (first, count) = self.repeats?;
        let more = if count > 1 { format!(", and so do {} more", count - 1) } else { String::new() };
        Some(format!("{TRIALS} line {first} repeats a recorded trial and is left out{more}"))
    }
}
