//! Where and when a thread runs, and what ends with it: CPU pinning, `SCHED_FIFO`, the parent-death signal,
//! a private mount namespace.

use crate::failure::Failure;
use rustix::mount::MountPropagationFlags;
use rustix::process::{Pid, Signal};
use rustix::thread::{CpuSet, UnshareFlags};
use std::io;
use std::path::Path;

/// A thread or process could not be set up as asked.
#[derive(Debug, thiserror::Error)]
pub enum SchedulingError {
    /// The CPU does not exist or is not allowed for this process.
    #[error("cannot pin to CPU {cpu}: this process may run on {allowed} only; choose one of these")]
    NoSuchCpu {
        /// The CPU that was asked for.
        cpu: usize,
        /// The CPUs of this process's affinity mask, such as `0, 1`.
        allowed: String,
    },
    /// Real-time scheduling is not permitted.
    #[error(
        "cannot run under SCHED_FIFO: {source}; run as root, grant CAP_SYS_NICE, or raise the limit with ulimit -r 1"
    )]
    RealTime {
        /// What the kernel answered.
        source: io::Error,
    },
    /// The parent ended before its death could be subscribed to.
    #[error("the parent process {parent} has ended; a worker does not outlive it: start the run again")]
    ParentGone {
        /// The expected parent.
        parent: u32,
    },
    /// A private mount namespace is not permitted.
    #[error("cannot make mounts private: {source}; loop file systems need root (CAP_SYS_ADMIN)")]
    PrivateMounts {
        /// What the kernel answered.
        source: io::Error,
    },
    /// Mounts can be made private only while there is one thread.
    #[error(
        "cannot make mounts private with {threads} threads running; do it before the first thread is started"
    )]
    Threads {
        /// Threads of this process.
        threads: usize,
    },
    /// A system call failed.
    #[error(transparent)]
    Kernel(#[from] Failure),
}

/// CPUs that the calling thread may run on, ascending.
pub fn allowed_cpus() -> Result<Vec<usize>, SchedulingError> {
    let set = rustix::thread::sched_getaffinity(None)
        .map_err(Failure::on("read the CPU affinity of", Path::new("/proc/thread-self")))?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

/// Keeps the calling thread on one CPU; threads and processes it starts inherit that.
pub fn pin_current_thread(cpu: usize) -> Result<(), SchedulingError> {
    let allowed = allowed_cpus()?;
    if !allowed.contains(&cpu) {
        let allowed = allowed.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        return Err(SchedulingError::NoSuchCpu { cpu, allowed });
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    rustix::thread::sched_setaffinity(None, &set)
        .map_err(Failure::on("set the CPU affinity of", Path::new("/proc/thread-self")))?;
    Ok(())
}

/// Runs the calling thread under `SCHED_FIFO` at the lowest real-time priority: above every ordinary task,
/// below the kernel's own threads. The kernel's real-time throttling still leaves others 5 % (sched(7)).
pub fn run_real_time() -> Result<(), SchedulingError> {
    let parameters = libc::sched_param { sched_priority: 1 };
    // SAFETY: the pointer is to a live struct that the kernel only reads; 0 means the calling thread.
    let answer = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if answer == 0 { Ok(()) } else { Err(SchedulingError::RealTime { source: io::Error::last_os_error() }) }
}

/// Kills this process when the parent's thread that started it ends (`PR_SET_PDEATHSIG`), so no worker outlives
/// the lab. `parent` is the process that is expected; if it is gone already, that is an error.
pub fn die_with_parent(parent: u32) -> Result<(), SchedulingError> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Failure::on("set the parent-death signal of", Path::new("/proc/self")))?;
    // The parent may have died before the call above: then we belong to init or a subreaper by now.
    let now = rustix::process::getppid().map(Pid::as_raw_nonzero);
    if now.is_some_and(|now| i64::from(now.get()) == i64::from(parent)) {
        Ok(())
    } else {
        Err(SchedulingError::ParentGone { parent })
    }
}

/// Gives this process a mount namespace of its own, from which nothing propagates out. Whatever it or its
/// children mount is gone with the last of them, however they end: the mounts, and by `autoclear` their loop
/// devices.
///
/// Call it first thing in `main`: a namespace belongs to a thread, and only threads and processes started
/// later inherit it.
pub fn private_mounts() -> Result<(), SchedulingError> {
    let tasks = Path::new("/proc/self/task");
    let threads = std::fs::read_dir(tasks).map_err(Failure::on("list", tasks))?.count();
    if threads != 1 {
        return Err(SchedulingError::Threads { threads });
    }
    let refused = |errno: rustix::io::Errno| SchedulingError::PrivateMounts { source: errno.into() };
    // SAFETY: NEWNS leaves the table of file descriptors shared; only `UnshareFlags::FILES` would be unsound.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }.map_err(refused)?;
    let everything = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", everything).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_does_not_exist_is_refused_and_the_allowed_ones_are_named() {
        let error = pin_current_thread(1023).expect_err("no such CPU here");
        assert!(error.to_string().contains("may run on 0"), "{error}");
    }

    #[test]
    fn a_pinned_thread_stays_on_its_cpu() {
        let cpu = *allowed_cpus().expect("readable").last().expect("at least one");
        std::thread::spawn(move || {
            pin_current_thread(cpu).expect("allowed");
            assert_eq!(allowed_cpus().expect("readable"), [cpu]);
            assert_eq!(rustix::thread::sched_getcpu(), cpu);
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn a_parent_that_is_not_ours_is_said_to_be_gone() {
        let error = std::thread::spawn(|| die_with_parent(u32::MAX)).join().expect("no panic");
        assert!(matches!(error, Err(SchedulingError::ParentGone { .. })));
        rustix::process::set_parent_process_death_signal(None).expect("clears it again");
    }

    #[test]
    fn mounts_are_made_private_only_by_a_process_of_one_thread() {
        std::thread::spawn(|| assert!(matches!(private_mounts(), Err(SchedulingError::Threads { .. }))))
            .join()
            .expect("no panic");
    }
}
