//! Whether this process is a child that `fork` made of the one that opened something: the child has neither the threads
//! of its parent nor an open file, a lock or a ring of its own.

use rustix::mm::{Advice, MapFlags, ProtFlags};
use std::ffi::c_int;
use std::fmt;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

/// A mark that a child of `fork` does not have: a page that the kernel gives to the child full of zeroes (`madvise(2)`,
/// `MADV_WIPEONFORK`, Linux 4.14). To look at it is one load from memory.
pub struct ForkMark {
    page: NonNull<AtomicU8>,
}

// SAFETY: the page stays mapped as long as this value lives, and is used through an atomic alone.
unsafe impl Send for ForkMark {}
// SAFETY: as above.
unsafe impl Sync for ForkMark {}

impl ForkMark {
    /// Marks this process. On a kernel without `MADV_WIPEONFORK` its children have the mark too.
    ///
    /// # Errors
    /// No page can be mapped.
    pub fn new() -> io::Result<Self> {
        let bytes = rustix::param::page_size();
        // SAFETY: a fresh private mapping at an address of the kernel's choice.
        let address = unsafe {
            let protection = ProtFlags::READ | ProtFlags::WRITE;
            rustix::mm::mmap_anonymous(std::ptr::null_mut(), bytes, protection, MapFlags::PRIVATE)?
        };
        // SAFETY: the whole mapping, which nothing uses yet; the advice takes effect in children only.
        let _ = unsafe { rustix::mm::madvise(address, bytes, Advice::LinuxWipeOnFork) };
        let page = NonNull::new(address.cast::<AtomicU8>())
            .ok_or_else(|| io::Error::other("the kernel mapped a page at address 0"))?;
        let mark = Self { page };
        mark.byte().store(1, Ordering::Relaxed);
        Ok(mark)
    }

    #[inline]
    fn byte(&self) -> &AtomicU8 {
        // SAFETY: mapped, initialised (by the kernel, with zeroes) and aligned as long as this value lives.
        unsafe { self.page.as_ref() }
    }

    /// Whether this process is a child of the one that made the mark.
    #[inline]
    pub fn is_forked(&self) -> bool {
        self.byte().load(Ordering::Relaxed) == 0
    }
}

impl Drop for ForkMark {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, of the same length, and nothing has a reference into it any more.
        let _ = unsafe { rustix::mm::munmap(self.page.as_ptr().cast(), rustix::param::page_size()) };
    }
}

impl fmt::Debug for ForkMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForkMark").field("is_forked", &self.is_forked()).finish()
    }
}

/// Runs `body` in a child that `fork` makes of this process, and returns the status with which it ends (0 to 255), or
/// minus the number of the signal that killed it. The child has no other thread, and what other threads had locked at
/// that moment stays locked there; it ends without unwinding and without handlers of `exit`.
///
/// # Errors
/// The kernel's error.
pub fn in_child(body: impl FnOnce() -> u8) -> io::Result<c_int> {
    // SAFETY: fork has no condition on memory: the child has a copy of all of it. glibc makes its allocator usable
    // there.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
            let status = outcome.map_or(101, c_int::from);
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(status) }
        }
        child => {
            let mut status = 0;
            // SAFETY: `status` is there for the kernel to write to.
            while unsafe { libc::waitpid(child, &raw mut status, 0) } == -1 {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            let has_ended = libc::WIFEXITED(status);
            Ok(if has_ended { libc::WEXITSTATUS(status) } else { -libc::WTERMSIG(status) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_does_not_have_the_mark_of_its_parent() {
        let mark = ForkMark::new().expect("a page");
        assert!(!mark.is_forked());
        let in_child = in_child(|| {
            u8::from(mark.is_forked()) + 2 * u8::from(ForkMark::new().is_ok_and(|own| !own.is_forked()))
        });
        assert_eq!(in_child.expect("forks"), 3, "it has one of its own");
        assert!(!mark.is_forked());
    }
}
