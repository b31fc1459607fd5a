//! A disk in memory that fails on request: it loses power, tears and reorders writes, runs full, reports errors.
//!
//! The model is that of a journaling file system on a drive with a volatile cache. After power loss
//! - each 512-byte sector that was written since the file's last sync is old or new, by itself, whatever the others
//!   are;
//! - names come back as they were after some prefix of the creations, renames and removals since they were last synced;
//! - a failed sync leaves the file's unsynced sectors either way, and a later sync does not bring them back.

use super::{Access, Durable, Storage, StorageFile};
use model::IoMode;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A sector is written whole or not at all.
const SECTOR_BYTES: usize = 512;

/// What happens, once, and at which operation: the first operation that changes the disk has number 0. If that one is
/// over, at the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the operation.
    pub at: u64,
    pub kind: FaultKind,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The operation is half done, and every later one fails: the power is off, or the process is dead.
    Stop,
    /// The operation fails with EIO, once. A write is half done; after a failed sync unsynced data may be lost.
    InputOutput,
    /// The operation and every later one that needs room fails with ENOSPC until [`Disk::restart`].
    NoSpace,
}

/// What is on the disk when it comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survival {
    /// All that was written: the process died, the machine did not.
    Everything,
    /// Only what was synced.
    Synced,
    /// What was synced, and of the rest each sector and a prefix of the names by chance, from this seed.
    Chance(u64),
}

/// The disk. Clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    /// The names after each change since they were synced.
    unsynced_names: Vec<BTreeMap<String, usize>>,
    operations: u64,
    fault: Option<Fault>,
    is_stopped: bool,
    is_full: bool,
    is_locked: bool,
    /// Handles of an earlier life are dead.
    life: u64,
    /// Times that power was lost.
    losses: u64,
    random: u64,
}

#[derive(Clone, Debug, Default)]
struct Content {
    /// As programs see it.
    now: Vec<u8>,
    /// As it is after power loss if nothing else survives.
    synced: Vec<u8>,
}

enum Verdict {
    Go,
    /// Half of the operation is done, then it fails.
    Half(io::Error),
}

impl State {
    /// Counts an operation that changes the disk, and decides how it ends.
    fn begin(&mut self, life: u64, needs_room: bool) -> io::Result<Verdict> {
        if self.is_stopped || life != self.life {
            return Err(io::Error::other("the simulated power is off"));
        }
        let number = self.operations;
        self.operations += 1;
        match self.fault.take_if(|fault| fault.at <= number).map(|fault| fault.kind) {
            Some(FaultKind::Stop) => {
                self.is_stopped = true;
                return Ok(Verdict::Half(io::Error::other("the simulated power is off")));
            }
            Some(FaultKind::InputOutput) => {
                return Ok(Verdict::Half(io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error())));
            }
            Some(FaultKind::NoSpace) => self.is_full = true,
            None => {}
        }
        if self.is_full && needs_room {
            let full = io::Error::from_raw_os_error(rustix::io::Errno::NOSPC.raw_os_error());
            return Ok(Verdict::Half(full));
        }
        Ok(Verdict::Go)
    }

    /// The next of a series of random numbers (xorshift64*).
    fn chance(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    fn change_names(&mut self, change: impl FnOnce(&mut BTreeMap<String, usize>)) {
        change(&mut self.names);
        self.unsynced_names.push(self.names.clone());
    }

    /// Each sector that differs becomes the new one or stays the old one.
    fn mix(&mut self, file: usize) -> Vec<u8> {
        let Content { now, synced } = self.files[file].clone();
        // The size is metadata of its own: it is the old or the new one.
        let bytes = if self.chance().is_multiple_of(2) { now.len() } else { synced.len() };
        let mut mixed = synced;
        mixed.resize(bytes, 0);
        for (index, sector) in mixed.chunks_mut(SECTOR_BYTES).enumerate() {
            let begin = index * SECTOR_BYTES;
            if let Some(new) = now.get(begin..(begin + sector.len()).min(now.len()))
                && self.chance().is_multiple_of(2)
            {
                sector[..new.len()].copy_from_slice(new);
            }
        }
        mixed
    }
}

impl Disk {
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Operations so far that changed the disk.
    pub fn operations(&self) -> u64 {
        self.state().operations
    }

    /// Plans a fault, counted from the first operation of this disk.
    pub fn plan(&self, fault: Fault) {
        self.state().fault = Some(fault);
    }

    /// Switches the disk on again, without a fault, after power loss or the death of the process. Every handle to a
    /// file is dead afterwards.
    pub fn restart(&self, survival: Survival) {
        let mut state = self.state();
        state.losses += u64::from(survival != Survival::Everything);
        match survival {
            Survival::Everything => {}
            Survival::Synced => {
                state.names = state.synced_names.clone();
                for file in &mut state.files {
                    file.now = file.synced.clone();
                }
            }
            Survival::Chance(seed) => {
                state.random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                let kept = state.chance() as usize % (state.unsynced_names.len() + 1);
                state.names = match kept.checked_sub(1) {
                    Some(last) => state.unsynced_names[last].clone(),
                    None => state.synced_names.clone(),
                };
                for file in 0..state.files.len() {
                    state.files[file].now = state.mix(file);
                }
            }
        }
        for file in &mut state.files {
            file.synced = file.now.clone();
        }
        state.synced_names = state.names.clone();
        state.unsynced_names.clear();
        state.life += 1;
        state.fault = None;
        (state.is_stopped, state.is_full, state.is_locked) = (false, false, false);
    }

    /// A copy of the disk as it is now, which changes independently.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        let state = self.state();
        let named = [&state.names, &state.synced_names].into_iter().chain(&state.unsynced_names);
        let named: BTreeSet<usize> = named.flat_map(BTreeMap::values).copied().collect();
        let files = state.files.iter().enumerate().map(|(index, file)| {
            // Nothing can bring back a file that has no name, neither now nor after power loss.
            if named.contains(&index) { file.clone() } else { Content::default() }
        });
        let copy = State {
            files: files.collect(),
            names: state.names.clone(),
            synced_names: state.synced_names.clone(),
            unsynced_names: state.unsynced_names.clone(),
            operations: state.operations,
            life: state.life,
            losses: state.losses,
            ..State::default()
        };
        Self { state: Arc::new(Mutex::new(copy)) }
    }

    /// The names of all files, in order, with their sizes in bytes.
    pub fn listing(&self) -> Vec<(String, usize)> {
        let state = self.state();
        state.names.iter().map(|(name, file)| (name.clone(), state.files[*file].now.len())).collect()
    }

    /// Inverts one bit of a file, on the disk and in the cache.
    pub fn flip(&self, name: &str, byte: usize, bit: u8) {
        let mut state = self.state();
        if let Some(file) = state.names.get(name).copied() {
            let content = &mut state.files[file];
            for bytes in [&mut content.now, &mut content.synced] {
                if let Some(byte) = bytes.get_mut(byte) {
                    *byte ^= 1 << (bit % 8);
                }
            }
        }
    }

    /// Cuts a file off behind this number of bytes, on the disk and in the cache.
    pub fn cut(&self, name: &str, bytes: usize) {
        let mut state = self.state();
        if let Some(file) = state.names.get(name).copied() {
            let content = &mut state.files[file];
            content.now.truncate(bytes);
            content.synced.truncate(bytes);
        }
    }

    fn handle(&self, state: &State, file: usize) -> Arc<dyn StorageFile> {
        Arc::new(Handle { disk: self.clone(), file, life: state.life })
    }
}

impl Storage for Disk {
    fn create(&self, name: &str, _io: IoMode) -> io::Result<Arc<dyn StorageFile>> {
        let mut state = self.state();
        let life = state.life;
        if let Verdict::Half(error) = state.begin(life, true)? {
            return Err(error);
        }
        state.files.push(Content::default());
        let file = state.files.len() - 1;
        state.change_names(|names| {
            names.insert(name.to_owned(), file);
        });
        Ok(self.handle(&state, file))
    }

    fn open(&self, name: &str, _io: IoMode, _access: Access) -> io::Result<Arc<dyn StorageFile>> {
        let state = self.state();
        if state.is_stopped {
            return Err(io::Error::other("the simulated power is off"));
        }
        let file = *state.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(self.handle(&state, file))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        let life = state.life;
        if let Verdict::Half(error) = state.begin(life, false)? {
            return Err(error);
        }
        let file = *state.names.get(from).ok_or(io::ErrorKind::NotFound)?;
        state.change_names(|names| {
            names.remove(from);
            names.insert(to.to_owned(), file);
        });
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        let life = state.life;
        if let Verdict::Half(error) = state.begin(life, false)? {
            return Err(error);
        }
        if !state.names.contains_key(name) {
            return Err(io::ErrorKind::NotFound.into());
        }
        state.change_names(|names| {
            names.remove(name);
        });
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.state().names.keys().cloned().collect())
    }

    fn sync_names(&self) -> io::Result<()> {
        let mut state = self.state();
        let life = state.life;
        if let Verdict::Half(error) = state.begin(life, false)? {
            return Err(error);
        }
        state.synced_names = state.names.clone();
        state.unsynced_names.clear();
        Ok(())
    }

    fn lock(&self, _name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        let mut state = self.state();
        if std::mem::replace(&mut state.is_locked, true) {
            return Ok(None);
        }
        Ok(Some(Box::new(Lock { disk: self.clone(), life: state.life })))
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from("simulated").join(name)
    }

    fn check(&self, _name: &str, _io: IoMode) -> Result<(), String> {
        Ok(())
    }

    fn session(&self) -> Option<u128> {
        Some(1 + u128::from(self.state().losses))
    }
}

struct Lock {
    disk: Disk,
    life: u64,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if state.life == self.life {
            state.is_locked = false;
        }
    }
}

#[derive(Debug)]
struct Handle {
    disk: Disk,
    file: usize,
    life: u64,
}

impl StorageFile for Handle {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.disk.state();
        if state.is_stopped || state.life != self.life {
            return Err(io::Error::other("the simulated power is off"));
        }
        let begin = offset as usize;
        let bytes = &state.files[self.file].now;
        let found = bytes.get(begin..begin + into.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        into.copy_from_slice(found);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64, durable: Durable) -> io::Result<()> {
        let mut state = self.disk.state();
        let verdict = state.begin(self.life, true)?;
        let half = bytes.len() / 2 / SECTOR_BYTES * SECTOR_BYTES;
        let (part, failure) = match verdict {
            Verdict::Go => (0..bytes.len(), None),
            // A copy to a mapping may begin at its end.
            Verdict::Half(error) if state.is_stopped && state.operations.is_multiple_of(2) => {
                (half..bytes.len(), Some(error))
            }
            Verdict::Half(error) => (0..half, Some(error)),
        };
        let written = &bytes[part.clone()];
        let begin = offset as usize + part.start;
        let end = begin + written.len();
        let content = &mut state.files[self.file];
        if content.now.len() < end {
            content.now.resize(end, 0);
        }
        content.now[begin..end].copy_from_slice(written);
        if durable == Durable::Now && failure.is_none() {
            if content.synced.len() < end {
                content.synced.resize(end, 0);
            }
            content.synced[begin..end].copy_from_slice(written);
        }
        failure.map_or(Ok(()), Err)
    }

    fn write_block(&self, block: &[u8], offset: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        if let Verdict::Half(error) = state.begin(self.life, true)? {
            return Err(error);
        }
        let (begin, end) = (offset as usize, offset as usize + block.len());
        let content = &mut state.files[self.file].now;
        content.resize(content.len().max(end), 0);
        content[begin..end].copy_from_slice(block);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        if let Verdict::Half(error) = state.begin(self.life, false)? {
            // What was not synced may be gone, and nobody will write it any more.
            let mixed = state.mix(self.file);
            state.files[self.file].synced = mixed;
            return Err(error);
        }
        let content = &mut state.files[self.file];
        content.synced.clone_from(&content.now);
        Ok(())
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.disk.state().files[self.file].now.len() as u64)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn read(disk: &Disk, name: &str) -> Option<Vec<u8>> {
        let file = disk.open(name, IoMode::Buffered, Access::Read).ok()?;
        let mut bytes = vec![0; file.bytes().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        Some(bytes)
    }

    #[test]
    fn what_was_not_synced_is_lost_and_what_was_is_not() {
        let disk = Disk::new();
        let file = disk.create("a", IoMode::Buffered).unwrap();
        file.write_at(&[1; 1024], 0, Durable::Later).unwrap();
        file.sync().unwrap();
        disk.sync_names().unwrap();
        file.write_at(&[2; 1024], 0, Durable::Later).unwrap();
        disk.create("b", IoMode::Buffered).unwrap();
        let lost = disk.duplicate();
        lost.restart(Survival::Synced);
        assert_eq!((read(&lost, "a"), read(&lost, "b")), (Some(vec![1; 1024]), None));
        disk.restart(Survival::Everything);
        assert_eq!((read(&disk, "a"), read(&disk, "b")), (Some(vec![2; 1024]), Some(vec![])));
        assert!(file.sync().is_err(), "a handle of an earlier life");
    }

    #[test]
    fn sectors_survive_by_themselves() {
        let mut seen = BTreeSet::new();
        for seed in 0..40 {
            let disk = Disk::new();
            let file = disk.create("a", IoMode::Buffered).unwrap();
            file.write_at(&[1; 1024], 0, Durable::Now).unwrap();
            disk.sync_names().unwrap();
            file.write_at(&[2; 1024], 0, Durable::Later).unwrap();
            disk.restart(Survival::Chance(seed));
            let bytes = read(&disk, "a").unwrap();
            seen.insert((bytes[0], bytes[511], bytes[512], bytes[1023]));
        }
        let all = [(1, 1, 1, 1), (1, 1, 2, 2), (2, 2, 1, 1), (2, 2, 2, 2)];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
    }

    #[test]
    fn faults_come_at_their_operation() {
        let disk = Disk::new();
        disk.plan(Fault { at: 1, kind: FaultKind::InputOutput });
        let file = disk.create("a", IoMode::Buffered).unwrap();
        assert!(file.write_at(&[1; 2048], 0, Durable::Later).is_err());
        assert_eq!(file.bytes().unwrap(), 1024, "half of it was written");
        assert!(file.write_at(&[1; 2048], 0, Durable::Later).is_ok());
        disk.plan(Fault { at: 3, kind: FaultKind::NoSpace });
        assert!(file.write_at(&[1; 2048], 0, Durable::Later).is_err() && file.sync().is_ok());
        assert!(disk.create("b", IoMode::Buffered).is_err());
        disk.plan(Fault { at: disk.operations(), kind: FaultKind::Stop });
        assert!(file.sync().is_err() && read(&disk, "a").is_none());
    }

    #[test]
    fn one_handle_has_the_lock() {
        let disk = Disk::new();
        let lock = disk.lock("LOCK").unwrap();
        assert!(lock.is_some() && disk.lock("LOCK").unwrap().is_none());
        drop(lock);
        assert!(disk.lock("LOCK").unwrap().is_some());
    }
}
