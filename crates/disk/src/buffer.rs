//! Memory that files are read into, one buffer a read: newly from the kernel, from the allocator, or kept by a pool.
//!
//! Unlike the [`Arena`](crate::arena::Arena) a buffer belongs to one thread and holds what was read last, which safe
//! code may look at.

use crate::backend::{Mapping, RWF_DONTCACHE};
use crate::memory::{self, AnonymousMemory};
use model::buffer::{BufferMemory, BufferPages};
use model::mechanism::Measured;
use std::alloc::{self, Layout};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};

/// Buffers for direct I/O begin and end at multiples of this many bytes, which every device takes for direct I/O.
pub const ALIGNMENT_BYTES: usize = 4096;
/// What malloc aligns to anyway (`malloc(3)`, 64-bit glibc).
const MALLOC_ALIGNMENT_BYTES: usize = 16;

/// Where a buffer's memory comes from, and goes when it is dropped.
#[derive(Debug)]
enum Origin {
    /// An anonymous mapping of its own: each of its pages faults when it is touched first.
    Mapped { _unmaps: AnonymousMemory },
    /// The program's allocator, which may hand out memory that was used before; aligned to this number of bytes.
    Allocated(usize),
}

/// Memory of one owner, with the bytes that were read into it last.
#[derive(Debug)]
pub struct Buffer {
    base: NonNull<u8>,
    capacity: usize,
    /// Bytes from the beginning that a read has initialised.
    filled: usize,
    origin: Origin,
}

// SAFETY: the memory belongs to the buffer alone; a mapping and an allocation may be released on any thread.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Memory from the kernel, at least `bytes`, of which no page is there yet. Small pages are what the kernel gives
    /// by itself: where that may be huge ones, [`forbid_huge_pages`](crate::memory::forbid_huge_pages) comes first.
    ///
    /// # Errors
    /// `InvalidInput` for zero bytes; `Unsupported` for huge pages if the kernel has none; `ENOMEM` if the kernel
    /// returns it.
    pub fn mapped(bytes: usize, pages: BufferPages) -> io::Result<Self> {
        Ok(Self::from_mapping(AnonymousMemory::untouched(capacity_of(bytes)?, pages)?))
    }

    /// The same with every page there, so that no read faults, and of the kind that is requested whatever the kernel
    /// does by itself.
    ///
    /// # Errors
    /// As [`mapped`](Self::mapped).
    pub fn resident(bytes: usize, pages: BufferPages) -> io::Result<Self> {
        Ok(Self::from_mapping(AnonymousMemory::resident(capacity_of(bytes)?, pages)?))
    }

    fn from_mapping(memory: AnonymousMemory) -> Self {
        Self {
            base: memory.base(),
            capacity: memory.bytes(),
            filled: 0,
            origin: Origin::Mapped { _unmaps: memory },
        }
    }

    /// Memory from the program's allocator, at least `bytes`, aligned as for a vector of bytes in glibc: no direct I/O.
    ///
    /// # Errors
    /// `InvalidInput` for zero bytes; `OutOfMemory` where the allocator has none.
    pub fn allocated(bytes: usize) -> io::Result<Self> {
        Self::from_allocator(bytes, MALLOC_ALIGNMENT_BYTES)
    }

    /// The same aligned for direct I/O. glibc (2.36) maps what is aligned to a page and larger than 128 KiB again each
    /// time, however often it was requested before, so every page of it faults.
    ///
    /// # Errors
    /// As [`allocated`](Self::allocated).
    pub fn allocated_aligned(bytes: usize) -> io::Result<Self> {
        Self::from_allocator(capacity_of(bytes)?, ALIGNMENT_BYTES)
    }

    fn from_allocator(capacity: usize, alignment: usize) -> io::Result<Self> {
        if capacity == 0 {
            return Err(no_buffer(capacity));
        }
        let layout = layout(capacity, alignment)?;
        // SAFETY: the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc::alloc(layout) }).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base, capacity, filled: 0, origin: Origin::Allocated(alignment) })
    }

    /// What the kernel says about the buffer's pages once all of them have been written to. What a read brought is
    /// gone.
    pub fn touched_memory(&mut self) -> Measured<BufferMemory> {
        self.filled = 0;
        // SAFETY: the memory is `capacity` bytes that `&mut self` owns alone, and any byte is valid there.
        unsafe { ptr::write_bytes(self.base.as_ptr(), 0, self.capacity) };
        memory::found(self.base, self.capacity)
    }

    /// Bytes that one read may move.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// What the last read brought.
    pub fn filled(&self) -> &[u8] {
        // SAFETY: `filled` bytes from the beginning were initialised by a read, and only `&mut self` writes to them.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.filled) }
    }

    /// Reads up to `length` bytes of a file by one system call, with `RWF_DONTCACHE` if so asked; returns how many
    /// came.
    ///
    /// # Errors
    /// `InvalidInput` for more than the capacity; the kernel's error.
    #[inline]
    pub fn read(&mut self, file: &File, offset: u64, length: usize, dontcache: bool) -> io::Result<usize> {
        self.require(length)?;
        self.filled = 0;
        let (fd, offset) = (file.as_raw_fd(), offset as libc::off_t);
        let buffer = self.base.as_ptr().cast();
        let vector = libc::iovec { iov_base: buffer, iov_len: length };
        loop {
            // SAFETY: the kernel writes at most `length` bytes, which are inside the memory that `&mut self` owns
            // alone, and `vector` lives through the call.
            let moved = unsafe {
                if dontcache {
                    libc::preadv2(fd, &raw const vector, 1, offset, RWF_DONTCACHE)
                } else {
                    libc::pread(fd, buffer, length, offset)
                }
            };
            if moved >= 0 {
                self.filled = moved as usize;
                return Ok(self.filled);
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }

    /// Copies `length` bytes of a mapped file.
    ///
    /// # Errors
    /// `InvalidInput` for more than the capacity or more than is mapped.
    #[inline]
    pub fn copy(&mut self, file: &MappedFile, offset: u64, length: u32) -> io::Result<usize> {
        self.require(length as usize)?;
        if !file.0.holds(offset, length) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the range is not all mapped"));
        }
        // SAFETY: the mapping holds the range; the destination is `length` bytes of memory that `&mut self` owns alone,
        // outside every mapping of a file.
        unsafe { file.0.read(offset, self.base.as_ptr(), length) };
        self.filled = length as usize;
        Ok(self.filled)
    }

    fn require(&self, length: usize) -> io::Result<()> {
        if length <= self.capacity {
            return Ok(());
        }
        let text = format!("{length} bytes do not fit a buffer of {}", self.capacity);
        Err(io::Error::new(io::ErrorKind::InvalidInput, text))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        match &self.origin {
            // It unmaps itself.
            Origin::Mapped { .. } => {}
            Origin::Allocated(alignment) => {
                // The layout was valid when the buffer was made.
                if let Ok(layout) = layout(self.capacity, *alignment) {
                    // SAFETY: `from_allocator` got it from the same allocator with the same layout.
                    unsafe { alloc::dealloc(self.base.as_ptr(), layout) }
                }
            }
        }
    }
}

/// A whole file mapped for reading. Its bytes belong to the file: they are copied, never referred to.
#[derive(Debug)]
pub struct MappedFile(Mapping);

impl MappedFile {
    /// Maps the first `bytes` of a file, at least one. Should the file shrink, a copy from behind its end is SIGBUS:
    /// the process says so on standard error and dies by that signal.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn new(file: &File, bytes: u64) -> io::Result<Self> {
        Mapping::for_reading(file, bytes).map(Self)
    }
}

/// A whole file mapped for writing. What is copied there is in the page cache, as after `pwrite`: it survives the death
/// of the process, and power loss once the file was synced.
#[derive(Debug)]
pub struct WritableMappedFile(Mapping);

// SAFETY: a mapping belongs to the process, not to a thread: every thread may write to it and unmap it. Writes need
// `&mut self`.
unsafe impl Send for WritableMappedFile {}

impl WritableMappedFile {
    /// Maps the first `bytes` of a file that is open for reading and writing. Should the file shrink, the file system
    /// have no room or the device fail, a copy is SIGBUS: the process says so on standard error and dies by that
    /// signal.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn new(file: &File, bytes: u64) -> io::Result<Self> {
        Mapping::for_writing(file, bytes).map(Self)
    }

    /// Bytes that are mapped.
    pub fn bytes(&self) -> u64 {
        self.0.bytes() as u64
    }

    /// Copies `bytes` to the file.
    ///
    /// # Errors
    /// `InvalidInput` for more than is mapped.
    #[inline]
    pub fn write(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).ok().filter(|length| self.0.holds(offset, *length));
        let Some(length) = length else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the range is not all mapped"));
        };
        // SAFETY: the mapping holds the range and was made writable; `bytes` is memory of this program that is not in a
        // mapping of a file, as no reference to one exists.
        unsafe { self.0.write(offset, bytes.as_ptr(), length) };
        Ok(())
    }
}

fn capacity_of(bytes: usize) -> io::Result<usize> {
    let capacity = bytes.checked_next_multiple_of(ALIGNMENT_BYTES.max(rustix::param::page_size()));
    capacity.filter(|capacity| *capacity > 0).ok_or_else(|| no_buffer(bytes))
}

fn layout(capacity: usize, alignment: usize) -> io::Result<Layout> {
    Layout::from_size_align(capacity, alignment).map_err(|_| no_buffer(capacity))
}

#[cold]
fn no_buffer(bytes: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("no buffer has {bytes} bytes"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
    }

    #[test]
    fn a_read_shows_what_came_and_nothing_else() {
        let content: Vec<u8> = (0..10_000_u32).map(|index| index as u8).collect();
        let file = file(&content);
        let small = BufferPages::Small;
        for buffer in [
            Buffer::mapped(5000, small),
            Buffer::resident(5000, small),
            Buffer::allocated(5000),
            Buffer::allocated_aligned(5000),
        ] {
            let mut buffer = buffer.unwrap();
            assert!(matches!(buffer.capacity(), 5000 | 8192) && buffer.filled().is_empty());
            assert_eq!(buffer.read(&file, 100, 5000, false).unwrap(), 5000);
            assert_eq!(buffer.filled(), &content[100..5100]);
            assert_eq!(buffer.read(&file, 9990, 100, false).unwrap(), 10, "short at the end of the file");
            assert_eq!(buffer.filled(), &content[9990..]);
            assert!(buffer.read(&file, 0, 8193, false).is_err());
        }
    }

    #[test]
    fn a_mapped_file_is_copied_from_and_never_beyond_its_end() {
        let content = [7_u8; 9000];
        let mapped = MappedFile::new(&file(&content), 9000).unwrap();
        let mut buffer = Buffer::allocated(9000).unwrap();
        assert_eq!(buffer.copy(&mapped, 4000, 5000).unwrap(), 5000);
        assert_eq!(buffer.filled(), &content[4000..]);
        assert!(buffer.copy(&mapped, 4001, 5000).is_err());
    }

    #[test]
    fn what_is_copied_to_a_mapped_file_is_read_from_it() {
        let file = file(&[7; 9000]);
        let mut mapped = WritableMappedFile::new(&file, 9000).unwrap();
        assert_eq!(mapped.bytes(), 9000);
        std::thread::scope(|scope| {
            scope.spawn(|| mapped.write(b"abc", 8997).unwrap());
        });
        assert!(mapped.write(b"abc", 8998).is_err());
        let mut buffer = Buffer::allocated(9000).unwrap();
        buffer.read(&file, 8990, 100, false).unwrap();
        assert_eq!(buffer.filled(), b"\x07\x07\x07\x07\x07\x07\x07abc");
    }

    #[test]
    fn a_buffer_tells_what_pages_it_has() {
        for buffer in [
            Buffer::mapped(1 << 20, BufferPages::Small),
            Buffer::resident(1 << 20, BufferPages::Small),
            Buffer::allocated(1 << 20),
        ] {
            let mut buffer = buffer.unwrap();
            let found = *buffer.touched_memory().value().unwrap();
            assert_eq!(found.resident_bytes, 1 << 20, "{buffer:?}");
            assert!(found.huge_bytes <= found.resident_bytes);
            assert!(buffer.filled().is_empty());
        }
    }

    #[test]
    fn no_buffer_has_no_bytes() {
        assert!(Buffer::mapped(0, BufferPages::Small).is_err() && Buffer::allocated(0).is_err());
        assert!(Buffer::allocated_aligned(0).is_err() && Buffer::allocated_aligned(usize::MAX).is_err());
        assert!(Buffer::allocated(usize::MAX).is_err());
    }
}
