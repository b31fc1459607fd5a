//! Room that is kept back on the file system, so that a store that has filled it still takes deletes and gets their
//! room back.
//!
//! As btrfs has its global reserve and ZFS its slop space: what frees room may use the reserve, what takes room may
//! not. A file holds the room. The store gives it up when there is none for a flush, the manifest, a log segment, or a
//! merge that drops deletes; from then on it refuses puts, until it has the room back.

use crate::error::{StoreError, is_full};
use crate::files::Files;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The file that has the room.
pub(crate) const RESERVE_NAME: &str = "RESERVE";
/// Without the reserve a log segment and a memtable have about this number of bytes at most, so that little room takes
/// many deletes.
const BYTES_MAX_WITHOUT: u64 = 1 << 20;
/// Memtables that a store has without the reserve at most: one that takes deletes, and one that is flushed. A flush
/// gives back the room of a log segment, so the next segment waits for it.
const MEMTABLES_MAX_WITHOUT: usize = 2;
/// Puts that are refused look for room once in this time.
const PAUSE: Duration = Duration::from_secs(1);
/// What needs room looks for what is lent after this time.
const PAUSE_BESIDE_BORROWERS: Duration = Duration::from_millis(2);

/// Room that is kept back.
#[derive(Debug)]
pub(crate) struct Reserve {
    files: Files,
    /// 0 keeps nothing back.
    bytes: u64,
    is_given_up: AtomicBool,
    /// Merges, spare segments that are made, and attempts to keep the room: what may take room that something else has
    /// found missing, and gives it back.
    borrowers: AtomicUsize,
    /// When the room was looked for last. Held while the file is made or removed.
    looked: Mutex<Option<Instant>>,
}

impl Reserve {
    /// The reserve of a store whose last life kept it or gave it up.
    pub(crate) fn new(files: Files, bytes: u64, is_given_up: bool) -> Self {
        let (is_given_up, borrowers) = (AtomicBool::new(is_given_up), AtomicUsize::new(0));
        Self { files, bytes, is_given_up, borrowers, looked: Mutex::default() }
    }

    /// Whether its room is used: then nothing may be begun that takes room.
    #[inline]
    pub(crate) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// Bytes of a memtable or log segment that has this number of bytes if there is room.
    pub(crate) fn limit(&self, bytes: u64) -> u64 {
        if self.is_given_up() { bytes.min(BYTES_MAX_WITHOUT) } else { bytes }
    }

    /// The number of memtables at which writers wait for a flush, if it is this one while there is room.
    pub(crate) fn memtables_max(&self, memtables: usize) -> usize {
        if self.is_given_up() { memtables.min(MEMTABLES_MAX_WITHOUT) } else { memtables }
    }

    /// Takes the room. Whether there is enough; a storage that cannot keep room back goes without. Once it was given up
    /// there must be as much again: with less, the next put would have to give it up at once.
    pub(crate) fn keep(&self) -> Result<bool, StoreError> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        // It takes twice the room for a moment, and all that is left if that is less.
        let _borrower = self.borrow();
        let kept = match self.bytes {
            0 => Err(std::io::ErrorKind::Unsupported.into()),
            bytes => {
                let storage = self.files.storage();
                let margin = if self.is_given_up() { 2 } else { 1 };
                storage
                    .reserve(RESERVE_NAME, margin * bytes)
                    .and_then(|()| storage.reserve(RESERVE_NAME, bytes))
            }
        };
        let is_given_up = match kept {
            Ok(()) => false,
            Err(error) if is_full(&error) => true,
            Err(error) if is_impossible(&error) => false,
            Err(source) => {
                let path = self.files.path(RESERVE_NAME);
                return Err(StoreError::Io { operation: "keep room in", path, source });
            }
        };
        if is_given_up || self.bytes == 0 {
            self.remove();
        }
        *looked = Some(Instant::now());
        self.is_given_up.store(is_given_up, Ordering::Relaxed);
        Ok(!is_given_up)
    }

    /// As [`keep`](Self::keep), but looks only now and then.
    pub(crate) fn keep_after_a_pause(&self) -> Result<bool, StoreError> {
        let looked = *self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = looked.is_none_or(|looked| looked.elapsed() >= PAUSE);
        if is_due { self.keep() } else { Ok(false) }
    }

    /// Gives the room to what comes next.
    pub(crate) fn give_up(&self) {
        if self.bytes > 0 {
            let _looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            self.is_given_up.store(true, Ordering::Relaxed);
            self.remove();
        }
    }

    fn remove(&self) {
        // If it is not there, or cannot be removed, what needs the room fails by itself.
        let _ = self.files.remove(RESERVE_NAME);
    }

    /// Does something that may use the room: once more without the reserve if the file system is full, and until
    /// nothing is left that may have borrowed its room. Half of it done must be as good as nothing.
    #[inline]
    pub(crate) fn spend<T>(&self, attempt: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match attempt() {
            Err(error) if error.is_full() => self.spend_again(&attempt),
            outcome => outcome,
        }
    }

    #[cold]
    fn spend_again<T>(&self, attempt: &dyn Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
        loop {
            if !self.is_given_up() {
                self.give_up();
            }
            self.files.await_removals();
            let is_lent = self.borrowers.load(Ordering::Acquire) > 0;
            match attempt() {
                Err(error) if error.is_full() && (is_lent || self.was_kept()) => {
                    thread::sleep(PAUSE_BESIDE_BORROWERS);
                }
                outcome => return outcome,
            }
        }
    }

    /// Whether the room that was given up has been kept back again meanwhile.
    fn was_kept(&self) -> bool {
        self.bytes > 0 && !self.is_given_up()
    }

    /// What takes room is under way, until the result is dropped: it has given the room back then, or has left what a
    /// writer can use.
    pub(crate) fn borrow(&self) -> Borrower<'_> {
        self.borrowers.fetch_add(1, Ordering::Release);
        Borrower(&self.borrowers)
    }

    /// Does a merge. One that frees room in the end may use the reserve.
    pub(crate) fn merge<T>(
        &self,
        frees_room: bool,
        attempt: impl Fn() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _borrower = self.borrow();
        match attempt() {
            Err(error) if error.is_full() && frees_room && !self.is_given_up() => {
                self.give_up();
                attempt()
            }
            outcome => outcome,
        }
    }

    /// Why something that takes room is refused.
    pub(crate) fn refusal(&self, operation: &'static str) -> StoreError {
        StoreError::Full { operation, path: self.files.path(""), bytes: self.bytes }
    }
}

/// Something that takes room and is under way, until it ends or panics.
pub(crate) struct Borrower<'a>(&'a AtomicUsize);

impl Drop for Borrower<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Whether the storage keeps no room back: no fallocate, or a limit of the file size (`ulimit -f`).
fn is_impossible(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::Unsupported | std::io::ErrorKind::FileTooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::simulated::Disk;
    use crate::storage::{Access, Storage, StorageFile};
    use model::IoMode;
    use std::any::Any;
    use std::io;
    use std::path::PathBuf;
    use std::sync::Arc;

    /// A disk that is full while room is kept back on it.
    #[derive(Debug, Default)]
    struct Full {
        disk: Disk,
        has_no_room: AtomicBool,
        /// Attempts that found no room.
        refused: AtomicUsize,
        is_kept: bool,
    }

    impl Full {
        fn attempt(&self) -> Result<(), StoreError> {
            if !self.has_no_room.load(Ordering::SeqCst) {
                return Ok(());
            }
            self.refused.fetch_add(1, Ordering::SeqCst);
            Err(StoreError::Full { operation: "write", path: PathBuf::new(), bytes: 0 })
        }
    }

    impl Storage for Full {
        /// Has all room until three attempts of others have found none.
        fn reserve(&self, _name: &str, _bytes: u64) -> io::Result<()> {
            self.has_no_room.store(true, Ordering::SeqCst);
            while self.refused.load(Ordering::SeqCst) < 3 {
                thread::yield_now();
            }
            if self.is_kept {
                return Ok(());
            }
            self.has_no_room.store(false, Ordering::SeqCst);
            Err(io::ErrorKind::StorageFull.into())
        }

        fn remove(&self, _name: &str) -> io::Result<()> {
            self.has_no_room.store(false, Ordering::SeqCst);
            Ok(())
        }

        fn create(&self, name: &str, io: IoMode) -> io::Result<Arc<dyn StorageFile>> {
            self.disk.create(name, io)
        }

        fn open(&self, name: &str, io: IoMode, access: Access) -> io::Result<Arc<dyn StorageFile>> {
            self.disk.open(name, io, access)
        }

        fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            self.disk.rename(from, to)
        }

        fn names(&self) -> io::Result<Vec<String>> {
            self.disk.names()
        }

        fn sync_names(&self) -> io::Result<()> {
            self.disk.sync_names()
        }

        fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
            self.disk.lock(name)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.disk.path(name)
        }

        fn check(&self, name: &str, io: IoMode) -> Result<(), String> {
            self.disk.check(name, io)
        }
    }

    /// A delete found no room for its log segment while a background thread looked whether the reserve fits again, and
    /// failed: looking takes twice the room for a moment.
    #[test]
    fn what_spends_waits_for_an_attempt_to_keep_the_room() {
        for is_kept in [false, true] {
            let full = Arc::new(Full { is_kept, ..Full::default() });
            let files = Files::new(Arc::clone(&full) as Arc<dyn Storage>, 1).unwrap();
            let reserve = Reserve::new(files, 4096, true);
            let spent = thread::scope(|scope| {
                scope.spawn(|| reserve.keep().unwrap());
                while !full.has_no_room.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                let spent = reserve.spend(|| full.attempt());
                full.refused.fetch_add(3, Ordering::SeqCst);
                spent
            });
            assert!(spent.is_ok(), "kept: {is_kept}, {} attempts", full.refused.load(Ordering::SeqCst) - 3);
        }
    }
}
