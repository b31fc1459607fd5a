//! PostgreSQL servers of Syncline's own, seen from outside: where they can be, which run, which have ended.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// A slow disk takes minutes to make the files of some servers.
const PATIENCE: Duration = Duration::from_mins(10);

/// A directory that an unprivileged user reaches: what cargo builds in may be root's alone.
pub(crate) fn reachable() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
    directory
}

pub(crate) fn assert_empty(disk: &Path) {
    let left: Vec<_> = fs::read_dir(disk).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    assert_eq!(processes_of(disk), Vec::<u32>::new(), "still running");
}

/// The same after a kill: a server ends by itself then, and not in the same instant.
pub(crate) fn assert_empties(disk: &Path) {
    wait_for("the server's end", || processes_of(disk).is_empty().then_some(()));
    assert_empty(disk);
}

/// Processes whose command line names something below the directory.
pub(crate) fn processes_of(directory: &Path) -> Vec<u32> {
    let below = format!("{}/", directory.display());
    let named = |pid: &u32| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(&below)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(named).collect()
}

/// The postmaster below a directory: the one whose parent is a worker of Syncline's.
pub(crate) fn postmaster_and_worker(disk: &Path) -> Option<(u32, u32)> {
    postmasters_and_workers(disk).next()
}

pub(crate) fn postmasters_and_workers(disk: &Path) -> impl Iterator<Item = (u32, u32)> {
    processes_of(disk).into_iter().filter_map(|pid| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let is_server = command.split(|&byte| byte == 0).any(|word| word.ends_with(b"/data"));
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent: u32 = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()?;
        let parent_command = fs::read(format!("/proc/{parent}/cmdline")).ok()?;
        let is_workers = parent_command.split(|&byte| byte == 0).any(|word| word == b"worker");
        (is_server && is_workers).then_some((pid, parent))
    })
}

pub(crate) fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{what} did not come");
        // Servers are children of other processes, and their start is no event here.
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}
