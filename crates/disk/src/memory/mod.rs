//! Anonymous memory of a known kind: small pages or huge ones, as requested, and what the kernel then says that it is.

mod available;
mod found;
mod huge_pages;

pub use available::available_bytes;
pub(crate) use found::found;
pub use huge_pages::{forbid_huge_pages, huge_pages_supported};

use model::buffer::{BufferMemory, BufferPages};
use model::mechanism::Measured;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};
use std::io;
use std::ptr::{self, NonNull};

/// A private anonymous mapping, unmapped when it is dropped. Its owner decides who may access it.
#[derive(Debug)]
pub(crate) struct AnonymousMemory {
    /// What was mapped, with what surrounds the memory that is used.
    reserved: NonNull<u8>,
    reserved_bytes: usize,
    /// What is used: whole pages of the kind that was requested.
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread, and is unmapped once, by the thread that drops it; no
// method gives access to its bytes.
unsafe impl Send for AnonymousMemory {}
// SAFETY: through `&AnonymousMemory` one learns addresses and lengths and has the kernel make pages resident.
unsafe impl Sync for AnonymousMemory {}

impl AnonymousMemory {
    /// At least `bytes` of zeroes between pages that nobody can access, all of it resident.
    ///
    /// The pages around it keep the kernel from merging the mapping with its neighbours, so that `/proc/self/smaps`
    /// describes it alone.
    ///
    /// # Errors
    /// `Unsupported` if huge pages are requested and the kernel has none, `ENOMEM` if the kernel returns it.
    pub(crate) fn resident(bytes: usize, pages: BufferPages) -> io::Result<Self> {
        let memory = match pages {
            BufferPages::Small => Self::guarded(bytes, rustix::param::page_size(), Advice::LinuxNoHugepage)?,
            BufferPages::Huge => match huge_pages::source()? {
                huge_pages::Source::Transparent => {
                    Self::guarded(bytes, huge_pages::bytes(), Advice::LinuxHugepage)?
                }
                huge_pages::Source::Reserved => Self::reserved(bytes)?,
            },
        };
        memory.make_resident()?;
        Ok(memory)
    }

    /// At least `bytes` of which no page is there yet, by as few system calls as there can be. Small pages are the
    /// kernel's default kind, which [`forbid_huge_pages`] makes small everywhere.
    ///
    /// # Errors
    /// As [`resident`](Self::resident).
    pub(crate) fn untouched(bytes: usize, pages: BufferPages) -> io::Result<Self> {
        match pages {
            BufferPages::Small => {
                let bytes = whole(bytes, rustix::param::page_size())?;
                let base = map(bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?;
                Ok(Self { reserved: base, reserved_bytes: bytes, base, bytes })
            }
            BufferPages::Huge => {
                huge_pages::source()?;
                let alignment = huge_pages::bytes();
                let bytes = whole(bytes, alignment)?;
                let reserved_bytes = bytes.checked_add(alignment).ok_or(io::ErrorKind::OutOfMemory)?;
                let reserved = map(reserved_bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?;
                let memory =
                    Self { reserved, reserved_bytes, base: aligned_after(reserved, alignment), bytes };
                memory.advise(Advice::LinuxHugepage)?;
                Ok(memory)
            }
        }
    }

    fn guarded(bytes: usize, page_bytes: usize, advice: Advice) -> io::Result<Self> {
        let bytes = whole(bytes, page_bytes)?;
        let reserved_bytes = bytes.checked_add(2 * page_bytes).ok_or(io::ErrorKind::OutOfMemory)?;
        let reserved = map(reserved_bytes, ProtFlags::empty(), MapFlags::PRIVATE)?;
        let memory = Self { reserved, reserved_bytes, base: aligned_after(reserved, page_bytes), bytes };
        let access = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: the range is inside the reservation made above, which nobody else knows yet.
        unsafe { mprotect(memory.base.as_ptr().cast(), bytes, access) }?;
        match memory.advise(advice) {
            // A kernel that knows no transparent huge pages at all has small pages only.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) && advice == Advice::LinuxNoHugepage => {
            }
            advised => advised?,
        }
        Ok(memory)
    }

    /// For the huge pages that the administrator reserved (`vm.nr_hugepages`).
    fn reserved(bytes: usize) -> io::Result<Self> {
        let bytes = whole(bytes, huge_pages::bytes())?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let base = map(bytes, access, MapFlags::PRIVATE | MapFlags::HUGETLB)?;
        Ok(Self { reserved: base, reserved_bytes: bytes, base, bytes })
    }

    fn advise(&self, advice: Advice) -> io::Result<()> {
        // SAFETY: the range is inside this mapping. What kind of pages it has, and whether they are resident, changes
        // no byte of it.
        unsafe { madvise(self.base.as_ptr().cast(), self.bytes, advice) }.map_err(Into::into)
    }

    /// Makes every page resident, so that no page fault falls into a measurement.
    fn make_resident(&self) -> io::Result<()> {
        // MAP_POPULATE would hide a failure; MADV_POPULATE_WRITE (Linux 5.14) reports it.
        match self.advise(Advice::LinuxPopulateWrite) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                // SAFETY: only called while the mapping is made, when nobody else knows about it; it is that long.
                unsafe { ptr::write_bytes(self.base.as_ptr(), 0, self.bytes) };
                Ok(())
            }
            advised => advised,
        }
    }

    /// The first byte that may be used.
    #[inline]
    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// How many may be used.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What the kernel says about it.
    pub(crate) fn found(&self) -> Measured<BufferMemory> {
        found(self.base, self.bytes)
    }
}

impl Drop for AnonymousMemory {
    fn drop(&mut self) {
        // SAFETY: exactly the range that was mapped; the owner is gone, and with it all access to it. An error would
        // mean that the range is not mapped, and there is nothing left to do about it.
        let _ = unsafe { munmap(self.reserved.as_ptr().cast(), self.reserved_bytes) };
    }
}

fn map(bytes: usize, access: ProtFlags, flags: MapFlags) -> io::Result<NonNull<u8>> {
    // SAFETY: a new private mapping at an address of the kernel's choice aliases nothing.
    let address = unsafe { mmap_anonymous(ptr::null_mut(), bytes, access, flags) }?;
    NonNull::new(address.cast::<u8>())
        .ok_or_else(|| io::Error::other("the kernel mapped a buffer at address zero"))
}

fn whole(bytes: usize, page_bytes: usize) -> io::Result<usize> {
    bytes.checked_next_multiple_of(page_bytes).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// The first multiple of `alignment` after the beginning: at least a page after it, and at most `alignment`.
fn aligned_after(reserved: NonNull<u8>, alignment: usize) -> NonNull<u8> {
    let distance = alignment - reserved.as_ptr().addr() % alignment;
    // SAFETY: callers reserve `alignment` bytes more than they use, so the result is inside the mapping.
    unsafe { reserved.add(distance) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn small_pages_are_small_and_tell_of_themselves_alone() {
        // Neighbours of the same kind, which the kernel would merge into one mapping.
        let memories: Vec<_> = [1, 5000, 4 << 20, 8 << 20]
            .map(|bytes| AnonymousMemory::resident(bytes, BufferPages::Small).unwrap())
            .into();
        for memory in &memories {
            let found = *memory.found().value().unwrap();
            assert_eq!(found.resident_bytes, memory.bytes() as u64);
            assert_eq!(found.huge_bytes, 0);
            assert_eq!(found.kernel_page_bytes, rustix::param::page_size() as u64);
        }
    }

    #[test]
    fn huge_pages_are_huge_or_refused_with_a_way_out() {
        match AnonymousMemory::resident(5 << 20, BufferPages::Huge) {
            Ok(memory) => {
                assert!(memory.bytes().is_multiple_of(huge_pages::bytes()));
                assert!(memory.base().as_ptr().addr().is_multiple_of(huge_pages::bytes()));
                let found = *memory.found().value().unwrap();
                // How many huge pages there are to be had is the machine's affair, and told as it is.
                assert_eq!(found.resident_bytes, memory.bytes() as u64);
                assert!(found.huge_bytes <= found.resident_bytes);
            }
            Err(error) => {
                assert_eq!(error.kind(), io::ErrorKind::Unsupported);
            }
        }
    }

    #[test]
    fn untouched_memory_is_not_resident() {
        let memory = AnonymousMemory::untouched(1 << 20, BufferPages::Small).unwrap();
        assert_eq!(memory.bytes(), 1 << 20);
        if huge_pages_supported().is_ok() {
            let memory = AnonymousMemory::untouched(1, BufferPages::Huge).unwrap();
            assert!(memory.base().as_ptr().addr().is_multiple_of(huge_pages::bytes()));
            assert_eq!(memory.found().value().map(|found| found.resident_bytes), Some(0));
        }
    }
}
