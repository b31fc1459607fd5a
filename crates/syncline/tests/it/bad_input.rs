//! Bad input gets one clear line, the right exit code, and leaves nothing behind.

use crate::laboratory;

use laboratory::{Laboratory, prints, program_for_anyone, refuses};
use model::trial::TrialOutcome;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const USAGE: i32 = 2;
const RUNTIME: i32 = 1;
const AUDIT_FAILED: i32 = 3;
const NOBODY: u32 = 65534;

#[test]
fn a_mistyped_name_names_its_neighbour() {
    let lab = Laboratory::new();
    // Nobody writes into it, so a reader waits for ever.
    let made = Command::new("mkfifo").arg(lab.path().join("pipe.toml")).status().unwrap();
    assert!(made.success());
    for (arguments, message) in [
        (vec!["run", "comit"], "unknown study \"comit\"; did you mean \"commit\"?"),
        (vec!["studies", "wal-layot"], "unknown study \"wal-layot\"; did you mean \"wal-layout\"?"),
        (
            vec!["run", "commit", "--fix", "record_sise=4k"],
            "study commit: unknown parameter \"record_sise\"; did you mean \"record_size\"?",
        ),
        (
            vec!["run", "commit", "--vary", "mode=bufered,direct"],
            "study commit: unknown level of mode \"bufered\"; did you mean \"buffered\"?",
        ),
        (
            vec!["run", "commit", "--profile", "quik"],
            "study commit: unknown profile \"quik\"; did you mean \"quick\"?",
        ),
        (
            vec!["run", "commit", "--fix", "group_size=300"],
            "study commit: group_size = \"300\": expected a whole number from 1 to 256",
        ),
        (
            vec!["run", "commit", "--fix", "mode"],
            "invalid value 'mode' for '--fix <NAME=VALUE>': write it as NAME=VALUE",
        ),
        (
            vec!["run", "commit", "--rounds", "0"],
            "invalid value '0' for '--rounds <N>': write a whole number from 1 to 1000",
        ),
        (vec!["run", "commit", "commit"], "study commit is named twice"),
        (
            vec!["run", "depth", "--vary", "ranks=1,2"],
            "depth: ranks measure together only in a shared run, which mpirun starts; add --shared",
        ),
        (
            vec!["run", "depth", "--vary", "ranks=1,2", "--dry-run"],
            "depth: ranks measure together only in a shared run, which mpirun starts; add --shared",
        ),
        // Every study was skipped with the same sentence, and the run failed because nothing could be measured.
        (
            vec!["run", "--for", "postgresql", "--vary", "sync=fsyncc"],
            "study wal-sync: unknown level of sync \"fsyncc\"; did you mean \"fsync\"?",
        ),
        (
            vec!["run", "--for", "postgresql", "--vary", "snyc=fsync"],
            "unknown parameter \"snyc\"; did you mean \"sync\"?",
        ),
        (
            vec!["run", "missing.toml"],
            "missing.toml: cannot read the study file: No such file or directory (os error 2)",
        ),
        (vec!["run", "pipe.toml"], "pipe.toml: cannot read the study file: it is not a regular file"),
        (vec!["rum"], "unrecognized subcommand 'rum'"),
    ] {
        let mut arguments = arguments;
        if arguments[0] == "run" {
            arguments.extend(["--dir", "disk", "--out", "run"]);
        }
        refuses(&lab, &mut lab.syncline(&arguments), USAGE, message);
    }
    assert!(!lab.run_directory().exists());
}

#[test]
fn a_study_file_with_a_mistake_names_it() {
    let lab = Laboratory::new();
    for (from, to, message) in [
        ("[factors]", "[factor]", "study tiny: unknown key \"factor\"; did you mean \"factors\"?"),
        (
            "compare = \"mode\"",
            "compare = \"group_size\"",
            "study tiny: an [[ask]] names group_size, which is not a factor of the study",
        ),
        (
            "\"commits_per_s\"",
            "\"commit_per_s\"",
            "study tiny: unknown metric \"commit_per_s\"; did you mean \"commits_per_s\"?",
        ),
        ("[\"buffered\", \"direct\"]", "[]", "study tiny: mode: the list is empty"),
        (
            "rounds = 40",
            "rounds = 4000000000",
            "study tiny: profile long: rounds is not a count from 1 to 1000",
        ),
        (
            "read_depth = 4",
            "read_depth = 4\nioengine = \"psync\"",
            "study tiny: ioengine = psync has one operation in flight, but read_depth is 4: set read_depth = 0",
        ),
    ] {
        fs::write(lab.path().join("tiny.toml"), laboratory::STUDY.replace(from, to)).unwrap();
        refuses(&lab, &mut lab.run(&[]), USAGE, message);
        refuses(&lab, &mut lab.syncline(&["studies", "tiny.toml"]), USAGE, message);
    }
}

#[test]
fn a_place_that_does_not_do_is_refused_before_the_first_trial() {
    let lab = Laboratory::new();
    let run = |dir: &str| lab.syncline(&["run", "tiny.toml", "--out", "run", "--dir", dir]);
    fs::write(lab.path().join("file"), "mine").unwrap();
    refuses(
        &lab,
        &mut run("nowhere"),
        RUNTIME,
        "cannot read the free space of nowhere: No such file or directory (os error 2); it must exist: check the path",
    );
    refuses(
        &lab,
        &mut run("file"),
        USAGE,
        "--dir file: it is not a directory, but Syncline measures a disk through files that it creates: name a directory on a file system of that disk",
    );
    refuses(
        &lab,
        &mut run("/dev/null"),
        USAGE,
        "--dir /dev/null: it is a device, but Syncline measures a disk through files that it creates: name a directory on a file system of that disk",
    );
    assert_eq!(fs::read_to_string(lab.path().join("file")).unwrap(), "mine");
    refuses(
        &lab,
        &mut run("/proc"),
        USAGE,
        "--dir /proc: proc is a view of the kernel's state, not a file system for data: name a directory on a disk",
    );
    refuses(
        &lab,
        &mut run("/sys"),
        USAGE,
        "--dir /sys: sysfs is a view of the kernel's state, not a file system for data: name a directory on a disk",
    );
    if disk::medium::memory_below(Path::new("/dev/shm")).is_some() {
        refuses(
            &lab,
            &mut run("/dev/shm"),
            AUDIT_FAILED,
            "--dir /dev/shm is in memory (tmpfs is a file system in memory): data there does not survive a power loss and is not read from a device; choose a directory on a disk",
        );
    }
    refuses(
        &lab,
        &mut lab.run(&["--fix", "data_size=64TiB"]),
        RUNTIME,
        "disk: 64.0 TiB are needed, but [..] are available: free space, or choose another directory, or lower data_size, wal_size",
    );
    refuses(
        &lab,
        &mut lab.run(&["--fix", "record_size=1000"]),
        USAGE,
        "study tiny: record_size = 1000B is not a multiple of [..], which direct I/O needs on this device",
    );
    if rustix::process::geteuid().is_root() {
        let on_loop = ["--fix", "record_size=1000", "--fix", "filesystem=ext4"];
        refuses(
            &lab,
            &mut lab.run(&on_loop),
            USAGE,
            "study tiny: record_size = 1000B is not a multiple of [..], which direct I/O needs on this device",
        );
    }
    assert!(!lab.run_directory().exists());
}

/// Runs as another user from a copy, since a build directory may be closed to others.
#[test]
fn without_permission_it_says_so() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root can become another user");
        return;
    }
    let lab = Laboratory::new();
    let open = tempfile::tempdir().unwrap();
    fs::set_permissions(open.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = program_for_anyone(open.path());
    let closed = open.path().join("closed");
    fs::create_dir(&closed).unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(&program);
        command
            .args(["run", "wal-layout", "--out", "run"])
            .args(more)
            .current_dir(&closed)
            .uid(NOBODY)
            .gid(NOBODY);
        command
    };
    refuses(
        &lab,
        &mut run(&["--dir", "."]),
        RUNTIME,
        "cannot write to .: Permission denied (os error 13); name a writable directory",
    );
    std::os::unix::fs::chown(&closed, Some(NOBODY), Some(NOBODY)).unwrap();
    refuses(
        &lab,
        &mut run(&["--dir", "."]),
        RUNTIME,
        "cannot make mounts private: Operation not permitted (os error 1); loop file systems need root (CAP_SYS_ADMIN): other file systems than the directory's own need root; leave them out with --vary filesystem=host",
    );
    assert_eq!(fs::read_dir(&closed).unwrap().count(), 0, "something was left behind");
}

#[test]
fn a_kernel_without_io_uring_is_said_and_worked_around_where_that_is_honest() {
    let lab = Laboratory::new();
    let example =
        Path::new(env!("CARGO_BIN_EXE_syncline")).with_file_name("examples").join("without_io_uring");
    if !example.exists() {
        skip::because("the example without_io_uring is not built (cargo test --workspace builds it)");
        return;
    }
    let run = |more: &[&str]| {
        let mut command = Command::new(&example);
        command.arg(env!("CARGO_BIN_EXE_syncline")).args([
            "run",
            "tiny.toml",
            "--dir",
            "disk",
            "--out",
            "run",
        ]);
        command.args(more).current_dir(lab.path());
        command
    };
    refuses(
        &lab,
        &mut run(&[]),
        RUNTIME,
        "study tiny: it needs io_uring, which this machine lacks: io_uring: this kernel has no io_uring, or seccomp hides it (Function not implemented (os error 38)); use ioengine = psync; psync cannot replace it: ioengine = psync has one operation in flight, but read_depth is 4: set read_depth = 0",
    );
    let output = run(&["--fix", "read_depth=0"]).output().unwrap();
    let said = laboratory::text(&output);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    prints(
        &lab,
        &output,
        "tiny: no io_uring here (io_uring: this kernel has no io_uring, or seccomp hides it (Function not implemented (os error 38)); use ioengine = psync); ioengine = psync instead",
    );
    for record in lab.records() {
        assert!(record.values.is("ioengine", "psync") && record.outcome == TrialOutcome::Ok, "{record:?}");
    }
    lab.assert_clean();
}

#[test]
fn a_run_directory_that_is_none_is_refused() {
    let lab = Laboratory::new();
    for command in [["report", "disk"], ["export", "disk"]] {
        refuses(
            &lab,
            &mut lab.syncline(&command),
            RUNTIME,
            "disk is not a run directory: it has no plan.json; syncline run creates run directories below syncline-runs, or where its option --out names one",
        );
    }
    // Nothing records the planned run; the message says how to continue.
    let mut resumed = lab.syncline(&["run", "--resume", "disk", "--dir", "disk"]);
    refuses(
        &lab,
        &mut resumed,
        RUNTIME,
        "disk holds no run yet, because its plan was not written; start it again with --out disk",
    );
    refuses(
        &lab,
        &mut lab.syncline(&["report", "nowhere"]),
        RUNTIME,
        "nowhere is not a run directory: it does not exist; syncline run creates run directories below syncline-runs, or where its option --out names one",
    );
}

#[test]
fn what_is_in_the_way_of_a_run_directory_is_not_touched() {
    let lab = Laboratory::new();
    fs::create_dir(lab.run_directory()).unwrap();
    let mine: Vec<_> =
        ["host.json", "trials.jsonl", "report.html"].map(|name| lab.run_directory().join(name)).into();
    for file in &mine {
        fs::write(file, "mine").unwrap();
    }
    refuses(
        &lab,
        &mut lab.run(&[]),
        RUNTIME,
        "run is not empty and does not hold a run of syncline; use another --out",
    );
    assert!(mine.iter().all(|file| fs::read_to_string(file).unwrap() == "mine"));
    assert_eq!(fs::read_dir(lab.run_directory()).unwrap().count(), mine.len());
}

#[test]
fn foreign_and_newer_records_are_refused_and_kept() {
    let lab = Laboratory::new();
    assert!(lab.run(&["--rounds", "1"]).output().unwrap().stdout.len() > 100);
    let trials = lab.run_directory().join("trials.jsonl");
    let whole = fs::read_to_string(&trials).unwrap();
    for (text, message) in [
        (
            "not json\n".to_owned(),
            "run/trials.jsonl line 1: not a syncline record (expected ident at column [..]): something else changed the file; restore it or start a new run",
        ),
        (
            whole.replacen("\"format_version\":1", "\"format_version\":7", 1),
            "run/trials.jsonl line 1: format version 7, but this syncline reads up to 1: use the syncline that wrote it, or a newer one",
        ),
    ] {
        fs::write(&trials, &text).unwrap();
        for command in [vec!["report", "run"], vec!["export", "run"], vec!["run", "--resume", "run"]] {
            refuses(&lab, &mut lab.syncline(&command), RUNTIME, message);
        }
        assert_eq!(fs::read_to_string(&trials).unwrap(), text);
    }
}

#[test]
fn a_read_only_file_system_is_said() {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
        return;
    }
    let lab = Laboratory::new();
    // In a mount namespace of its own, which ends with the shell.
    let script = format!(
        "truncate -s 8M image && mkfs.ext4 -q image && mount -o loop,ro image disk && exec {} run tiny.toml --dir disk --out run",
        env!("CARGO_BIN_EXE_syncline")
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script]).current_dir(lab.path());
    refuses(
        &lab,
        &mut command,
        RUNTIME,
        "cannot write to disk: Read-only file system (os error 30); name a writable directory",
    );
}

#[test]
fn a_cpu_that_does_not_exist_is_refused() {
    let lab = Laboratory::new();
    refuses(&lab, &mut lab.run(&["--cpu", "1000"]), USAGE, "study tiny: this program may not use cpu = 1000");
    refuses(
        &lab,
        &mut lab.run(&["--fix", "cpu=4095"]),
        USAGE,
        "study tiny: this program may not use cpu = 4095",
    );
}

#[test]
fn a_run_of_another_machine_is_not_resumed_here() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let host = lab.run_directory().join("host.json");
    let text = fs::read_to_string(&host).unwrap();
    let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
    fs::write(&host, text.replace(&kernel, "2.6.32")).unwrap();
    refuses(
        &lab,
        &mut lab.syncline(&["run", "--resume", "run"]),
        RUNTIME,
        "this run began on another machine or with another program (kernel: 2.6.32, now [..]), and such trials are not replicates: start a new run, or add --allow-different kernel if you know that it does not matter",
    );
    let unknown = ["run", "--resume", "run", "--allow-different", "kernal"];
    refuses(
        &lab,
        &mut lab.syncline(&unknown),
        USAGE,
        "unknown name of --allow-different \"kernal\"; did you mean \"kernel\"?",
    );
    let allowed = lab.syncline(&["run", "--resume", "run", "--allow-different", "kernel"]).output().unwrap();
    let said = laboratory::text(&allowed);
    assert!(matches!(allowed.status.code(), Some(0 | 3)), "{said}");
    prints(
        &lab,
        &allowed,
        "kernel: 2.6.32 at the start of the run, [..] now: the report treats their trials as replicates because of --allow-different kernel",
    );
}

#[test]
fn a_worker_without_a_request_says_so() {
    let lab = Laboratory::new();
    refuses(
        &lab,
        lab.syncline(&["worker"]).stdin(std::process::Stdio::null()),
        USAGE,
        "worker: the request on standard input is not valid: EOF while parsing a value at line 1 column 0",
    );
}
