//! What must not be certified, done for real: syncs that are skipped, a disk that is a program's, a flag that says that
//! no flush is needed, and a limit of a control group.

use crate::laboratory;

use ::lab::run_directory::RunFiles;
use laboratory::{Laboratory, text};
use model::host::{LimitOf, Placement};
use model::medium::{Medium, Veil, WriteCache};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use verdict::Status;

/// Answers all but one of `KEEP_EVERY` calls of fdatasync by itself.
const SKIPS: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
static atomic_uint calls;
int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return atomic_fetch_add(&calls, 1) % KEEP_EVERY ? 0 : real(fd);
}
"#;

fn skipping_library(directory: &Path, keep_every: u32) -> Option<PathBuf> {
    let (source, library) = (directory.join("skip.c"), directory.join(format!("skip{keep_every}.so")));
    fs::write(&source, SKIPS).unwrap();
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", &format!("-DKEEP_EVERY={keep_every}"), "-o"])
        .args([&library, &source])
        .arg("-ldl");
    compiler.status().is_ok_and(|status| status.success()).then_some(library)
}

/// The audit `sync-too-fast` of commits of this many threads, with this library loaded first.
fn of_syncs(committers: u32, library: Option<&Path>) -> Status {
    let lab = Laboratory::new();
    let study = laboratory::STUDY
        .replace(
            "mode = [\"buffered\", \"direct\"]",
            &format!("mode = [\"buffered\"]\ncommitters = [{committers}]"),
        )
        .replace("read_depth = 4\nreads_per_commit = 2", "read_depth = 0\nioengine = \"psync\"")
        .replace("groups = 40", "groups = 400")
        .replace("compare = \"mode\"", "across = \"committers\"");
    fs::write(lab.path().join("syncs.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "syncs.toml", "--dir", "disk", "--out", "run", "--rounds", "1"]);
    command.args(laboratory::WITHOUT_WAITING).args(["--interleave", "off"]);
    command.envs(library.map(|library| ("LD_PRELOAD", library)));
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let files = RunFiles::open(&lab.run_directory()).unwrap();
    let audits = verdict::analyse(&files.run().unwrap(), &|key| files.sidecar(key)).studies.remove(0).audits;
    audits.into_iter().find(|audit| audit.name == "sync-too-fast").unwrap().status
}

/// With several threads that share flushes, half or three quarters of the syncs could be skipped and every audit
/// passed.
#[test]
fn skipped_syncs_are_found_however_many_threads_share_flushes() {
    let directory = tempfile::tempdir().unwrap();
    for committers in [1, 4, 8] {
        assert_eq!(of_syncs(committers, None), Status::Pass, "{committers} honest committers");
        for keep_every in [2, 4] {
            let Some(library) = skipping_library(directory.path(), keep_every) else {
                skip::because("no C compiler");
                return;
            };
            let found = of_syncs(committers, Some(&library));
            assert_eq!(found, Status::Fail, "{committers} committers, one sync of {keep_every}");
        }
    }
}

/// What `syncline doctor` reports of a place.
fn placement_of(command: &mut Command) -> Placement {
    let output = command.output().unwrap();
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", text(&output)));
    serde_json::from_value(document["placement"].clone()).unwrap()
}

/// A mounted place; unmounted with this value.
struct Mounted(PathBuf);

impl Mounted {
    /// `None` if the program is missing or the mount is refused.
    fn by(program: &str, arguments: &[&str], point: &Path) -> Option<Self> {
        fs::create_dir_all(point).unwrap();
        let done = Command::new(program).args(arguments).arg(point).output().ok()?;
        done.status.success().then(|| Self(point.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

/// An image of this size with an ext4, if that can be made and mounted here.
fn image(path: &Path, bytes: u64) -> Option<&str> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    fs::File::create(path).and_then(|file| file.set_len(bytes)).ok()?;
    let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(path).output().ok()?;
    made.status.success().then_some(path.to_str()?)
}

/// ext4 on a loop device whose file a program serves was a block device, "good durable commits" and "fit for etcd".
#[test]
fn a_loop_device_over_fuse_is_unseen() {
    let lab = Laboratory::new();
    let (served, inner) = (lab.path().join("served"), lab.path().join("inner"));
    let found = image(&lab.path().join("outer.img"), 192 << 20).and_then(|outer| {
        let fuse = Mounted::by("fuse2fs", &["-o", "rw,fakeroot", outer], &served)?;
        let nested = image(&served.join("nested.img"), 64 << 20)?.to_owned();
        let on_loop = Mounted::by("mount", &["-t", "ext4", "-o", "loop", &nested], &inner)?;
        let placement = placement_of(&mut lab.syncline(&["doctor", "--dir", "inner", "--format", "json"]));
        drop((on_loop, fuse));
        Some(placement)
    });
    let Some(placement) = found else {
        skip::because("a loop device over FUSE needs root, mkfs.ext4 and fuse2fs");
        return;
    };
    let medium = placement.medium();
    assert!(matches!(medium, Medium::Unseen { veil: Veil::Program, .. }), "{medium:?}");
    assert!(matches!(placement.volatile_cache(), WriteCache::Unproven(_)), "{placement:?}");
}

/// `write through` in the flag of a loop device gave 22,000 commits/s with no flush, "good flushes 0".
#[test]
fn the_flag_of_a_loop_device_is_no_evidence() {
    let lab = Laboratory::new();
    let point = lab.path().join("looped");
    let mounted = image(&lab.path().join("plain.img"), 64 << 20)
        .and_then(|image| Mounted::by("mount", &["-t", "ext4", "-o", "loop", image], &point));
    let Some(mounted) = mounted else {
        skip::because("a loop device needs root and mkfs.ext4");
        return;
    };
    let placement = || placement_of(&mut lab.syncline(&["doctor", "--dir", "looped", "--format", "json"]));
    let honest = placement();
    let device = honest.device.value().unwrap().clone();
    fs::write(format!("/sys/block/{device}/queue/write_cache"), "write through").unwrap();
    let flagged = placement();
    fs::write(format!("/sys/block/{device}/queue/write_cache"), "write back").unwrap();
    drop(mounted);
    assert!(!matches!(honest.volatile_cache(), WriteCache::Absent(_)), "{honest:?}");
    assert!(matches!(flagged.volatile_cache(), WriteCache::Hidden(_)), "{flagged:?}");
}

/// A control group with a limit of writes; removed with this value.
struct Limited(PathBuf);

impl Limited {
    fn create(device: &str, bytes_per_s: u64) -> Option<Self> {
        let number = fs::read_to_string(format!("/sys/class/block/{device}/dev")).ok()?;
        let group = PathBuf::from(format!("/sys/fs/cgroup/blkio/syncline-test-{}", std::process::id()));
        fs::create_dir(&group).ok()?;
        let limited = Self(group);
        let line = format!("{} {bytes_per_s}", number.trim());
        fs::write(limited.0.join("blkio.throttle.write_bps_device"), line).ok()?;
        Some(limited)
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        // A directory of a control group goes when nobody is in it.
        let _ = fs::remove_dir(&self.0);
    }
}

/// A limit that was there from the start was named nowhere: the figures were the limit's.
#[test]
fn a_limit_of_a_control_group_is_recorded() {
    let lab = Laboratory::new();
    let free = placement_of(&mut lab.syncline(&["doctor", "--dir", "disk", "--format", "json"]));
    let device = free.device.value().cloned().unwrap_or_default();
    let Some(limited) = Limited::create(&device, 500 << 20) else {
        skip::because(
            "a control group with a limit of I/O needs root, the v1 controller blkio and a whole disk",
        );
        return;
    };
    let enter = "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"";
    let mut command = Command::new("sh");
    command.arg("-c").arg(enter).arg(&limited.0).arg(env!("CARGO_BIN_EXE_syncline"));
    command.args(["doctor", "--dir", "disk", "--format", "json"]).current_dir(lab.path());
    let limits = placement_of(&mut command).io_limits.unwrap_or_default();
    let expected =
        |limit: &model::host::IoLimit| (limit.of, limit.per_s) == (LimitOf::BytesWritten, 500 << 20);
    assert!(limits.iter().any(expected), "{limits:?}");
}
