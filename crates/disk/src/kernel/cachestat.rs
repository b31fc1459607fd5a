//! `cachestat(2)`, Linux 6.5: how much of a file the page cache holds. Neither libc nor rustix wraps it.

use model::mechanism::PageCache;
use rustix::fd::{AsFd, AsRawFd};
use std::io;

/// The same number on every architecture (`include/uapi/asm-generic/unistd.h`).
const SYSCALL_CACHESTAT: libc::c_long = 451;

/// `struct cachestat_range` of `include/uapi/linux/mman.h`.
#[repr(C)]
struct Range {
    offset: u64,
    /// 0 stands for "to the end of the file".
    length: u64,
}

/// `struct cachestat` of `include/uapi/linux/mman.h`, in pages.
#[repr(C)]
#[derive(Default)]
struct Statistics {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// The whole file's pages in the page cache, in bytes.
///
/// # Errors
/// `ENOSYS` before Linux 6.5; `EOPNOTSUPP` on hugetlbfs.
pub fn cachestat(file: impl AsFd) -> io::Result<PageCache> {
    let range = Range { offset: 0, length: 0 };
    let mut statistics = Statistics::default();
    // SAFETY: both pointers are to live, properly laid out structs; the kernel reads one and fills the other,
    // and keeps neither. The descriptor is borrowed for the duration of the call.
    let answer = unsafe {
        libc::syscall(
            SYSCALL_CACHESTAT,
            file.as_fd().as_raw_fd(),
            std::ptr::from_ref(&range),
            std::ptr::from_mut(&mut statistics),
            0u32,
        )
    };
    if answer != 0 {
        return Err(io::Error::last_os_error());
    }
    let page = rustix::param::page_size() as u64;
    Ok(PageCache {
        cached_bytes: statistics.cached * page,
        dirty_bytes: statistics.dirty * page,
        writeback_bytes: statistics.writeback * page,
    })
}
