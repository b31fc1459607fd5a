//! Bad input to the device workload gets one clear line and the right exit code, before anything is made.

use crate::laboratory;

use laboratory::{Laboratory, prints, program_for_anyone, refuses, text};
use model::trial::{TrialOutcome, TrialRecord};
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
        (
            "memory_cap=1000TiB",
            "study device: memory_cap = 1000TiB is more than this machine's memory ([..]): it would cap nothing",
        ),
        (
            "memory_cap=1000% size=1TiB",
            "study device: memory_cap = 10TiB is more than this machine's memory ([..]): it would cap nothing",
        ),
        (
            "mode=direct bs=1000",
            "study device: bs = 1000B is not a multiple of [..], which direct I/O needs on this device",
        ),
        ("size=4KiB bs=8KiB", "study device: size = 4KiB is smaller than bs = 8KiB: take a larger size"),
        (
            "ioengine=psync iodepth=2",
            "study device: ioengine = psync has one operation in flight, but iodepth is 2: set iodepth = 1 and take more numjobs",
        ),
        (
            "mode=mmap iodepth=2",
            "study device: mode = mmap has one operation in flight, but iodepth is 2: set iodepth = 1 and take more numjobs",
        ),
        ("runtime=0s number_ios=0", "study device: the trial does not end: set runtime or number_ios"),
        (
            "rate_iops=0",
            "study device: rate_iops = 0 issues no operation: set a rate, or none for a closed loop",
        ),
        (
            "rw=randread random_distribution=zipf zipf_theta=1",
            "study device: zipf_theta = 1 is not defined, as in fio: set 0.99 or 1.01",
        ),
        (
            "rw=read random_distribution=zipf",
            "study device: random_distribution = zipf has no effect on sequential access: rw is read, set rw = randread",
        ),
        (
            "rw=read random_distribution=zoned",
            "study device: random_distribution = zoned has no effect on sequential access: rw is read, set rw = randread",
        ),
        (
            "rw=randread random_distribution=zoned",
            "study device: random_distribution = zoned needs zones: set zones = 50/5:30/15:20/80, for example",
        ),
        (
            "rw=randread thinktime=1ms rate_iops=5",
            "study device: an open loop does not wait for its job: set rate_iops = none or thinktime = 0s",
        ),
        (
            "rw=write sync_file_range=write fdatasync=1",
            "study device: a job syncs in one way between its writes: set fdatasync = 0 or sync_file_range = none",
        ),
        (
            "numjobs=256 rw=read size=512KiB",
            "study device: rw = read gives each of 256 jobs a slice of its own, which has to hold bs = 4KiB: size = 512KiB is too small",
        ),
        (
            "rw=read bs=64MiB size=64MiB iodepth=4096",
            "study device: iodepth × bs and the payload need 256GiB in flight or in buffers in each of 1 jobs, at most 1GiB in all: lower iodepth, bs or numjobs",
        ),
        // An empty file cannot be asked for, nor one without a whole block: there is nothing to map.
        ("mode=mmap iodepth=1 size=0", "study device: size = \"0\": expected a size from 512B to 64TiB"),
        (
            "mode=mmap iodepth=1 size=1KiB",
            "study device: size = 1KiB is smaller than bs = 4KiB: take a larger size",
        ),
        ("iodept=4", "study device: unknown parameter \"iodept\"; did you mean \"iodepth\"?"),
        ("memory_kap=50%", "study device: unknown parameter \"memory_kap\"; did you mean \"memory_cap\"?"),
        ("rw=randreed", "study device: unknown level of rw \"randreed\"; did you mean \"randread\"?"),
        ("mode=dontkache", "study device: unknown level of mode \"dontkache\"; did you mean \"dontcache\"?"),
        ("rwmixread=101", "study device: rwmixread = \"101\": expected a whole number from 0 to 100"),
        (
            "memory_cap=lots",
            "study device: memory_cap = \"lots\": expected none, a size of at least 1MiB, or a percentage",
        ),
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
    prints(
        &lab,
        &output,
        "study device: bs = 1000B is not a multiple of [..], which direct I/O needs on this device; 1 of 2 configurations are recorded as unsupported",
    );
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
        refuses(
            &lab,
            &mut command,
            RUNTIME,
            "study device: cannot cap memory: no memory control group can be made here ([..]) and `systemd-run --user --scope` does not work either; run as root, have a cgroup delegated to you, or log in through systemd",
        );
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "something was left behind");
    } else {
        // A user's systemd did it.
        let records = fs::read_to_string(place.join("run/trials.jsonl")).unwrap();
        for line in records.lines() {
            let record: TrialRecord = serde_json::from_str(line).unwrap();
            assert_eq!(record.outcome, TrialOutcome::Ok, "{line}");
        }
    }
}
