//! The files that preparation makes: their layouts, their places, and which of them the next trial finds again.

use super::{Stage, measured, only_file, run};
use crate::prepare::prepare;
use model::mechanism::Measured;
use model::trial::{FileFacts, Measurement, WorkerReply};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const KIB: u64 = 1024;
const LOG_BYTES: u64 = 64 * KIB;

fn log(measurement: &Measurement) -> &FileFacts {
    measurement.files.iter().find(|file| file.role == "wal").unwrap()
}

#[test]
fn a_prefilled_file_is_written_and_without_holes() {
    let stage = Stage::new();
    let measurement = measured(&stage.reads(&[]));
    let file = only_file(&measurement);
    assert_eq!((file.role.as_str(), file.layout.as_str(), file.size_bytes), ("data", "prefilled", 256 * KIB));
    match &file.extents {
        Measured::Value(extents) => assert_eq!((extents.unwritten_bytes, extents.hole_bytes), (0, 0)),
        Measured::Unsupported { unsupported } => skip::because(unsupported),
    }
    // Random data: no layer below can compress it.
    let bytes = fs::read(stage.path().join("files/data-256KiB")).unwrap();
    assert_eq!(bytes.len() as u64, 256 * KIB);
    assert!(bytes.chunks(4096).all(|block| block.iter().any(|byte| *byte != block[0])));
}

#[test]
fn a_log_has_the_layout_that_is_asked_for() {
    for (layout, size_bytes) in [("append", 0), ("fallocated", LOG_BYTES), ("prefilled", LOG_BYTES)] {
        let stage = Stage::new();
        let measurement = measured(&stage.commits(&[("wal_layout", layout)]));
        let log = log(&measurement);
        assert_eq!((log.layout.as_str(), log.size_bytes), (layout, size_bytes));
        let path = stage.path().join(format!("files/wal-0-{layout}-64KiB"));
        // Eight records of 512 bytes are at the end of the one, and somewhere in the others.
        let left_bytes = if layout == "append" { 8 * 512 } else { LOG_BYTES };
        assert_eq!(fs::metadata(path).unwrap().len(), left_bytes, "{layout}");
        match &log.extents {
            Measured::Value(extents) => {
                let unwritten_bytes = if layout == "fallocated" { LOG_BYTES } else { 0 };
                assert_eq!((extents.unwritten_bytes, extents.hole_bytes), (unwritten_bytes, 0), "{layout}");
            }
            Measured::Unsupported { unsupported } => skip::because(unsupported),
        }
    }
}

/// The next trial cannot start from a log that a trial has grown or written. It can start from a data file.
#[test]
fn only_files_that_a_trial_leaves_as_it_found_them_are_used_again() {
    let stage = Stage::new();
    let identity = |path: &Path| {
        let facts = fs::metadata(path).unwrap();
        (facts.ino(), facts.mtime(), facts.mtime_nsec())
    };
    let reads = stage.reads(&[]);
    prepare(&reads).unwrap();
    let data = stage.path().join("files/data-256KiB");
    let before = identity(&data);
    prepare(&reads).unwrap();
    assert_eq!(identity(&data), before);

    for layout in ["append", "fallocated"] {
        let commits = stage.commits(&[("wal_layout", layout)]);
        let first = measured(&commits);
        let second = measured(&commits);
        assert_eq!(log(&second).size_bytes, log(&first).size_bytes);
        assert_eq!(log(&second).extents, log(&first).extents, "{layout}");
    }
}

/// The holes of a trial are filled before the next one, and no other configuration meets them.
#[test]
fn trims_start_from_a_file_without_holes() {
    let stage = Stage::new();
    let trims = stage.reads(&[("rw", "randtrim"), ("number_ios", "32")]);
    let holes = |measurement: &Measurement| match &only_file(measurement).extents {
        Measured::Value(extents) => extents.hole_bytes,
        Measured::Unsupported { unsupported } => {
            skip::because(unsupported);
            0
        }
    };
    let path = stage.path().join("files/data-trimmed-256KiB");
    for _ in 0..2 {
        let measurement = measured(&trims);
        let phase = &measurement.phases[0];
        assert_eq!((phase.operations, holes(&measurement)), (32, 0));
        let zeroes =
            fs::read(&path).unwrap().chunks(4096).filter(|block| block.iter().all(|byte| *byte == 0)).count();
        assert_eq!(zeroes, 32);
        assert!(matches!(phase.metrics["trim_iops"], Measured::Value(rate) if rate > 0.0));
        assert!(matches!(phase.metrics["write_iops"], Measured::Unsupported { .. }));
    }
    // Every block is trimmed before any is trimmed again.
    let again = measured(&stage.reads(&[("rw", "randtrim"), ("number_ios", "65")]));
    assert!(again.notes.iter().any(|note| note.contains("later trims met holes")), "{:?}", again.notes);
    let written =
        measured(&stage.reads(&[("rw", "randtrimwrite"), ("number_ios", "128"), ("end_fsync", "true")]));
    assert!(!written.notes.iter().any(|note| note.contains("later trims met holes")), "{:?}", written.notes);
    assert!(fs::read(&path).unwrap().chunks(4096).all(|block| block.iter().any(|byte| *byte != 0)));
}

#[test]
fn a_round_has_its_own_files_and_removes_those_of_others() {
    let stage = Stage::new();
    let mut spec = stage.reads(&[]);
    for round in [3, 4] {
        spec.placement_round = Some(round);
        prepare(&spec).unwrap();
        assert!(stage.path().join(format!("round-{round}/data-256KiB")).exists());
    }
    assert!(!stage.path().join("round-3").exists());
    spec.placement_round = None;
    prepare(&spec).unwrap();
    assert!(stage.path().join("files/data-256KiB").exists());
}

/// Trials that take turns disturb each other's files, unless they only read them past the page cache.
#[test]
fn a_seat_has_its_own_files_unless_nobody_can_notice() {
    let stage = Stage::new();
    let own = stage.path().join("files/seat-2/data-256KiB");
    let shared = stage.path().join("files/data-256KiB");
    for (mode, seat, expected) in [("buffered", 0, &shared), ("buffered", 2, &own), ("direct", 2, &shared)] {
        let _ = fs::remove_dir_all(stage.path().join("files"));
        let mut spec = stage.reads(&[("mode", mode)]);
        spec.seat = Some(seat);
        prepare(&spec).unwrap();
        assert!(expected.exists(), "{mode} on seat {seat}");
        assert_ne!(own.exists(), shared.exists(), "{mode} on seat {seat}");
        run(&spec).unwrap();
    }
}

#[test]
fn preconditioning_overwrites_the_whole_file() {
    let stage = Stage::new();
    let spec = stage.reads(&[("size", "1MiB")]);
    prepare(&spec).unwrap();
    let data = stage.path().join("files/data-1MiB");
    let before = fs::read(&data).unwrap();
    prepare(&stage.reads(&[("size", "1MiB"), ("precondition_passes", "1"), ("rw", "randwrite")])).unwrap();
    let after = fs::read(&data).unwrap();
    assert_eq!(after.len(), before.len());
    assert!(before.chunks(4096).zip(after.chunks(4096)).all(|(before, after)| before != after));
}

#[test]
fn the_compression_canary_runs_in_the_first_preparation_alone() {
    let stage = Stage::new();
    fs::remove_file(stage.path().join("canary-host")).unwrap();
    let canary = || match prepare(&stage.reads(&[])).unwrap() {
        WorkerReply::Prepared { canary, .. } => canary,
        other => panic!("{other:?}"),
    };
    // Whether the file system has direct I/O, which the canary needs, is part of its answer.
    assert!(canary().is_some());
    assert_eq!(canary(), None);
}
