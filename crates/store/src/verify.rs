//! Reads all files of a store and checks them.

use crate::batch::entries;
use crate::block::with_page_buffer;
use crate::entry::{Entry, EntryKind, ValuePlace};
use crate::error::StoreError;
use crate::files::{FileKind, Files, failed};
use crate::large_value;
use crate::log::replay;
use crate::manifest::NAME as MANIFEST_NAME;
use crate::open::{VERIFY_IO, existing_manifest, lock, segments};
use crate::options::ReadEngine;
use crate::reserve::RESERVE_NAME;
use crate::run::{Run, check};
use crate::storage::{Directory, ReadOnly, Storage};
use crate::values::ValueUses;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// What [`verify`] read, and what is wrong.
#[derive(Debug, Default)]
pub struct Verification {
    /// Sorted runs.
    pub runs: usize,
    pub entries: u64,
    /// Their bytes.
    pub run_bytes: u64,
    /// Large values in files of their own.
    pub large_values: usize,
    /// Values in value files that entries name.
    pub separated_values: usize,
    /// Batches in the log that are not in runs.
    pub log_records: u64,
    /// Names of files that the store does not need; the next open removes those that are its own.
    pub unknown_files: Vec<String>,
    /// What is wrong, with file and place.
    pub problems: Vec<StoreError>,
}

/// Reads all files of the store in this directory and checks them: checksums, order, page indexes, filters, levels,
/// large and separated values, the log. Changes nothing.
///
/// No later record says that the last group of the log, or the last ones in flight at once, was durable: a flipped bit
/// there looks like a write that power loss interrupted.
///
/// # Errors
/// The directory cannot be read, the store is open, or its manifest is damaged. Anything else that is wrong is a
/// [problem](Verification::problems).
pub fn verify(path: &Path) -> Result<Verification, StoreError> {
    if !path.is_dir() {
        let source = std::io::ErrorKind::NotADirectory.into();
        return Err(StoreError::Io { operation: "open", path: path.to_owned(), source });
    }
    let directory = Directory::existing(path, ReadEngine::Psync, VERIFY_IO, 1, 4096);
    verify_on(Arc::new(directory.map_err(failed("open", path.to_owned()))?))
}

/// The same for a store on any storage.
///
/// # Errors
/// As [`verify`].
pub fn verify_on(storage: Arc<dyn Storage>) -> Result<Verification, StoreError> {
    let files = Files::new(Arc::new(ReadOnly::new(storage, MANIFEST_NAME)), 1)?;
    let _lock = lock(&files)?;
    let manifest = existing_manifest(&files)?;
    let mut found = Verification::default();
    let partitions = manifest.partitions.len();
    let (mut large, mut wrong_values) = (Vec::new(), Vec::new());
    let mut values = ValueUses::default();
    for (partition, levels) in manifest.partitions.iter().enumerate() {
        for (level, numbers) in levels.iter().enumerate() {
            let runs: Vec<Run> = numbers
                .iter()
                .filter_map(|number| match Run::open(&files, *number, VERIFY_IO, &values) {
                    Ok(run) => {
                        values.add_all(&run.values);
                        Some(run)
                    }
                    Err(error) => {
                        found.problems.push(error);
                        None
                    }
                })
                .collect();
            for run in &runs {
                found.runs += 1;
                found.entries += run.entries();
                found.run_bytes += run.bytes;
                check(
                    run,
                    (partition, partitions),
                    |problem| found.problems.push(problem),
                    |kind, place| {
                        if kind == EntryKind::PutLarge {
                            large.push(place);
                        } else {
                            found.separated_values += 1;
                            wrong_values.extend(check_separated(&values, place).err());
                        }
                    },
                );
                found.problems.append(&mut wrong_values);
            }
            for pair in runs.windows(2).filter(|_| level > 0) {
                if pair[0].largest() >= pair[1].smallest() {
                    found.problems.push(pair[1].file.damaged(0, "its keys overlap those of its neighbour"));
                }
            }
        }
    }
    let segments = segments(&files, manifest.log_begin)?;
    let replayed = replay(&files, &segments, VERIFY_IO, manifest.log(), |record| {
        let all: Option<Vec<_>> = entries(record.payload).collect();
        large.extend(all.iter().flatten().filter_map(Entry::value_place));
        all.is_some()
    });
    match replayed {
        Ok(replayed) => found.log_records = replayed.records,
        Err(error) => found.problems.push(error),
    }
    check_large(&files, &large, &mut found);
    let runs: BTreeSet<u64> = manifest.partitions.iter().flatten().flatten().copied().collect();
    let large: BTreeSet<u64> = large.iter().map(|value| value.number).collect();
    found.unknown_files = files.names()?;
    found.unknown_files.retain(|name| match FileKind::parse(name) {
        Some((FileKind::Run, number)) => !runs.contains(&number),
        Some((FileKind::Value, number)) => !large.contains(&number),
        Some((FileKind::Values, number)) => values.get(number).is_none(),
        Some((FileKind::Log, number)) => number < manifest.log_begin,
        None => !["LOCK", MANIFEST_NAME, RESERVE_NAME].contains(&name.as_str()),
    });
    Ok(found)
}

fn check_large(files: &Files, values: &[ValuePlace], found: &mut Verification) {
    let mut content = Vec::new();
    for value in values {
        found.large_values += 1;
        if let Err(error) = large_value::read(files, *value, VERIFY_IO, &mut content) {
            found.problems.push(error);
        }
    }
}

/// Reads a value in a value file. What is garbage there is read by nobody.
fn check_separated(files: &ValueUses, place: ValuePlace) -> Result<(), StoreError> {
    // A run that names a file and does not list it is a problem of its own.
    let Some(file) = files.get(place.number).map(|value_use| &value_use.file) else { return Ok(()) };
    let (begin, bytes) = file.blocks(place)?;
    with_page_buffer(bytes, |blocks| {
        file.open()?.read_at(blocks, begin)?;
        file.value_in(blocks, begin, place, true).map(drop)
    })
}
