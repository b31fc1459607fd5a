//! Counters that outlive the process that counts: words of a file, mapped shared.

use crate::failure::Failure;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::AtomicU64;

/// Counters in a file of one's own. A process that is killed leaves them as they were last stored: the pages belong to
/// the kernel.
#[derive(Debug)]
pub struct SharedCounters {
    base: NonNull<AtomicU64>,
    count: usize,
}

// SAFETY: the mapping is memory of the process like any other, and is only ever reached as atomics.
unsafe impl Send for SharedCounters {}
// SAFETY: as above.
unsafe impl Sync for SharedCounters {}

impl SharedCounters {
    /// Makes the file, which must not exist, with this number of counters at zero; at least one.
    pub fn create(path: &Path, count: usize) -> Result<Self, Failure> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = file.map_err(Failure::on("make", path))?;
        file.set_len((count * size_of::<u64>()) as u64).map_err(Failure::on("extend", path))?;
        Self::map(&file, path, count)
    }

    /// Finds the counters that another process made. Nobody may shorten the file while they are in use.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(Failure::on("open", path))?;
        let bytes = file.metadata().map_err(Failure::on("read the size of", path))?.len();
        Self::map(&file, path, bytes as usize / size_of::<u64>())
    }

    fn map(file: &File, path: &Path, count: usize) -> Result<Self, Failure> {
        let bytes = count * size_of::<u64>();
        // SAFETY: a new mapping at an address of the kernel's choice aliases no memory of this program.
        let address = unsafe {
            mmap(ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, file, 0)
        };
        let address = address.map_err(Failure::on("map", path))?;
        let zero = || std::io::Error::other("the kernel mapped the file at address zero");
        let base = NonNull::new(address.cast()).ok_or_else(zero).map_err(Failure::on("map", path))?;
        Ok(Self { base, count })
    }

    pub fn counters(&self) -> &[AtomicU64] {
        // SAFETY: the mapping holds `count` words, is aligned to a page, and lives as long as `self`. Other processes
        // change them only through mappings of their own and, like this one, as atomics; any bytes are a valid counter.
        unsafe { slice::from_raw_parts(self.base.as_ptr(), self.count) }
    }
}

impl Drop for SharedCounters {
    fn drop(&mut self) {
        // SAFETY: exactly the range that `map` mapped; references to it borrow `self`, so none is left.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.count * size_of::<u64>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn what_one_mapping_stores_another_reads() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("counters");
        let ours = SharedCounters::create(&path, 3).expect("made");
        ours.counters()[2].store(7, Ordering::Release);
        let theirs = SharedCounters::open(&path).expect("found");
        assert_eq!(theirs.counters().len(), 3);
        assert_eq!(theirs.counters()[2].load(Ordering::Acquire), 7);
        assert!(SharedCounters::create(&path, 3).is_err(), "it exists");
    }
}
