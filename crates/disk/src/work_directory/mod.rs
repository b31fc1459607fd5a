//! The directory that Syncline works in: made fresh, marked as its own, held while it is used, removed at the end.
//!
//! Syncline never touches what it did not make. A directory is Syncline's only if the marker file in it begins with
//! Syncline's line; the name proves nothing. It is in use while somebody holds the marker's flock, which the kernel
//! releases when its holder ends, however it ends. On a network file system other hosts may not see that lock
//! (`local_lock` in nfs(5), `localflock` in mount.lustre(8)): there a directory is left to the host that made it. A
//! directory whose maker was killed before that line was written is removed too, as long as nothing is in it.

mod directory;
mod error;
mod marker;
mod removal;
mod unfinished;

pub use error::WorkDirectoryError;

use crate::failure::Failure;
use crate::kernel::mounts::{Mount, mount_of};
use marker::Marker;
use model::medium::{Medium, Veil, of_names};
use rustix::fd::OwnedFd;
use rustix::fs::Access;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Beginning of every work directory's name.
pub const NAME_PREFIX: &str = ".syncline-work-";

/// The random part of a work directory's name, by which what lives elsewhere is named.
pub fn id(work_directory: &Path) -> &str {
    let name = work_directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix(NAME_PREFIX).unwrap_or(name)
}

/// Names that are tried before giving up; each collides only if a cleaner takes it for abandoned.
const ATTEMPTS: usize = 8;

/// What was done about the directories that killed processes left.
#[derive(Debug, Default)]
pub struct Cleared {
    /// Those that are gone.
    pub removed: Vec<PathBuf>,
    /// Those that are still there, all or part of each, and why. Nothing needs them to be gone.
    pub left: Vec<(PathBuf, WorkDirectoryError)>,
}

/// Syncline's own directory, held by flock as long as this value lives; removed when it is dropped.
#[derive(Debug)]
pub struct WorkDirectory {
    path: PathBuf,
    /// Until it is removed.
    marker: Option<Marker>,
    /// Kept so that it can be removed although everything else that the process may open is open.
    descriptors: Vec<OwnedFd>,
}

impl WorkDirectory {
    /// Makes a fresh directory below `parent`, marks it and holds it.
    pub fn create(parent: &Path) -> Result<Self, WorkDirectoryError> {
        let parent = check_parent(parent)?;
        for _ in 0..ATTEMPTS {
            let path = tempfile::Builder::new()
                .prefix(NAME_PREFIX)
                .rand_bytes(12)
                // A server that must not run as root (PostgreSQL) has its own directory inside.
                .permissions(Permissions::from_mode(0o755))
                .tempdir_in(&parent)
                .map_err(Failure::on("create a directory in", &parent))?
                .keep();
            let held = Marker::create(&path).and_then(|marker| {
                let descriptors =
                    marker.as_ref().map(|marker| marker.spare_descriptors(&path)).transpose()?;
                Ok(marker.zip(descriptors))
            });
            match held {
                Ok(Some((marker, descriptors))) => {
                    return Ok(Self { path, marker: Some(marker), descriptors });
                }
                Ok(None) => {}
                Err(error) => {
                    // Whatever kept it from being marked keeps it from being opened: it goes by its name, and holds the
                    // marker at most.
                    let _ = std::fs::remove_file(path.join(marker::NAME));
                    let _ = std::fs::remove_dir(&path);
                    return Err(error);
                }
            }
        }
        Err(Failure::on("hold a new directory in", &parent)(rustix::io::Errno::AGAIN).into())
    }

    /// Where it is, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The random part of its name: [`id()`].
    pub fn id(&self) -> &str {
        id(&self.path)
    }

    /// Removes it and all that is in it. Symbolic links are removed, never followed; loop file systems of Syncline
    /// inside are unmounted; if there is another mount nothing is removed, and that is an error.
    pub fn remove(mut self) -> Result<(), WorkDirectoryError> {
        self.remove_now()
    }

    fn remove_now(&mut self) -> Result<(), WorkDirectoryError> {
        self.descriptors.clear();
        self.marker.take().map_or(Ok(()), |marker| removal::remove_held(&self.path, marker))
    }

    /// Removes the work directories below `parent` that nobody holds: their processes were killed. Anybody can plant a
    /// marked directory in a directory that users share, so only those of the current user are removed, nothing is
    /// where anything else is mounted, and one that cannot be removed is reported and does not stop the run. Without
    /// Syncline's marker, only a directory is touched that has Syncline's prefix, belongs to the current user, has not
    /// changed for ten seconds, and is empty or holds nothing but an empty, unlocked marker.
    pub fn clean_abandoned(parent: &Path) -> Result<Cleared, WorkDirectoryError> {
        Self::clean_abandoned_after(parent, |_| {})
    }

    /// The same, and does something with each directory before anything of it is removed.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub fn clean_abandoned_after(
        parent: &Path,
        before: impl FnMut(&Path),
    ) -> Result<Cleared, WorkDirectoryError> {
        let parent = check_parent(parent)?;
        let is_shared = is_shared(&parent);
        Self::clean(&parent, is_shared, before)
    }

    /// The same, but of those that this host made: processes of other hosts work there at the same time, on any file
    /// system.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub fn clean_abandoned_of_this_host(parent: &Path) -> Result<Cleared, WorkDirectoryError> {
        Self::clean_abandoned_of_this_host_after(parent, |_| {})
    }

    /// The same, and does something with each directory before anything of it is removed.
    ///
    /// # Errors
    /// If the directory cannot be listed.
    pub fn clean_abandoned_of_this_host_after(
        parent: &Path,
        before: impl FnMut(&Path),
    ) -> Result<Cleared, WorkDirectoryError> {
        let mut cleared = Self::clean(&check_parent(parent)?, true, before)?;
        cleared.left.retain(|(_, why)| !matches!(why, WorkDirectoryError::OtherHost { .. }));
        Ok(cleared)
    }

    fn clean(
        parent: &Path,
        is_shared: bool,
        mut before: impl FnMut(&Path),
    ) -> Result<Cleared, WorkDirectoryError> {
        let entries = std::fs::read_dir(parent).map_err(Failure::on("list", parent))?;
        let mut cleared = Cleared::default();
        for entry in entries {
            let path = entry.map_err(Failure::on("list", parent))?.path();
            let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME_PREFIX));
            if !named {
                continue;
            }
            match remove_abandoned(&path, is_shared, &mut before) {
                Ok(true) => cleared.removed.push(path),
                Ok(false) => {}
                Err(error) => cleared.left.push((path, error)),
            }
        }
        Ok(cleared)
    }
}

/// Whether other hosts may have work directories there, and may not see each other's locks.
fn is_shared(parent: &Path) -> bool {
    let is_network = |mount: Mount| {
        matches!(of_names(&mount.filesystem, None, None), Medium::Unseen { veil: Veil::Network, .. })
    };
    mount_of(parent).map_or(true, is_network)
}

/// Removes a directory that nobody holds. `false` if somebody does, or it is not Syncline's.
fn remove_abandoned(
    path: &Path,
    is_shared: bool,
    mut before: impl FnMut(&Path),
) -> Result<bool, WorkDirectoryError> {
    let Some(marker) = Marker::take_abandoned(path)? else { return unfinished::remove(path) };
    if let Some(owner) = marker.foreign_owner(path).map_err(Failure::on("read the owner of", path))? {
        return Err(WorkDirectoryError::OtherUser { path: path.to_owned(), owner });
    }
    let host = marker.host().map_err(Failure::on("read the marker of", path))?;
    if is_shared && host.as_deref() != Some(&*marker::this_host()) {
        let host = host.unwrap_or_else(|| "another host".to_owned());
        return Err(WorkDirectoryError::OtherHost { path: path.to_owned(), host });
    }
    before(path);
    removal::remove_held(path, marker)?;
    Ok(true)
}

impl Drop for WorkDirectory {
    fn drop(&mut self) {
        // Nothing can be reported from here; what stays behind carries the marker and is cleaned by the next run.
        let _ = self.remove_now();
    }
}

/// Refuses to work in a directory that does not carry Syncline's marker: what a worker process checks of the path that
/// it is given.
pub fn require_marked(path: &Path) -> Result<(), WorkDirectoryError> {
    if Marker::is_in(path)? { Ok(()) } else { Err(WorkDirectoryError::NotOurs { path: path.to_owned() }) }
}

/// Refuses to make or change a file that is not inside a work directory: no caller's mistake reaches a user's file.
pub fn require_inside(path: &Path) -> Result<(), WorkDirectoryError> {
    for directory in path.ancestors().skip(1) {
        if Marker::is_in(directory)? {
            return Ok(());
        }
    }
    Err(WorkDirectoryError::NotOurs { path: path.parent().unwrap_or(path).to_owned() })
}

fn check_parent(parent: &Path) -> Result<PathBuf, WorkDirectoryError> {
    let path = || parent.to_owned();
    let resolved = match std::fs::canonicalize(parent) {
        Ok(resolved) => resolved,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(WorkDirectoryError::Missing { path: path() });
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(WorkDirectoryError::NotADirectory { path: path() });
        }
        Err(error) => return Err(Failure::on("resolve", parent)(error).into()),
    };
    if !resolved.is_dir() {
        return Err(WorkDirectoryError::NotADirectory { path: path() });
    }
    match rustix::fs::access(&resolved, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Ok(resolved),
        Err(errno) => Err(WorkDirectoryError::NotWritable { path: path(), source: errno.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each host's lock was invisible to the other one, and each removed the other's files below a running worker.
    #[test]
    fn on_a_shared_volume_a_directory_is_left_to_the_host_that_made_it() {
        let parent = tempfile::tempdir().expect("made");
        let work = WorkDirectory::create(parent.path()).expect("made");
        let text = std::fs::read_to_string(work.path().join(marker::NAME)).expect("readable");
        let own = format!("host {}\n", marker::this_host());
        assert!(text.lines().any(|line| line == own.trim_end()), "{text}");
        for (name, host) in [("own", own.as_str()), ("other", "host elsewhere\n"), ("unknown", "")] {
            let directory = parent.path().join(format!("{NAME_PREFIX}{name}"));
            std::fs::create_dir(&directory).expect("made");
            std::fs::write(directory.join(marker::NAME), text.replace(&own, host)).expect("written");
        }
        let cleared = WorkDirectory::clean(parent.path(), true, |_| {}).expect("listed");
        assert_eq!(cleared.removed, [parent.path().join(format!("{NAME_PREFIX}own"))]);
        let is_of_other = |(_, why): &(_, _)| matches!(why, WorkDirectoryError::OtherHost { .. });
        assert_eq!(cleared.left.iter().filter(|left| is_of_other(left)).count(), 2, "{:?}", cleared.left);
        let of_this_host = WorkDirectory::clean_abandoned_of_this_host(parent.path()).expect("listed");
        assert!(of_this_host.removed.is_empty() && of_this_host.left.is_empty(), "{of_this_host:?}");
        assert_eq!(WorkDirectory::clean(parent.path(), false, |_| {}).expect("listed").removed.len(), 2);
        assert!(work.path().exists());
    }
}
