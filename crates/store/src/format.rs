//! The formats of a store's files, each read from bytes that the store may not have written.
//!
//! `FORMAT.md` describes them. A store reads its files through the same functions; these are for tests and fuzzing,
//! which need one format at a time and need to get past its checksum.

use crate::batch::entries;
use crate::error::StoreError;
use crate::files::{FileKind, Files};
use crate::log::{LogBegin, record, replay};
use crate::manifest;
use crate::run;
use crate::storage::simulated::Disk;
use crate::storage::{Durable, Storage};
use crate::values::ValueUses;
use model::IoMode;
use std::sync::Arc;

/// What bytes are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `MANIFEST`.
    Manifest,
    /// A log segment with number 1, of a store that has nothing else.
    Log,
    /// A sorted run with number 1.
    Run,
    /// One page of a run without checksums.
    Page,
    /// The page index of a run.
    Index,
    /// The filter of a run.
    Filter,
}

/// What is done about checksums that cover all the rest. Pages, page indexes and filters have none of their own here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksums {
    /// They have to match.
    Verified,
    /// They are made to match first, so that what is behind them is read.
    Repaired,
}

const NUMBER: u64 = 1;

/// Reads bytes. Returns how many things they have: runs of a manifest, records of a log, entries of a run or a page,
/// pages of a page index, fingerprints of a filter.
///
/// # Errors
/// The first thing that is wrong, with a file and the place in it. No bytes make it panic, and it takes no more memory
/// than a small multiple of their number.
pub fn read(format: Format, bytes: &[u8], checksums: Checksums) -> Result<u64, StoreError> {
    let mut bytes = bytes.to_vec();
    if checksums == Checksums::Repaired {
        match format {
            Format::Manifest => manifest::repair(&mut bytes),
            Format::Log => record::repair(&mut bytes, NUMBER),
            Format::Run => run::repair(&mut bytes, NUMBER),
            Format::Page | Format::Index | Format::Filter => {}
        }
    }
    match format {
        Format::Manifest => {
            let files = files("MANIFEST", &bytes)?;
            let found = manifest::Manifest::read(&files)?;
            Ok(found.map_or(0, |found| found.partitions.iter().flatten().map(Vec::len).sum::<usize>() as u64))
        }
        Format::Log => {
            let files = files(&FileKind::Log.name(NUMBER), &bytes)?;
            let is_whole = |payload: &[u8]| entries(payload).all(|entry| entry.is_some());
            let begin = LogBegin { segment: NUMBER, is_there: false, flushed: 0 };
            Ok(replay(&files, &[NUMBER], IoMode::Buffered, begin, |record| is_whole(record.payload))?.records)
        }
        Format::Run => whole_run(&bytes),
        Format::Page => part(&bytes, run::read_page),
        Format::Index => part(&bytes, run::read_index),
        Format::Filter => part(&bytes, run::read_filter),
    }
}

/// A disk with one file.
fn files(name: &str, bytes: &[u8]) -> Result<Files, StoreError> {
    let disk = Disk::new();
    let wrong = |source| StoreError::Io { operation: "write", path: disk.path(name), source };
    let file = disk.create(name, IoMode::Buffered).map_err(wrong)?;
    file.write_at(bytes, 0, Durable::Later).map_err(wrong)?;
    Files::new(Arc::new(disk), 1)
}

fn whole_run(bytes: &[u8]) -> Result<u64, StoreError> {
    let files = files(&FileKind::Run.name(NUMBER), bytes)?;
    let run = run::Run::open(&files, NUMBER, IoMode::Buffered, &ValueUses::default())?;
    let mut problem = None;
    let mut keep_first = |found| {
        problem.get_or_insert(found);
    };
    run::check(&run, (0, 1), &mut keep_first, |_, _| {});
    problem.map_or_else(|| Ok(run.entries()), Err)
}

/// A part of a run by itself.
fn part(bytes: &[u8], read: fn(&[u8]) -> Result<u64, &'static str>) -> Result<u64, StoreError> {
    let files = Files::new(Arc::new(Disk::new()), 1)?;
    let path = files.path(&FileKind::Run.name(NUMBER));
    read(bytes).map_err(|what| StoreError::Damaged { path, offset: 0, what })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::entry::{Entry, EntryKind};
    use crate::options::{FilterKind, Options};
    use crate::storage::{Access, StorageFile};
    use crate::sync::atomic::AtomicU64;
    use proptest::prelude::*;

    /// A sound run of a few pages. With separated values it has format 2.
    fn run(separate_bytes: usize) -> Vec<u8> {
        let disk = Disk::new();
        let files = Files::new(Arc::new(disk.clone()), 1).unwrap();
        let mut options = Options::default();
        (options.data.filter, options.values.separate_bytes) = (FilterKind::Fuse8, separate_bytes);
        let next_number = Arc::new(AtomicU64::new(NUMBER));
        let mut writer =
            run::RunWriter::create(&files, &next_number, &options, &ValueUses::default()).unwrap();
        for number in 0..200_u16 {
            let key = number.to_be_bytes();
            writer.push(Entry { key: &key, kind: EntryKind::Put, value: &[7; 50] }).unwrap();
        }
        let written = writer.finish().unwrap();
        assert_eq!(written.value_bytes > 0, separate_bytes > 0);
        let file: Arc<dyn StorageFile> =
            disk.open(&FileKind::Run.name(NUMBER), IoMode::Buffered, Access::Read).unwrap();
        let mut bytes = vec![0; file.bytes().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        bytes
    }

    #[test]
    fn what_the_store_writes_is_read() {
        for separate_bytes in [0, 50] {
            let run = run(separate_bytes);
            for checksums in [Checksums::Verified, Checksums::Repaired] {
                assert_eq!(read(Format::Run, &run, checksums).unwrap(), 200);
            }
            assert!(read(Format::Page, &run[..4096], Checksums::Verified).unwrap() > 20);
            // Earlier versions read a run without separated values.
            let footer = &run[run.len() - 4096..];
            assert_eq!(u32::from(footer[8]), if separate_bytes == 0 { 1 } else { 2 });
        }
    }

    proptest! {
        #[test]
        fn a_repaired_footer_gets_past_its_checksum_and_what_it_claims_is_checked(
            byte in 0_usize..200, bit in 0_u8..8, is_separated: bool,
        ) {
            let mut bytes = run(if is_separated { 50 } else { 0 });
            let footer = bytes.len() - 4096;
            bytes[footer + byte] ^= 1 << bit;
            prop_assert!(read(Format::Run, &bytes, Checksums::Verified).is_err());
            if let Err(error) = read(Format::Run, &bytes, Checksums::Repaired) {
                prop_assert!(!error.to_string().contains("footer's checksum"), "{error}");
            }
        }
    }
}
