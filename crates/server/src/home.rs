//! Where a server's files are: its data, which may be on a disk under test, and what must not be there.

use crate::ServerError;
use disk::kernel::child::Account;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

/// The name of a home's directory for temporary files: this, the process that made it, and letters.
const PREFIX: &str = "syncline-server-";

/// A server's files.
#[derive(Debug)]
pub struct Home {
    data: PathBuf,
    run: tempfile::TempDir,
    port: u16,
    account: Option<Account>,
}

impl Home {
    /// A home whose data directory is `data`, which is made if it is not there. Sockets and logs are in a directory of
    /// their own below the system's directory for temporary files: a socket's path has 107 bytes at most (unix(7)).
    pub fn new(data: &Path) -> Result<Self, ServerError> {
        let account = account()?;
        let temporary = std::env::temp_dir();
        let run = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .permissions(Permissions::from_mode(0o755))
            .tempdir()
            .map_err(ServerError::on("make a directory in", &temporary))?;
        own(run.path(), account)?;
        let home = Self { data: data.to_owned(), run, port: free_port()?, account };
        if !data.exists() {
            fs::create_dir(data).map_err(ServerError::on("make", data))?;
            fs::set_permissions(data, Permissions::from_mode(0o700))
                .map_err(ServerError::on("set the permissions of", data))?;
            own(data, account)?;
        }
        Ok(home)
    }

    /// Removes what homes of killed processes left behind. A directory of another user stays.
    pub fn clean_abandoned() -> Result<(), ServerError> {
        let temporary = std::env::temp_dir();
        let owners = [Some(rustix::process::geteuid().as_raw()), account()?.map(|account| account.user)];
        for entry in fs::read_dir(&temporary).map_err(ServerError::on("list", &temporary))?.flatten() {
            let name = entry.file_name();
            let pid = name
                .to_str()
                .and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
            let Some(pid) = pid.filter(|pid| !Path::new("/proc").join(pid.to_string()).exists()) else {
                continue;
            };
            let path = entry.path();
            let is_ours =
                entry.metadata().is_ok_and(|facts| facts.is_dir() && owners.contains(&Some(facts.uid())));
            if is_ours && pid > 0 {
                fs::remove_dir_all(&path).map_err(ServerError::on("remove", &path))?;
            }
        }
        Ok(())
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
        self.run.path().join("socket")
    }

    /// What it writes to its standard streams.
    pub fn log(&self) -> PathBuf {
        self.run.path().join("log")
    }

    /// A directory for what must not be on the disk under test.
    pub fn run(&self) -> &Path {
        self.run.path()
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

/// Requires that the user whom servers run as reaches a directory.
pub fn require_place(directory: &Path) -> Result<(), ServerError> {
    postgresql::Cluster::require_place(directory).map_err(|why| ServerError::Unsupported(why.to_string()))
}

/// Whom the servers of root run as.
pub(crate) fn account() -> Result<Option<Account>, ServerError> {
    postgresql::server_account().map_err(|why| ServerError::Unsupported(why.to_string()))
}

pub(crate) fn own(path: &Path, account: Option<Account>) -> Result<(), ServerError> {
    let Some(account) = account else { return Ok(()) };
    lchown(path, Some(account.user), Some(account.group)).map_err(ServerError::on("give away", path))
}

fn free_port() -> Result<u16, ServerError> {
    let loopback = Path::new("127.0.0.1:0");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(ServerError::on("listen on", loopback))?;
    Ok(listener.local_addr().map_err(ServerError::on("listen on", loopback))?.port())
}
