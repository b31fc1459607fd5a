//! A thread whose files are its own, so that what it serves ends with it and not with the whole process.
//!
//! A process that serves a file system to itself cannot be killed without this: a thread of it that waits for its own
//! server, uninterruptibly, keeps the table of file descriptors alive, and with it the server's connection, which the
//! kernel would otherwise abort. Neither would ever end: on Linux 6.18 eight of eight processes did not.

use crate::failure::Failure;
use crate::kernel::mounts;
use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, UnmountFlags};
use rustix::process::DumpableBehavior;
use rustix::thread::UnshareFlags;
use std::ffi::c_uint;
use std::io;
use std::path::Path;
use std::thread::JoinHandle;

/// Descriptors below this one stay: standard input, output and error.
const FIRST_OF_OTHERS: c_uint = 3;

/// Starts a thread that has no file descriptors but the standard ones, and shares none that it opens. Memory that it
/// needs is never gained by writing dirty pages back (`PR_SET_IO_FLUSHER`(2const), Linux 5.6): they could be those
/// that it serves.
///
/// `body`, and what it calls, must not use descriptors that other threads opened, nor give away its own.
///
/// # Errors
/// No thread can be started. `body` gets the error of the kernel if there is no table of its own.
pub fn spawn<T: Send + 'static>(
    name: &str,
    body: impl FnOnce(io::Result<()>) -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(|| body(leave_the_table()))
}

fn leave_the_table() -> io::Result<()> {
    // SAFETY: the descriptors that are closed are copies in a table that only this thread has. `spawn` demands that it
    // uses none of theirs.
    let answer = unsafe {
        libc::syscall(libc::SYS_close_range, FIRST_OF_OTHERS, c_uint::MAX, libc::CLOSE_RANGE_UNSHARE)
    };
    if answer == -1 {
        return Err(io::Error::last_os_error());
    }
    // Needs CAP_SYS_RESOURCE; without it only memory pressure is a danger.
    let _ = rustix::process::configure_io_flusher_behavior(true);
    Ok(())
}

/// Keeps this process from dumping core (`PR_SET_DUMPABLE`(2const)). Before a dump, whatever its size limit, the
/// kernel stops all threads and waits for them (`coredump_wait`): it would stop the server, and wait for those that
/// wait for it.
///
/// # Errors
/// The kernel's error.
pub fn dump_no_core() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Gives the calling thread a mount namespace of its own with nothing mounted in it but the root. The last thread of a
/// namespace unmounts what is in it before it closes its own files (`exit_task_namespaces`, and `task_work_run`, which
/// runs the latest first): it must not be the thread that serves what is unmounted. On Linux 6.18, 16 of 25 processes
/// never ended that were killed while they were idle. Nor does a copy of a mount keep in
/// use what others unmount.
///
/// # Errors
/// It needs root.
pub fn leave_mount_namespace() -> Result<(), Failure> {
    let root = Path::new("/");
    // SAFETY: NEWNS unshares the root, the working directory and the umask too, and no descriptors.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }
        .map_err(Failure::on("leave the mounts below", root))?;
    rustix::mount::mount_change(root, MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(Failure::on("make private the mounts below", root))?;
    for mount in mounts::mounts()?.into_iter().rev().filter(|mount| mount.point != root) {
        match rustix::mount::unmount(&mount.point, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW) {
            // Another mount covers it: what is covered cannot be reached, and what covers it was listed too.
            Ok(()) | Err(Errno::INVAL | Errno::NOENT) => {}
            Err(errno) => return Err(Failure::on("detach", &mount.point)(errno)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_thread_apart_has_none_of_the_files_of_others() {
        let file = std::fs::File::open("/proc/self/status").expect("readable");
        let descriptor = file.as_raw_fd();
        let path = move || format!("/proc/thread-self/fd/{descriptor}");
        assert!(std::fs::read_link(path()).is_ok());
        let seen = spawn("apart", move |left| {
            left.expect("Linux 5.9");
            std::fs::read_link(path()).is_ok()
        });
        assert!(!seen.expect("starts").join().expect("no panic"));
        assert!(file.metadata().is_ok());
    }
}
