//! PostgreSQL's programs as the user of a cluster reaches them: they make clusters and start servers.

use crate::account::{self, Unprivileged};
use crate::error::{Place, PostgresqlError};
use crate::installation::{self, Installation, last_line, require_unchanged};
use crate::server::{Server, ServerFiles, USER};
use disk::kernel::child::{self, Account, DeathSignal};
use disk::kernel::scheduling::private_shared_memory;
use disk::tree::{Blocks, copy_tree, own, remove_tree};
use disk::trust;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs, and the user that they run as.
#[derive(Debug)]
pub(crate) struct Programs {
    directory: PathBuf,
    user: Option<Unprivileged>,
}

impl Programs {
    /// Makes a directory for clusters, and copies the programs there if their user does not reach them.
    pub(crate) fn prepare(root: &Path, installation: &Installation) -> Result<Self, PostgresqlError> {
        let user = account::unprivileged()?;
        fs::create_dir_all(root).map_err(PostgresqlError::on("make", root))?;
        if let Some(user) = &user {
            user.require_reachable(root.parent().unwrap_or(root), Place::Clusters)?;
            // root's, and open for its server to pass through: were it that user's, root would write where its links
            // lead.
            let open = fs::Permissions::from_mode(0o755);
            fs::set_permissions(root, open).map_err(PostgresqlError::on("set the permissions of", root))?;
        }
        Self::reachable(root, installation, user)
    }

    /// Finds what [`Programs::prepare`] made.
    pub(crate) fn find(root: &Path, installation: &Installation) -> Result<Self, PostgresqlError> {
        Self::reachable(root, installation, account::unprivileged()?)
    }

    /// root's cache is closed to others, and another user can change what is in theirs: then the downloaded programs
    /// are copied to where the server reaches them and nobody else changes them.
    fn reachable(
        root: &Path,
        installation: &Installation,
        user: Option<Unprivileged>,
    ) -> Result<Self, PostgresqlError> {
        let directory = installation.programs().to_owned();
        let closed = user.as_ref().and_then(|user| user.require_reachable(&directory, Place::Programs).err());
        let untrusted = installation.tree().filter(|tree| trust::require_trusted(tree).is_err());
        if closed.is_none() && untrusted.is_none() {
            return Ok(Self { directory, user });
        }
        let Some(tree) = installation.tree() else {
            return closed.map_or(Ok(Self { directory, user }), Err);
        };
        let copy = root.join("programs");
        if !copy.exists() {
            let part = root.join("programs.part");
            remove_tree(&part)?;
            copy_tree(tree, &part, user.as_ref().map(|user| user.account), Blocks::Shared)?;
            if untrusted.is_some() {
                // The copy, which does not change any more.
                require_unchanged(&part)?;
            }
            fs::rename(&part, &copy).map_err(PostgresqlError::on("rename to", &copy))?;
        }
        Ok(Self { directory: copy.join("bin"), user })
    }

    /// The user that they run as, if it is another one.
    pub(crate) fn account(&self) -> Option<Account> {
        self.user.as_ref().map(|user| user.account)
    }

    /// A program with the user's environment but for what would point it elsewhere.
    fn program(&self, name: &str, directory: &Path) -> Command {
        let mut command = installation::command(&self.directory.join(name));
        command.current_dir(directory);
        command
    }

    /// Makes an empty cluster in a directory, in the place of whatever is there.
    pub(crate) fn initialise(&self, data: &Path, more: &[&str]) -> Result<(), PostgresqlError> {
        remove_tree(data)?;
        fs::create_dir(data).map_err(PostgresqlError::on("make", data))?;
        own(data, self.account())?;
        // initdb's own server takes System V shared memory too, which a killed one leaves behind.
        let _ = private_shared_memory();
        let mut command = self.program("initdb", data.parent().unwrap_or(data));
        command.arg("-D").arg(data).args(["--username", USER, "--auth", "trust", "--encoding", "UTF8"]);
        command.args(["--locale", "C", "--no-sync"]).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let process = child::spawn(command, self.account(), DeathSignal::Kill, Vec::new())?;
        let output = process.wait_with_output().map_err(PostgresqlError::on("wait for initdb in", data))?;
        if output.status.success() {
            return Ok(());
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        let why = complaint.lines().find(|line| line.contains("error:")).unwrap_or(last_line(&complaint));
        Err(PostgresqlError::Initialise { path: data.to_owned(), why: why.to_owned() })
    }

    /// Makes a cluster one that only root reads or changes: initdb has closed it to all but its owner.
    pub(crate) fn take_over(&self, data: &Path) -> Result<(), PostgresqlError> {
        if self.user.is_none() {
            return Ok(());
        }
        lchown(data, Some(0), Some(0)).map_err(PostgresqlError::on("take over", data))
    }

    /// Starts a server. It ends with the calling thread, and its processes are in the groups whose `cgroup.procs` are
    /// given.
    pub(crate) fn start(
        &self,
        files: ServerFiles,
        options: &[(&str, String)],
        entrances: Vec<File>,
    ) -> Result<Server, PostgresqlError> {
        // PostgreSQL holds its data directory by a few bytes of System V shared memory, which a killed postmaster
        // leaves behind. Only root can help that.
        let _ = private_shared_memory();
        let log = File::create(&files.log).map_err(PostgresqlError::on("create", &files.log))?;
        let mut command = self.program("postgres", files.data.parent().unwrap_or(&files.data));
        command.arg("-D").arg(&files.data);
        let own = KEPT_TO_ITSELF.iter().map(|(name, value)| (*name, *value));
        for (name, value) in own.chain(options.iter().map(|(name, value)| (*name, value.as_str()))) {
            command.args(["-c", &format!("{name}={value}")]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let process = child::spawn(command, self.account(), DeathSignal::Quit, entrances)?;
        Server::await_ready(process, files)
    }
}

/// What keeps a server to itself: no network, its socket in its own directory, its shared memory in files of that
/// directory, so that nothing outlives it anywhere else.
pub(crate) const KEPT_TO_ITSELF: &[(&str, &str)] = &[
    ("listen_addresses", ""),
    // Relative to the data directory: a socket's path has 107 bytes at most (unix(7)).
    ("unix_socket_directories", "."),
    ("unix_socket_permissions", "0700"),
    ("dynamic_shared_memory_type", "mmap"),
    ("logging_collector", "off"),
    ("log_checkpoints", "off"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A signal in the middle of initdb left the System V segment of its own server to the machine.
    #[test]
    fn initdb_has_shared_memory_of_its_own() {
        if !rustix::process::geteuid().is_root() {
            skip::because("only root can give a process shared memory of its own");
            return;
        }
        let root = tempfile::tempdir().expect("made");
        let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("ours");
        open(root.path());
        // Says which namespace it is in, and fails.
        let script = "#!/bin/sh\necho \"error: $(readlink /proc/self/ns/ipc)\" >&2\nexit 1\n";
        fs::write(root.path().join("initdb"), script).expect("written");
        open(&root.path().join("initdb"));
        let programs =
            Programs { directory: root.path().to_owned(), user: account::unprivileged().expect("known") };
        let ours = fs::read_link("/proc/self/ns/ipc").expect("there is one").display().to_string();
        // The namespace is the thread's that starts it.
        let data = root.path().join("data");
        let failed = std::thread::spawn(move || programs.initialise(&data, &[])).join().expect("no panic");
        let Err(PostgresqlError::Initialise { why, .. }) = failed else { panic!("{failed:?}") };
        assert!(why.starts_with("error: ipc:["), "{why}");
        assert_ne!(why, format!("error: {ours}"));
    }
}
