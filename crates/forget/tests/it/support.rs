//! What these tests share: a disk, or the reason that there is none.

use disk::filesystem::FileSystemKind;
use disk::kernel::mounts::mounts;
use forget::{Cut, ForgettingDisk, Torn, unsupported};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// On no machine does anything here take this long, however busy it is: it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);
const BOTH: [FileSystemKind; 2] = [FileSystemKind::Ext4, FileSystemKind::Xfs];

pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The smallest disk that such a file system fits on.
pub(crate) fn disk(kind: FileSystemKind) -> ForgettingDisk {
    ForgettingDisk::new(kind.minimum_bytes(), folder(), kind).expect("made")
}

/// The kinds that can be made here. Those that cannot are recorded as skipped.
#[track_caller]
pub(crate) fn kinds() -> Vec<FileSystemKind> {
    let mut kinds = BOTH.to_vec();
    kinds.retain(|kind| match unsupported(*kind, kind.minimum_bytes()) {
        Some(reason) => {
            skip::because(reason);
            false
        }
        None => true,
    });
    kinds
}

/// A cut that keeps some of what was not flushed.
pub(crate) fn subset(seed: u64) -> Cut {
    let torn = [Torn::Whole, Torn::Sector512, Torn::Page4096];
    Cut::Subset { seed, torn: torn[seed as usize % torn.len()] }
}

/// Runs `act` on fresh disks until nothing was flushed meanwhile that `act` did not flush itself: a file system flushes
/// by itself every few seconds, and a busy machine takes its time.
pub(crate) fn undisturbed<T>(kind: FileSystemKind, act: impl Fn(&ForgettingDisk) -> (u64, T)) -> T {
    for _ in 0..100 {
        let disk = disk(kind);
        let (flushes_before, found) = act(&disk);
        if disk.counts().flushes == flushes_before {
            return found;
        }
    }
    panic!("{kind} flushed by itself, 100 times");
}

/// Waits until something holds: whether it does in the end.
pub(crate) fn until(mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() > PATIENCE {
            return false;
        }
        // What is waited for is the state of other processes and of loop devices, which no event announces.
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// What is mounted below a directory.
pub(crate) fn mounted_below(path: &Path) -> Vec<PathBuf> {
    let points = mounts().expect("readable").into_iter().map(|mount| mount.point);
    points.filter(|point| point.starts_with(path)).collect()
}

/// The files below a directory that loop devices are attached to, on the whole machine.
pub(crate) fn attached_below(path: &Path) -> Vec<PathBuf> {
    let devices = std::fs::read_dir("/sys/block").expect("readable").filter_map(Result::ok);
    let read = |device: PathBuf| std::fs::read_to_string(device.join("loop/backing_file")).ok();
    let files = devices.filter_map(|device| read(device.path())).map(|file| PathBuf::from(file.trim()));
    files.filter(|file| file.starts_with(path)).collect()
}
