//! Why the process dies when a mapped page cannot be read or written.

use std::io;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

const WHY: &str = "SIGBUS: a mapped read or write failed: the file was truncated or the device reported an I/O error \
                   (or, on a write, the file system is full)\n";

/// Whether a thread is saying why already.
static IS_SAID: AtomicBool = AtomicBool::new(false);

/// From now on a SIGBUS says on standard error why this process dies, and then kills it as it would have done. Asking
/// again changes nothing.
///
/// It takes the place of the handler of Rust's runtime, which looks for stack overflows; on Linux those are SIGSEGV.
pub(super) fn explain() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        install(handle as *const () as libc::sighandler_t)
            .map_err(|error| error.raw_os_error().unwrap_or(libc::EINVAL))
    });
    installed.map_err(io::Error::from_raw_os_error)
}

fn install(handler: libc::sighandler_t) -> io::Result<()> {
    // SAFETY: `action` is a valid sigaction in every field: all zeroes is an empty mask, and the handler, unless it
    // is SIG_DFL, has the signature that SA_SIGINFO asks for and does only what is async-signal-safe.
    let answer = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        // The alternate stack, because the fault may be the stack's.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut())
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Says why, and gives the signal its default action back. The faulting instruction is then executed again, faults
/// again, and the process dies by the signal.
extern "C" fn handle(_signal: libc::c_int, information: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid pointer to a handler with SA_SIGINFO.
    let is_fault = unsafe { (*information).si_code } > 0;
    if is_fault && IS_SAID.swap(true, Ordering::Relaxed) {
        // Another thread is at it: this one faults until that one has said it.
        return;
    }
    if is_fault {
        // SAFETY: write(2) is async-signal-safe and the text is a constant. If it fails, nothing can be reported.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, WHY.as_ptr().cast(), WHY.len()) };
    }
    // sigaction(2) is async-signal-safe (signal-safety(7)) and does not fail for SIGBUS.
    let _ = install(libc::SIG_DFL);
    if !is_fault {
        // Somebody sent it: there is no instruction to execute again.
        // SAFETY: raise(3) is async-signal-safe; the signal is delivered when this handler returns.
        unsafe { libc::raise(libc::SIGBUS) };
    }
}
