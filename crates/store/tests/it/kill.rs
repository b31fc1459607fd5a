//! A process that writes to a real file system is killed, and everything that it acknowledged is looked for:
//! `checker/main.rs`.

use std::process::Command;

/// Random options at each open, six threads, kills at random moments. `make soak` runs a hundred times as many cycles.
fn cycles(class: &str) {
    // Below the crate's own directory: temporary directories are often in memory, and direct I/O needs a disk.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_store-checker"))
        .arg(directory.path())
        .args([class, "20", "1"])
        .output()
        .unwrap();
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{error}; kept: {}", directory.keep().display());
    assert!(out.contains("store-checker: 20 cycles, 0 failures, "), "{out}");
    let left: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn class_none_keeps_what_a_sync_covers() {
    cycles("none");
}

#[test]
fn class_process_keeps_what_was_acknowledged() {
    cycles("process");
}

#[test]
fn class_power_keeps_what_was_acknowledged() {
    cycles("power");
}
