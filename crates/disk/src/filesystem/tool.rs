//! Running the programs of util-linux and of the file systems.

use super::{FileSystemKind, FilesystemError};
use crate::failure::Failure;
use crate::kernel::executable;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The full path of a program of the system.
pub(super) fn locate(
    kind: FileSystemKind,
    program: &'static str,
    package: &'static str,
) -> Result<PathBuf, FilesystemError> {
    executable::of_system(program).ok_or(FilesystemError::NoTool { kind, program, package })
}

/// Runs a program and turns what it complains of into a one-line error about `subject`.
pub(super) fn run(
    path: &Path,
    program: &'static str,
    arguments: &[&OsStr],
    subject: &Path,
) -> Result<(), FilesystemError> {
    let output = Command::new(path)
        .args(arguments)
        .stdin(Stdio::null())
        .env("LC_ALL", "C")
        .output()
        .map_err(Failure::on("run", path))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = complaint.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let message = if lines.is_empty() { output.status.to_string() } else { lines.join(" ") };
    Err(FilesystemError::Tool { program, path: subject.to_owned(), message })
}
