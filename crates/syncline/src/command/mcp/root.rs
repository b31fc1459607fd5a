//! The directory that tools may reach: every path of a call is resolved below it.

use crate::failure::Failure;
use crate::latest::RUNS;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory, by its path without symbolic links.
#[derive(Clone, Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn open(directory: &Path) -> Result<Self, Failure> {
        let refused = |why: String| Failure::Usage(format!("--dir {}: {why}", directory.display()));
        let path = fs::canonicalize(directory).map_err(|error| refused(error.to_string()))?;
        if !path.is_dir() {
            return Err(refused("not a directory".to_owned()));
        }
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// What exists at a path, which is absolute or relative to this directory, resolved: nothing outside.
    pub(super) fn resolve(&self, path: &str) -> Result<PathBuf, Failure> {
        let resolved = fs::canonicalize(self.0.join(path))
            .map_err(|error| Failure::Usage(format!("{path}: {error}, below {}", self.0.display())))?;
        self.require_inside(path, resolved)
    }

    /// The same for a path that a run recorded.
    pub(super) fn resolve_recorded(&self, path: &Path) -> Result<PathBuf, Failure> {
        self.resolve(&path.to_string_lossy())
    }

    /// A run, a proof or a folder by its path; `latest` is resolved here, so that it cannot be a link to elsewhere.
    pub(super) fn resolve_result(
        &self,
        path: &str,
        latest: impl FnOnce(PathBuf) -> Result<PathBuf, String>,
    ) -> Result<PathBuf, Failure> {
        let named = latest(PathBuf::from(path)).map_err(Failure::Usage)?;
        self.resolve(&named.to_string_lossy())
    }

    /// Requires that runs go to a folder inside: it may be a symbolic link.
    pub(super) fn require_runs_inside(&self) -> Result<(), Failure> {
        match fs::canonicalize(self.0.join(RUNS)) {
            Ok(resolved) => self.require_inside(RUNS, resolved).map(drop),
            // A link that leads to nothing would be made a directory elsewhere.
            Err(_) if self.0.join(RUNS).is_symlink() => {
                Err(Failure::Usage(format!("{RUNS}: a symbolic link that leads nowhere")))
            }
            Err(_) => Ok(()),
        }
    }

    fn require_inside(&self, named: &str, resolved: PathBuf) -> Result<PathBuf, Failure> {
        if resolved.starts_with(&self.0) {
            return Ok(resolved);
        }
        Err(Failure::Usage(format!("{named}: outside {}, the directory of this server", self.0.display())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A directory `inside` with a file and links, beside a directory `outside` with a file.
    fn place() -> (tempfile::TempDir, Root) {
        let parent = tempfile::tempdir().unwrap();
        let (inside, outside) = (parent.path().join("inside"), parent.path().join("outside"));
        fs::create_dir_all(inside.join("deeper")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(inside.join("file"), "").unwrap();
        fs::write(outside.join("file"), "").unwrap();
        symlink("../outside/file", inside.join("link")).unwrap();
        symlink("../outside", inside.join("linked")).unwrap();
        symlink("file", inside.join("own")).unwrap();
        let root = Root::open(&inside).unwrap();
        (parent, root)
    }

    #[test]
    fn a_path_leads_inside_or_is_refused() {
        let (parent, root) = place();
        let file = root.path().join("file");
        for path in ["file", "./deeper/../file", "own", file.to_str().unwrap()] {
            assert_eq!(root.resolve(path).unwrap(), file, "{path}");
        }
        let absolute = parent.path().join("outside/file");
        for path in [
            "../outside/file",
            "link",
            "linked/file",
            "deeper/../../outside",
            absolute.to_str().unwrap(),
            "/",
        ] {
            let refused = root.resolve(path).unwrap_err().to_string();
            assert!(refused.contains("outside"), "{path}: {refused}");
        }
        assert!(matches!(root.resolve("nothing"), Err(Failure::Usage(_))));
        // A name that only begins with that of the directory.
        let beside = parent.path().join("inside-not");
        fs::create_dir(&beside).unwrap();
        assert!(root.resolve(beside.to_str().unwrap()).is_err());
    }

    #[test]
    fn runs_do_not_leave_through_a_link() {
        let (_parent, root) = place();
        root.require_runs_inside().unwrap();
        symlink("../nowhere", root.path().join(RUNS)).unwrap();
        assert!(root.require_runs_inside().is_err());
        fs::remove_file(root.path().join(RUNS)).unwrap();
        symlink("../outside", root.path().join(RUNS)).unwrap();
        assert!(root.require_runs_inside().is_err());
    }

    #[test]
    fn the_newest_run_is_resolved_too() {
        let (_parent, root) = place();
        let leads_out = |_| Ok(PathBuf::from("linked"));
        assert!(root.resolve_result("latest", leads_out).is_err());
        assert_eq!(root.resolve_result("deeper", Ok).unwrap(), root.path().join("deeper"));
    }
}
