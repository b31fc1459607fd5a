//! Outputs and files that cannot be written end no run, and take no result with them.

use crate::laboratory::{Laboratory, prints, text};
use std::fs::{self, File, OpenOptions};
use std::process::{Command, Output, Stdio};

const PANICKED: i32 = 101;

fn full() -> Stdio {
    Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap())
}

fn code(command: &mut Command) -> i32 {
    command.status().unwrap().code().unwrap()
}

/// `2>/dev/full`, or a terminal that was closed: the first remark was a panic, with exit code 101.
#[test]
fn standard_error_that_cannot_be_written_changes_no_exit_code() {
    let lab = Laboratory::new();
    let usage = ["run", "comit", "--dir", "disk", "--out", "run"];
    assert_eq!(code(lab.syncline(&usage).stderr(full())), 2);
    let runtime = ["report", "disk"];
    assert_eq!(code(lab.syncline(&runtime).stderr(full())), 1);
}

/// The trials that fail are reported on standard error, one by one.
#[test]
fn a_run_goes_on_when_its_standard_error_is_full() {
    let lab = Laboratory::new();
    let levels = ["--vary", "record_size=512B,1000B", "--rounds", "1"];
    let ended = code(lab.run(&levels).stderr(full()).stdout(Stdio::null()));
    assert!(matches!(ended, 0 | 3), "{ended}");
    assert!(lab.run_directory().join("report.html").exists());
    // Four configurations and the A/A arm, warmed up and measured: every trial that the plan has is recorded.
    assert_eq!(lab.trials(), 10);
    lab.assert_clean();
}

/// Standard output carries the result: what was measured is whole, and the exit code says that nobody saw the summary.
#[test]
fn standard_output_that_cannot_be_written_is_said_at_the_end() {
    let lab = Laboratory::new();
    let output: Output = lab.run(&["--rounds", "1"]).stdout(full()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    prints(&lab, &output, "syncline: standard output: cannot write: No space left on device (os error 28)");
    assert!(lab.run_directory().join("report.html").exists());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = code(lab.syncline(&["report", "run"]).stdout(writer).stderr(Stdio::null()));
    assert!(matches!(ended, 0 | 3), "a reader that has enough is no failure: {ended}");
}

/// A report.html that could not be written took the summary with it.
#[test]
fn a_page_that_cannot_be_written_leaves_the_summary() {
    let lab = Laboratory::new();
    let measured = lab.run(&["--rounds", "1"]).output().unwrap();
    assert!(matches!(measured.status.code(), Some(0 | 3)), "{}", text(&measured));
    let page = lab.run_directory().join("report.html");
    fs::remove_file(&page).unwrap();
    // Not even root can write a page there.
    fs::create_dir(&page).unwrap();
    let output = lab.syncline(&["report", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    // All of the summary but its last line, which says where the page is.
    let summary = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        summary(&measured).trim_end().strip_suffix("\nReport: run/report.html").map(str::trim_end),
        Some(summary(&output).trim_end())
    );
    prints(&lab, &output, "--html FILE");

    let elsewhere = lab.path().join("elsewhere.html");
    let ended = code(lab.syncline(&["report", "run", "--html", "elsewhere.html"]).stdout(Stdio::null()));
    assert!(matches!(ended, 0 | 3), "{ended}");
    assert!(fs::read_to_string(&elsewhere).unwrap().ends_with("</html>"));
    let written = fs::metadata(&page).unwrap();
    assert!(written.is_dir(), "nothing is written into the run");
}

/// `ulimit -f`: the worker was "ended by signal 25", and the page was left cut off.
#[test]
fn a_file_size_limit_is_named_and_leaves_no_half_page() {
    let lab = Laboratory::new();
    let program = env!("CARGO_BIN_EXE_syncline");
    let script = format!("ulimit -f 4096; exec {program} run tiny.toml --dir disk --out run --rounds 1");
    let output = Command::new("sh").args(["-c", &script]).current_dir(lab.path()).output().unwrap();
    assert_ne!(output.status.code(), Some(PANICKED), "{}", text(&output));
    prints(
        &lab,
        &output,
        "[..]: File too large (os error 27); raise the file-size limit (ulimit -f), or make the study's files smaller",
    );
    lab.assert_clean();
    drop(File::open(lab.run_directory().join("plan.json")).unwrap());
}
