//! A memory cap by way of systemd: `systemd-run --user --scope` (systemd-run(1), systemd.resource-control(5)).

use crate::kernel::executable;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = "systemd-run";

/// The words to put before a worker's command line: it is then born inside a scope that is limited to
/// `limit_bytes` of memory, page cache included, without swap.
pub fn systemd_run_prefix(limit_bytes: u64) -> Vec<String> {
    let program = executable::of_system(PROGRAM).map(|path| path.display().to_string());
    let mut words = vec![program.unwrap_or_else(|| PROGRAM.to_owned())];
    // root has the system's manager, everybody else the one of their session.
    if !rustix::process::geteuid().is_root() {
        words.push("--user".to_owned());
    }
    words.extend(["--scope", "--quiet", "--collect"].map(str::to_owned));
    words.extend([format!("--property=MemoryMax={limit_bytes}"), "--property=MemorySwapMax=0".to_owned()]);
    words.push("--".to_owned());
    words
}

/// Whether systemd can start a scope here: it is the init system, and a scope starts.
pub(super) fn is_available() -> bool {
    // sd_booted(3).
    if !Path::new("/run/systemd/system").is_dir() {
        return false;
    }
    let [program, arguments @ ..] = &systemd_run_prefix(64 << 20)[..] else { return false };
    Command::new(program)
        .args(arguments)
        .arg("true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_in_the_prefix_and_the_worker_comes_last() {
        let words = systemd_run_prefix(1024);
        assert!(words.contains(&"--property=MemoryMax=1024".to_owned()));
        assert_eq!(words.last().map(String::as_str), Some("--"));
    }
}
