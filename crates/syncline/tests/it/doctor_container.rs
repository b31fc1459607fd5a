//! `syncline doctor --container` on real processes: limits, namespaces and a seccomp filter as a runtime sets them.

use crate::laboratory::{Laboratory, refuses, text};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const RUNTIME: i32 = 1;
const USAGE: i32 = 2;
/// Any process begins sooner.
const PATIENCE: Duration = Duration::from_mins(1);

/// Denies `io_uring_setup` (425 on every architecture) with EPERM, as the usual profiles of runtimes do, and becomes
/// the program in its arguments: seccomp(2), a filter of four instructions.
const FILTERED: &str = "
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 0, 1, 425), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
filter = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in code))
program = struct.pack('HxxxxxxP', len(code), ctypes.addressof(filter))
program = ctypes.create_string_buffer(program)
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0, 'PR_SET_NO_NEW_PRIVS'
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0, 'PR_SET_SECCOMP'
os.execvp(sys.argv[1], sys.argv[1:])
";

/// A process that is ended with this value.
struct Running(Child);

impl Running {
    /// Starts a program, and waits until it is the one of this name.
    fn start(command: &mut Command, name: &str) -> Self {
        let running = Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
        let begun = Instant::now();
        while running.name() != name {
            assert!(begun.elapsed() < PATIENCE, "it is {} and not {name}", running.name());
            thread::sleep(Duration::from_millis(5));
        }
        running
    }

    fn name(&self) -> String {
        let text = fs::read_to_string(format!("/proc/{}/comm", self.0.id())).unwrap_or_default();
        text.trim().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn doctor(lab: &Laboratory, subject: &str) -> Value {
    let output = lab.syncline(&["doctor", "--container", subject, "--format", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn has(document: &Value, section: &str, sign: &str, fact: &str) -> bool {
    let checks = document["checks"][section].as_array().unwrap();
    checks.iter().any(|check| check["sign"] == sign && check["fact"].as_str().unwrap().contains(fact))
}

fn python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        skip::because("python3 is not installed");
    }
    found
}

#[test]
fn a_process_is_seen_with_its_limits_and_as_text() {
    let lab = Laboratory::new();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -l 64; ulimit -n 128; exec sleep 600"]);
    let running = Running::start(&mut command, "sleep");
    let subject = running.0.id().to_string();
    let found = doctor(&lab, &subject);
    assert_eq!(found["process"], running.0.id());
    assert_eq!(found["status"]["name"], "sleep");
    // Root has CAP_IPC_LOCK, for which the limit does not hold.
    let capabilities = found["status"]["capabilities"].as_u64().unwrap();
    let locks = capabilities & (1 << 14) != 0;
    assert!(has(&found, "memory", if locks { "good" } else { "note" }, "locked memory"), "{found}");
    assert!(has(&found, "limits", "note", "128"), "{found}");
    assert!(found["io_uring"].is_object());
    let output = lab.syncline(&["doctor", "--container", &subject]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output);
    assert!(
        ["io_uring", "memory", "files", "limits"].iter().all(|title| printed.contains(title)),
        "{printed}"
    );
}

/// A filter cannot be read from outside without stopping the process: it is not checked there, and tried inside.
#[test]
fn a_filter_is_not_checked_from_outside_and_tried_inside() {
    if !python() {
        return;
    }
    let lab = Laboratory::new();
    let filtered = |program: &[&str]| {
        let mut command = Command::new("python3");
        command.args(["-c", FILTERED]).args(program).current_dir(lab.path());
        command
    };
    let running = Running::start(&mut filtered(&["sleep", "600"]), "sleep");
    let outside = doctor(&lab, &running.0.id().to_string());
    let is_switched_off =
        fs::read_to_string("/proc/sys/kernel/io_uring_disabled").is_ok_and(|text| text.trim() != "0");
    if !is_switched_off {
        assert!(outside["io_uring"]["open"].is_string(), "{outside}");
        assert!(has(&outside, "io_uring", "unchecked", ""), "{outside}");
    }
    assert_eq!(outside["status"]["no_new_privileges"], true);
    let program = [env!("CARGO_BIN_EXE_syncline"), "doctor", "--container", "self", "--format", "json"];
    let output = filtered(&program).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let inside: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(inside["io_uring"]["denied"].is_string(), "{inside}");
    assert!(has(&inside, "io_uring", "bad", ""));
}

#[test]
fn the_mounts_are_those_of_the_process() {
    if !rustix::process::geteuid().is_root() {
        skip::because("a namespace of mounts needs root");
        return;
    }
    let lab = Laboratory::new();
    let disk = lab.disk().canonicalize().unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs \"$1\" && exec sleep 600", "sh"]);
    let running = Running::start(command.arg(&disk), "sleep");
    let fact = format!("{}: tmpfs", disk.display());
    assert!(has(&doctor(&lab, &running.0.id().to_string()), "files", "note", &fact));
    assert!(!has(&doctor(&lab, "self"), "files", "note", &fact));
}

/// A runtime that records how it is called, and runs the program that is mounted without a container.
const RUNTIME_SCRIPT: &str = "#!/bin/sh
[ \"$1\" = --version ] && exit 0
printf '%s\\n' \"$@\" >called
[ \"$1\" = run ] || exit 1
while [ $# -gt 0 ]; do
  case $1 in
    --volume) shift; program=${program:-${1%%:*}} ;;
    --entrypoint) shift; shift; break ;;
  esac
  shift
done
[ \"$1\" = postgres:18 ] || exit 125
shift
exec \"$program\" \"$@\"
";

#[test]
fn an_image_is_started_with_this_program_in_it() {
    let lab = Laboratory::new();
    let place = lab.path().join("programs");
    fs::create_dir(&place).unwrap();
    let doctor = |image: &str| {
        let mut command = lab.syncline(&["doctor", &format!("--container={image}"), "--format", "json"]);
        command.env("PATH", &place);
        command
    };
    let alone = "neither docker nor podman is here to start postgres:18: name the PID of a process in a container \
        that runs";
    refuses(&lab, &mut doctor("postgres:18"), RUNTIME, alone);
    let no_image = "--container --privileged: it is neither a PID nor the name of an image";
    refuses(&lab, &mut doctor("--privileged"), USAGE, no_image);
    let runtime = place.join("docker");
    fs::write(&runtime, RUNTIME_SCRIPT).unwrap();
    fs::set_permissions(&runtime, Permissions::from_mode(0o755)).unwrap();
    let output = doctor("postgres:18").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["io_uring"]["allowed"].is_string() || found["io_uring"]["denied"].is_string());
    let called = fs::read_to_string(lab.path().join("called")).unwrap();
    let words: Vec<&str> = called.lines().collect();
    for word in ["--rm", "--pull=never", "--network=none", "--no-defaults"] {
        assert!(words.contains(&word), "{words:?}");
    }
    assert!(words.iter().any(|word| word.ends_with(":/syncline:ro")), "{words:?}");
    refuses(
        &lab,
        &mut doctor("absent:1"),
        RUNTIME,
        "docker run absent:1 failed ([..]): the image has to be on [..]",
    );
}

#[test]
fn a_process_that_is_not_there_is_one_line() {
    let lab = Laboratory::new();
    refuses(
        &lab,
        &mut lab.syncline(&["doctor", "--container", "4294967294"]),
        RUNTIME,
        "there is no process 4294967294",
    );
}
