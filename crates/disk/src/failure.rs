//! A system call that failed: which one, on what, why, and what to do next, in one line.

use rustix::io::Errno;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failed operation on a path.
#[derive(Debug)]
pub struct Failure {
    /// What was tried, as a verb phrase: `write`, `read the extents of`.
    pub operation: &'static str,
    /// What it was tried on.
    pub path: PathBuf,
    /// What the kernel answered.
    pub source: io::Error,
}

impl Failure {
    /// Names the operation and the path of an error, for `map_err`.
    pub fn on<E: Into<io::Error>>(operation: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        let path = path.to_owned();
        move |source| Self { operation, path, source: source.into() }
    }

    /// Whether the kernel answered with this error number.
    pub fn is(&self, errno: Errno) -> bool {
        self.source.raw_os_error() == Some(errno.raw_os_error())
    }

    /// What to do next, if the error number shows it.
    fn advice(&self) -> Option<&'static str> {
        let errno = Errno::from_io_error(&self.source)?;
        if self.path.starts_with("/proc") || self.path.starts_with("/sys") {
            return matches!(errno, Errno::ACCESS | Errno::PERM | Errno::ROFS)
                .then_some("this needs root or the privilege");
        }
        Some(match errno {
            Errno::NOSPC => "free space there or choose another directory",
            Errno::FBIG => "raise the file-size limit (ulimit -f), or make the study's files smaller",
            Errno::DQUOT => "the disk quota is used up: free space or choose another directory",
            Errno::IO => {
                "the device reported an error: see the kernel log (dmesg) and do not trust this disk"
            }
            Errno::ROFS => "the file system is read-only: choose another directory",
            Errno::ACCESS => "choose a writable directory",
            Errno::PERM => "this needs root or the matching capability",
            Errno::MFILE | Errno::NFILE => "raise the limit of open files (ulimit -n)",
            Errno::NOENT => "it must exist: check the path",
            _ => return None,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {}: {}", self.operation, self.path.display(), self.source)?;
        match self.advice() {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_with_path_operation_and_what_to_do() {
        let failure = Failure::on("write", Path::new("/data/wal"))(Errno::NOSPC);
        let line = failure.to_string();
        assert!(line.starts_with("cannot write /data/wal: No space left on device"), "{line}");
        assert!(line.ends_with("choose another directory"), "{line}");
        assert!(!line.contains('\n'));
        assert!(failure.is(Errno::NOSPC));
        let line = Failure::on("create", Path::new("/sys/fs/cgroup/x"))(Errno::ACCESS).to_string();
        assert!(line.ends_with("needs root or the privilege"), "{line}");
    }
}
