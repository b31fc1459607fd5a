//! A proof's directory: the design, which is written first, and a run directory for each stage. Everything else follows from them.

use crate::failure::Failure;
use crate::input_file;
use crate::page_file;
use proof::{Design, StageKind};
use std::fs;
use std::path::{Path, PathBuf};

const DESIGN: &str = "design.json";
const STAGES: &str = "stages";
/// A design names settings and servers.
const DESIGN_BYTES_MAX: u64 = 1 << 20;

/// A proof's directory.
pub(crate) struct ProofDirectory {
    path: PathBuf,
    design: Design,
}

/// Whether a directory holds a proof.
pub(super) fn is_proof(path: &Path) -> bool {
    path.join(DESIGN).is_file()
}

impl ProofDirectory {
    /// Makes one for a design. A directory that holds anything is refused.
    pub(super) fn create(path: &Path, design: Design) -> Result<Self, Failure> {
        let refused = |why: String| Failure::Runtime(format!("{}: {why}", path.display()));
        let is_used = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if is_used {
            return Err(refused("it exists already: name another with --out".to_owned()));
        }
        fs::create_dir_all(path.join(STAGES))
            .map_err(|error| refused(format!("cannot create it: {error}")))?;
        page_file::write(&path.join(DESIGN), &design.text().map_err(refused)?)?;
        Ok(Self { path: path.to_owned(), design })
    }

    /// Opens one.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let file = path.join(DESIGN);
        let refused =
            |why: String| Failure::Runtime(format!("{}: not a proof's design: {why}", file.display()));
        let bytes = input_file::read(&file, DESIGN_BYTES_MAX).map_err(|error| refused(error.to_string()))?;
        if bytes.len() as u64 > DESIGN_BYTES_MAX {
            return Err(refused("it has more than 1 MiB".to_owned()));
        }
        let design = Design::parse(&bytes).map_err(refused)?;
        Ok(Self { path: path.to_owned(), design })
    }

    /// Removes what was made for a proof none of whose stages could begin.
    pub(super) fn remove_if_unbegun(&self) {
        // A stage's directory is not removed, so this fails if there is one.
        if fs::remove_dir(self.path.join(STAGES)).is_ok() {
            self.remove(DESIGN);
            // Somebody may have put a file there.
            let _ = fs::remove_dir(&self.path);
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn design(&self) -> &Design {
        &self.design
    }

    /// Where a stage so far was measured; `None` if none has begun.
    pub(super) fn measured(&self) -> Option<PathBuf> {
        let stages = fs::read_dir(self.path.join(STAGES)).ok()?;
        let mut runs = stages.filter_map(|stage| lab::run_directory::read(&stage.ok()?.path()).ok());
        runs.next().map(|run| run.plan.directory)
    }

    /// The run directory of a stage.
    pub(super) fn stage(&self, kind: StageKind) -> PathBuf {
        self.path.join(STAGES).join(kind.to_string())
    }

    /// Writes a file that follows from the design and the stages.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        page_file::write(&path, text)?;
        Ok(path)
    }

    /// Removes one that no longer follows.
    pub(super) fn remove(&self, name: &str) {
        // It may not be there, and then nothing is wrong.
        let _ = fs::remove_file(self.path.join(name));
    }
}
