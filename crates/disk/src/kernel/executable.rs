//! Executables: the one that this process runs, whatever has taken its path since, and those of the system.

use std::path::{Path, PathBuf};

/// Where administrators' programs are, even if the caller's PATH lacks it.
const SYSTEM: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// What a child of this process runs to be the same program: the kernel keeps the executable open (proc(5)), so that
/// one that is replaced or removed in the middle of a run changes nothing.
pub const OWN: &str = "/proc/self/exe";

/// The same for a program that starts one for us, for which `self` is another.
pub fn of_this_process() -> String {
    format!("/proc/{}/exe", std::process::id())
}

/// The full path of a program, in the usual directories only: what may run as root is not looked for in PATH.
pub(crate) fn of_system(program: &str) -> Option<PathBuf> {
    let mut paths = SYSTEM.iter().map(|directory| Path::new(directory).join(program));
    paths.find(|path| path.is_file())
}
