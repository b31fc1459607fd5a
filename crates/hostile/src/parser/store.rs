//! The files of Syncline's own store.

use store::StoreError;
use store::format::{Checksums, Format, read};

pub(super) fn manifest(bytes: &[u8]) {
    check(Format::Manifest, "MANIFEST", bytes);
}

pub(super) fn log(bytes: &[u8]) {
    check(Format::Log, ".log", bytes);
}

pub(super) fn run(bytes: &[u8]) {
    check(Format::Run, ".run", bytes);
}

pub(super) fn page(bytes: &[u8]) {
    check(Format::Page, ".run", bytes);
}

pub(super) fn index(bytes: &[u8]) {
    check(Format::Index, ".run", bytes);
}

pub(super) fn filter(bytes: &[u8]) {
    check(Format::Filter, ".run", bytes);
}

/// Bytes that are refused are refused with the file, and with the place unless the whole file is of another version.
fn check(format: Format, file: &str, bytes: &[u8]) {
    for checksums in [Checksums::Verified, Checksums::Repaired] {
        match read(format, bytes, checksums) {
            // Each thing takes at least a byte.
            Ok(things) => assert!(things <= bytes.len() as u64, "{things} in {} bytes", bytes.len()),
            Err(error) => {
                assert!(
                    matches!(error, StoreError::Damaged { .. } | StoreError::Format { .. }),
                    "{format:?}, {checksums:?}: {error}"
                );
                assert!(error.to_string().contains(file), "{error}");
            }
        }
    }
}
