//! What others do to a worker while it measures, done for real: its figures are not to be trusted, and the run says so.

use crate::laboratory;

use laboratory::{Laboratory, assert_line, text};
use model::mechanism::Window;
use model::trial::{PauseCause, TrialRecord};
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use verdict::{Audit, Status};

const AUDIT_FAILED: i32 = 3;

/// One study's audit of what was recorded.
fn audit(lab: &Laboratory, name: &str) -> Audit {
    let run = lab::run_directory::read(&lab.run_directory()).unwrap();
    let audits = verdict::analyse(&run, &|_| None).studies.remove(0).audits;
    audits.into_iter().find(|audit| audit.name == name).unwrap()
}

fn windows(record: &TrialRecord) -> Vec<Window> {
    let phases = record.measurement.iter().flat_map(|measurement| &measurement.phases);
    phases.filter_map(|phase| phase.mechanism.continuity.window.value().copied()).collect()
}

/// The child processes of a program that have had this many bytes written by now.
fn writers(program: &Child, bytes_min: u64) -> Vec<i32> {
    let children = format!("/proc/{0}/task/{0}/children", program.id());
    let children = fs::read_to_string(children).unwrap_or_default();
    let has_written = |pid: &i32| {
        let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
        let written = io.lines().find_map(|line| line.strip_prefix("write_bytes: ")?.parse::<u64>().ok());
        written.is_some_and(|written| written >= bytes_min)
    };
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(has_written).collect()
}

/// SIGSTOP of the worker for 2 s left `commit_latency_max_us` 2,000,683 and no audit; for 60 s in a trial of 200 ms,
/// 1.13 commits/s among 332 to 2,341 and exit code 0. Every worker is stopped once here, for a fifth of what it
/// measures.
#[test]
fn a_run_whose_workers_were_stopped_says_so_and_fails() {
    if !Path::new(&format!("/proc/{0}/task/{0}/children", std::process::id())).exists() {
        skip::because("this kernel does not tell a process's children (CONFIG_PROC_CHILDREN)");
        return;
    }
    let lab = Laboratory::new();
    let study =
        laboratory::STUDY.replace("groups = 40\nruntime = \"0s\"", "groups = 0\nruntime = \"1500ms\"");
    fs::write(lab.path().join("timed.toml"), study).unwrap();
    let arguments = ["run", "timed.toml", "--dir", "disk", "--out", "run", "--rounds", "1", "--budget", "1h"];
    let mut run = lab.syncline(&arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut stopped = BTreeSet::new();
    while run.try_wait().unwrap().is_none() {
        for worker in writers(&run, 4 << 10) {
            if let (true, Some(pid)) = (stopped.insert(worker), Pid::from_raw(worker))
                && kill_process(pid, Signal::STOP).is_ok()
            {
                // How long a worker is stopped is what is tested.
                thread::sleep(Duration::from_millis(300));
                kill_process(pid, Signal::CONT).unwrap();
            }
        }
        // That a worker has begun to write is in its counters only.
        thread::sleep(Duration::from_millis(1));
    }
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    let records = lab.records();
    let stopped_s = |record: &TrialRecord| -> f64 {
        let pauses = record.pauses.iter().flatten().filter(|pause| pause.cause == PauseCause::Stopped);
        let windows = windows(record);
        pauses.map(|pause| windows.iter().map(|window| pause.window.overlap_s(*window)).sum::<f64>()).sum()
    };
    assert!(records.iter().any(|record| stopped_s(record) > 0.2), "{stopped:?} {records:#?}");
    let audit = audit(&lab, "interruption");
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    lab.assert_clean();
}

/// A control group of Syncline with a quarter of a CPU; removed with this value.
struct Quota(PathBuf);

impl Quota {
    fn create() -> Result<Self, String> {
        let group = PathBuf::from(format!("/sys/fs/cgroup/cpu/syncline-test-{}", std::process::id()));
        fs::create_dir(&group).map_err(|error| format!("{}: {error}", group.display()))?;
        let quota = Self(group);
        for (file, microseconds) in [("cpu.cfs_period_us", "20000"), ("cpu.cfs_quota_us", "5000")] {
            fs::write(quota.0.join(file), microseconds).map_err(|error| format!("{file}: {error}"))?;
        }
        Ok(quota)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        // A directory of a control group goes when nobody is in it.
        let _ = fs::remove_dir(&self.0);
    }
}

/// The audit once blamed other programs for a worker that a quota kept from idle CPUs.
#[test]
fn a_run_under_a_cpu_quota_is_called_one() {
    let quota = match Quota::create() {
        Ok(quota) => quota,
        Err(why) => {
            skip::because(format_args!(
                "no control group with a CPU quota of cgroup v1 can be made here: {why}"
            ));
            return;
        }
    };
    let lab = Laboratory::new();
    // Reads from the page cache: the CPU is all that they need.
    let study = "question = \"q\"\nworkload = \"device\"\n[factors]\nmode = [\"buffered\"]\n[fixed]\n\
                 rw = \"randread\"\nioengine = \"psync\"\niodepth = 1\ncache = \"warm\"\nsize = \"8MiB\"\n\
                 runtime = \"400ms\"\n[profile.quick]\nrounds = 1\n";
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let command = lab.syncline(&["run", "study.toml", "--dir", "disk", "--out", "run"]);
    let entrance = quota.0.join("cgroup.procs");
    // The group is entered by a shell, which then becomes the program.
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg("echo $$ > \"$0\" && exec \"$@\"").arg(&entrance);
    shell.arg(command.get_program()).args(command.get_args()).current_dir(lab.path());
    let output = shell.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&output));
    let binds = |record: &TrialRecord| {
        let phase = &record.measurement.as_ref().unwrap().phases[0];
        let counted = phase.mechanism.cpu_contention.quota.value().expect("a control group counts it");
        assert!(counted.periods > 0, "{counted:?}");
        // Some kernels count a throttled thread as waiting.
        let waited_s = phase.mechanism.run_queue_delay_s.value().copied().unwrap_or_default();
        let is_most = counted.throttled_s > waited_s - counted.throttled_s;
        is_most && counted.throttled_s > 0.2 * phase.duration_s
    };
    if !lab.records().iter().all(binds) {
        skip::because("other programs took more of the CPUs than the quota did");
        return;
    }
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    let audit = audit(&lab, "steal-and-pressure");
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    assert_line(
        &audit.summary,
        "A CPU quota of the worker's control group kept it from the CPUs in 2 of 2 trials ([..] % of the time on average in the configurations concerned).",
    );
    lab.assert_clean();
}

/// Threads that never rest on one CPU, until this value goes.
struct Hogs {
    ended: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Hogs {
    fn on(cpu: usize, threads: usize) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let hog = |_| {
            let ended = Arc::clone(&ended);
            thread::spawn(move || {
                let mut cpus = CpuSet::new();
                cpus.set(cpu);
                sched_setaffinity(None, &cpus).unwrap();
                while !ended.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let threads = (0..threads).map(hog).collect();
        Self { ended, threads }
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        for hog in self.threads.drain(..) {
            drop(hog.join());
        }
    }
}

/// Two hogs took 20 to 40 % of the time and made p99 14 times what it was, and the disk was still "fit for etcd". Three
/// share the worker's CPU here, so it waits for most of its time.
#[test]
fn a_run_beside_hogs_says_so_and_fails() {
    let allowed = sched_getaffinity(None).unwrap();
    let cpu = (0..CpuSet::MAX_CPU).find(|cpu| allowed.is_set(*cpu)).unwrap();
    let lab = Laboratory::new();
    let study = format!(
        "question = \"q\"\nworkload = \"device\"\n[factors]\nmode = [\"buffered\"]\n[fixed]\ncpu = {cpu}\n\
         rw = \"randread\"\nioengine = \"psync\"\niodepth = 1\ncache = \"warm\"\nsize = \"8MiB\"\n\
         runtime = \"400ms\"\n[profile.quick]\nrounds = 1\n"
    );
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let hogs = Hogs::on(cpu, 3);
    let output = lab.syncline(&["run", "study.toml", "--dir", "disk", "--out", "run"]).output().unwrap();
    drop(hogs);
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    let audit = audit(&lab, "steal-and-pressure");
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    lab.assert_clean();
}

/// A thread that overwrites a file of its own on the disk again and again, until it is ended.
struct Writer {
    ended: Arc<AtomicBool>,
    thread: thread::JoinHandle<Vec<f64>>,
}

impl Writer {
    const BLOCK_BYTES: usize = 1 << 20;
    const BLOCKS: usize = 64;

    fn beside(directory: &Path) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let (path, end) = (directory.join("of-somebody-else"), Arc::clone(&ended));
        let thread = thread::spawn(move || {
            let file = fs::File::create(path).unwrap();
            let block = vec![7; Self::BLOCK_BYTES];
            let mut written_s = Vec::new();
            for offset in (0..Self::BLOCKS).map(|block| (block * Self::BLOCK_BYTES) as u64).cycle() {
                if end.load(Ordering::Relaxed) {
                    break;
                }
                file.write_all_at(&block, offset).unwrap();
                file.sync_data().unwrap();
                let now = clock_gettime(ClockId::Monotonic);
                written_s.push(now.tv_sec as f64 + now.tv_nsec as f64 / 1e9);
            }
            written_s
        });
        Self { ended, thread }
    }

    /// When each block had reached the disk, in the seconds of the records' windows.
    fn end(self) -> Vec<f64> {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// A `dd` wrote 479 MiB beside the worker's 2.67 MiB: a warning in 18 of 18 trials, and exit code 0.
#[test]
fn a_run_beside_a_writer_says_so_and_fails() {
    let lab = Laboratory::new();
    let study = "question = \"q\"\nworkload = \"device\"\n[factors]\nmode = [\"direct\"]\n[fixed]\nrw = \"randwrite\"\n\
                 ioengine = \"psync\"\niodepth = 1\nrate_iops = 20\nsize = \"8MiB\"\nruntime = \"1s\"\n\
                 [profile.quick]\nrounds = 2\nwarmup_rounds = 0\n";
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let writer = Writer::beside(lab.path());
    let output = lab.syncline(&["run", "study.toml", "--dir", "disk", "--out", "run"]).output().unwrap();
    let written_s = writer.end();
    let bytes_per_s = |window: Window| {
        let blocks = written_s.iter().filter(|at| (window.began_s..window.ended_s).contains(at)).count();
        (blocks * Writer::BLOCK_BYTES) as f64 / window.seconds()
    };
    let in_trials: Vec<f64> = lab.records().iter().flat_map(windows).map(bytes_per_s).collect();
    assert!(!in_trials.is_empty(), "{}", text(&output));
    // Twice what the audit calls much.
    if in_trials.iter().any(|bytes_per_s| *bytes_per_s < 32e6) {
        skip::because(format_args!(
            "this disk is too slow: the writer beside the trials came to {in_trials:.0?} bytes/s"
        ));
        return;
    }
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    let audit = audit(&lab, "foreign-io");
    assert_eq!(audit.status, Status::Fail, "{audit:?}");
    lab.assert_clean();
}
