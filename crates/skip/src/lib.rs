//! A test that its machine cannot run calls [`because`] and returns. `make test` names a file in [`RECORD`] and prints
//! its lines at the end. In CI it fails if a line is not among `.ci/known-skips`: `scripts/skipped-tests`.
//!
//! `syncline/tests/it/architecture.rs` finds tests that print such a message by themselves.

use std::env;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::Location;
use std::path::Path;
use std::thread;

/// The environment variable that names the file to which skips are appended.
pub const RECORD: &str = "SYNCLINE_SKIPPED";

/// Prints that the test, or a part of it, is skipped, and appends one line to the file that [`RECORD`] names.
#[track_caller]
pub fn because(reason: impl Display) {
    let line = line(Location::caller().file(), thread::current().name(), &reason.to_string());
    println!("skipped: {line}");
    if let Some(path) = env::var_os(RECORD) {
        let path = Path::new(&path);
        append(path, &line)
            .unwrap_or_else(|error| panic!("cannot record a skip in {}: {error}", path.display()));
    }
}

/// `file, test: reason`. A test's thread has the test's name; programs without the harness run in the main thread.
fn line(file: &str, thread: Option<&str>, reason: &str) -> String {
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    match thread {
        Some(test) if test != "main" => format!("{file}, {test}: {reason}"),
        Some(_) | None => format!("{file}: {reason}"),
    }
}

/// One write for the line: test programs may append at the same time.
fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_file_the_test_and_the_reason() {
        assert_eq!(line("tests/it/a.rs", Some("a::b"), "no\n  root"), "tests/it/a.rs, a::b: no root");
        assert_eq!(line("tests/full.rs", Some("main"), "no root"), "tests/full.rs: no root");
        assert_eq!(line("tests/full.rs", None, "no root"), "tests/full.rs: no root");
    }

    #[test]
    fn lines_are_appended() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("skipped");
        append(&path, "first").unwrap();
        append(&path, "second").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "first\nsecond\n");
    }
}
