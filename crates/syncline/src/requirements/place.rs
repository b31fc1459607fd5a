//! What the directory must be: one on a disk, and the disk that the run was begun on.

use crate::failure::Failure;
use model::host::Placement;
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::TrialRecord;
use model::{Configuration, FileSystem};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Trials of two disks are not replicates of each other.
pub(crate) fn require_same_disk(run: &Run, directory: &Path) -> Result<(), Failure> {
    let on_host = |record: &&TrialRecord| {
        let description = run.plan.description(&record.key);
        description.is_some_and(|description| description.filesystem == FileSystem::Host)
    };
    let mut measured = run.records.iter().filter(on_host);
    let Some(there) = measured.find_map(|record| record.measurement.as_ref()).map(|m| &m.placement) else {
        return Ok(());
    };
    let here = disk::placement::placement(directory);
    if here.filesystem == there.filesystem && here.device == there.device {
        return Ok(());
    }
    let device =
        |placement: &Placement| placement.device.value().cloned().unwrap_or_else(|| "no device".to_owned());
    Err(Failure::Runtime(format!(
        "this run began on {} ({}), but this directory is on {} ({}): use the --dir with which it began, or start a \
         new run",
        device(there),
        there.filesystem,
        device(&here),
        here.filesystem
    )))
}

/// A file system that only describes the kernel's state holds no data (`proc(5)`, `sysfs(5)`), and a device is not a
/// directory: said before anything is made there.
pub(crate) fn require_place(directory: &Path) -> Result<(), Failure> {
    // What is not there, or cannot be looked at, is reported by its user.
    let Ok(facts) = fs::metadata(directory) else { return Ok(()) };
    let shown = directory.display();
    if !facts.is_dir() {
        let kind = facts.file_type();
        let what =
            if kind.is_block_device() || kind.is_char_device() { "a device" } else { "not a directory" };
        return Err(Failure::Usage(format!(
            "--dir {shown}: it is {what}, but Syncline measures a disk through files that it creates: name a \
             directory on a file system of that disk"
        )));
    }
    let Ok(mount) = disk::kernel::mounts::mount_of(directory) else { return Ok(()) };
    if !HOLDS_NO_FILES.contains(&mount.filesystem.as_str()) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--dir {shown}: {} is a view of the kernel's state, not a file system for data: name a directory on a disk",
        mount.filesystem
    )))
}

/// The kernel's own file systems in which no file of a user's can be made. Those that hold files in memory are another
/// matter.
const HOLDS_NO_FILES: &[&str] = &[
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "efivarfs",
    "fusectl",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "sysfs",
    "tracefs",
];

/// Memory is not storage: what a commit costs there, and what survives, says nothing of any device. Only a scan of a
/// dataset elsewhere needs nothing of the directory; its target is looked at where it is listed.
pub(crate) fn require_storage(directory: &Path, plans: &[StudyPlan]) -> Result<(), Failure> {
    let is_elsewhere = |values: &Configuration| values.text("target").is_ok_and(|target| target != "none");
    let uses_directory = |plan: &StudyPlan| !plan.configurations.iter().all(is_elsewhere);
    if !plans.is_empty() && !plans.iter().any(uses_directory) {
        return Ok(());
    }
    match disk::medium::memory_below(directory) {
        None => Ok(()),
        Some(what) => Err(in_memory("--dir", &directory.display().to_string(), &what)),
    }
}

/// That a place is memory, and what to do.
pub(crate) fn in_memory(parameter: &str, place: &str, what: &str) -> Failure {
    Failure::Memory(format!(
        "{parameter} {place} is in memory ({what}): data there does not survive a power loss and is not read from a \
         device; choose a directory on a disk"
    ))
}
