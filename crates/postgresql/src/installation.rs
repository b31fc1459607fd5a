//! Where PostgreSQL's programs are: the user's own, or those that were downloaded.

use crate::account::{self, Unprivileged};
use crate::archive;
use crate::digest;
use crate::error::{Place, PostgresqlError};
use crate::release::RELEASE;
use crate::version::Version;
use disk::kernel::child::{self, DeathSignal};
use disk::trust;
use std::env;
use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory with the programs `postgres` and `initdb`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    programs: PathBuf,
    version: Version,
}

impl Installation {
    /// The programs in a directory, which are started to see that they run, by the user that a server would run as: the
    /// directory's owner runs nothing as root. Later they are started from elsewhere: the directory is known by its
    /// absolute path.
    pub fn at(directory: &Path) -> Result<Self, PostgresqlError> {
        let refused = |program, why: String| PostgresqlError::NotPrograms {
            directory: directory.to_owned(),
            program,
            why,
        };
        let programs = path::absolute(directory).map_err(PostgresqlError::on("resolve", directory))?;
        let user = account::unprivileged()?;
        let closed = user.as_ref().filter(|_| programs.is_dir());
        let closed = closed.and_then(|user| user.require_reachable(&programs, Place::Programs).err());
        let version = match (closed, downloaded(&programs)) {
            // They are copied to where the user reaches them before they run, and are known without being asked.
            (Some(_), Some(_)) => Version::from_number(RELEASE.version).unwrap_or(Version(0)),
            (Some(unreachable), None) => return Err(unreachable),
            (None, _) => {
                probe(&programs, "initdb", user.as_ref()).map_err(|why| refused("initdb", why))?;
                probe(&programs, "postgres", user.as_ref()).map_err(|why| refused("postgres", why))?
            }
        };
        if version < Version::OLDEST {
            return Err(PostgresqlError::Unsupported(format!(
                "{} has PostgreSQL {version}: {} or later is needed",
                directory.display(),
                Version::OLDEST
            )));
        }
        Ok(Self { programs, version })
    }

    /// The programs that were downloaded before, if they were.
    pub fn cached() -> Result<Option<Self>, PostgresqlError> {
        let directory = cache_directory()?;
        if !directory.exists() {
            return Ok(None);
        }
        if trust::require_trusted(&directory).is_err() {
            require_unchanged(&directory)?;
        }
        Self::at(&directory.join("bin")).map(Some)
    }

    /// The same, downloaded if they are not there yet; `tell` is called before.
    pub fn cached_or_downloaded(tell: impl FnOnce(&str)) -> Result<Self, PostgresqlError> {
        if let Some(cached) = Self::cached()? {
            return Ok(cached);
        }
        let missing = PostgresqlError::NoArchive { architecture: env::consts::ARCH };
        let archive = RELEASE.archive().ok_or(missing)?;
        let directory = cache_directory()?;
        let (version, directory_name) = (RELEASE.version, directory.display());
        tell(&format!(
            "downloading PostgreSQL {version} (15 MB, from Maven Central) into {directory_name}, once"
        ));
        archive::install(archive, RELEASE.version, &directory)?;
        Self::at(&directory.join("bin"))
    }

    /// Requires that [`Self::cached_or_downloaded`] could find programs: they are here, or their archive can be
    /// reached; `tell` is called if they are not here.
    pub fn require_fetchable(tell: impl FnOnce(&str)) -> Result<(), PostgresqlError> {
        if Self::cached()?.is_some() {
            return Ok(());
        }
        let missing = PostgresqlError::NoArchive { architecture: env::consts::ARCH };
        let archive = RELEASE.archive().ok_or(missing)?;
        archive::require_reachable(&archive.address(RELEASE.version))?;
        tell(&format!("a run downloads PostgreSQL {} first (15 MB, from Maven Central)", RELEASE.version));
        Ok(())
    }

    /// The directory of `postgres` and `initdb`.
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether these are the downloaded ones: one tree, which may be copied.
    pub(crate) fn tree(&self) -> Option<&Path> {
        downloaded(&self.programs)
    }
}

/// The downloaded tree, if these are its programs, whatever path they are named by.
fn downloaded(programs: &Path) -> Option<&Path> {
    let parent = programs.parent()?;
    let cache = cache_directory().ok()?.canonicalize().ok()?;
    parent.canonicalize().is_ok_and(|parent| parent == cache).then_some(parent)
}

/// Requires that a tree is the one that was downloaded, to the last byte.
pub(crate) fn require_unchanged(tree: &Path) -> Result<(), PostgresqlError> {
    let missing = PostgresqlError::NoArchive { architecture: env::consts::ARCH };
    let expected = RELEASE.archive().ok_or(missing)?.tree_sha256;
    let found = digest::of_tree(tree)?;
    if found == expected {
        return Ok(());
    }
    Err(PostgresqlError::Changed { directory: tree.to_owned(), found, expected })
}

/// The version that a program prints; an error is a clause.
fn probe(programs: &Path, name: &str, user: Option<&Unprivileged>) -> Result<Version, String> {
    let mut command = command(&programs.join(name));
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let process = child::spawn(command, user.map(|user| user.account), DeathSignal::Kill, Vec::new());
    let process = process.map_err(|failure| failure.source.to_string())?;
    let output = process.wait_with_output().map_err(|error| error.to_string())?;
    let version = Version::from_program(&String::from_utf8_lossy(&output.stdout));
    version.ok_or_else(|| last_line(&String::from_utf8_lossy(&output.stderr)).to_owned())
}

/// A program with the caller's environment, without what would point it elsewhere or tell it a password.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for variable in env::vars_os().map(|(name, _)| name) {
        if variable.to_string_lossy().starts_with("PG") {
            command.env_remove(variable);
        }
    }
    command.env("LC_ALL", "C");
    command
}

/// The XDG base directory specification's cache directory.
fn cache_directory() -> Result<PathBuf, PostgresqlError> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let cache = cache.ok_or(PostgresqlError::NoCacheDirectory)?;
    Ok(cache.join("syncline").join(format!("postgresql-{}", RELEASE.version)))
}

/// The last line that says something.
pub(crate) fn last_line(text: &str) -> &str {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it said nothing")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// Programs that write down who runs them.
    fn planted() -> tempfile::TempDir {
        let top = tempfile::tempdir_in("/var/tmp").expect("made");
        let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("ours");
        open(top.path());
        for name in ["initdb", "postgres"] {
            let script = "#!/bin/sh\nid -u > \"${0%/*}/ran-by\"\necho 'postgres (PostgreSQL) 18.6'\n";
            fs::write(top.path().join(name), script).expect("written");
            open(&top.path().join(name));
        }
        top
    }

    /// `initdb --version` of a stranger's directory ran as root.
    #[test]
    fn programs_are_asked_by_the_user_that_a_server_would_run_as() {
        let programs = planted();
        let found = Installation::at(programs.path()).expect("they run");
        assert_eq!(found.version(), Version(180_006));
        let ran_by = fs::read_to_string(programs.path().join("ran-by")).expect("they ran");
        let expected = account::unprivileged().expect("known").map(|user| user.account.user);
        let expected = expected.unwrap_or(rustix::process::geteuid().as_raw());
        assert_eq!(ran_by.trim(), expected.to_string());
    }

    #[test]
    fn a_tree_that_is_not_the_downloaded_one_is_refused() {
        let tree = planted();
        let refused = require_unchanged(tree.path());
        assert!(matches!(refused, Err(PostgresqlError::Changed { .. })), "{refused:?}");
        assert!(!tree.path().join("ran-by").exists());
    }
}
