//! What a signal that asks to stop does: it raises a flag, so that everything that has to be cleaned up is, on the
//! ordinary way out. If the kernel does not let a process end, a line reports it.

use crate::failure::Failure;
use crate::output::report_error;
use crate::process_tree::{Stat, below, numbered};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::low_level::pipe;
use std::fs;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// A system call on a slow disk takes less: what sleeps in two looks is held up.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Raises the flag at SIGINT, SIGTERM and SIGHUP.
pub(crate) fn interrupted_by_signals() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in signals() {
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).map_err(Failure::runtime)?;
    }
    Ok(interrupted)
}

/// A run that is started with nohup must survive the terminal.
fn signals() -> impl Iterator<Item = i32> {
    let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(hangup)
}

/// A write beyond the file-size limit (`ulimit -f`) is an error from now on, which names the file; by default its
/// signal ends the process, in the middle of a report or of a trial.
pub(crate) fn make_file_size_limit_an_error() -> Result<(), Failure> {
    let nobody_asks = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGXFSZ, nobody_asks).map(drop).map_err(Failure::runtime)
}

/// Whether this process was started with the signal ignored: `SigIgn` of proc(5), a bit for each signal from 1.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// From now on, says after a signal which process the kernel does not let end. Until a signal comes, the thread that
/// looks sleeps. The first call of a process counts.
pub(crate) fn watch_for_what_cannot_end() -> Result<(), Failure> {
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);
    if IS_WATCHED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let refused = |error: io::Error| {
        Failure::Runtime(format!(
            "cannot open a socket to wait for signals: {error}; raise the limit of open files (ulimit -n)"
        ))
    };
    let (mut received, sent) = UnixStream::pair().map_err(refused)?;
    for signal in signals() {
        let sent = sent.try_clone().map_err(refused)?;
        pipe::register(signal, sent).map_err(refused)?;
    }
    thread::spawn(move || {
        if received.read_exact(&mut [0]).is_ok() {
            report_error(held_up_twice());
        }
    });
    Ok(())
}

/// Looks until something sleeps in two looks after each other. If all goes well, the program ends before that.
fn held_up_twice() -> String {
    let mut before = Vec::new();
    loop {
        thread::sleep(LOOK_EVERY);
        let now = uninterruptible(Path::new("/proc"), std::process::id());
        if let Some(process) = now.iter().find(|process| before.contains(*process)) {
            return format!(
                "asked to stop, but process {} ({}) is in uninterruptible sleep (state D in /proc): its disk or file \
                 system does not answer, or is frozen, and no signal ends it; Syncline ends as soon as that answers",
                process.id, process.command
            );
        }
        before = now;
    }
}

/// A process with a thread that no signal reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sleeping {
    id: u32,
    command: String,
}

/// This process and those that it started, and they, of which a thread is in uninterruptible sleep.
fn uninterruptible(proc: &Path, of: u32) -> Vec<Sleeping> {
    let sleeps = |id: u32| {
        let threads = proc.join(id.to_string()).join("task");
        let mut states =
            numbered(&threads).filter_map(|thread| Stat::read(&threads.join(thread.to_string())));
        states.any(|stat| stat.state == 'D')
    };
    let found = below(proc, of).into_iter().filter(|(id, _)| sleeps(*id));
    found.map(|(id, stat)| Sleeping { id, command: stat.command }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `/proc` with these processes: id, parent, and their threads' states.
    fn proc(processes: &[(u32, u32, &str)]) -> tempfile::TempDir {
        let proc = tempfile::tempdir().unwrap();
        for (id, parent, states) in processes {
            for (number, state) in (*id..).zip(states.chars()) {
                let directory = proc.path().join(format!("{id}/task/{number}"));
                fs::create_dir_all(&directory).unwrap();
                let stat = format!("{number} (a (b) c) {state} {parent} 1 1 0\n");
                fs::write(directory.join("stat"), &stat).unwrap();
                if number == *id {
                    fs::write(proc.path().join(format!("{id}/stat")), stat).unwrap();
                }
            }
        }
        proc
    }

    /// TERM in the middle of a freeze did nothing and printed nothing until the thaw.
    #[test]
    fn a_worker_that_no_signal_ends_is_found() {
        let tree = [(1, 0, "S"), (10, 1, "SSS"), (20, 10, "S"), (30, 20, "SD"), (40, 1, "D")];
        let proc = proc(&tree);
        let ids = |of: u32| -> Vec<u32> {
            uninterruptible(proc.path(), of).into_iter().map(|process| process.id).collect()
        };
        assert_eq!(ids(10), [30], "a thread of a grandchild is found; 40 is not a descendant");
        assert_eq!(ids(20), [30]);
        assert_eq!(ids(40), [40]);
        assert_eq!(uninterruptible(proc.path(), 10)[0].command, "a (b) c");
    }

    #[test]
    fn parents_that_go_in_circles_end_the_search() {
        let proc = proc(&[(10, 20, "D"), (20, 10, "D"), (30, 30, "D")]);
        assert_eq!(uninterruptible(proc.path(), 10).len(), 2);
    }
}
