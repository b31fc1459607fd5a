//! One file in memory.

use super::bus_error;
use crate::file_table::Advice;
use rustix::io::Errno;
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, madvise, mmap, msync, munmap};
use std::fs::File;
use std::io;
use std::ptr::{self, NonNull};

/// A shared mapping of a whole file, unmapped when it is dropped.
///
/// The bytes belong to the file: other jobs, other processes and the kernel change them at any time. So they never
/// become a Rust reference, and nothing here decides anything by them: they are copied, as the kernel copies them in
/// `pread` and `pwrite`, and like there a copy beside somebody else's write may hold some of both.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
    is_writable: bool,
}

impl Mapping {
    /// Maps the first `bytes` of a file, at least one, and gives the advice.
    pub(super) fn new(file: &File, bytes: u64, is_writable: bool, advice: Advice) -> io::Result<Self> {
        let too_large = |_| io::Error::new(io::ErrorKind::OutOfMemory, "more than this address space holds");
        let bytes = usize::try_from(bytes).map_err(too_large)?;
        let write = if is_writable { ProtFlags::WRITE } else { ProtFlags::empty() };
        // SAFETY: a new mapping at an address of the kernel's choice aliases no memory of this program.
        let address =
            unsafe { mmap(ptr::null_mut(), bytes, ProtFlags::READ | write, MapFlags::SHARED, file, 0) }?;
        let base = NonNull::new(address.cast::<u8>())
            .ok_or_else(|| io::Error::other("the kernel mapped the file at address zero"))?;
        let mapping = Self { base, bytes, is_writable };
        let advice = match advice {
            Advice::Normal => return Ok(mapping),
            Advice::Random => rustix::mm::Advice::Random,
            Advice::Sequential => rustix::mm::Advice::Sequential,
        };
        // SAFETY: the range is exactly the mapping made above; the advice changes how it is read ahead, never what
        // it holds.
        unsafe { madvise(address, bytes, advice) }?;
        Ok(mapping)
    }

    /// Maps for reading, without advice; a copy that fails says why.
    pub(crate) fn for_reading(file: &File, bytes: u64) -> io::Result<Self> {
        bus_error::explain()?;
        Self::new(file, bytes, false, Advice::Normal)
    }

    /// Maps for reading and writing, without advice; a copy that fails says why.
    pub(crate) fn for_writing(file: &File, bytes: u64) -> io::Result<Self> {
        bus_error::explain()?;
        Self::new(file, bytes, true, Advice::Normal)
    }

    /// Bytes that are mapped: the file's size when it was.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the file was opened for writing.
    #[inline]
    pub(super) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Whether the range is inside.
    #[inline]
    pub(crate) fn holds(&self, offset: u64, length: u32) -> bool {
        offset.checked_add(u64::from(length)).is_some_and(|end| end <= self.bytes as u64)
    }

    /// Copies from the file.
    ///
    /// # Safety
    /// The mapping [`holds`](Self::holds) the range. `to` is `length` writable bytes outside every mapping of a file,
    /// to which no reference exists.
    #[inline]
    pub(crate) unsafe fn read(&self, offset: u64, to: *mut u8, length: u32) {
        // SAFETY: the range is inside the mapping, which lives as long as `self`, and `to` is apart from it: the
        // caller guarantees both. Another writer of these pages writes through another mapping, at
        // addresses that are not this program's memory as far as the compiler knows, or is the kernel; any byte is a
        // valid `u8`, nothing is derived from the bytes, and no reference to them exists that could be invalidated.
        // The base address comes from a system call, so the compiler can neither assume what the copy reads nor
        // leave it out.
        unsafe { ptr::copy_nonoverlapping(self.base.as_ptr().add(offset as usize), to, length as usize) }
    }

    /// Copies to the file.
    ///
    /// # Safety
    /// As for [`read`](Self::read), with `from` in place of `to`, and the mapping is writable.
    #[inline]
    pub(crate) unsafe fn write(&self, offset: u64, from: *const u8, length: u32) {
        // SAFETY: as in `read`. The caller guarantees that the pages are writable. Another reader of them reads
        // through another mapping or is the kernel.
        unsafe { ptr::copy_nonoverlapping(from, self.base.as_ptr().add(offset as usize), length as usize) }
    }

    /// Waits until everything that was written through any mapping of the file is durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        // SAFETY: exactly the mapping; msync changes nothing in it.
        Ok(unsafe { msync(self.base.as_ptr().cast(), self.bytes, MsyncFlags::SYNC) }?)
    }

    /// Waits until the pages of a range are durable. `EINVAL` for a range that the mapping does not hold.
    pub(super) fn sync_range(&self, offset: u64, length: u32) -> io::Result<()> {
        if !self.holds(offset, length) {
            return Err(Errno::INVAL.into());
        }
        // msync(2): the address must be a multiple of the page size.
        let page_offset = offset as usize % rustix::param::page_size();
        let begin = offset as usize - page_offset;
        let bytes = page_offset + length as usize;
        // SAFETY: begin + bytes = offset + length, so the range is inside the mapping; msync changes nothing in it.
        Ok(unsafe { msync(self.base.as_ptr().add(begin).cast(), bytes, MsyncFlags::SYNC) }?)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly the range that `new` mapped, and no address in it is kept anywhere. An error would mean
        // that it is not mapped, and there is nothing left to do about it.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
