//! A program that is replaced while it runs: an upgrade in the middle of a run must not change what the later trials
//! run.

use crate::laboratory::{Laboratory, text};

use model::trial::TrialOutcome;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A copy beside the program, where it finds its libraries; gone with the test.
struct Copy(PathBuf);

impl Copy {
    fn make() -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_syncline"));
        let copy = program.with_file_name(format!("syncline-replaced-{}", std::process::id()));
        fs::copy(program, &copy).unwrap();
        Self(copy)
    }

    /// Another program takes its path, as a package manager does it.
    fn replace(&self) {
        let other = self.0.with_extension("new");
        fs::write(&other, "#!/bin/sh\necho another program >&2\nexit 9\n").unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&other, &self.0).unwrap();
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Issue: workers were started from the program's path, and after it was replaced the trials ran the new file.
#[test]
fn trials_run_the_program_that_the_run_began_with() {
    let lab = Laboratory::new();
    let copy = Copy::make();
    let child = Command::new(&copy.0)
        .args(["run", "tiny.toml", "--dir", "disk", "--out", "run", "--rounds", "1"])
        .current_dir(lab.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It has been executed by now, and whether it has begun does not matter.
    copy.replace();
    let output = child.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let records = lab.records();
    assert!(!records.is_empty());
    for record in records {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{}", text(&output));
    }
    let host = fs::read_to_string(lab.run_directory().join("host.json")).unwrap();
    let host: serde_json::Value = serde_json::from_str(&host).unwrap();
    assert_eq!(host["program"]["sha256"].as_str().map(str::len), Some(64), "{host}");
}
