//! `syncline observe` where something is in its way: containers, name spaces, file systems over others, a kernel that
//! lacks tracepoints, another tracer.

use crate::laboratory;

use disk::kernel::block_device::BlockDevice;
use laboratory::observing::{Observing, class, is_possible, number, of_roles};
use laboratory::{Laboratory, refuses, text};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};

const COMMITS: u64 = 100;
/// What a script ends with that has prepared a place for another program.
const GO_ON: &str = "exec \"$0\" \"$@\"";
/// A path handed to the writer, and what it says.
const PATH: &str = "SYNCLINE_TEST_PATH";
const OPEN: &str = "the log is open";
const DONE: &str = "the log is written";

/// Whether name spaces can be made here and observed.
#[track_caller]
fn is_root() -> bool {
    if !rustix::process::geteuid().is_root() {
        skip::because("name spaces need root");
        return false;
    }
    is_possible()
}

fn commit(log: &File) {
    for commit in 0..COMMITS {
        log.write_all_at(&[1; 4096], commit * 4096).unwrap();
        log.sync_data().unwrap();
    }
}

/// A process that has a log open, and writes to it when it is asked to.
struct Writer {
    child: Child,
    input: ChildStdin,
    remarks: BufReader<ChildStderr>,
}

impl Writer {
    /// Starts it by another program; `None`, with the reason recorded, if that program has failed.
    #[track_caller]
    fn start(by: &[&str], log: &Path) -> Option<Self> {
        let mut command = Command::new(by[0]);
        command.args(&by[1..]).arg(std::env::current_exe().unwrap());
        command.args(["observe_faults::writer_of_commits", "--exact", "--ignored", "--nocapture"]);
        command.env(PATH, log).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, remarks) = (child.stdin.take().unwrap(), BufReader::new(child.stderr.take().unwrap()));
        let mut writer = Self { child, input, remarks };
        let said = writer.next_remark();
        if said != OPEN {
            skip::because(said);
            return None;
        }
        Some(writer)
    }

    fn next_remark(&mut self) -> String {
        let mut line = String::new();
        self.remarks.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn commit(&mut self) {
        self.input.write_all(b"\n").unwrap();
        assert_eq!(self.next_remark(), DONE);
    }

    /// The name spaces that it was in end with it.
    fn end(self) {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().unwrap();
    }
}

#[test]
#[ignore = "run by the tests that observe it"]
fn writer_of_commits() {
    let log = File::create(std::env::var_os(PATH).unwrap()).unwrap();
    eprintln!("{OPEN}");
    let mut line = String::new();
    while std::io::stdin().read_line(&mut line).unwrap() > 0 {
        commit(&log);
        eprintln!("{DONE}");
    }
}

#[track_caller]
fn assert_commits(seen: &Value) {
    for name in ["write", "sync"] {
        assert_eq!(class(seen, name)["operations"], COMMITS, "{seen:#}");
    }
}

/// The path of a file in a container names another file of this machine, or none, so what lies beside it was looked for
/// in the wrong place, and its disk was not found.
#[test]
fn a_container_is_observed_from_outside() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let disk = lab.disk();
    for name in ["lower", "upper", "work", "merged"] {
        fs::create_dir(disk.join(name)).unwrap();
    }
    fs::write(disk.join("lower/ibdata1"), "").unwrap();
    let place = disk.display();
    let layers = format!("lowerdir={place}/lower,upperdir={place}/upper,workdir={place}/work");
    let script = format!("mount -t overlay -o {layers} overlay {place}/merged && {GO_ON}");
    let by = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", &script];
    let Some(mut writer) = Writer::start(&by, &disk.join("merged/ib_logfile0")) else { return };
    let observing = Observing::start(&lab, &["--pid", &writer.child.id().to_string()]);
    writer.commit();
    let seen = observing.stop();
    writer.end();
    let Some(seen) = seen else { return };
    assert_commits(&seen);
    assert_eq!(seen["databases"], json!([["MySQL", disk.join("merged")]]));
    assert!((of_roles(&seen, &["log"], "syncs_per_s") - COMMITS as f64).abs() < 1e-6, "{seen:#}");
    if let Some(device) = BlockDevice::below(&disk).value() {
        let disks = seen["devices"].as_array().unwrap();
        assert!(disks.iter().any(|of| of["disk"] == device.disk.as_str()), "{seen:#}");
    }
}

/// A container has a directory of this machine at another place. Its files were not seen, and the result did not state
/// it.
#[test]
fn a_directory_is_the_same_wherever_a_container_has_it() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    for name in ["data", "elsewhere"] {
        fs::create_dir(lab.disk().join(name)).unwrap();
    }
    let place = lab.disk().display().to_string();
    let script = format!("mount --bind {place}/data {place}/elsewhere && {GO_ON}");
    let by = ["unshare", "--mount", "sh", "-c", &script];
    let Some(mut writer) = Writer::start(&by, &lab.disk().join("elsewhere/log")) else { return };
    let observing = Observing::start(&lab, &["--dir", "disk/data"]);
    writer.commit();
    let seen = observing.stop();
    writer.end();
    assert!(seen.is_none_or(|seen| {
        assert_commits(&seen);
        true
    }));
}

/// tmpfs has no disk.
#[test]
fn a_file_system_without_a_disk_has_operations_and_no_requests() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let script = format!("mount -t tmpfs none {} && {GO_ON}", lab.disk().display());
    let by = ["unshare", "--mount", "sh", "-c", &script];
    let Some(mut writer) = Writer::start(&by, &lab.disk().join("log")) else { return };
    let observing = Observing::start(&lab, &["--pid", &writer.child.id().to_string()]);
    writer.commit();
    let seen = observing.stop();
    writer.end();
    let Some(seen) = seen else { return };
    assert_commits(&seen);
    assert_eq!(seen["devices"], json!([]));
}

/// The kernel gives processes outside no numbers, so they cannot be looked up.
#[test]
fn in_a_container_its_own_processes_are_seen_and_others_are_counted() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let observing = Observing::start_by(&lab, &container, &["--dir", "disk"]);
    let outside = File::create(lab.disk().join("outside")).unwrap();
    commit(&outside);
    let inside = observing.process().to_string();
    let by = ["nsenter", "--target", &inside, "--pid", "--mount"];
    let Some(mut writer) = Writer::start(&by, &lab.disk().join("log")) else { return };
    writer.commit();
    let seen = observing.stop();
    writer.end();
    let Some(seen) = seen else { return };
    assert_commits(&seen);
    assert!(number(&seen["not_seen"]["outside_calls"]) >= 2.0 * COMMITS as f64, "{seen:#}");
}

/// The numbers of processes in events were taken for those of other processes in `/proc`.
#[test]
fn a_proc_of_other_processes_is_refused() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child", env!("CARGO_BIN_EXE_syncline")]);
    command.args(["observe", "--dir", "disk"]).current_dir(lab.path());
    refuses(
        &lab,
        &mut command,
        2,
        "/proc does not show the processes that Syncline is among: mount one that does (mount -t proc proc /proc)",
    );
}

/// Without the privilege to look into other users' processes, their files had no names.
#[test]
fn a_process_of_another_user_is_refused() {
    let lab = Laboratory::open_to_all();
    let Some(mut command) = lab.unprivileged(&["observe", "--pid", "1"]) else { return };
    refuses(
        &lab,
        &mut command,
        2,
        "process 1 is of another user, so that its files cannot be looked up: run as root, or grant CAP_SYS_PTRACE too",
    );
}

/// Commits of this process, seen by a Syncline that another program has started.
#[track_caller]
fn seen_by(by: &[&str]) -> Option<Value> {
    let lab = Laboratory::new();
    let log = File::create(lab.disk().join("log")).unwrap();
    let observing = Observing::start_by(&lab, by, &["--dir", "disk"]);
    commit(&log);
    let seen = observing.stop()?;
    assert_commits(&seen);
    Some(seen)
}

/// In a name space of times, `CLOCK_MONOTONIC` is not the clock of the events, and all were older than the beginning.
#[test]
fn a_clock_of_its_own_changes_nothing() {
    if !is_root() {
        return;
    }
    if !Path::new("/proc/self/ns/time").exists() {
        skip::because("this kernel has no name spaces of times");
        return;
    }
    seen_by(&["unshare", "--time", "--monotonic", "1000000", "--fork", "--kill-child"]);
}

/// Another file system lies over tracefs, as in a container.
#[test]
fn a_covered_tracefs_is_read_without_its_place() {
    if !is_root() {
        return;
    }
    let script = format!(
        "mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
         mount -t tmpfs none /sys/kernel/tracing && {GO_ON}"
    );
    seen_by(&["unshare", "--mount", "sh", "-c", &script]);
}

#[test]
fn tracepoints_that_the_kernel_lacks_are_named_with_what_is_lost() {
    if !is_root() {
        return;
    }
    let script = format!(
        "mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
         mount -t tmpfs none /sys/kernel/tracing/events/io_uring && {GO_ON}"
    );
    let Some(seen) = seen_by(&["unshare", "--mount", "sh", "-c", &script]) else { return };
    let missing = seen["not_seen"]["missing_tracepoints"].as_array().unwrap();
    let of_rings = missing.iter().filter(|of| of["lost"] == "ring_requests");
    assert_eq!(of_rings.count(), 3, "{missing:#?}");
}

#[test]
fn two_tracers_at_once_see_the_same() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let log = File::create(lab.disk().join("log")).unwrap();
    let both = [(); 2].map(|()| Observing::start(&lab, &["--dir", "disk"]));
    commit(&log);
    for seen in both.into_iter().filter_map(Observing::stop) {
        assert_commits(&seen);
    }
}

/// A control group that ends with the test.
struct Group(std::path::PathBuf);

impl Group {
    /// A group of this name; `None`, with the reason recorded, if there can be none.
    #[track_caller]
    fn new(name: &str) -> Option<Self> {
        let roots = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].map(Path::new);
        let root = roots.into_iter().find(|root| root.join("cgroup.procs").exists());
        let made = root.map(|root| root.join(name)).filter(|path| fs::create_dir(path).is_ok());
        if made.is_none() {
            skip::because("no control group can be made here");
        }
        made.map(Self)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Also by a Syncline in a name space of control groups, where the paths of others begin with `/..`.
#[test]
fn processes_of_a_control_group_are_those_of_a_unit() {
    if !is_root() {
        return;
    }
    let name = format!("syncline-test-{}.service", std::process::id());
    let Some(group) = Group::new(&name) else { return };
    let lab = Laboratory::new();
    let Some(mut writer) = Writer::start(&["env"], &lab.disk().join("log")) else { return };
    fs::write(group.0.join("cgroup.procs"), writer.child.id().to_string()).unwrap();
    for by in [&[][..], &["unshare", "--cgroup"]] {
        let observing = Observing::start_by(&lab, by, &["--unit", name.trim_end_matches(".service")]);
        writer.commit();
        if let Some(seen) = observing.stop() {
            assert_commits(&seen);
        }
    }
    writer.end();
}

#[test]
fn a_process_whose_name_steers_a_terminal_is_escaped() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let program = lab.path().join("\u{1b}[31mred\n\u{202e}");
    fs::copy("/bin/cat", &program).unwrap();
    let mut process = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut command = lab.syncline(&["observe", "--pid", &process.id().to_string(), "--for", "1h"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut remarks = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    remarks.read_line(&mut line).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(process.stdin.take());
    process.wait().unwrap();
    let printed = line + &text(&output);
    assert!(printed.contains("[31mred"), "{printed}");
    assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{printed}");
}
