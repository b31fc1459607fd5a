//! Where a server's files are: its data, which may be on a disk under test, and what must not be there.

use crate::ServerError;
use disk::kernel::child::Account;
use disk::tree::{self, Blocks};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The name of a home's directory for temporary files: this and letters.
const PREFIX: &str = "syncline-server-";

/// Held for as long as the home is used: by that a later start knows that it is not abandoned.
const LOCK: &str = "lock";
/// The server's own directory for its socket and temporary files. The directory around it is the caller's, so that the
/// server's user cannot make links where the caller writes.
const OWN: &str = "run";

/// A server's files.
#[derive(Debug)]
pub struct Home {
    data: PathBuf,
    around: tempfile::TempDir,
    _lock: File,
    port: u16,
    account: Option<Account>,
}

impl Home {
    /// A home whose data directory is `data`, which is made if it is not there. Sockets and logs are in a directory of
    /// their own below the system's directory for temporary files: a socket's path has 107 bytes at most (unix(7)).
    pub fn new(data: &Path) -> Result<Self, ServerError> {
        let account = account()?;
        let temporary = std::env::temp_dir();
        let around = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o755))
            .tempdir()
            .map_err(ServerError::on("make a directory in", &temporary))?;
        let path = around.path().join(LOCK);
        let lock = File::create_new(&path).map_err(ServerError::on("create", &path))?;
        flock(&lock, FlockOperation::LockExclusive)
            .map_err(|errno| ServerError::on("lock", &path)(errno.into()))?;
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
        for entry in fs::read_dir(&temporary).map_err(ServerError::on("list", &temporary))?.flatten() {
            let path = entry.path();
            let is_home = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
            let is_ours = entry
                .metadata()
                .is_ok_and(|facts| facts.is_dir() && facts.uid() == rustix::process::geteuid().as_raw());
            // One that is just being made has no lock yet.
            let Some(lock) = (is_home && is_ours).then(|| File::open(path.join(LOCK)).ok()).flatten() else {
                continue;
            };
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
                // Another start may have removed it meanwhile.
                let _ = fs::remove_dir_all(&path);
            }
        }
        Ok(())
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
