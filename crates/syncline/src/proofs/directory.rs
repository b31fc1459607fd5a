//! A proof's directory: the design, which is written first, and a run directory for each stage. Everything else follows
//! from them.

use crate::failure::Failure;
use lab::open_directory::OpenDirectory;
use proof::{Design, StageKind};
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const DESIGN: &str = "design.json";
const STAGES: &str = "stages";
/// A design names settings and servers.
const DESIGN_BYTES_MAX: u64 = 1 << 20;

/// A proof's directory. It may belong to another user, so its files are opened only through it.
pub(crate) struct ProofDirectory {
    directory: OpenDirectory,
    design: Design,
}

/// Whether a directory holds a proof.
pub(crate) fn is_proof(path: &Path) -> bool {
    OpenDirectory::open(path).and_then(|directory| directory.file(DESIGN)).is_ok()
}

/// The directories in a run that hold a proof.
pub(super) fn proofs_in(run: &Path) -> Vec<PathBuf> {
    let names = OpenDirectory::open(run).and_then(|directory| directory.names()).unwrap_or_default();
    names.into_iter().map(|name| run.join(name)).filter(|path| is_proof(path)).collect()
}

impl ProofDirectory {
    /// Makes one for a design. One that holds anything is refused, but for a design no stage of which has begun.
    pub(crate) fn create(path: &Path, design: Design) -> Result<Self, Failure> {
        let refused = |why: String| Failure::Runtime(format!("{}: {why}", path.display()));
        let cannot = |error: io::Error| refused(format!("cannot make the proof's directory: {error}"));
        let directory = OpenDirectory::make(path).map_err(cannot)?;
        let names: Vec<OsString> = directory.names().map_err(cannot)?;
        if names.iter().any(|name| name != DESIGN) {
            return Err(refused("it is not empty: name another with --out".to_owned()));
        }
        let text = design.text().map_err(refused)?;
        directory.replace(DESIGN, text.as_bytes()).map_err(cannot)?;
        Ok(Self { directory, design })
    }

    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let refused =
            |why: String| Failure::Runtime(format!("{}: not a proof's {DESIGN}: {why}", path.display()));
        let directory = OpenDirectory::open(path).map_err(|error| refused(error.to_string()))?;
        let mut bytes = Vec::new();
        let file = directory.file(DESIGN).map_err(|error| refused(error.to_string()))?;
        let read = file.take(DESIGN_BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|error| refused(error.to_string()))?;
        if bytes.len() as u64 > DESIGN_BYTES_MAX {
            return Err(refused("it has more than 1 MiB".to_owned()));
        }
        let design = Design::parse(&bytes).map_err(refused)?;
        Ok(Self { directory, design })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// What it was made for.
    pub(crate) fn design(&self) -> &Design {
        &self.design
    }

    /// Where a stage so far was measured; `None` if none has begun.
    pub(crate) fn measured(&self) -> Option<PathBuf> {
        let names = self.directory.directory(STAGES).and_then(|stages| stages.names()).ok()?;
        let path = |name: OsString| self.path().join(STAGES).join(name);
        let mut runs = names.into_iter().filter_map(|name| lab::run_directory::read(&path(name)).ok());
        runs.next().map(|run| run.plan.directory)
    }

    /// Whether a stage has begun.
    pub(crate) fn has_stage(&self, kind: StageKind) -> bool {
        self.directory.directory(STAGES).and_then(|stages| stages.directory(&kind.to_string())).is_ok()
    }

    /// The run directory of a stage.
    pub(crate) fn stage(&self, kind: StageKind) -> PathBuf {
        self.path().join(STAGES).join(kind.to_string())
    }

    /// Writes a file that follows from the design and the stages.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.path().join(name);
        self.directory
            .replace(name, text.as_bytes())
            .map_err(|error| Failure::Runtime(format!("{}: cannot write it: {error}", path.display())))?;
        Ok(path)
    }

    /// Removes one that no longer follows.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Failure> {
        let cannot = |error| {
            Failure::Runtime(format!("{}: cannot remove it: {error}", self.path().join(name).display()))
        };
        self.directory.remove(name).map_err(cannot)
    }
}
