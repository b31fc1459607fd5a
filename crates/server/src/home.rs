//! Where a server's files are: its data, which may be on a disk under test, and what must not be there.

use crate::ServerError;
use disk::kernel::child::Account;
use disk::tree::{self, Blocks};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, File, Permissions};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The name of a home's directory for temporary files: this and letters.
const PREFIX: &str = "syncline-server-";

/// Directories that are made before giving up; each is lost only to a start that takes it for abandoned.
const ATTEMPTS: u32 = 100;
/// The server's own directory for its socket and temporary files. The directory around it is the caller's, so that the
/// server's user cannot make links where the caller writes.
const OWN: &str = "run";

/// A server's files.
#[derive(Debug)]
pub struct Home {
    data: PathBuf,
    around: tempfile::TempDir,
    /// The directory itself, locked for as long as the home is used: by that a later start knows that it is not
    /// abandoned.
    _lock: File,
    port: u16,
    account: Option<Account>,
}

impl Home {
    /// A home whose data directory is `data`, which is made if it is not there. Sockets and logs are in a directory of
    /// their own below the system's directory for temporary files: a socket's path has 107 bytes at most (unix(7)).
    pub fn new(data: &Path) -> Result<Self, ServerError> {
        let account = account()?;
        let (around, lock) = locked_directory(&std::env::temp_dir())?;
        let run = around.path().join(OWN);
        fs::create_dir(&run).map_err(ServerError::on("make", &run))?;
        tree::own(&run, account)?;
        let home = Self { data: data.to_owned(), around, _lock: lock, port: free_port()?, account };
        if !data.exists() {
            fs::create_dir(data).map_err(ServerError::on("make", data))?;
            fs::set_permissions(data, Permissions::from_mode(0o700))
                .map_err(ServerError::on("set the permissions of", data))?;
            tree::own(data, account)?;
        }
        Ok(home)
    }

    /// Removes what homes of killed processes left behind: those of this user whose lock nobody holds.
    pub fn clean_abandoned() -> Result<(), ServerError> {
        let temporary = std::env::temp_dir();
        remove_abandoned(&temporary).map_err(ServerError::on("list", &temporary))
    }

    /// Makes a data directory that is a copy of another one, in the place of whatever is there. No server runs on
    /// either.
    pub fn copy(original: &Path, data: &Path, blocks: Blocks) -> Result<(), ServerError> {
        tree::remove_tree(data)?;
        Ok(tree::copy_tree(original, data, account()?, blocks)?)
    }

    /// Ends the home, and leaves its data directory to be copied by its maker, whom it is then given to: its server
    /// has closed it to others.
    pub fn keep(self) -> Result<(), ServerError> {
        let maker =
            Account { user: rustix::process::geteuid().as_raw(), group: rustix::process::getegid().as_raw() };
        Ok(tree::own(&self.data, self.account.map(|_| maker))?)
    }

    /// The directory that the server keeps its files in.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The same home with its data elsewhere: a copy that another disk holds.
    pub fn moved(&mut self, data: &Path) {
        data.clone_into(&mut self.data);
    }

    /// Where its socket is.
    pub fn socket(&self) -> PathBuf {
        self.run().join("socket")
    }

    /// What it writes to its standard streams.
    pub fn log(&self) -> PathBuf {
        self.around.path().join("log")
    }

    /// The server's directory for what must not be on the disk under test.
    pub fn run(&self) -> PathBuf {
        self.around.path().join(OWN)
    }

    /// The caller's, which the server only reads.
    pub(crate) fn around(&self) -> &Path {
        self.around.path()
    }

    /// A port of loopback that nobody had when the home was made.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whom its programs run as, if not as the caller.
    pub(crate) fn account(&self) -> Option<Account> {
        self.account
    }
}

fn remove_abandoned(temporary: &Path) -> io::Result<()> {
    for entry in fs::read_dir(temporary)?.flatten() {
        let path = entry.path();
        let is_home = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let is_ours = entry
            .metadata()
            .is_ok_and(|facts| facts.is_dir() && facts.uid() == rustix::process::geteuid().as_raw());
        // Held until the directory is gone, so that a maker that locks it later finds it removed.
        let Some(_lock) = (is_home && is_ours).then(|| lock(&path).ok().flatten()).flatten() else {
            continue;
        };
        // Another start may have removed it meanwhile.
        let _ = fs::remove_dir_all(&path);
    }
    Ok(())
}

/// A new directory and its lock. Until it is locked a start may take it for abandoned and remove it; another is made
/// then.
fn locked_directory(temporary: &Path) -> Result<(tempfile::TempDir, File), ServerError> {
    for _ in 0..ATTEMPTS {
        let around = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in(temporary)
            .map_err(ServerError::on("make a directory in", temporary))?;
        match lock(around.path()) {
            Ok(Some(lock)) => return Ok((around, lock)),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ServerError::on("lock", around.path())(error)),
        }
    }
    let taken = io::Error::other(format!("{ATTEMPTS} new directories were each removed by other starts"));
    Err(ServerError::on("make a directory in", temporary)(taken))
}

/// Locks a directory. `None` if somebody else has it, or removed it before it was locked.
fn lock(directory: &Path) -> io::Result<Option<File>> {
    let handle = File::open(directory)?;
    match flock(&handle, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok((handle.metadata()?.nlink() > 0).then_some(handle)),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// Requires that the user whom the server of this title runs as reaches a directory.
pub fn require_place(title: &str, directory: &Path) -> Result<(), ServerError> {
    let reached = postgresql::Cluster::require_place(directory);
    reached
        .and_then(|()| postgresql::Cluster::require_place(&std::env::temp_dir()))
        .map_err(|why| ServerError::Unsupported(why.about(title).to_string()))
}

/// Whom the servers of root run as.
pub(crate) fn account() -> Result<Option<Account>, ServerError> {
    postgresql::server_account().map_err(|why| ServerError::Unsupported(why.to_string()))
}

/// Writes a file that the server's user may read and not change.
pub(crate) fn write_readable(path: &Path, text: &str) -> Result<(), ServerError> {
    fs::write(path, text).map_err(ServerError::on("write", path))?;
    fs::set_permissions(path, Permissions::from_mode(0o644))
        .map_err(ServerError::on("set the permissions of", path))
}

fn free_port() -> Result<u16, ServerError> {
    let loopback = Path::new("127.0.0.1:0");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(ServerError::on("listen on", loopback))?;
    Ok(listener.local_addr().map_err(ServerError::on("listen on", loopback))?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_however_far_its_maker_came() {
        let temporary = tempfile::tempdir().unwrap();
        let killed_at_once = temporary.path().join("syncline-server-a");
        let killed_later = temporary.path().join("syncline-server-b");
        let other = temporary.path().join("another-program");
        for directory in [&killed_at_once, &killed_later.join(OWN), &other] {
            fs::create_dir_all(directory).unwrap();
        }
        let (held, _lock) = locked_directory(temporary.path()).unwrap();
        remove_abandoned(temporary.path()).unwrap();
        assert_eq!((killed_at_once.exists(), killed_later.exists()), (false, false));
        assert_eq!((held.path().exists(), other.exists()), (true, true));
    }

    #[test]
    fn a_start_removes_no_home_that_is_being_made() {
        let temporary = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let makers: Vec<_> = (0..2)
                .map(|_| {
                    scope.spawn(|| {
                        (0..500)
                            .filter(|_| !locked_directory(temporary.path()).unwrap().0.path().exists())
                            .count()
                    })
                })
                .collect();
            while !makers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                remove_abandoned(temporary.path()).unwrap();
            }
            for maker in makers {
                assert_eq!(maker.join().unwrap(), 0, "homes that are gone");
            }
        });
    }
}
