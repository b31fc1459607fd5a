//! The programs in `examples/`.

use crate::support::{history, small};
use model::{DurabilityClass, IoMode};
use std::path::{Path, PathBuf};
use store::Store;

#[path = "../../examples/cities.rs"]
#[allow(dead_code, reason = "its main is another program's")]
mod cities;
#[path = "../../examples/verify.rs"]
#[allow(dead_code, reason = "its main is another program's")]
mod verify;

#[test]
fn cities_are_those_of_their_moment() {
    let directory = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    cities::cities(&directory.path().join("store"), &mut out).unwrap();
    let expected =
        "before: city/Bern 134506\nnow: city/Basel 173552\nnow: city/Bern 137995\nsyncs of the log: 2\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

/// The files of a store by the ends of their names.
fn files(directory: &Path, end: &str) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    found.sort();
    found
}

#[test]
fn verify_names_the_file_and_the_place_of_a_flipped_bit() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = small(DurabilityClass::Power);
    (options.log.io, options.data.io) = (IoMode::Buffered, IoMode::Buffered);
    let store = Store::open(directory.path(), &options).unwrap();
    for step in history(2, 60, 30) {
        step.perform(&store).unwrap();
    }
    store.close().unwrap();
    let verified = |expected: bool| {
        let mut out = Vec::new();
        assert_eq!(verify::verify(directory.path(), &mut out).unwrap(), expected);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(verified(true).lines().count(), 1);
    for (end, byte, place) in [(".run", 20, "byte 0:"), (".value", 9, "byte 0:")] {
        let path = files(directory.path(), end).pop().unwrap();
        let sound = std::fs::read(&path).unwrap();
        let mut flipped = sound.clone();
        flipped[byte] ^= 4;
        std::fs::write(&path, flipped).unwrap();
        let report = verified(false);
        // What only the damaged page named is listed as not needed.
        let mut lines = report.lines();
        let is_named = |line: &str| line.starts_with(&*path.to_string_lossy()) && line.contains(place);
        assert!(lines.any(is_named), "{report}");
        std::fs::write(&path, sound).unwrap();
    }
    // Without the manifest nothing else can be checked.
    let manifest = directory.path().join("MANIFEST");
    let mut bytes = std::fs::read(&manifest).unwrap();
    bytes[40] ^= 4;
    std::fs::write(&manifest, bytes).unwrap();
    let error = verify::verify(directory.path(), &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("MANIFEST") && error.contains("byte 0"), "{error}");
}
