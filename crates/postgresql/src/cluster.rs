//! Syncline's own cluster in the work directory. One is initialised for a run and kept as a template. A trial takes over the
//! copy that the one before gave back ([`Server::give_back`]): emptied, its server ended in good order. Anything else is
//! replaced by a fresh copy, so that no trial finds what another left, however that ended.

use crate::account::{self, Unprivileged};
use crate::error::PostgresqlError;
use crate::installation::{Installation, last_line};
use crate::server::{Server, ServerFiles, USER};
use crate::tree::{copy_tree, own, remove_file, remove_tree};
use disk::kernel::child::{self, DeathSignal};
use disk::kernel::scheduling::private_shared_memory;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A server whose worker was killed ends in milliseconds, where other programs leave it a CPU and the disk.
const END_LIMIT: Duration = Duration::from_mins(1);
const END_PAUSE: Duration = Duration::from_millis(5);

/// What a server is started with, beside what keeps it to itself.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `shared_buffers`, in pages; PostgreSQL's default without.
    pub shared_buffers_pages: Option<u64>,
    /// `debug_io_direct = data`: direct I/O of tables (since PostgreSQL 16, a developer option).
    pub direct: bool,
}

/// A cluster of Syncline: programs, template and data below one directory of the work directory.
#[derive(Debug)]
pub struct Cluster {
    root: PathBuf,
    programs: PathBuf,
    user: Option<Unprivileged>,
}

impl Cluster {
    /// Makes what is not there yet, and a fresh copy of the template unless the last one was given back.
    pub fn prepare(parent: &Path, installation: &Installation) -> Result<Self, PostgresqlError> {
        let root = root(parent);
        let user = account::unprivileged()?;
        if let Some(user) = &user {
            user.require_reachable(parent, "--dir")?;
        }
        fs::create_dir_all(&root).map_err(PostgresqlError::on("make", &root))?;
        if user.is_some() {
            // root's, and open for its server to pass through: were it that user's, root would write where its links lead.
            let open = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&root, open).map_err(PostgresqlError::on("set the permissions of", &root))?;
        }
        let programs = reachable_programs(&root, installation, user.as_ref())?;
        let cluster = Self { root, programs, user };
        cluster.await_end_of_killed_server(END_LIMIT)?;
        cluster.initialise()?;
        if !cluster.given_back().exists() {
            cluster.copy_template()?;
        }
        Ok(cluster)
    }

    /// Whether a cluster can be below a directory: root's server runs as another user, who has to get there.
    pub fn require_place(directory: &Path) -> Result<(), PostgresqlError> {
        match account::unprivileged()? {
            // A directory that is not there is another's complaint.
            Some(user) if directory.exists() => user.require_reachable(directory, "--dir"),
            Some(_) | None => Ok(()),
        }
    }

    /// Finds what [`Cluster::prepare`] made.
    pub fn find(parent: &Path, installation: &Installation) -> Result<Self, PostgresqlError> {
        let root = root(parent);
        let user = account::unprivileged()?;
        let programs = reachable_programs(&root, installation, user.as_ref())?;
        Ok(Self { root, programs, user })
    }

    /// Starts a server on it. It ends with the calling thread, and its processes are in the groups whose `cgroup.procs` are
    /// given.
    pub fn start(&self, settings: &Settings, entrances: Vec<File>) -> Result<Server, PostgresqlError> {
        // From here on it is as the trial leaves it.
        remove_file(&self.given_back())?;
        // PostgreSQL holds its data directory by a few bytes of System V shared memory, which a killed postmaster leaves behind.
        // Only root can help that.
        let _ = private_shared_memory();
        let log_path = self.root.join("server.log");
        let log = File::create(&log_path).map_err(PostgresqlError::on("create", &log_path))?;
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.data()).args(arguments(settings));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let account = self.user.as_ref().map(|user| user.account);
        let process = child::spawn(command, account, DeathSignal::Quit, entrances)?;
        let files = ServerFiles { data: self.data(), log: log_path, given_back: self.given_back() };
        Server::await_ready(process, files)
    }

    /// The directory that the server keeps its files in.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// A file that is there while the data is as good as a fresh copy.
    fn given_back(&self) -> PathBuf {
        self.root.join("given-back")
    }

    fn template(&self) -> PathBuf {
        self.root.join("template")
    }

    /// A program with the user's environment but for what would point it elsewhere.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        for variable in std::env::vars_os().map(|(name, _)| name) {
            if variable.to_string_lossy().starts_with("PG") {
                command.env_remove(variable);
            }
        }
        command.env("LC_ALL", "C").current_dir(&self.root);
        command
    }

    fn initialise(&self) -> Result<(), PostgresqlError> {
        let template = self.template();
        if template.exists() {
            return Ok(());
        }
        // Complete or not there at all: the name is given last.
        let part = self.root.join("template.part");
        remove_tree(&part)?;
        fs::create_dir(&part).map_err(PostgresqlError::on("make", &part))?;
        own(&part, self.user.as_ref())?;
        // initdb's own server takes System V shared memory too, which a killed one leaves behind.
        let _ = private_shared_memory();
        let mut command = self.program("initdb");
        command.arg("-D").arg(&part).args(["--username", USER, "--auth", "trust", "--encoding", "UTF8"]);
        command.args(["--locale", "C", "--no-sync"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let account = self.user.as_ref().map(|user| user.account);
        let process = child::spawn(command, account, DeathSignal::Kill, Vec::new())?;
        let output = process.wait_with_output().map_err(PostgresqlError::on("wait for initdb in", &part))?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let why = complaint.lines().find(|line| line.contains("error:")).unwrap_or(last_line(&complaint));
            return Err(PostgresqlError::Initialise { path: part, why: why.to_owned() });
        }
        if self.user.is_some() {
            // initdb has closed it to all but its owner: nobody but root reads or changes it from here on.
            lchown(&part, Some(0), Some(0)).map_err(PostgresqlError::on("take over", &part))?;
        }
        fs::rename(&part, &template).map_err(PostgresqlError::on("rename to", &template))
    }

    fn copy_template(&self) -> Result<(), PostgresqlError> {
        let data = self.data();
        remove_tree(&data)?;
        copy_tree(&self.template(), &data, self.user.as_ref())
    }

    /// A worker that was killed takes its server with it, but not in the same instant.
    fn await_end_of_killed_server(&self, limit: Duration) -> Result<(), PostgresqlError> {
        let Ok(text) = fs::read_to_string(self.data().join("postmaster.pid")) else { return Ok(()) };
        let pid = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
        let Some(pid) = pid else { return Ok(()) };
        let started = Instant::now();
        let is_ours = || {
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let data = self.data();
            command.split(|&byte| byte == 0).any(|word| word == data.as_os_str().as_encoded_bytes())
        };
        while is_ours() {
            if started.elapsed() >= limit {
                let why = format!("process {pid}, the server of an earlier trial, does not end: end it");
                return Err(PostgresqlError::Start { why });
            }
            std::thread::sleep(END_PAUSE);
        }
        Ok(())
    }
}

fn root(parent: &Path) -> PathBuf {
    parent.join("postgresql")
}

/// What keeps a server to itself: no network, its socket in its own directory, its shared memory in files of that directory,
/// so that nothing outlives it anywhere else, and no work that it begins by itself.
fn arguments(settings: &Settings) -> Vec<String> {
    let mut options = vec![
        "listen_addresses=".to_owned(),
        // Relative to the data directory: a socket's path has 107 bytes at most (unix(7)).
        "unix_socket_directories=.".to_owned(),
        "unix_socket_permissions=0700".to_owned(),
        "dynamic_shared_memory_type=mmap".to_owned(),
        "logging_collector=off".to_owned(),
        "log_checkpoints=off".to_owned(),
        "autovacuum=off".to_owned(),
        "checkpoint_timeout=1d".to_owned(),
        "max_wal_size=4GB".to_owned(),
        "max_connections=8".to_owned(),
        "track_io_timing=on".to_owned(),
    ];
    options.extend(settings.shared_buffers_pages.map(|pages| format!("shared_buffers={pages}")));
    options.extend(settings.direct.then(|| "debug_io_direct=data".to_owned()));
    options.into_iter().flat_map(|option| ["-c".to_owned(), option]).collect()
}

/// root's cache is closed to others: then the programs are copied to where the server can reach them.
fn reachable_programs(
    root: &Path,
    installation: &Installation,
    user: Option<&Unprivileged>,
) -> Result<PathBuf, PostgresqlError> {
    let Some(user) = user else { return Ok(installation.programs().to_owned()) };
    let unreachable = match user.require_reachable(installation.programs(), "--pg-bin") {
        Ok(()) => return Ok(installation.programs().to_owned()),
        Err(unreachable) => unreachable,
    };
    let Some(tree) = installation.tree() else { return Err(unreachable) };
    let copy = root.join("programs");
    if !copy.exists() {
        let part = root.join("programs.part");
        remove_tree(&part)?;
        copy_tree(tree, &part, Some(user))?;
        fs::rename(&part, &copy).map_err(PostgresqlError::on("rename to", &copy))?;
    }
    Ok(copy.join("bin"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// A signal in the middle of initdb left the System V segment of its own server to the machine.
    #[test]
    fn initdb_has_shared_memory_of_its_own() {
        if !rustix::process::geteuid().is_root() {
            println!("skipped: only root can give a process shared memory of its own");
            return;
        }
        let root = tempfile::tempdir().expect("made");
        let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("ours");
        open(root.path());
        // Says which namespace it is in, and fails.
        let script = "#!/bin/sh\necho \"error: $(readlink /proc/self/ns/ipc)\" >&2\nexit 1\n";
        fs::write(root.path().join("initdb"), script).expect("written");
        open(&root.path().join("initdb"));
        let programs = root.path().to_owned();
        let cluster =
            Cluster { root: root.path().to_owned(), programs, user: account::unprivileged().expect("known") };
        let ours = fs::read_link("/proc/self/ns/ipc").expect("there is one").display().to_string();
        // The namespace is the thread's that starts it.
        let failed = std::thread::spawn(move || cluster.initialise()).join().expect("no panic");
        let Err(PostgresqlError::Initialise { why, .. }) = failed else { panic!("{failed:?}") };
        assert!(why.contains("ipc:[") && !why.contains(&ours), "{why}: {ours}");
    }

    /// Once its files were removed below it after ten seconds.
    #[test]
    fn a_server_that_does_not_end_keeps_its_files() {
        let root = tempfile::tempdir().expect("made");
        let cluster = Cluster { root: root.path().to_owned(), programs: PathBuf::new(), user: None };
        assert!(cluster.await_end_of_killed_server(Duration::ZERO).is_ok(), "there is none");
        fs::create_dir(cluster.data()).expect("made");
        // Waits for input that does not come, with the data directory among its arguments.
        let mut command = Command::new("sh");
        command.args(["-c", "echo; read line", "sh"]).arg(cluster.data());
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
        server.stdout.take().expect("a pipe").read_exact(&mut [0]).expect("is there");
        fs::write(cluster.data().join("postmaster.pid"), format!("{}\n", server.id())).expect("written");
        let refused =
            cluster.await_end_of_killed_server(Duration::ZERO).expect_err("it is there").to_string();
        assert!(refused.contains(&format!("process {}", server.id())), "{refused}");
        drop(server.stdin.take());
        server.wait().expect("ends");
        assert!(cluster.await_end_of_killed_server(Duration::ZERO).is_ok(), "it has ended");
    }
}
