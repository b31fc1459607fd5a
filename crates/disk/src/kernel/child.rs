//! Processes that we start and that must not outlive us: a server, which may have to run as another user.

use crate::failure::Failure;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

/// A user and its group, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    pub user: u32,
    pub group: u32,
}

/// What a process gets when the thread that started it ends, however it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeathSignal {
    /// `SIGKILL`: for a process without children that could stay behind.
    Kill,
    /// `SIGQUIT`: a PostgreSQL server ends its children and itself at once.
    Quit,
    /// `SIGINT`: a command of Syncline removes what it made, and ends.
    Interrupt,
}

/// Lets this process wait for its children, and those that it starts for theirs: a parent may have ignored `SIGCHLD`,
/// which is handed down through exec, and then the kernel forgets a child that ends (wait(2)).
pub fn let_children_be_waited_for() -> Result<(), Failure> {
    // SAFETY: the default action runs no code of this program.
    let before = unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    if before == libc::SIG_ERR {
        return Err(Failure::on("set the action of", Path::new("SIGCHLD"))(io::Error::last_os_error()));
    }
    Ok(())
}

/// Starts a process as `account` (the current user, if there is none), inside control groups, in a process group of its
/// own, and with a signal that it gets when the calling **thread** ends.
///
/// `entrances` are the groups' `cgroup.procs` files, open for writing: the process enters them before its first
/// instruction, so that nothing of it is counted elsewhere.
pub fn spawn(
    mut command: Command,
    account: Option<Account>,
    signal: DeathSignal,
    entrances: Vec<File>,
) -> Result<Child, Failure> {
    if let Some(account) = account {
        // std leaves the supplementary groups before it changes the user.
        command.gid(account.group).uid(account.user);
    }
    // An interrupt from the terminal reaches the worker alone, which ends the server.
    command.process_group(0);
    let parent = rustix::process::getpid();
    let enter_and_subscribe = move || enter(&entrances).and_then(|()| subscribe(parent, signal));
    // SAFETY: between fork and exec only async-signal-safe functions may run (signal-safety(7)): the closure makes the
    // system calls write, rt_sigaction, prctl and getppid, and neither allocates nor takes a lock.
    unsafe { command.pre_exec(enter_and_subscribe) };
    let program = command.get_program().to_owned();
    command.spawn().map_err(Failure::on("start", Path::new(&program)))
}

/// "0" is the process that writes it (kernel `Documentation/admin-guide/cgroup-v1/cgroups.rst`, 2.2).
fn enter(entrances: &[File]) -> io::Result<()> {
    entrances.iter().try_for_each(|entrance| Ok(rustix::io::write(entrance, b"0").map(drop)?))
}

/// A process that a shell put into the background ignores `SIGQUIT` and `SIGINT`, and hands that down through exec
/// (POSIX, Shell Command Language 2.11): the signal would end nobody, so its default action is restored.
///
/// The kernel clears a parent-death signal when the user changes (`PR_SET_PDEATHSIG`(2const)). std runs what is to run
/// before exec after it has changed the user, so here it stays.
fn subscribe(parent: Pid, signal: DeathSignal) -> io::Result<()> {
    let signal = match signal {
        DeathSignal::Kill => Signal::KILL,
        DeathSignal::Quit => with_default_action(Signal::QUIT)?,
        DeathSignal::Interrupt => with_default_action(Signal::INT)?,
    };
    rustix::process::set_parent_process_death_signal(Some(signal))?;
    // The parent may have died before the call above: then nobody would end this process.
    if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(Errno::SRCH.into()) }
}

fn with_default_action(signal: Signal) -> io::Result<Signal> {
    // SAFETY: the default action runs no code of this program.
    let before = unsafe { libc::signal(signal.as_raw(), libc::SIG_DFL) };
    if before == libc::SIG_ERR { Err(io::Error::last_os_error()) } else { Ok(signal) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, Timespec};
    use rustix::process::PidfdFlags;
    use std::io::Read;
    use std::process::Stdio;

    /// Says who it is, then waits for the signal, which it ignores as what a shell puts into the background does.
    fn sleeper() -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "id -u; exec sleep 600"]).stdout(Stdio::piped());
        // SAFETY: signal(2) is async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGQUIT, libc::SIG_IGN);
                libc::signal(libc::SIGINT, libc::SIG_IGN);
                Ok(())
            });
        }
        command
    }

    /// Waits for the end of a child that nobody has reaped: whether it came within some minutes.
    fn ends(child: &Child) -> bool {
        let pid = Pid::from_child(child);
        let descriptor =
            rustix::process::pidfd_open(pid, PidfdFlags::empty()).expect("the child is not reaped");
        let limit = Timespec { tv_sec: 300, tv_nsec: 0 };
        rustix::event::poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&limit)).expect("polled")
            == 1
    }

    #[test]
    fn a_child_ends_with_the_thread_that_started_it_whatever_its_user() {
        let other = rustix::process::geteuid().is_root().then_some(Account { user: 65534, group: 65534 });
        for signal in [DeathSignal::Kill, DeathSignal::Quit, DeathSignal::Interrupt] {
            let started = std::thread::spawn(move || {
                let mut child = spawn(sleeper(), other, signal, Vec::new()).expect("starts");
                let mut said = [0; 32];
                let read = child.stdout.take().expect("a pipe").read(&mut said).expect("says something");
                (child, String::from_utf8_lossy(&said[..read]).trim().to_owned())
            });
            let (mut child, user) = started.join().expect("no panic");
            if let Some(other) = other {
                assert_eq!(user, other.user.to_string());
            }
            assert!(ends(&child), "{signal:?} did not come");
            assert!(!child.wait().expect("was ours").success());
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = spawn(Command::new("/no/such/program"), None, DeathSignal::Kill, Vec::new());
        let line = error.expect_err("is not there").to_string();
        assert!(line.starts_with("cannot start /no/such/program"), "{line}");
    }
}
