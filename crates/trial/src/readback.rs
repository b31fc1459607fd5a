//! The file of a trial, compared after the measurement with what its jobs wrote last.

use crate::refusal::Refusal;
use disk::arena::Arena;
use disk::page_cache;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::Ordering;
use workload::device::{Device, LastWrite, Parameters};

/// Bytes that are read at once, at least.
const CHUNK_BYTES: usize = 1 << 20;

/// How many blocks were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// Blocks that have the bytes of a job's last write.
    pub(crate) equal: u64,
    /// Blocks with two writes in flight at once, whose order only the device knows.
    pub(crate) unordered: u64,
}

/// One job's own record of what it wrote, and the buffers that it wrote from.
pub(crate) type Writer<'a> = (&'a Device, &'a Arena);

/// Syncs the file, evicts it, and compares each block that a job wrote with the last write of any of them.
///
/// # Errors
/// The first block that has the bytes of none, or an error of the file.
pub(crate) fn read_back(
    path: &Path,
    parameters: &Parameters,
    writers: &[Writer<'_>],
) -> Result<Compared, Refusal> {
    page_cache::evict(path).map_err(Refusal::failed)?;
    let failed = |error: io::Error| Refusal::Failed(format!("{}: cannot read back: {error}", path.display()));
    let mut file = File::open(path).map_err(failed)?;
    let bs = parameters.bs as usize;
    let mut chunk = vec![0; (CHUNK_BYTES / bs).max(1) * bs];
    let mut compared = Compared::default();
    let mut block = 0;
    while block < parameters.blocks() {
        let left = usize::try_from(parameters.blocks() - block).unwrap_or(usize::MAX).saturating_mul(bs);
        let length = chunk.len().min(left);
        let read = &mut chunk[..length];
        file.read_exact(read).map_err(failed)?;
        for bytes in read.chunks_exact(bs) {
            match state(block, bytes, writers) {
                State::Untouched => {}
                State::Equal => compared.equal += 1,
                State::Unordered => compared.unordered += 1,
                State::Wrong => return Err(wrong(path, block * bs as u64, bs)),
            }
            block += 1;
        }
    }
    Ok(compared)
}

fn wrong(path: &Path, offset: u64, bs: usize) -> Refusal {
    Refusal::Failed(format!(
        "{}: the {bs} bytes at offset {offset} are not those that were written there last: the device or its file system \
         lost or changed a write; look at dmesg and the drive's health",
        path.display()
    ))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Untouched,
    Equal,
    Unordered,
    Wrong,
}

/// The block as it should be by the last write of any job: no job knows which of them was the last.
fn state(block: u64, bytes: &[u8], writers: &[Writer<'_>]) -> State {
    let mut state = State::Untouched;
    for (job, arena) in writers {
        match job.written().map_or(LastWrite::Never, |written| written.last(block)) {
            LastWrite::Unordered => return State::Unordered,
            LastWrite::From(place) if is_equal(bytes, arena, place) => state = State::Equal,
            LastWrite::From(_) if state == State::Untouched => state = State::Wrong,
            LastWrite::Never | LastWrite::From(_) => {}
        }
    }
    state
}

/// Blocks have multiples of 8 bytes, as the arena.
fn is_equal(bytes: &[u8], arena: &Arena, place: usize) -> bool {
    let words = arena.words(place, bytes.len());
    let pairs = bytes.chunks_exact(8).zip(words);
    pairs.len() * 8 == bytes.len()
        && pairs.into_iter().all(|(bytes, word)| {
            <[u8; 8]>::try_from(bytes)
                .is_ok_and(|bytes| u64::from_ne_bytes(bytes) == word.load(Ordering::Relaxed))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::backend::{BackendKind, Setup};
    use disk::file_table::FileTable;
    use driver::{Driver, MonotonicClock};
    use model::{BufferPages, IoMode};
    use std::fs;
    use std::os::unix::fs::FileExt;
    use std::sync::Arc;
    use workload::device::SCHEMA;

    const BLOCKS: u64 = 300;

    /// Blocks that were written are compared, one whose bytes changed afterwards is found, and one that was never
    /// written may have any bytes.
    #[test]
    fn a_block_that_differs_from_its_last_write_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        fs::write(&path, vec![7_u8; 1 << 21]).unwrap();
        let mut configuration = SCHEMA.defaults();
        for (name, level) in [
            ("rw", "randwrite"),
            ("random_distribution", "once"),
            ("ioengine", "psync"),
            ("size", "2MiB"),
            ("verify", "true"),
            ("number_ios", "300"),
        ] {
            let value = SCHEMA.parameter(name).unwrap().parse(level).unwrap();
            configuration.0.insert(name.to_owned(), value);
        }
        let parameters = Parameters::read(&configuration).unwrap();
        let mut table = FileTable::new();
        table.open(&path, IoMode::Buffered, true).unwrap();
        let mut arena = Arena::with_pages(parameters.arena_bytes(), BufferPages::Small).unwrap();
        arena.fill_random(5);
        let setup = Setup {
            files: Arc::new(table),
            arena: Arc::new(arena),
            clock: MonotonicClock::start(),
            in_flight_max: 1,
            registered: false,
        };
        let device = Device::new(parameters.clone(), 0, 3);
        let backend = BackendKind::Psync.build(&setup).unwrap();
        let job = Driver::new(device, backend, setup.clock).run().unwrap().workload;
        let compare = || read_back(&path, &parameters, &[(&job, &setup.arena)]);
        assert_eq!(compare().ok(), Some(Compared { equal: BLOCKS, unordered: 0 }));

        let written = job.written().unwrap();
        let is_untouched = |block: &u64| written.last(*block) == LastWrite::Never;
        let change = |block: u64| {
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.write_all_at(b"changed", block * 4096 + 100).unwrap();
        };
        change((0..512).find(is_untouched).unwrap());
        assert!(compare().is_ok());
        change((0..512).find(|block| !is_untouched(block)).unwrap());
        assert!(matches!(compare(), Err(Refusal::Failed(_))));
    }
}
