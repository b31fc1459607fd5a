//! Files on the real file system: each layout is what FIEMAP says about it, and a half-made file is never reused.

use crate::support;

use disk::files::{
    FileError, Layout, Prepared, create, direct_alignment, direct_support, ensure, extent_facts, is_complete,
    recreate, require_space, space_available, verify_layout,
};
use disk::work_directory::WorkDirectory;
use model::mechanism::Measured;
use model::trial::ExtentFacts;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use support::{scratch, work};

const SIZE: u64 = (3 << 20) + 4096;

fn facts(path: &Path) -> ExtentFacts {
    match extent_facts(path).expect("readable") {
        Measured::Value(facts) => facts,
        Measured::Unsupported { unsupported } => {
            panic!("the tests want a file system with FIEMAP: {unsupported}")
        }
    }
}

fn names(directory: &WorkDirectory) -> Vec<String> {
    let entries = std::fs::read_dir(directory.path()).expect("there");
    entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn each_layout_is_on_the_device_as_it_says() {
    let directory = work();
    let path = directory.path().join("data");
    for (layout, size_bytes, unwritten_bytes) in
        [(Layout::Append, 0, 0), (Layout::Fallocated, SIZE, SIZE), (Layout::Prefilled, SIZE, 0)]
    {
        create(&path, layout, SIZE, 7).expect("made");
        assert_eq!(path.metadata().expect("there").len(), size_bytes, "{layout}");
        let facts = facts(&path);
        assert_eq!((facts.unwritten_bytes, facts.hole_bytes), (unwritten_bytes, 0), "{layout}");
        verify_layout(&path, layout, &facts, size_bytes).expect("as asked");
        assert!(is_complete(&path, layout, SIZE).expect("readable"), "{layout}");
    }
}

#[test]
fn a_file_outside_a_work_directory_is_neither_made_nor_changed() {
    let elsewhere = scratch();
    let path = elsewhere.path().join("precious");
    std::fs::write(&path, "mine").expect("written");
    for refused in [create(&path, Layout::Prefilled, SIZE, 0), recreate(&path, Layout::Append, 0)] {
        assert!(matches!(refused, Err(FileError::NotOurs(_))), "{refused:?}");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("still there"), "mine");
}

/// More extents than one FIEMAP call returns.
#[test]
fn every_extent_of_a_scattered_file_is_counted() {
    const EXTENTS: u64 = 600;
    const STRIDE: u64 = 64 << 10;
    let directory = work();
    let path = directory.path().join("scattered");
    let file = File::create(&path).expect("made");
    for extent in 0..EXTENTS {
        file.write_all_at(&[1; 4096], extent * STRIDE).expect("written");
    }
    file.set_len(EXTENTS * STRIDE).expect("extended");
    let hole_bytes = EXTENTS * (STRIDE - 4096);
    assert_eq!(facts(&path), ExtentFacts { count: EXTENTS, unwritten_bytes: 0, hole_bytes });
}

#[test]
fn a_hole_and_a_write_into_fallocated_extents_are_seen() {
    let directory = work();
    let sparse = directory.path().join("sparse");
    File::create(&sparse).and_then(|file| file.set_len(SIZE)).expect("made");
    assert_eq!(facts(&sparse), ExtentFacts { count: 0, unwritten_bytes: 0, hole_bytes: SIZE });

    let path = directory.path().join("fallocated");
    create(&path, Layout::Fallocated, SIZE, 0).expect("made");
    let file = File::options().write(true).open(&path).expect("opens");
    file.write_all_at(&[1; 8192], 4096).expect("written");
    assert_eq!(facts(&path).unwritten_bytes, SIZE - 8192);
    assert!(!is_complete(&path, Layout::Fallocated, SIZE).expect("readable"));

    recreate(&path, Layout::Fallocated, SIZE).expect("put back");
    assert_eq!(facts(&path).unwritten_bytes, SIZE);
}

#[test]
fn an_append_file_is_put_back_to_empty_and_a_prefilled_one_refuses() {
    let directory = work();
    let path = directory.path().join("wal");
    create(&path, Layout::Append, SIZE, 0).expect("made");
    std::fs::write(&path, [1; 5000]).expect("written");
    recreate(&path, Layout::Append, SIZE).expect("put back");
    assert_eq!(path.metadata().expect("there").len(), 0);
    assert!(matches!(recreate(&path, Layout::Prefilled, SIZE), Err(FileError::NotRecreatable { .. })));
}

#[test]
fn prefilled_content_is_random_and_follows_the_seed() {
    let directory = work();
    let read = |seed| {
        let path = directory.path().join("data");
        create(&path, Layout::Prefilled, SIZE, seed).expect("made");
        std::fs::read(path).expect("readable")
    };
    let first = read(1);
    assert_eq!(first.len() as u64, SIZE);
    assert!(first == read(1), "the same seed gives the same bytes");
    assert!(first != read(2), "another seed gives others");
    let mut seen = [0u32; 256];
    for &byte in &first {
        seen[usize::from(byte)] += 1;
    }
    let entropy_bits: f64 = seen
        .iter()
        .map(|&count| f64::from(count) / first.len() as f64)
        .map(|share| -share * share.log2())
        .sum();
    assert!(entropy_bits > 7.99, "{entropy_bits} of 8 bits a byte");
}

#[test]
fn a_complete_file_is_reused_and_everything_else_is_made_again() {
    let directory = work();
    let path = directory.path().join("data");
    let ensured = || ensure(&path, Layout::Prefilled, SIZE, 3).expect("made");
    assert_eq!(ensured(), Prepared::Created);
    assert_eq!(ensured(), Prepared::Reused);
    assert_eq!(
        ensure(&path, Layout::Prefilled, SIZE * 2, 3).expect("made"),
        Prepared::Created,
        "another size"
    );
    assert_eq!(ensured(), Prepared::Created);
    assert_eq!(
        ensure(&path, Layout::Fallocated, SIZE, 3).expect("made"),
        Prepared::Created,
        "another layout"
    );
    assert_eq!(ensured(), Prepared::Created);
}

/// A worker that is killed while it fills a file must not leave one that the next trial takes for complete.
#[test]
fn a_half_made_file_is_not_reused() {
    let directory = work();
    let path = directory.path().join("data");
    let unfinished = directory.path().join("data.unfinished");
    std::fs::write(&unfinished, vec![1; SIZE as usize]).expect("written");
    assert!(!is_complete(&path, Layout::Prefilled, SIZE).expect("readable"));
    assert_eq!(ensure(&path, Layout::Prefilled, SIZE, 3).expect("made"), Prepared::Created);
    assert!(!unfinished.exists());
}

#[test]
fn a_symbolic_link_is_replaced_and_not_written_through() {
    let directory = work();
    let precious = directory.path().join("precious");
    std::fs::write(&precious, "mine").expect("written");
    for name in ["data", "data.unfinished"] {
        std::os::unix::fs::symlink(&precious, directory.path().join(name)).expect("linked");
    }
    let path = directory.path().join("data");
    assert!(recreate(&path, Layout::Append, 0).is_err(), "O_NOFOLLOW");
    assert_eq!(ensure(&path, Layout::Prefilled, SIZE, 3).expect("made"), Prepared::Created);
    assert!(path.symlink_metadata().expect("there").is_file());
    assert_eq!(std::fs::read_to_string(&precious).expect("still there"), "mine");
}

#[test]
fn space_is_checked_before_and_the_error_says_how_much_there_is() {
    let directory = work();
    let available = space_available(directory.path()).expect("readable");
    require_space(directory.path(), 1).expect("room for a byte");
    let path = directory.path().join("data");
    let error = create(&path, Layout::Prefilled, u64::MAX / 2, 0).expect_err("larger than any disk");
    let FileError::NoSpace { needed_bytes, .. } = error else { panic!("{error}") };
    assert_eq!(needed_bytes, u64::MAX / 2);
    assert!(available > 0);
    assert_eq!(names(&directory), ["SYNCLINE-WORK-DIRECTORY"], "nothing is left behind");
}

#[test]
fn direct_is_direct_on_a_disk_and_refused_in_memory() {
    let directory = work();
    let alignment = direct_support(directory.path()).expect("the build is on a disk");
    assert!(alignment.offset_bytes.is_power_of_two() && alignment.offset_bytes <= 65536, "{alignment:?}");
    assert_eq!(names(&directory), ["SYNCLINE-WORK-DIRECTORY"], "the probe is gone");
    let there = directory.path().join("SYNCLINE-WORK-DIRECTORY");
    let known = direct_alignment(&there).expect("the same file system");
    assert_eq!((known.offset_bytes, known.memory_bytes), (alignment.offset_bytes, alignment.memory_bytes));

    let memory = WorkDirectory::create(Path::new("/dev/shm")).expect("writable");
    let reason = direct_support(memory.path()).expect_err("tmpfs");
    assert_eq!(reason, "this file system is in memory: its O_DIRECT is the page cache");
    let reason = direct_alignment(&memory.path().join("SYNCLINE-WORK-DIRECTORY")).expect_err("tmpfs");
    assert_eq!(reason, "this file system is in memory: its O_DIRECT is the page cache");
    let path = memory.path().join("f");
    create(&path, Layout::Prefilled, SIZE, 0).expect("made");
    insta::assert_snapshot!(extent_facts(&path).expect("readable").reason().expect("tmpfs has none"), @"this file system does not report the extents of its files (no FIEMAP)");
    assert_eq!(ensure(&path, Layout::Prefilled, SIZE, 0).expect("there"), Prepared::Reused);
}
