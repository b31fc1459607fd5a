//! Real-time scheduling, and workers that do not outlive the lab.

use crate::support;

use disk::kernel::scheduling::{SchedulingError, die_with_parent, keep_on_one_cpu, run_real_time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{CpuSet, sched_getaffinity};
use std::process::Command;
use support::{UNTIL_KILLED, answer, helper, scratch};

/// How long a process may take to end on a busy machine.
const PATIENCE: Timespec = Timespec { tv_sec: 300, tv_nsec: 0 };

#[test]
fn a_real_time_thread_is_scheduled_first_in_first_out() {
    std::thread::spawn(|| {
        match run_real_time() {
            Ok(()) => {}
            Err(error @ SchedulingError::RealTime { .. }) => {
                skip::because(error);
                return;
            }
            Err(error) => panic!("{error}"),
        }
        // Field 41 of proc_pid_stat(5); 1 is SCHED_FIFO. The second field may hold blanks, hence the parenthesis.
        let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("readable");
        let policy = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(41 - 3));
        assert_eq!(policy, Some("1"), "{stat}");
    })
    .join()
    .expect("no panic");
}

#[test]
fn threads_and_processes_keep_to_the_cpus_that_they_may_use_in_turn() {
    std::thread::spawn(|| {
        let allowed = sched_getaffinity(None).expect("known");
        let cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
        for number in 0..=cpus.len() {
            let mut child = Command::new("sleep").arg("60").spawn().expect("starts");
            let kept = keep_on_one_cpu(Some(child.id()), number);
            let found = sched_getaffinity(Pid::from_raw(child.id() as i32)).expect("known");
            child.kill().expect("killed");
            child.wait().expect("reaped");
            kept.expect("it may use it");
            assert!(found.count() == 1 && found.is_set(cpus[number % cpus.len()]), "{number}: {found:?}");
        }
        keep_on_one_cpu(None, 1).expect("it may use it");
        let own = sched_getaffinity(None).expect("known");
        assert!(own.count() == 1 && own.is_set(cpus[1 % cpus.len()]));
    })
    .join()
    .expect("no panic");
}

/// The lab is killed: its worker must not go on loading the device.
#[test]
fn a_worker_dies_with_its_parent() {
    let directory = scratch();
    let mut lab = helper("scheduling::helper_starts_a_worker", directory.path()).spawn().expect("starts");
    let worker: u32 = answer(&mut lab, "worker ").parse().expect("a process");
    let process = Pid::from_raw(worker as i32).expect("not 0");
    let descriptor = pidfd_open(process, PidfdFlags::empty()).expect("it runs");
    lab.kill().expect("killed");
    lab.wait().expect("reaped");
    // A descriptor of a process is readable once that process has ended, also if it has another parent.
    let ended = poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&PATIENCE)).expect("polled");
    assert_eq!(ended, 1, "process {worker} outlives its parent");
}

#[test]
#[ignore = "run by a_worker_dies_with_its_parent"]
fn helper_starts_a_worker() {
    let mut worker = helper("scheduling::helper_works", &support::path_of_parent()).spawn().expect("starts");
    assert_eq!(answer(&mut worker, "works under "), std::process::id().to_string());
    println!("worker {}", worker.id());
    worker.wait().expect("waited for until this process is killed");
}

#[test]
#[ignore = "run by helper_starts_a_worker"]
fn helper_works() {
    let parent = std::os::unix::process::parent_id();
    die_with_parent(parent).expect("the parent lives");
    println!("works under {parent}");
    std::thread::sleep(UNTIL_KILLED);
}
