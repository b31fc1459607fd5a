//! Where and when a thread runs, and what ends with it: CPU pinning, `SCHED_FIFO`, the parent-death signal,
//! a private mount namespace, System V shared memory of one's own.

use crate::failure::Failure;
use rustix::mount::MountPropagationFlags;
use rustix::process::{Pid, Signal};
use rustix::thread::{CpuSet, UnshareFlags};
use std::io;
use std::path::Path;

/// A thread or process could not be set up as requested.
#[derive(Debug, thiserror::Error)]
pub enum SchedulingError {
    /// The CPU does not exist or is not allowed for this process.
    #[error(
        "cannot pin to CPU {cpu}: it is offline or not allowed to this process ({source}); choose another CPU"
    )]
    NoSuchCpu {
        /// The CPU that was requested.
        cpu: usize,
        /// What the kernel answered.
        source: io::Error,
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
    ParentGone { parent: u32 },
    /// A private mount namespace is not permitted.
    #[error("cannot make mounts private: {source}; loop file systems need root (CAP_SYS_ADMIN)")]
    PrivateMounts {
        /// What the kernel answered.
        source: io::Error,
    },
    /// A private IPC namespace is not permitted.
    #[error("cannot make shared memory private: {source}; it needs root (CAP_SYS_ADMIN)")]
    PrivateSharedMemory {
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

/// Keeps the calling thread on one CPU; threads and processes it starts inherit that. The limit is
/// the machine and its cpusets, not the thread's own mask: a team's threads start on their leader's CPU.
pub fn pin_current_thread(cpu: usize) -> Result<(), SchedulingError> {
    let no_such_cpu = |source: io::Error| SchedulingError::NoSuchCpu { cpu, source };
    let mut set = CpuSet::new();
    if cpu >= CpuSet::MAX_CPU {
        return Err(no_such_cpu(io::Error::from(rustix::io::Errno::INVAL)));
    }
    set.set(cpu);
    rustix::thread::sched_setaffinity(None, &set).map_err(|errno| no_such_cpu(errno.into()))
}

/// Keeps the calling thread on the CPU that is its own in a team that begins at `first` and goes round.
pub fn pin_team_member(first: usize, member: usize) -> Result<(), SchedulingError> {
    pin_current_thread((first + member) % cpus_online().max(first + 1))
}

/// Keeps a process, or the calling thread, on one of the CPUs that it may use: number after number takes the next one,
/// and the first one again.
pub fn keep_on_one_cpu(process: Option<u32>, number: usize) -> Result<(), SchedulingError> {
    let process = process.and_then(|id| Pid::from_raw(id as i32));
    let failed = |what| move |errno| Failure::on(what, Path::new("/proc/self"))(errno);
    let allowed =
        rustix::thread::sched_getaffinity(process).map_err(failed("read the CPUs of a process of"))?;
    let cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let Some(cpu) = cpus.get(number % cpus.len().max(1)) else { return Ok(()) };
    let mut set = CpuSet::new();
    set.set(*cpu);
    rustix::thread::sched_setaffinity(process, &set).map_err(failed("set the CPU of a process of"))?;
    Ok(())
}

/// CPUs that the calling thread, and what it starts, may use.
pub fn cpus_allowed() -> Result<usize, SchedulingError> {
    let allowed = rustix::thread::sched_getaffinity(None)
        .map_err(Failure::on("read the CPUs of a process of", Path::new("/proc/self")))?;
    Ok((0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).count())
}

/// Keeps the calling thread off one CPU, if it may use another.
pub fn keep_off_cpu(cpu: usize) -> Result<(), SchedulingError> {
    let failed = |what| Failure::on::<rustix::io::Errno>(what, Path::new("/proc/self"));
    let mut others =
        rustix::thread::sched_getaffinity(None).map_err(failed("read the CPUs of a process of"))?;
    if cpu < CpuSet::MAX_CPU {
        others.unset(cpu);
    }
    if others.count() == 0 {
        return Ok(());
    }
    rustix::thread::sched_setaffinity(None, &others).map_err(failed("set the CPU of a process of"))?;
    Ok(())
}

/// CPUs of the machine, whatever this thread may use; they are taken to be numbered without gaps.
pub fn cpus_online() -> usize {
    let ranges = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let last = ranges.trim().rsplit(['-', ',']).next().and_then(|last| last.parse::<usize>().ok());
    last.map_or(1, |last| last + 1)
}

/// Runs the calling thread under `SCHED_FIFO` at the lowest real-time priority: above every ordinary task,
/// below the kernel's own threads. The kernel's real-time throttling still leaves others 5 % (sched(7)).
pub fn run_real_time() -> Result<(), SchedulingError> {
    let parameters = libc::sched_param { sched_priority: 1 };
    // SAFETY: the pointer is to a live struct that the kernel only reads; 0 means the calling thread.
    let answer = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if answer == 0 { Ok(()) } else { Err(SchedulingError::RealTime { source: io::Error::last_os_error() }) }
}

/// Gives the calling thread, and what it starts from now on, the CPU and the disk only if nobody else wants them: nice
/// value 19 and the idle I/O class (`ioprio_set(2)`), which schedulers such as BFQ and mq-deadline observe.
pub fn run_when_idle() -> Result<(), SchedulingError> {
    const NICE_MAX: i32 = 19;
    // `include/uapi/linux/ioprio.h` of the kernel.
    const WHO_PROCESS: libc::c_int = 1;
    const CLASS_IDLE: libc::c_int = 3 << 13;
    let this = Path::new("/proc/self");
    rustix::process::setpriority_process(None, NICE_MAX)
        .map_err(Failure::on("set the nice value of", this))?;
    // SAFETY: the arguments are three numbers, 0 for the calling thread; the kernel reads and writes no memory.
    let answer = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE) };
    if answer == 0 {
        return Ok(());
    }
    Err(Failure::on("set the I/O class of", this)(io::Error::last_os_error()).into())
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
    let threads = threads_left()?;
    if threads != 1 {
        return Err(SchedulingError::Threads { threads });
    }
    let refused = |errno: rustix::io::Errno| SchedulingError::PrivateMounts { source: errno.into() };
    // SAFETY: NEWNS leaves the table of file descriptors shared; only `UnshareFlags::FILES` would be unsound.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS) }.map_err(refused)?;
    let everything = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", everything).map_err(refused)
}

/// Threads of this process. One that has been joined may be listed for a moment longer: its end is announced before it
/// is taken from the list (`mm_release`, `release_task` in the kernel's `exit.c`).
fn threads_left() -> Result<usize, SchedulingError> {
    let tasks = Path::new("/proc/self/task");
    let count = || Ok(std::fs::read_dir(tasks).map_err(Failure::on("list", tasks))?.count());
    for _ in 0..LOOKS_AT_THREADS {
        if count()? == 1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    count()
}

const LOOKS_AT_THREADS: usize = 100;

/// Gives the calling thread, and what it starts from now on, System V shared memory of its own (`ipc_namespaces(7)`):
/// it is gone with the last process that has it, even if that was killed and could remove nothing.
pub fn private_shared_memory() -> Result<(), SchedulingError> {
    // SAFETY: NEWIPC leaves the table of file descriptors shared; only `UnshareFlags::FILES` would be unsound.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWIPC) }
        .map_err(|errno| SchedulingError::PrivateSharedMemory { source: errno.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_runs_when_idle_has_the_lowest_priority_and_the_idle_class() {
        std::thread::spawn(|| {
            run_when_idle().expect("anybody may lower a priority");
            assert_eq!(rustix::process::getpriority_process(None), Ok(19));
            // SAFETY: the arguments are two numbers, 0 for the calling thread.
            let priority = unsafe { libc::syscall(libc::SYS_ioprio_get, 1, 0) };
            assert_eq!(priority >> 13, 3);
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_refused() {
        for cpu in [1023, 1 << 20] {
            let error = pin_current_thread(cpu).expect_err("no such CPU here");
            assert!(
                matches!(error, SchedulingError::NoSuchCpu { cpu: refused, .. } if refused == cpu),
                "{error}"
            );
        }
    }

    #[test]
    fn a_team_spreads_over_the_cpus_and_its_threads_stay() {
        let cpus = cpus_online();
        std::thread::spawn(move || {
            for member in 0..2 * cpus {
                pin_team_member(0, member).expect("the machine has these CPUs");
                assert_eq!(rustix::thread::sched_getcpu(), member % cpus);
            }
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn a_thread_is_kept_off_a_cpu_unless_it_has_no_other() {
        std::thread::spawn(|| {
            keep_off_cpu(0).expect("permitted");
            let allowed = rustix::thread::sched_getaffinity(None).expect("readable");
            assert!(allowed.count() > 0);
            assert!(!allowed.is_set(0) || allowed.count() == 1, "{allowed:?}");
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
