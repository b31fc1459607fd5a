//! Opening: the manifest, its runs, then what the log has beyond them.

use crate::applied::Applied;
use crate::batch::entries;
use crate::cache::PageCache;
use crate::counters::Counters;
use crate::error::StoreError;
use crate::files::{FileKind, Files};
use crate::gate::Gate;
use crate::log::{Life, LogWriter, Replayed, Segment, SegmentSource, replay};
use crate::manifest::Manifest;
use crate::memtable::{self, Memtable};
use crate::options::Options;
use crate::reserve::{RESERVE_NAME, Reserve};
use crate::shared::{Pending, Shared, Work};
use crate::storage::Storage;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::{Condvar, Mutex, RwLock};
use crate::version::{Version, View};
use model::IoMode;
use std::any::Any;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

const LOCK_NAME: &str = "LOCK";

/// Locks the store against other handles.
pub(crate) fn lock(files: &Files) -> Result<Box<dyn Any + Send + Sync>, StoreError> {
    let path = files.path(LOCK_NAME);
    let locked = files.storage().lock(LOCK_NAME);
    let locked = locked.map_err(|source| StoreError::Io { operation: "lock", path: path.clone(), source })?;
    locked.ok_or(StoreError::Locked { path })
}

/// Reads the manifest. Without one there must be no other file of a store.
pub(crate) fn manifest(files: &Files) -> Result<Option<Manifest>, StoreError> {
    let manifest = Manifest::read(files)?;
    let orphan = files.names()?.into_iter().find(|name| FileKind::parse(name).is_some());
    match (&manifest, orphan) {
        (None, Some(name)) => Err(StoreError::Damaged {
            path: files.path(&name),
            offset: 0,
            what: "the file belongs to a store whose manifest is missing",
        }),
        _ => Ok(manifest),
    }
}

/// Reads the manifest of a store that is there.
pub(crate) fn existing_manifest(files: &Files) -> Result<Manifest, StoreError> {
    let source = std::io::ErrorKind::NotFound.into();
    let absent = StoreError::Io { operation: "find a store in", path: files.path(""), source };
    manifest(files)?.ok_or(absent)
}

/// The numbers of the log segments from `begin` on, in order.
pub(crate) fn segments(files: &Files, begin: u64) -> Result<Vec<u64>, StoreError> {
    let numbers = files.names()?.into_iter().filter_map(|name| match FileKind::parse(&name) {
        Some((FileKind::Log, number)) if number >= begin => Some(number),
        Some((FileKind::Log | FileKind::Run | FileKind::Value | FileKind::Values, _)) | None => None,
    });
    let numbers: BTreeSet<u64> = numbers.collect();
    Ok(numbers.into_iter().collect())
}

/// Whether the storage can read and write as the options say.
fn check_modes(files: &Files, options: &Options) -> Result<(), StoreError> {
    let compaction_read_io = options.data.compaction_read_io.unwrap_or(options.data.io);
    for (option, io) in [
        ("data.io", options.data.io),
        ("data.compaction_read_io", compaction_read_io),
        ("log.io", options.log.io),
    ] {
        let checked = files.storage().check(LOCK_NAME, io);
        checked.map_err(|reason| StoreError::Options { option, reason })?;
    }
    Ok(())
}

/// The manifest that was found, or that of a new store.
fn found_or_new(found: Option<Manifest>, options: &Options) -> Result<Manifest, StoreError> {
    let manifest = found.unwrap_or_else(|| Manifest::empty(options.partitions));
    if manifest.partitions.len() != options.partitions {
        let reason = format!("the store was made with {}: open it with that", manifest.partitions.len());
        return Err(StoreError::Options { option: "partitions", reason });
    }
    Ok(manifest)
}

/// A number that no file has and none had.
fn next_number(files: &Files, manifest: &Manifest) -> Result<u64, StoreError> {
    let numbers =
        files.names()?.into_iter().filter_map(|name| FileKind::parse(&name)).map(|(_, number)| number);
    Ok(numbers.max().map_or(1, |last| last + 1).max(manifest.next_number))
}

/// Opens a store, or makes one if there is none.
pub(crate) fn open(storage: Arc<dyn Storage>, options: &Options) -> Result<Shared, StoreError> {
    let files = Files::new(storage, options.background_io_depth)?;
    let files = if options.background_threads > 0 { files.removing_in_background() } else { files };
    check_modes(&files, options)?;
    let found = manifest(&files)?;
    let is_reserve_given_up = found.is_some() && !files.names()?.iter().any(|name| name == RESERVE_NAME);
    let mut manifest = found_or_new(found, options)?;
    let counters = Arc::new(Counters::default());
    let next_number = Arc::new(AtomicU64::new(next_number(&files, &manifest)?));
    let version = Version::open(&files, &manifest, options.data.io)?;
    let recovered = recover(&files, options, &manifest)?;
    let sequence = recovered.sequence;
    manifest.next_number = next_number.load(Ordering::Relaxed);
    let life = Life {
        session: files.storage().session(),
        begin: manifest.next_number,
        base: sequence,
        is_ordered: options.log_depth() == 1,
    };
    let reserve = Arc::new(Reserve::new(files.clone(), options.reserve_bytes(), is_reserve_given_up));
    let segments = Arc::new(SegmentSource::new(
        files.clone(),
        options.log.clone(),
        life,
        Arc::clone(&next_number),
        Arc::clone(&counters),
        Arc::clone(&reserve),
    ));
    let older = end_log(&segments, &mut manifest, &recovered)?;
    reserve.spend(|| manifest.write(&files))?;
    remove_orphans(&files, &version, &recovered)?;
    let (source, counted) = (Arc::clone(&segments), Arc::clone(&counters));
    let log = LogWriter::begin(&options.log, options.durability, source, counted, older, sequence)?;
    if !manifest.has_log {
        (manifest.log_begin, manifest.has_log) = (log.segment(), true);
        reserve.spend(|| manifest.write(&files))?;
    }
    reserve.keep()?;
    let memtable = Arc::new(Memtable::new(options.partitions, log.segment()));
    let mut memtables = vec![Arc::clone(&memtable)];
    memtables.extend(recovered.memtables.into_iter().rev());
    let view = View { memtables, version: Arc::new(version) };
    Ok(Shared {
        options: options.clone(),
        cache: PageCache::new(options.cache_bytes, options.data.page_bytes),
        files,
        counters,
        next_number,
        segments,
        reserve,
        pending: Mutex::new(Pending::after(sequence, memtable)),
        alone: Gate::default(),
        room: Condvar::new(),
        is_led: AtomicBool::new(false),
        log: Mutex::new(log),
        log_placed: Condvar::new(),
        begun: AtomicU64::new(sequence),
        committed: AtomicU64::new(sequence),
        applied: Applied::new(sequence),
        view: RwLock::new(Arc::new(view)),
        manifest: Mutex::new(manifest),
        work: Mutex::new(Work::default()),
        work_changed: Condvar::new(),
        failure: OnceLock::new(),
    })
}

/// What the log has beyond the runs.
struct Recovered {
    /// The oldest first. They are flushed like any other memtable that takes no more writes.
    memtables: Vec<Arc<Memtable>>,
    /// The segments that they are in.
    segments: Vec<u64>,
    /// The files of large values that they name.
    large_values: BTreeSet<u64>,
    /// The last sequence number, in the log or before it.
    sequence: u64,
}

/// Reads what the log has beyond the runs. Changes nothing.
fn recover(files: &Files, options: &Options, manifest: &Manifest) -> Result<Recovered, StoreError> {
    let segments = segments(files, manifest.log_begin)?;
    let (io, begin) = (options.log.io, manifest.log());
    let memtable_bytes = options.recovered_memtable_bytes();
    let (replayed, recovered) = memtable::recover(options.partitions, memtable_bytes, |recovery| {
        replay(files, &segments, io, begin, |record| {
            recovery.push(record);
            true
        })
    });
    let replayed = replayed?;
    let Some(recovered) = recovered else {
        // Once more, one record after another: that finds out which one it is.
        let is_whole = |record: Replayed<'_>| entries(record.payload).all(|entry| entry.is_some());
        replay(files, &segments, io, begin, is_whole)?;
        let what = "a log record could be decoded only when it was read again";
        return Err(StoreError::Damaged { path: files.path(""), offset: 0, what });
    };
    // What is behind the last record was never acknowledged.
    let memtable::Recovered { memtables, large_values } = recovered;
    Ok(Recovered { memtables, segments: replayed.segments, large_values, sequence: replayed.sequence })
}

/// Ends the log of earlier lives behind the last record, so that what is behind it can be removed. Returns the segments
/// that are still needed, whose records survive power loss from now on.
fn end_log(
    segments: &SegmentSource,
    manifest: &mut Manifest,
    recovered: &Recovered,
) -> Result<Vec<Segment>, StoreError> {
    let older = recovered.segments.iter().map(|number| segments.reopen(*number));
    let mut older = older.collect::<Result<Vec<_>, _>>()?;
    let begin = older.first().map(|segment| segment.number);
    (manifest.log_begin, manifest.has_log) = (begin.unwrap_or(manifest.next_number), begin.is_some());
    if let Some(last) = older.last_mut() {
        segments.end(last, recovered.sequence)?;
    }
    Ok(older)
}

/// Removes files that no longer belong to the store, or never did because it was interrupted.
fn remove_orphans(files: &Files, version: &Version, recovered: &Recovered) -> Result<(), StoreError> {
    let runs: BTreeSet<u64> = version.runs().map(|run| run.number).collect();
    let values = version.runs().flat_map(|run| run.large_values()).chain(&recovered.large_values);
    let values: BTreeSet<u64> = values.copied().collect();
    for name in files.names()? {
        let is_orphan = match FileKind::parse(&name) {
            Some((FileKind::Log, number)) => !recovered.segments.contains(&number),
            Some((FileKind::Run, number)) => !runs.contains(&number),
            Some((FileKind::Value, number)) => !values.contains(&number),
            Some((FileKind::Values, number)) => version.values.get(number).is_none(),
            None => Manifest::is_unfinished(&name),
        };
        if is_orphan {
            files.remove(&name)?;
        }
    }
    Ok(())
}

/// The mode in which [`verify`](crate::verify()) reads: it works everywhere.
pub(crate) const VERIFY_IO: IoMode = IoMode::Buffered;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::block::BLOCK_BYTES;
    use crate::log::record;
    use crate::storage::simulated::Disk;
    use crate::storage::{Access, Durable};

    #[test]
    fn a_record_that_cannot_be_decoded_is_named() {
        let disk = Disk::new();
        let mut options = Options { background_threads: 0, ..Options::default() };
        options.log.segment_bytes = 16 << 10;
        let shared = open(Arc::new(disk.clone()), &options).unwrap();
        for value in [b"1", b"2"] {
            let mut batch = Batch::new();
            batch.put(b"key", value).unwrap();
            shared.write(&batch).unwrap();
        }
        let number = crate::shared::lock(&shared.log).segment();
        drop(shared);
        let file = disk.open(&FileKind::Log.name(number), IoMode::Buffered, Access::ReadWrite).unwrap();
        let mut bytes = vec![0; file.bytes().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        // The record of 7 bytes of payload; behind the header of the next one there is no kind 9.
        let second = BLOCK_BYTES + 32;
        bytes[second + 24] = 9;
        record::repair(&mut bytes, number);
        file.write_at(&bytes, 0, Durable::Now).unwrap();
        match open(Arc::new(disk), &options) {
            Err(StoreError::Damaged { offset, .. }) => assert_eq!(offset, second as u64),
            other => panic!("{other:?}"),
        }
    }
}
