//! What the machine does not permit is one line before the first trial, not one in every trial.

use crate::laboratory::{Laboratory, prints, refuses, remarks, text};
use model::trial::TrialOutcome;
use std::fs;
use std::path::Path;
use std::process::Command;

const USAGE: i32 = 2;
const RUNTIME: i32 = 1;

/// `syncline …` behind a shell's preparations, which root can make.
fn behind(lab: &Laboratory, wrapper: &[&str], more: &[&str]) -> Command {
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg(env!("CARGO_BIN_EXE_syncline"));
    command.args(["run", "tiny.toml", "--dir", "disk", "--out", "run"]).args(more).current_dir(lab.path());
    command
}

/// Twenty-one trials failed one after another by the same missing program.
#[test]
fn a_file_system_whose_mkfs_is_missing_is_refused_once() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root mounts file systems");
        return;
    }
    let lab = Laboratory::new();
    let places = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
    let found = places.iter().map(|place| Path::new(place).join("mkfs.xfs")).find(|path| path.exists());
    // A device in the program's place is not a program; the mount is gone with its namespace.
    let hide =
        found.map_or_else(String::new, |path| format!("mount --bind /dev/null {} && ", path.display()));
    let script = format!("{hide}exec \"$@\"");
    let wrapper = ["unshare", "--mount", "sh", "-c", script.as_str(), "sh"];
    let mut command = behind(&lab, &wrapper, &["--vary", "filesystem=host,xfs"]);
    refuses(
        &lab,
        &mut command,
        RUNTIME,
        "a fresh xfs needs mkfs.xfs: install the package xfsprogs; or leave it out with --vary filesystem=host",
    );
    assert!(!lab.run_directory().exists());
}

#[test]
fn real_time_without_the_right_is_refused_once() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root can give the right away");
        return;
    }
    let lab = Laboratory::new();
    let wrapper =
        ["prlimit", "--rtprio=0", "setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", "--"];
    let mut command = behind(&lab, &wrapper, &["--fix", "realtime=true"]);
    refuses(
        &lab,
        &mut command,
        RUNTIME,
        "study tiny: realtime = true: cannot run under SCHED_FIFO: Operation not permitted (os error 1); run as root, grant CAP_SYS_NICE, or raise the limit with ulimit -r 1, or leave it out with --fix realtime=false",
    );
    assert!(!lab.run_directory().exists());
}

/// Its own default table is one that no session of the user's server can be given buffers for.
#[test]
fn a_study_that_no_session_can_do_is_refused_before_the_server_is_asked() {
    let lab = Laboratory::new();
    let dsn = ["run", "page-cost-postgres", "--dir", "disk", "--out", "run", "--dsn", "host=/nowhere user=x"];
    refuses(
        &lab,
        &mut lab.syncline(&dsn),
        USAGE,
        "shared_buffers of the user's server cannot be changed by a session: there only table = temporary is measured",
    );
    assert!(!lab.run_directory().exists());
}

#[test]
fn a_password_is_never_repeated() {
    let lab = Laboratory::new();
    let run = |option: &str, value: &str| {
        let study = ["run", "pool", "--dir", "disk", "--out", "run", "--vary", "subject=postgres"];
        let mut command = lab.syncline(&study);
        command.args([
            "--vary",
            "policy=clock_sweep",
            "--fix",
            "cache=warm",
            "--fix",
            "blocks=128",
            option,
            value,
        ]);
        command.output().unwrap()
    };
    for dsn in ["host=/nowhere user=x password=opensesame", "postgresql://x:opensesame@/bench?host=/nowhere"]
    {
        let output = run("--dsn", dsn);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(RUNTIME), "{said}");
        assert!(!said.contains("opensesame"), "{said}");
        prints(
            &lab,
            &output,
            "every user of this machine can read the password in --dsn in the process list: use --dsn-file, a password file (PGPASSFILE, ~/.pgpass) or PGPASSWORD",
        );
        fs::write(lab.path().join("dsn"), format!("{dsn}\n")).unwrap();
        let output = run("--dsn-file", "dsn");
        // One line: nothing of the process list.
        assert_eq!(
            remarks(&lab, &output),
            [
                "syncline: cannot connect to the server: error connecting to server: No such file or directory \
                 (os error 2); --dsn or --dsn-file names it"
            ]
        );
    }
    fs::write(lab.path().join("dsn"), "host=a\nhost=b\n").unwrap();
    let output = run("--dsn-file", "dsn");
    assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
    prints(&lab, &output, "it must hold one line");
}

/// Two servers came into the same configurations and answers.
#[test]
fn a_run_of_a_named_server_is_not_resumed_without_it() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let path = lab.run_directory().join("plan.json");
    let mut plan: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    plan["server"] = serde_json::json!({ "named": {
        "version": "18.6", "address": "db1:5432", "database": "bench",
        "system_identifier": "7500000000000000001", "data_directory": { "unsupported": "permission denied" },
    }});
    fs::write(&path, plan.to_string()).unwrap();
    refuses(
        &lab,
        &mut lab.syncline(&["run", "--resume", "run"]),
        USAGE,
        "this run measures the PostgreSQL 18.6 at db1:5432 that --dsn named: name it again with --dsn or --dsn-file",
    );
}

/// `syncline run …` behind a shell's preparations.
fn after(lab: &Laboratory, preparations: &str) -> Command {
    let script = format!("{preparations}; exec \"$@\"");
    let mut command = behind(lab, &["sh", "-c", script.as_str(), "sh"], &["--quiet"]);
    command.env("XDG_CONFIG_HOME", lab.path().join("configuration"));
    command
}

/// Eight work directories stayed at `ulimit -n 4`, and one at most limits below 16.
#[test]
fn a_start_that_the_limit_of_open_files_ends_leaves_nothing() {
    let lab = Laboratory::new();
    for files in 4..=18 {
        let output = after(&lab, &format!("ulimit -n {files}")).output().unwrap();
        lab.assert_clean();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if said.contains("Too many open files") {
            assert!(said.contains("cannot "), "{files}: what could not be opened is named: {said}");
        }
        let _ = fs::remove_dir_all(lab.run_directory());
    }
}

#[test]
fn a_start_that_a_limit_of_file_sizes_ends_leaves_nothing() {
    let lab = Laboratory::new();
    refuses(
        &lab,
        &mut after(&lab, "ulimit -f 0"),
        RUNTIME,
        "cannot write [dir]/disk/.syncline-work-[..]/SYNCLINE-WORK-DIRECTORY: File too large (os error 27); raise the file-size limit (ulimit -f), or make the study's files smaller",
    );
}

#[test]
fn a_start_without_proc_leaves_nothing() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root mounts file systems");
        return;
    }
    let lab = Laboratory::new();
    let script = "mount -t tmpfs none /proc; exec \"$@\"";
    let mut command = behind(&lab, &["unshare", "--mount", "sh", "-c", script, "sh"], &["--quiet"]);
    refuses(
        &lab,
        &mut command,
        RUNTIME,
        "/proc/self/exe: cannot read: No such file or directory (os error 2)",
    );
}

/// The directory that it made was closed to itself.
#[test]
fn a_start_with_a_umask_that_closes_everything_leaves_nothing() {
    let lab = Laboratory::open_to_all();
    let Some(of_nobody) = lab.unprivileged(&["run", "tiny.toml", "--dir", "disk", "--quiet"]) else { return };
    let mut command = Command::new("setpriv");
    command.args([
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        "sh",
        "-c",
        "umask 777; exec \"$@\"",
        "sh",
    ]);
    command.arg(of_nobody.get_program()).args(of_nobody.get_args()).current_dir(lab.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
    lab.assert_clean();
}

/// The kernel forgot the workers that ended: "cannot wait for the worker" in every trial.
#[test]
fn a_program_that_is_started_with_sigchld_ignored_measures() {
    let lab = Laboratory::new();
    let output = behind(&lab, &["env", "--ignore-signal=CHLD"], &["--rounds", "1"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert!(lab.records().iter().all(|record| record.outcome == TrialOutcome::Ok), "{}", text(&output));
    lab.assert_clean();
}
