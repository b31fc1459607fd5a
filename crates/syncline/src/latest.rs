//! `latest` for a run or a proof: the newest one that this directory has.

use crate::proofs::ProofDirectory;
use lab::open_directory::OpenDirectory;
use lab::run_directory::RunFiles;
use std::path::{Path, PathBuf};

/// Where runs go that have no `--out`, in the current directory.
pub(crate) const RUNS: &str = "syncline-runs";
/// The directory of a proof in the run whose advice it proves.
pub(crate) const PROOF: &str = "proof";
const LATEST: &str = "latest";

/// A run directory as typed, or the newest one if it is called `latest`. A file of that name wins.
pub(crate) fn run(typed: PathBuf) -> Result<PathBuf, String> {
    let created_at = |path: &Path| RunFiles::open(path).and_then(|files| files.created_at()).ok();
    newest(typed, "run", inside(Path::new(RUNS)), created_at)
}

/// A proof's directory as typed, or the newest one if it is called `latest`.
pub(crate) fn proof(typed: PathBuf) -> Result<PathBuf, String> {
    let created_at = |path: &Path| Some(ProofDirectory::open(path).ok()?.design().created_at.clone());
    let runs = inside(Path::new(RUNS));
    let of_runs: Vec<PathBuf> = runs.iter().map(|run| run.join(PROOF)).collect();
    newest(typed, "proof", [runs, of_runs].concat(), created_at)
}

fn newest(
    typed: PathBuf,
    what: &str,
    candidates: Vec<PathBuf>,
    created_at: impl Fn(&Path) -> Option<String>,
) -> Result<PathBuf, String> {
    if typed.as_os_str() != LATEST || typed.exists() {
        return Ok(typed);
    }
    let dated = candidates.into_iter().filter_map(|path| Some((created_at(&path)?, path)));
    let (_, path) = dated.max().ok_or_else(|| format!("no {what} in {RUNS}, below the current directory"))?;
    Ok(path)
}

/// What a directory contains; nothing if it cannot be read.
fn inside(directory: &Path) -> Vec<PathBuf> {
    let names = OpenDirectory::open(directory).and_then(|opened| opened.names()).unwrap_or_default();
    names.into_iter().map(|name| directory.join(name)).collect()
}
