//! Every system call that changes a run directory goes through here, so that a test can end the program between any two
//! of them, and in the middle of a write.

use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write};

pub(super) fn perform<T>(change: impl FnOnce() -> Result<T, Errno>) -> io::Result<T> {
    perform_io(|| Ok(change()?))
}

/// The same, if the change is the standard library's.
pub(super) fn perform_io<T>(change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    kill::step()?;
    change()
}

/// Writes all of it.
pub(super) fn write(mut file: &File, content: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    if let Err(dead) = kill::step() {
        if kill::is_last_step() {
            file.write_all(&content[..content.len() / 2])?;
        }
        return Err(dead);
    }
    file.write_all(content)
}

/// A program that is killed: from some change on, nothing it does has an effect any more.
#[cfg(test)]
pub(crate) mod kill {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        /// Changes that are still performed; negative once the program is dead.
        static LEFT: Cell<Option<i64>> = const { Cell::new(None) };
    }

    /// Runs a closure and kills it after this number of changes; a write that is killed has written its first half.
    /// Returns the result and `true` if the closure ended before.
    pub(crate) fn after<T>(changes: i64, run: impl FnOnce() -> T) -> (T, bool) {
        LEFT.set(Some(changes));
        let result = run();
        let survived = LEFT.take().is_some_and(|left| left >= 0);
        (result, survived)
    }

    pub(super) fn step() -> io::Result<()> {
        let Some(left) = LEFT.get() else { return Ok(()) };
        LEFT.set(Some(left - 1));
        if left > 0 { Ok(()) } else { Err(io::Error::other("killed")) }
    }

    pub(super) fn is_last_step() -> bool {
        LEFT.get() == Some(-1)
    }
}
