//! Where a trial's files are: on the host's file system, or on a loop image of their own.

use crate::direct;
use crate::refusal::Refusal;
use disk::files::Alignment;
use disk::filesystem::{self, Kind};
use disk::kernel::block_device::BlockDevice;
use disk::work_directory::require_marked;
use model::description::{Description, FileNeed, FileSet};
use model::host::Placement;
use model::mechanism::Measured;
use model::trial::TrialSpec;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory for a trial's files, the device below it, and the files by name.
pub(crate) struct Site {
    directory: PathBuf,
    device: Measured<BlockDevice>,
    description: Description,
    files: Vec<FileNeed>,
    /// Found out with a probe file where it was not known, so before the device is quiesced.
    direct: Result<Alignment, String>,
}

const REUSED: &str = "files";
const ROUND_PREFIX: &str = "round-";

impl Site {
    /// Makes what has to be there: the file system's mount, the files' directory. Placements of earlier rounds go.
    pub(crate) fn prepare(spec: &TrialSpec) -> Result<Self, Refusal> {
        require_marked(&spec.work_directory).map_err(Refusal::failed)?;
        let root = match kind(spec)? {
            None => spec.work_directory.clone(),
            Some(kind) => {
                filesystem::mount(&spec.work_directory, kind, spec.image_bytes)
                    .map_err(Refusal::failed)?
                    .point
            }
        };
        let directory = files_directory(&root, spec);
        remove_other_rounds(&root, &directory)?;
        fs::create_dir_all(&directory).map_err(|error| {
            Refusal::Failed(format!("{}: cannot make the directory: {error}", directory.display()))
        })?;
        Self::at(directory, spec)
    }

    /// Finds what [`Site::prepare`] made.
    pub(crate) fn find(spec: &TrialSpec) -> Result<Self, Refusal> {
        require_marked(&spec.work_directory).map_err(Refusal::failed)?;
        let root = match kind(spec)? {
            None => spec.work_directory.clone(),
            Some(kind) => match filesystem::find(&spec.work_directory, kind).map_err(Refusal::failed)? {
                Some(mounted) => mounted.point,
                None => return Err(Refusal::Failed(format!("the {kind} image is not mounted any more"))),
            },
        };
        Self::at(files_directory(&root, spec), spec)
    }

    fn at(directory: PathBuf, spec: &TrialSpec) -> Result<Self, Refusal> {
        let schema = workload::schema(&spec.workload).map_err(Refusal::Failed)?;
        let description = (schema.describe)(&spec.configuration).map_err(Refusal::failed)?;
        Ok(Self {
            device: BlockDevice::below(&directory),
            direct: direct::support(spec, &directory),
            directory,
            files: description.files.iter().flat_map(FileSet::files).collect(),
            description,
        })
    }

    /// Where the files are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Writes out the file system that the files are on; returns when the device has everything.
    pub(crate) fn write_out(&self) -> Result<(), Refusal> {
        disk::quiesce::write_out(&self.directory).map_err(Refusal::failed)
    }

    /// The device whose counters tell what the trial did.
    pub(crate) fn device(&self) -> &Measured<BlockDevice> {
        &self.device
    }

    /// The files of the trial, in its workload's order.
    pub(crate) fn files(&self) -> &[FileNeed] {
        &self.files
    }

    /// What the trial's configuration is.
    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    /// Where one of them is.
    pub(crate) fn path(&self, file: &FileNeed) -> PathBuf {
        self.directory.join(&file.name)
    }

    /// What direct I/O needs here, or why there is none.
    pub(crate) fn direct(&self) -> Result<&Alignment, &str> {
        self.direct.as_ref().map_err(String::as_str)
    }

    /// What is below the files.
    pub(crate) fn placement(&self) -> Placement {
        disk::placement::placement_with(&self.directory, &self.direct)
    }
}

fn kind(spec: &TrialSpec) -> Result<Option<Kind>, Refusal> {
    let schema = workload::schema(&spec.workload).map_err(Refusal::Failed)?;
    let description = (schema.describe)(&spec.configuration).map_err(Refusal::failed)?;
    Ok(Kind::of(description.filesystem))
}

fn files_directory(root: &Path, spec: &TrialSpec) -> PathBuf {
    match spec.placement_round {
        None => root.join(REUSED),
        Some(round) => root.join(format!("{ROUND_PREFIX}{round}")),
    }
}

/// A fresh placement takes the place of the last one, or a run would need room for every round.
fn remove_other_rounds(root: &Path, current: &Path) -> Result<(), Refusal> {
    let Ok(entries) = fs::read_dir(root) else { return Ok(()) };
    for entry in entries.flatten() {
        let path = entry.path();
        if path != current && entry.file_name().to_string_lossy().starts_with(ROUND_PREFIX) {
            fs::remove_dir_all(&path)
                .map_err(|error| Refusal::Failed(format!("{}: cannot remove: {error}", path.display())))?;
        }
    }
    Ok(())
}
