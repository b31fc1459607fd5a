//! Syncline's own control groups, and the one that limits memory. Like a work directory a group is held by flock, so
//! that what a killed process leaves behind can be distinguished from what is in use.

use super::hierarchy::{self, Parent, Version};
use super::{CapError, systemd};
use crate::failure::Failure;
use model::mechanism::Measured;
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Beginning of every group's name.
pub(super) const NAME_PREFIX: &str = "syncline-";
/// The kernel takes a moment to let go of processes that have ended.
const REMOVE_ATTEMPTS: u32 = 50;
const REMOVE_PAUSE: Duration = Duration::from_millis(10);

/// A group of Syncline, held as long as this value lives; removed when it is dropped.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
    version: Version,
    /// Its flock says that the group is in use.
    _held: OwnedFd,
    removed: bool,
}

impl Group {
    /// Makes the group `syncline-<id>` in `parent` and limits it. `controller` is the name in v2 of what limits it.
    pub(super) fn create_in(
        parent: &Parent,
        controller: &str,
        id: &str,
        limit: impl FnOnce(&Path, Version) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let path = parent.directory.join(format!("{NAME_PREFIX}{id}"));
        if parent.version == Version::V2 {
            hand_on(&parent.directory, controller)?;
        }
        std::fs::create_dir(&path).map_err(Failure::on("create the control group", &path))?;
        let made = hold(&path).and_then(|held| {
            limit(&path, parent.version)?;
            Ok(Self { path: path.clone(), version: parent.version, _held: held, removed: false })
        });
        if made.is_err() {
            // Best effort: what matters is the error that is being reported.
            let _ = std::fs::remove_dir(&path);
        }
        made
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// Its processes must have ended; waits half a second for them to be gone.
    pub(super) fn remove_now(&mut self) -> Result<(), Failure> {
        if !self.removed {
            remove_directory(&self.path)?;
            self.removed = true;
        }
        Ok(())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nothing can be reported from here; an empty group that is left behind is removed by the next run.
        let _ = self.remove_now();
    }
}

/// A group with a limit on memory, held as long as this value lives; removed when it is dropped.
#[derive(Debug)]
pub struct MemoryGroup(Group);

impl MemoryGroup {
    /// Makes the group `syncline-<id>` with a limit on memory, page cache included, and no swap. `id` is that of the
    /// work directory, and a number where a run needs several.
    ///
    /// # Errors
    /// [`CapError::OnlySystemdRun`] or [`CapError::Unavailable`] with the reason.
    pub fn create(id: &str, limit_bytes: u64) -> Result<Self, CapError> {
        let mut reasons = Vec::new();
        for parent in hierarchy::parents()? {
            let limit = |path: &Path, version| limit(path, version, limit_bytes);
            match Group::create_in(&parent, "memory", id, limit) {
                Ok(group) => return Ok(Self(group)),
                Err(failure) => reasons.push(failure.to_string()),
            }
        }
        if reasons.is_empty() {
            reasons.push("no cgroup hierarchy with memory is mounted".to_owned());
        }
        let why = reasons.join("; ");
        Err(if systemd::is_available() {
            CapError::OnlySystemdRun { why }
        } else {
            CapError::Unavailable { why }
        })
    }

    /// The group's directory: what a worker is given to [`enter`].
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// How many of the group's processes the kernel has killed because the limit left them no memory. v1 has counted
    /// them since Linux 4.13.
    pub fn processes_killed(&self) -> Measured<u64> {
        let path = self.path().join(match self.version() {
            Version::V2 => "memory.events",
            Version::V1 => "memory.oom_control",
        });
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => return Measured::unsupported(Failure::on("read", &path)(error).to_string()),
        };
        match text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok()) {
            Some(processes) => Measured::Value(processes),
            None => Measured::unsupported(format!("{} has no line oom_kill", path.display())),
        }
    }

    /// Removes the group. Its processes must have ended; waits half a second for them to be gone.
    pub fn remove(mut self) -> Result<(), CapError> {
        Ok(self.0.remove_now()?)
    }

    pub(super) fn version(&self) -> Version {
        self.0.version()
    }
}

/// Moves the calling process, all its threads, into a group that [`MemoryGroup::create`] or
/// [`super::IoGroup::create`] made. What it has allocated before stays charged where it was.
pub fn enter(group: &Path) -> Result<(), CapError> {
    Ok(write(&group.join("cgroup.procs"), &std::process::id().to_string())?)
}

/// Removes groups of Syncline that nobody holds and that have no processes. Returns what was removed.
pub fn remove_abandoned() -> Result<Vec<PathBuf>, CapError> {
    let mut removed = Vec::new();
    for controller in ["memory", "cpuacct", "blkio"] {
        for parent in hierarchy::parents_of(controller)? {
            for path in groups_in(&parent.directory) {
                if hold(&path).is_ok() && remove_empty(&path).is_ok() {
                    removed.push(path);
                }
            }
        }
    }
    Ok(removed)
}

/// Groups of Syncline in a group.
fn groups_in(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let ours = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME_PREFIX)) && path.is_dir()
    };
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(ours).collect()
}

/// Removes a group and what a killed worker's server left in it. rmdir succeeds only when no process is inside.
fn remove_empty(path: &Path) -> std::io::Result<()> {
    groups_in(path).iter().try_for_each(|inside| remove_empty(inside))?;
    std::fs::remove_dir(path)
}

/// Lets children of a v2 group have limits of their own from this controller. The kernel refuses where processes are in
/// it.
fn hand_on(directory: &Path, controller: &str) -> Result<(), Failure> {
    let control = directory.join("cgroup.subtree_control");
    let is_in = |path: &Path| -> Result<bool, Failure> {
        let text = std::fs::read_to_string(path).map_err(Failure::on("read", path))?;
        Ok(text.split_whitespace().any(|word| word == controller))
    };
    if is_in(&control)? {
        return Ok(());
    }
    if !is_in(&directory.join("cgroup.controllers"))? {
        return Err(Failure::on("hand a controller on that is not in", directory)(Errno::OPNOTSUPP));
    }
    write(&control, &format!("+{controller}"))
}

pub(super) fn hold(path: &Path) -> Result<OwnedFd, Failure> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(Failure::on("open", path))?;
    rustix::fs::flock(&handle, FlockOperation::NonBlockingLockExclusive)
        .map_err(Failure::on("lock", path))?;
    Ok(handle)
}

fn limit(group: &Path, version: Version, bytes: u64) -> Result<(), Failure> {
    let bytes = bytes.to_string();
    match version {
        Version::V2 => {
            write(&group.join("memory.max"), &bytes)?;
            write_if_there(&group.join("memory.swap.max"), "0")
        }
        Version::V1 => {
            write(&group.join("memory.limit_in_bytes"), &bytes)?;
            // Memory and swap together: no more than memory alone, so no swap.
            write_if_there(&group.join("memory.memsw.limit_in_bytes"), &bytes)
        }
    }
}

/// Kernels without swap accounting lack the file.
fn write_if_there(path: &Path, content: &str) -> Result<(), Failure> {
    if path.exists() { write(path, content) } else { Ok(()) }
}

pub(super) fn write(path: &Path, content: &str) -> Result<(), Failure> {
    // Not `fs::write`, which would try to create a file that the kernel does not offer.
    let mut file = File::options().write(true).open(path).map_err(Failure::on("open", path))?;
    file.write_all(content.as_bytes()).map_err(Failure::on("write", path))
}

pub(super) fn remove_directory(path: &Path) -> Result<(), Failure> {
    for _ in 0..REMOVE_ATTEMPTS {
        match remove_empty(path) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => std::thread::sleep(REMOVE_PAUSE),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            other => return other.map_err(Failure::on("remove the control group", path)),
        }
    }
    Err(Failure::on("remove the control group, which still has processes,", path)(Errno::BUSY))
}
