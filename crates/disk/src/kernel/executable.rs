//! The executable that this process runs, whatever has taken its path since.

/// What a child of this process runs to be the same program: the kernel keeps the executable open (proc(5)), so that one that
/// is replaced or removed in the middle of a run changes nothing.
pub const OWN: &str = "/proc/self/exe";

/// The same for a program that starts one for us, for which `self` is another.
pub fn of_this_process() -> String {
    format!("/proc/{}/exe", std::process::id())
}
