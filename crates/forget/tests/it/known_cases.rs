//! The faults that LazyFS injects, on a real file system: lost cached writes, torn writes, and the mistakes of programs
//! that they uncover (Ramos et al., "When Amnesia Strikes", PVLDB 17, 2024).

use crate::support::{kinds, subset, undisturbed};
use disk::filesystem::FileSystemKind;
use forget::{Cut, ForgettingDisk, Snapshot, Torn};
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Everything that is in a file after a cut; nothing if it is not there.
fn after(disk: &ForgettingDisk, snapshot: &Snapshot, name: &str) -> Option<Vec<u8>> {
    let recovered = disk.mount_after(snapshot).expect("mounted");
    fs::read(recovered.path().join(name)).ok()
}

fn sync_directory(path: &Path) {
    File::open(path).and_then(|directory| directory.sync_all()).expect("synced");
}

#[test]
fn a_file_that_nobody_synced_is_lost() {
    for kind in kinds() {
        let (lost, cached) = undisturbed(kind, |disk| {
            sync_directory(disk.path());
            let flushes = disk.counts().flushes;
            fs::write(disk.path().join("created"), "acknowledged").expect("written");
            let cached = fs::read(disk.path().join("created")).expect("in the page cache");
            let snapshot = disk.cut(Cut::FlushedOnly);
            (flushes, (after(disk, &snapshot, "created"), cached))
        });
        assert_eq!(lost, None);
        assert_eq!(cached, b"acknowledged");
    }
}

#[test]
fn an_append_without_fdatasync_is_lost_and_one_with_it_is_not() {
    for kind in kinds() {
        let found = undisturbed(kind, |disk| {
            let mut file = File::create_new(disk.path().join("log")).expect("made");
            file.write_all(b"synced,").expect("written");
            file.sync_data().expect("synced");
            let flushes = disk.counts().flushes;
            file.write_all(b"not synced").expect("written");
            let snapshot = disk.cut(Cut::FlushedOnly);
            (flushes, after(disk, &snapshot, "log"))
        });
        // fdatasync(2) makes the size durable, which is needed to read the data.
        assert_eq!(found.as_deref(), Some(&b"synced,"[..]));
    }
}

/// Write a file under another name, rename it, sync the directory: the name is durable and the content is not.
#[test]
fn a_rename_before_the_sync_leaves_an_empty_file() {
    for kind in kinds() {
        let found = undisturbed(kind, |disk| replace(disk, |_| {}));
        assert_eq!(found, Some(Vec::new()), "{kind}");
        let found = undisturbed(kind, |disk| replace(disk, |file| file.sync_all().expect("synced")));
        assert_eq!(found.as_deref(), Some(&b"content"[..]), "{kind}");
    }
}

fn replace(disk: &ForgettingDisk, sync: impl Fn(&File)) -> (u64, Option<Vec<u8>>) {
    let mut file = File::create_new(disk.path().join("temporary")).expect("made");
    file.write_all(b"content").expect("written");
    sync(&file);
    fs::rename(disk.path().join("temporary"), disk.path().join("final")).expect("renamed");
    sync_directory(disk.path());
    let flushes = disk.counts().flushes;
    (flushes, after(disk, &disk.cut(Cut::FlushedOnly), "final"))
}

const PAGES: usize = 4;
const PAGE_BYTES: usize = 4096;

/// One write of several pages reaches the disk, which loses some of them.
#[test]
fn a_write_of_several_pages_is_torn() {
    for kind in kinds() {
        let found = undisturbed(kind, |disk| {
            let flushes = overwrite(disk, 2);
            let image = disk.image();
            let pages = |seed, torn| {
                let bytes =
                    after(disk, &image.cut(Cut::Subset { seed, torn }), "pages").expect("synced before");
                (0..PAGES).map(|page| bytes[page * PAGE_BYTES]).collect::<Vec<_>>()
            };
            // A quarter of the cuts tears it.
            let torn = (0..100).map(|seed| pages(seed, Torn::Page4096)).find(|pages| is_mixed(pages));
            let whole = (0..6).map(|seed| pages(seed, Torn::Whole)).find(|pages| is_mixed(pages));
            (flushes, (torn, whole))
        });
        assert!(found.0.is_some(), "{kind}");
        assert_eq!(found.1, None, "{kind}");
    }
}

fn is_mixed(pages: &[u8]) -> bool {
    pages.iter().any(|byte| *byte != pages[0])
}

/// Overwrites a durable file by one direct write, which waits for the disk's answer and not for a flush. The flushes
/// before it.
fn overwrite(disk: &ForgettingDisk, byte: u8) -> u64 {
    let path = disk.path().join("pages");
    let mut file = File::create_new(&path).expect("made");
    file.write_all(&[1; PAGES * PAGE_BYTES]).expect("written");
    file.sync_all().expect("synced");
    sync_directory(disk.path());
    let flushes = disk.counts().flushes;
    let direct = OFlags::DIRECT.bits() as i32;
    let file = OpenOptions::new().write(true).custom_flags(direct).open(&path).expect("opened");
    // Memory for direct I/O is aligned.
    let memory = vec![byte; (PAGES + 1) * PAGE_BYTES];
    let start = memory.as_ptr().align_offset(PAGE_BYTES);
    file.write_all_at(&memory[start..start + PAGES * PAGE_BYTES], 0).expect("written");
    flushes
}

/// A file system's journal survives every cut: whatever is lost, it mounts, and what was synced is there.
#[test]
fn a_file_system_recovers_from_every_cut() {
    for kind in kinds() {
        let disk = crate::support::disk(kind);
        let synced = disk.path().join("synced");
        fs::write(&synced, "here").expect("written");
        File::open(&synced).and_then(|file| file.sync_all()).expect("synced");
        sync_directory(disk.path());
        for directory in 0..200 {
            let directory = disk.path().join(format!("{directory}"));
            fs::create_dir(&directory).expect("made");
            fs::write(directory.join("file"), "content").expect("written");
        }
        // Writes the data out, and the journal, up to the flush that ends it.
        rustix::fs::syncfs(File::open(disk.path()).expect("opened")).expect("synced");
        fs::remove_dir_all(disk.path().join("7")).expect("removed");
        let image = disk.image();
        for seed in 0..if kind == FileSystemKind::Ext4 { 12 } else { 6 } {
            assert_eq!(
                after(&disk, &image.cut(subset(seed)), "synced").as_deref(),
                Some(&b"here"[..]),
                "{seed}"
            );
        }
    }
}

/// A crash in the middle of a recovery is one more crash.
#[test]
fn a_cut_right_after_a_recovery_loses_nothing_more() {
    for kind in kinds() {
        let disk = crate::support::disk(kind);
        let mut file = File::create_new(disk.path().join("log")).expect("made");
        for record in 0..100_u8 {
            file.write_all(&[record; 100]).expect("written");
            file.sync_data().expect("synced");
        }
        file.rewind().expect("rewound");
        let mut snapshot = disk.cut(Cut::FlushedOnly);
        for seed in 0..3 {
            let recovered = disk.mount_after(&snapshot).expect("mounted");
            let mut found = Vec::new();
            File::open(recovered.path().join("log"))
                .and_then(|mut file| file.read_to_end(&mut found))
                .expect("read");
            assert_eq!(found.len(), 100 * 100);
            assert!(found.chunks(100).zip(0..).all(|(chunk, record)| *chunk == [record; 100]));
            snapshot = recovered.cut(subset(seed));
        }
    }
}
