//! Two programs and fifty cuts: one syncs what it acknowledges, the other does not.

use crate::support::{disk, kinds, subset, undisturbed};
use disk::filesystem::FileSystemKind;
use forget::{Cut, ForgettingDisk, Snapshot};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const RECORD_BYTES: usize = 512;

/// Appends numbered records until it is stopped, and counts those that it has acknowledged.
fn append(log: &Path, acknowledged: &AtomicU64, is_stopped: &AtomicBool) {
    let mut file = File::create_new(log).expect("made");
    File::open(log.parent().expect("in a directory")).and_then(|parent| parent.sync_all()).expect("synced");
    for record in 0_u64.. {
        if is_stopped.load(Ordering::Relaxed) {
            break;
        }
        let mut bytes = [0xAB; RECORD_BYTES];
        bytes[..8].copy_from_slice(&record.to_le_bytes());
        file.write_all(&bytes).expect("written");
        file.sync_data().expect("synced");
        acknowledged.store(record + 1, Ordering::Release);
    }
}

/// Records that a cut left, from the first on.
fn survived(disk: &ForgettingDisk, snapshot: &Snapshot) -> u64 {
    let recovered = disk.mount_after(snapshot).expect("mounted");
    let content = fs::read(recovered.path().join("log")).unwrap_or_default();
    let is_there = |(record, bytes): (u64, &[u8])| {
        bytes.len() == RECORD_BYTES
            && bytes[..8] == record.to_le_bytes()
            && bytes[8..].iter().all(|b| *b == 0xAB)
    };
    (0..).zip(content.chunks(RECORD_BYTES)).take_while(|record| is_there(*record)).count() as u64
}

#[test]
fn a_program_that_syncs_loses_nothing_in_fifty_cuts() {
    for kind in kinds() {
        let cuts = if kind == FileSystemKind::Ext4 { 50 } else { 10 };
        let disk = disk(kind);
        let (acknowledged, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let log = disk.path().join("log");
        let mut moments = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| append(&log, &acknowledged, &is_stopped));
            for _ in 0..cuts {
                let before = acknowledged.load(Ordering::Acquire);
                moments.push((before, disk.image()));
                // Each moment is a later one.
                while acknowledged.load(Ordering::Acquire) < before + 3 {
                    std::thread::yield_now();
                }
            }
            is_stopped.store(true, Ordering::Relaxed);
        });
        for (seed, (acknowledged, image)) in (0..).zip(moments) {
            let cut = if seed % 5 == 0 { Cut::FlushedOnly } else { subset(seed) };
            let survived = survived(&disk, &image.cut(cut));
            assert!(survived >= acknowledged, "{kind}, {cut:?}: {survived} of {acknowledged} survived");
        }
    }
}

#[test]
fn a_program_that_never_syncs_loses_what_it_acknowledged() {
    for kind in kinds() {
        let survived = undisturbed(kind, |disk| {
            let mut file = File::create_new(disk.path().join("log")).expect("made");
            let flushes = disk.counts().flushes;
            for record in 0_u64..100 {
                let mut bytes = [0xAB; RECORD_BYTES];
                bytes[..8].copy_from_slice(&record.to_le_bytes());
                file.write_all(&bytes).expect("written");
            }
            (flushes, survived(disk, &disk.cut(Cut::FlushedOnly)))
        });
        assert_eq!(survived, 0);
    }
}
