//! Commits a second on a disk that forgets, and the time that a disk, a cut and a recovery take.

use disk::filesystem::FileSystemKind;
use forget::{Cut, ForgettingDisk, Torn, unsupported};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

const SIZE_BYTES: u64 = 1 << 30;
const FILE_BYTES: u64 = 16 << 20;
const BLOCK: [u8; 4096] = [7; 4096];
const DURATION: Duration = Duration::from_secs(3);

fn main() {
    for kind in [FileSystemKind::Ext4, FileSystemKind::Xfs] {
        if let Some(reason) = unsupported(kind, SIZE_BYTES) {
            println!("{kind}: {reason}");
            continue;
        }
        measure(kind);
    }
}

fn measure(kind: FileSystemKind) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let started = Instant::now();
    let disk = ForgettingDisk::new(SIZE_BYTES, folder, kind).expect("made");
    println!("{kind}: a disk of 1 GiB is made and mounted in {:.0?}", started.elapsed());

    let file = File::create_new(disk.path().join("overwritten")).expect("made");
    for offset in (0..FILE_BYTES).step_by(BLOCK.len()) {
        file.write_all_at(&BLOCK, offset).expect("written");
    }
    file.sync_all().expect("synced");
    let overwrites = commits(&disk, &file, |commit| commit * BLOCK.len() as u64 % FILE_BYTES);
    drop(file);
    println!("{kind}: {overwrites}");
    let file = File::create_new(disk.path().join("appended")).expect("made");
    let appends = commits(&disk, &file, |commit| commit * BLOCK.len() as u64);
    drop(file);
    println!("{kind}: appending, {appends}");

    let started = Instant::now();
    let snapshot = disk.cut(Cut::Subset { seed: 1, torn: Torn::Sector512 });
    println!("{kind}: cut in {:.0?}", started.elapsed());
    let started = Instant::now();
    let again = disk.mount_after(&snapshot).expect("mounted");
    println!("{kind}: recovered and mounted in {:.0?}", started.elapsed());
    let started = Instant::now();
    again.close().expect("closed");
    println!("{kind}: closed in {:.0?}", started.elapsed());
    disk.close().expect("closed");
}

fn commits(disk: &ForgettingDisk, file: &File, offset: impl Fn(u64) -> u64) -> String {
    let (before, started) = (disk.counts(), Instant::now());
    let mut commits = 0;
    while started.elapsed() < DURATION {
        file.write_all_at(&BLOCK, offset(commits)).expect("written");
        file.sync_data().expect("synced");
        commits += 1;
    }
    let (after, seconds) = (disk.counts(), started.elapsed().as_secs_f64());
    let each = |of: fn(&forget::Counts) -> u64| (of(&after) - of(&before)) as f64 / commits as f64;
    format!(
        "{:.0} commits/s of 4 KiB, each {:.2} writes, {:.2} KiB, {:.2} flushes",
        commits as f64 / seconds,
        each(|counts| counts.writes),
        each(|counts| counts.written_bytes) / 1024.0,
        each(|counts| counts.flushes),
    )
}
