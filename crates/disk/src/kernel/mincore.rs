//! `mincore(2)`: which pages of a file are cached, on kernels without `cachestat`.

use rustix::fd::AsFd;
use rustix::mm::{MapFlags, ProtFlags};
use std::io;

/// Bytes mapped at a time: bounds the residency vector to 64 KiB with 4 KiB pages.
const WINDOW_BYTES: u64 = 256 << 20;

/// Bytes of the file that the page cache holds. Tells nothing of dirty pages.
///
/// Since Linux 5.2 the answer is honest only for a file's owner or writer (mincore(2), NOTES), which Syncline always
/// is.
pub fn cached_bytes(file: impl AsFd, size_bytes: u64) -> io::Result<u64> {
    let page = rustix::param::page_size();
    let mut cached = 0;
    let mut offset = 0;
    while offset < size_bytes {
        let length = WINDOW_BYTES.min(size_bytes - offset) as usize;
        let mut pages = vec![0u8; length.div_ceil(page)];
        // SAFETY: a fresh mapping at an address of the kernel's choice, never read or written through, and
        // unmapped right below; `offset` is a multiple of the window and so of the page size. `pages` has one
        // byte for each page of the range, which is what mincore fills.
        unsafe {
            let address = rustix::mm::mmap(
                std::ptr::null_mut(),
                length,
                ProtFlags::READ,
                MapFlags::SHARED,
                file.as_fd(),
                offset,
            )?;
            let answer = libc::mincore(address, length, pages.as_mut_ptr());
            let error = io::Error::last_os_error();
            rustix::mm::munmap(address, length)?;
            if answer != 0 {
                return Err(error);
            }
        }
        // Bit 0 is residency, the others are reserved.
        cached += pages.iter().filter(|&&flags| flags & 1 == 1).count() as u64 * page as u64;
        offset += length as u64;
    }
    Ok(cached)
}
