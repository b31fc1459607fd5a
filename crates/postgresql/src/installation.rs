//! Where PostgreSQL's programs are: the user's own, or those that were downloaded.

use crate::archive;
use crate::error::PostgresqlError;
use crate::release::RELEASE;
use crate::version::Version;
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
    /// The programs in a directory, which are started to see that they run. Later they are started from elsewhere: the
    /// directory is known by its absolute path.
    pub fn at(directory: &Path) -> Result<Self, PostgresqlError> {
        let refused = |program, why: String| PostgresqlError::NotPrograms {
            directory: directory.to_owned(),
            program,
            why,
        };
        let programs = path::absolute(directory).map_err(PostgresqlError::on("resolve", directory))?;
        let mut version = None;
        for program in ["initdb", "postgres"] {
            let output = Command::new(programs.join(program))
                .arg("--version")
                .stdin(Stdio::null())
                .output()
                .map_err(|error| refused(program, error.to_string()))?;
            let said = String::from_utf8_lossy(&output.stdout);
            version = Version::from_program(&said);
            if version.is_none() {
                let complaint = String::from_utf8_lossy(&output.stderr);
                return Err(refused(program, last_line(&complaint).to_owned()));
            }
        }
        // The last program's answer has just been looked at.
        let version = version.unwrap_or(Version(0));
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
        if directory.exists() { Self::at(&directory.join("bin")).map(Some) } else { Ok(None) }
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

    /// The directory of `postgres` and `initdb`.
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// Their version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether these are the downloaded ones: one tree, which may be copied.
    pub(crate) fn tree(&self) -> Option<&Path> {
        let parent = self.programs.parent()?;
        cache_directory().is_ok_and(|cache| cache == parent).then_some(parent)
    }
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
