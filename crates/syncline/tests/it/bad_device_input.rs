//! Bad input to the device workload gets one clear line and the right exit code, before anything is made.

use crate::laboratory;

use laboratory::{Laboratory, program_for_anyone, refuses, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

const USAGE: i32 = 2;
const RUNTIME: i32 = 1;
const NOBODY: u32 = 65534;

/// `syncline run device --fix … --fix …`, from words.
fn device(lab: &Laboratory, fixed: &str) -> Command {
    let mut command = lab.syncline(&["run", "device", "--dir", "disk", "--out", "run", "--rounds", "1"]);
    for parameter in ["size=8MiB", "runtime=50ms"].into_iter().chain(fixed.split_whitespace()) {
        command.args(["--fix", parameter]);
    }
    command
}

#[test]
fn values_that_make_no_sense_together_are_refused() {
    let lab = Laboratory::new();
    for (fixed, message) in [
        ("memory_cap=1000TiB", "memory_cap = 1000TiB is more than this machine's memory"),
        ("memory_cap=1000% size=1TiB", "is more than this machine's memory"),
        (
            "mode=direct bs=1000",
            "bs = 1000B is not a multiple of 512B, which direct I/O needs on this device",
        ),
        ("size=4KiB bs=8KiB", "size = 4KiB is smaller than bs = 8KiB: take a larger size"),
        (
            "ioengine=psync iodepth=2",
            "ioengine = psync has one operation in flight, but iodepth is 2: set iodepth = 1",
        ),
        ("mode=mmap iodepth=2", "mode = mmap has one operation in flight, but iodepth is 2: set iodepth = 1"),
        ("runtime=0s number_ios=0", "set runtime or number_ios"),
        ("rate_iops=0", "rate_iops = 0 issues no operation"),
        ("rw=randread random_distribution=zipf zipf_theta=1", "zipf_theta = 1 is not defined"),
        ("rw=read random_distribution=zipf", "random_distribution = zipf has no effect on sequential access"),
        (
            "rw=read random_distribution=zoned",
            "random_distribution = zoned has no effect on sequential access",
        ),
        ("rw=randread random_distribution=zoned", "random_distribution = zoned needs zones"),
        ("rw=randread thinktime=1ms rate_iops=5", "an open loop does not wait for its job"),
        ("rw=write sync_file_range=write fdatasync=1", "a job syncs in one way"),
        ("numjobs=256 rw=read size=512KiB", "gives each of 256 jobs a slice of its own"),
        ("rw=read bs=64MiB size=64MiB iodepth=4096", "lower iodepth, bs or numjobs"),
        // An empty file cannot be asked for, nor one without a whole block: there is nothing to map.
        ("mode=mmap iodepth=1 size=0", "size = \"0\": expected a size from 512B to 64TiB"),
        ("mode=mmap iodepth=1 size=1KiB", "size = 1KiB is smaller than bs = 4KiB: take a larger size"),
        ("iodept=4", "unknown parameter \"iodept\"; did you mean \"iodepth\"?"),
        ("memory_kap=50%", "unknown parameter \"memory_kap\"; did you mean \"memory_cap\"?"),
        ("rw=randreed", "unknown level of rw \"randreed\"; did you mean \"randread\"?"),
        ("mode=dontkache", "unknown level of mode \"dontkache\"; did you mean \"dontcache\"?"),
        ("rwmixread=101", "expected a whole number from 0 to 100"),
        ("memory_cap=lots", "memory_cap = \"lots\""),
    ] {
        refuses(&lab, &mut device(&lab, fixed), USAGE, message);
    }
    assert!(!lab.run_directory().exists());
}

/// A size that only some of the configurations cannot do leaves the others.
#[test]
fn one_level_that_the_device_cannot_do_is_a_result() {
    let lab = Laboratory::new();
    let mut command = device(&lab, "rw=randread mode=direct iodepth=1");
    let output = command.args(["--vary", "bs=1000,4KiB"]).output().unwrap();
    let said = text(&output);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    assert!(said.contains("1 of 2 configurations are recorded as unsupported"), "{said}");
    lab.assert_clean();
}

/// A cap needs a memory group: root's, a delegated one or systemd's. If there is none, that is reported at once.
#[test]
fn a_memory_cap_without_permission_is_said() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root can become another user");
        return;
    }
    let lab = Laboratory::new();
    let open = tempfile::tempdir().unwrap();
    fs::set_permissions(open.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = program_for_anyone(open.path());
    let place = open.path().join("place");
    fs::create_dir(&place).unwrap();
    std::os::unix::fs::chown(&place, Some(NOBODY), Some(NOBODY)).unwrap();
    let mut command = Command::new(&program);
    let arguments = "run device --dir . --out run --rounds 1 --vary rw=randread --vary mode=buffered --fix size=64MiB \
                     --fix runtime=50ms --fix memory_cap=50%";
    command.args(arguments.split_whitespace()).current_dir(&place).uid(NOBODY).gid(NOBODY);
    if command.output().unwrap().status.code() == Some(RUNTIME) {
        refuses(&lab, &mut command, RUNTIME, "cannot cap memory: no memory control group can be made here");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "something was left behind");
    } else {
        // A user's systemd did it.
        let records = fs::read_to_string(place.join("run/trials.jsonl")).unwrap();
        assert!(records.lines().all(|line| line.contains("\"outcome\":\"ok\"")), "{records}");
    }
}
