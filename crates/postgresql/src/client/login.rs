//! Where a client connects, and as whom.

use crate::error::{PostgresqlError, told};
use crate::password;
use crate::server::{Server, USER};
use postgres::Config;
use postgres::config::Host;
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The database of a cluster of Syncline.
const DATABASE: &str = "postgres";
const PORT: u16 = 5432;

/// Where a client connects, and as whom.
#[derive(Clone, Copy, Debug)]
pub enum Login<'a> {
    /// A server of Syncline, as its only user.
    Own(&'a Server),
    /// A database of the user's server.
    Users(&'a UsersLogin),
}

/// A database of the user's server.
#[derive(Clone, Debug)]
pub struct UsersLogin {
    config: Config,
}

impl UsersLogin {
    /// The server of a connection string, and a database.
    ///
    /// # Errors
    /// It is not a connection string.
    pub fn new(dsn: &str, database: &str) -> Result<Self, PostgresqlError> {
        let config: Result<Config, _> = dsn.parse();
        let mut config = config.map_err(|error| PostgresqlError::Connect { why: told(&error) })?;
        if config.get_options().is_some() {
            let why = "options in the connection string are not supported here: leave them out".to_owned();
            return Err(PostgresqlError::Connect { why });
        }
        password::complete(&mut config);
        config.dbname(database);
        if config.get_user().is_none() {
            // As libpq does: the clients here name their user themselves.
            config.user(&user_of_process()?);
        }
        Ok(Self { config })
    }

    /// A server that trusts every process that reaches its Unix socket, which is in this directory.
    pub fn trusted(socket_directory: &Path, user: &str, database: &str) -> Self {
        let mut config = Config::new();
        config.host_path(socket_directory).user(user).dbname(database);
        Self { config }
    }

    /// Whether the server is on this machine, because it is reached by its Unix socket.
    pub fn is_local(&self) -> bool {
        let hosts = self.config.get_hosts();
        !hosts.is_empty() && hosts.iter().all(|host| matches!(host, Host::Unix(_)))
    }

    /// The same for the crate `postgres`, which reads answers.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The first host that answers. A socket of TCP is read and written as one of Unix is.
    fn connect(&self) -> io::Result<UnixStream> {
        let ports = self.config.get_ports();
        let mut last = io::Error::other("the connection string names no host");
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            let port = ports.get(index).or(ports.first()).copied().unwrap_or(PORT);
            let connected = match host {
                Host::Unix(path) => UnixStream::connect(path.join(format!(".s.PGSQL.{port}"))),
                Host::Tcp(name) => TcpStream::connect((name.as_str(), port)).and_then(|socket| {
                    // Each statement waits for its answer.
                    socket.set_nodelay(true)?;
                    Ok(UnixStream::from(OwnedFd::from(socket)))
                }),
            };
            match connected {
                Ok(socket) => return Ok(socket),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// The name of the user that this process runs as.
fn user_of_process() -> Result<String, PostgresqlError> {
    let id = rustix::process::geteuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let line = users.lines().find(|line| line.split(':').nth(2) == Some(id.as_str()));
    let name = line.and_then(|line| line.split(':').next()).map(str::to_owned);
    name.or_else(|| std::env::var("USER").ok()).ok_or_else(|| PostgresqlError::Connect {
        why: "the connection string names no user, and this process's has no name: add user=".to_owned(),
    })
}

impl Login<'_> {
    pub(super) fn socket(&self) -> io::Result<UnixStream> {
        match self {
            Self::Own(server) => UnixStream::connect(server.socket()),
            Self::Users(users) => users.connect(),
        }
    }

    pub(super) fn user(&self) -> &str {
        match self {
            Self::Own(_) => USER,
            Self::Users(users) => users.config.get_user().unwrap_or_default(),
        }
    }

    pub(super) fn database(&self) -> &str {
        match self {
            Self::Own(_) => DATABASE,
            Self::Users(users) => users.config.get_dbname().unwrap_or_default(),
        }
    }

    /// A server of Syncline trusts its socket's directory.
    pub(super) fn password(&self) -> Option<&[u8]> {
        match self {
            Self::Own(_) => None,
            Self::Users(users) => users.config.get_password(),
        }
    }
}
