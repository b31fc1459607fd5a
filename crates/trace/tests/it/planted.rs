//! A cause that is planted is the biggest part of the operations' time. Each is so strong that no load of the machine
//! can be bigger.

use crate::support::{Recorded, Write, awake, commits, is_possible, shares};
use disk::filesystem::FileSystemKind;
use disk::kernel::scheduling::pin_current_thread;
use forget::{Delays, ForgettingDisk, unsupported};
use rustix::process::setpriority_process;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use trace::waterfall::Stage;

const COMMITS: usize = 6;
/// That several threads want.
const CPU: usize = 0;
/// The time that a write or a flush takes: a busy machine makes a thread wait for some tens of milliseconds.
const DELAY: Duration = Duration::from_millis(250);

/// Whether this machine can be traced and has slow disks.
#[track_caller]
fn disk(kind: FileSystemKind) -> Option<ForgettingDisk> {
    if !is_possible() {
        return None;
    }
    if let Some(reason) = unsupported(kind, kind.minimum_bytes()) {
        skip::because(reason);
        return None;
    }
    Some(ForgettingDisk::new(kind.minimum_bytes(), Path::new(env!("CARGO_TARGET_TMPDIR")), kind).unwrap())
}

/// Runs `act` while other threads call `meanwhile` again and again with their numbers.
fn beside<T: Send>(threads: usize, meanwhile: impl Fn(usize) + Sync, act: impl FnOnce() -> T + Send) -> T {
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for number in 0..threads {
            let (ends, meanwhile) = (&ends, &meanwhile);
            scope.spawn(move || {
                while !ends.load(Ordering::Relaxed) {
                    meanwhile(number);
                }
            });
        }
        let acted = awake(act);
        ends.store(true, Ordering::Relaxed);
        acted
    })
}

/// The part of the whole time that each stage takes; those of a cause are one.
fn parts(
    sums: &BTreeMap<(Stage, bool), u64>,
    is_cause: impl Fn(Stage, bool) -> bool,
) -> (f64, BTreeMap<Stage, f64>) {
    let whole = sums.values().sum::<u64>() as f64;
    let (mut of_cause, mut others) = (0.0, BTreeMap::new());
    for ((stage, journal), sum) in sums {
        let part = *sum as f64 / whole;
        if is_cause(*stage, *journal) {
            of_cause += part;
        } else {
            *others.entry(*stage).or_default() += part;
        }
    }
    (of_cause, others)
}

/// Records until the events explain the time: a kernel that hides those of a thread for a moment leaves it unknown. The
/// cause is then the biggest part of what is recorded.
#[track_caller]
fn assert_biggest(record: impl Fn() -> Recorded, is_cause: impl Fn(Stage, bool) -> bool) -> Option<Recorded> {
    const TRIES: usize = 10;
    const UNKNOWN_MAX: f64 = 0.2;
    let is_unknown = |stage, _| matches!(stage, Stage::Unknown | Stage::DeviceToRun | Stage::FlushToRun);
    let is_explained = |of: &Recorded| parts(&of.by_stage(), is_unknown).0 <= UNKNOWN_MAX;
    let Some(recorded) = (0..TRIES).map(|_| record()).find(is_explained) else {
        skip::because("this kernel hides events, so that most of the time is unknown");
        return None;
    };
    let sums = recorded.by_stage();
    println!("{}", shares(&sums));
    let (of_cause, others) = parts(&sums, is_cause);
    assert!(others.values().all(|part| *part < of_cause), "{}", shares(&sums));
    Some(recorded)
}

#[test]
fn a_slow_device() {
    let Some(disk) = disk(FileSystemKind::Ext4) else { return };
    let file = disk.path().join("log");
    commits(&file, Write::OverwriteDirect, 1);
    disk.slow_down(Delays { write: DELAY, flush: Duration::ZERO });
    let record = || awake(|| commits(&file, Write::Overwrite, COMMITS));
    assert_biggest(record, |stage, _| stage == Stage::Device);
    disk.slow_down(Delays::default());
}

#[test]
fn a_slow_flush() {
    let Some(disk) = disk(FileSystemKind::Ext4) else { return };
    let file = disk.path().join("log");
    disk.slow_down(Delays { write: Duration::ZERO, flush: DELAY });
    let record = || awake(|| commits(&file, Write::Overwrite, COMMITS));
    assert_biggest(record, |stage, _| stage == Stage::Flush);
    disk.slow_down(Delays::default());
}

#[test]
fn a_neighbour_that_flushes() {
    let Some(disk) = disk(FileSystemKind::Ext4) else { return };
    let neighbours: Vec<File> =
        (0..4).map(|number| File::create(disk.path().join(format!("neighbour{number}"))).unwrap()).collect();
    for neighbour in &neighbours {
        neighbour.write_all_at(&[1; 4096], 0).unwrap();
        neighbour.sync_all().unwrap();
    }
    let file = disk.path().join("log");
    commits(&file, Write::OverwriteDirect, 1);
    disk.slow_down(Delays { write: Duration::ZERO, flush: DELAY });
    let flushes = |number: usize| {
        neighbours[number].write_all_at(&[2; 4096], 0).unwrap();
        neighbours[number].sync_data().unwrap();
    };
    // The call has no write of its own, which the disk would do after the neighbours' flushes.
    let record = || beside(neighbours.len(), flushes, || commits(&file, Write::OverwriteDirect, COMMITS));
    let recorded = assert_biggest(record, |stage, _| matches!(stage, Stage::Flush | Stage::FlushBehindFlush));
    disk.slow_down(Delays::default());
    let Some(recorded) = recorded else { return };
    let (behind, _) = parts(&recorded.by_stage(), |stage, _| stage == Stage::FlushBehindFlush);
    assert!(behind > 0.0);
}

#[test]
fn a_journal_that_a_neighbour_fills() {
    let Some(disk) = disk(FileSystemKind::Ext4) else { return };
    let file = disk.path().join("log");
    disk.slow_down(Delays { write: DELAY / 2, flush: Duration::ZERO });
    let makes_files = |number: usize| {
        let folder = disk.path().join(format!("folder{number}"));
        std::fs::create_dir(&folder).unwrap();
        for name in 0..8 {
            File::create(folder.join(name.to_string())).unwrap();
        }
        File::open(&folder).unwrap().sync_all().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    };
    let record = || beside(2, makes_files, || commits(&file, Write::Append, COMMITS));
    assert_biggest(record, |_, journal| journal);
    disk.slow_down(Delays::default());
}

/// A group of the block controller's first version, where a thread has a group of its own, below that of this process.
/// Writes to a device are limited in it.
struct LimitedGroup(PathBuf);

impl LimitedGroup {
    fn new(device: &str, writes_per_s: u32) -> Option<Self> {
        let own = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        let path = own.lines().find_map(|line| line.split_once(":blkio:"))?.1;
        let name = format!("syncline-trace-{}", std::process::id());
        let group = Path::new("/sys/fs/cgroup/blkio").join(path.trim_start_matches('/')).join(name);
        std::fs::create_dir(&group).ok()?;
        let group = Self(group);
        let limit = format!("{device} {writes_per_s}");
        std::fs::write(group.0.join("blkio.throttle.write_iops_device"), limit).ok()?;
        Some(group)
    }

    /// The calling thread alone.
    fn enter(&self) {
        std::fs::write(self.0.join("tasks"), "0").unwrap();
    }
}

impl Drop for LimitedGroup {
    fn drop(&mut self) {
        // The thread in it has ended; the kernel may still be taking it out.
        for _ in 0..1000 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_limit_of_a_control_group() {
    let Some(disk) = disk(FileSystemKind::Ext4) else { return };
    let number = std::fs::read_to_string(format!("/sys/block/{}/dev", disk.device())).unwrap();
    let Some(group) = LimitedGroup::new(number.trim(), 4) else {
        skip::because("threads cannot be given limits of their own here (cgroup v1, blkio)");
        return;
    };
    let file = disk.path().join("log");
    commits(&file, Write::Overwrite, 1);
    let record = || {
        awake(|| {
            group.enter();
            commits(&file, Write::Overwrite, COMMITS)
        })
    };
    assert_biggest(record, |stage, _| matches!(stage, Stage::Queue | Stage::FlushHandOver));
}

#[test]
fn threads_that_want_the_same_cpu() {
    if !is_possible() {
        return;
    }
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = directory.path().join("log");
    let computes = |_| {
        pin_current_thread(CPU).unwrap();
        for number in 0..10_000_000_u64 {
            std::hint::black_box(number);
        }
    };
    let record = || {
        beside(4, computes, || {
            pin_current_thread(CPU).unwrap();
            // The calling thread alone: it is last in the queue of those that compute.
            setpriority_process(None, 19).unwrap();
            commits(&file, Write::Append, COMMITS)
        })
    };
    assert_biggest(record, |stage, _| stage == Stage::RunQueue);
}
