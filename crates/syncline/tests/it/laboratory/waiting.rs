//! Waiting for events of the system: a process that ends, a record that a run appends.

use super::Laboratory;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::mem::MaybeUninit;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// No disk is this slow: what takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(5);

/// Waits until the run `run` has this many whole records; `false` if its program ends before.
#[track_caller]
pub(crate) fn for_trials(lab: &Laboratory, trials: usize, program: &mut Child) -> bool {
    if program.try_wait().unwrap().is_some() {
        return lab.trials() >= trials;
    }
    let ended = pidfd_open(Pid::from_child(program), PidfdFlags::empty()).unwrap();
    let changes = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&changes, lab.path(), inotify::WatchFlags::CREATE).unwrap();
    loop {
        // Watched before it is looked at: no record comes in between unseen.
        let of_run = inotify::WatchFlags::CREATE | inotify::WatchFlags::MODIFY;
        match inotify::add_watch(&changes, lab.run_directory(), of_run) {
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => panic!("{error}"),
        }
        if lab.trials() >= trials {
            return true;
        }
        let mut events = [PollFd::new(&changes, PollFlags::IN), PollFd::new(&ended, PollFlags::IN)];
        assert!(wait(&mut events, PATIENCE), "no trial after {PATIENCE:?}");
        if !events[1].revents().is_empty() {
            return lab.trials() >= trials;
        }
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut seen = inotify::Reader::new(&changes, &mut buffer);
        while seen.next().is_ok() {}
    }
}

/// How a process ended, if it did so in time.
pub(crate) fn for_end(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    if let Some(status) = child.try_wait().unwrap() {
        return Some(status);
    }
    for_end_of(Pid::from_child(child), patience);
    child.try_wait().unwrap()
}

/// Waits for the end of a process, which need not be a child; whether it came in time.
pub(crate) fn for_end_of(process: Pid, patience: Duration) -> bool {
    match pidfd_open(process, PidfdFlags::empty()) {
        Ok(ended) => wait(&mut [PollFd::new(&ended, PollFlags::IN)], patience),
        Err(Errno::SRCH) => true,
        Err(error) => panic!("{error}"),
    }
}

/// Whether one of these came in time.
fn wait(events: &mut [PollFd<'_>], patience: Duration) -> bool {
    let patience = Timespec::try_from(patience).unwrap();
    loop {
        match poll(events, Some(&patience)) {
            Ok(ready) => return ready > 0,
            Err(Errno::INTR) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
