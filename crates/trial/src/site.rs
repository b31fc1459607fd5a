//! Where a trial's files are: on the host's file system, or on a loop image.

use crate::direct;
use crate::refusal::Refusal;
use disk::files::Alignment;
use disk::filesystem;
use disk::kernel::block_device::BlockDevice;
#[cfg(feature = "postgresql")]
use disk::tree::Blocks;
use disk::work_directory::require_marked;
use model::description::{Description, FileNeed, FileSet};
use model::host::Placement;
use model::mechanism::Measured;
use model::trial::TrialSpec;
use model::{FileSystem, Levels, TrialParameters};
use std::fs;
use std::path::{Path, PathBuf};

/// A directory for a trial's files, the device below it, and the files by name.
pub(crate) struct Site {
    /// Where its own files are: those of its seat, if it takes turns.
    directory: PathBuf,
    /// Where the files are that it shares with the other trials of its round.
    shared: PathBuf,
    device: Measured<BlockDevice>,
    description: Description,
    every_trial: TrialParameters,
    files: Vec<FileNeed>,
    /// Probed with a file unless it was known, so before the device has to be quiet.
    direct: Result<Alignment, String>,
}

/// The role of data files.
const DATA: &str = "data";
const REUSED: &str = "files";
const ROUND_PREFIX: &str = "round-";
const SEAT_PREFIX: &str = "seat-";

impl Site {
    /// Creates what is missing: the file system's mount and the files' directory. Removes the placements of earlier
    /// rounds.
    pub(crate) fn prepare(spec: &TrialSpec) -> Result<Self, Refusal> {
        require_marked(&spec.work_directory).map_err(Refusal::failed)?;
        let known = Known::read(spec)?;
        let root = match known.every_trial.filesystem {
            FileSystem::Host => spec.work_directory.clone(),
            FileSystem::Fresh(fresh) => {
                filesystem::mount(&spec.work_directory, fresh, spec.image_bytes)
                    .map_err(Refusal::failed)?
                    .point
            }
        };
        let shared = files_directory(&root, spec);
        remove_other_rounds(&root, &shared)?;
        let directory = seat_directory(&shared, spec);
        fs::create_dir_all(&directory).map_err(|error| {
            Refusal::Failed(format!("{}: cannot make the directory: {error}", directory.display()))
        })?;
        Ok(Self::at(shared, spec, known))
    }

    /// Finds what [`Site::prepare`] created.
    pub(crate) fn find(spec: &TrialSpec) -> Result<Self, Refusal> {
        require_marked(&spec.work_directory).map_err(Refusal::failed)?;
        let known = Known::read(spec)?;
        let root = match known.every_trial.filesystem {
            FileSystem::Host => spec.work_directory.clone(),
            FileSystem::Fresh(fresh) => {
                let found = filesystem::find(&spec.work_directory, fresh).map_err(Refusal::failed)?;
                let gone = || Refusal::Failed(format!("the {fresh} image is not mounted any more"));
                found.ok_or_else(gone)?.point
            }
        };
        Ok(Self::at(files_directory(&root, spec), spec, known))
    }

    fn at(shared: PathBuf, spec: &TrialSpec, known: Known) -> Self {
        let Known { description, every_trial } = known;
        let directory = seat_directory(&shared, spec);
        Self {
            device: if description.in_object_store {
                Measured::unsupported("the data lies in an object store")
            } else {
                BlockDevice::below(&directory)
            },
            direct: direct::support(spec, every_trial.filesystem, &directory),
            directory,
            shared,
            files: description.room.files.iter().flat_map(FileSet::files).collect(),
            description,
            every_trial,
        }
    }

    /// Where the files are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where its data files are: those that it shares, if it only reads them without the page cache.
    pub(crate) fn data_directory(&self) -> &Path {
        self.directory_of(DATA)
    }

    /// Where the files are that the trials of a round share.
    #[cfg(feature = "postgresql")]
    pub(crate) fn shared_directory(&self) -> &Path {
        &self.shared
    }

    /// Where a server's files are: with the trial's own, or in another place, where each seat has a directory too.
    #[cfg(feature = "postgresql")]
    pub(crate) fn place_of_server(&self, spec: &TrialSpec) -> PathBuf {
        match &spec.other_work_directory {
            None => self.directory.clone(),
            Some(other) => other.join(format!("{SEAT_PREFIX}{}", spec.seat.unwrap_or(0))),
        }
    }

    /// The blocks of a server's copied files. A file system that is compared with others would have shared ones, which
    /// move when they are first overwritten, and another one not.
    #[cfg(feature = "postgresql")]
    pub(crate) fn blocks_of_copies(&self) -> Blocks {
        match self.every_trial.filesystem {
            FileSystem::Host => Blocks::Shared,
            FileSystem::Fresh(_) => Blocks::Own,
        }
    }

    fn directory_of(&self, role: &str) -> &Path {
        if self.description.shares_files(role) { &self.shared } else { &self.directory }
    }

    /// Writes out the file system of the files; returns when the device has everything.
    pub(crate) fn write_out(&self) -> Result<(), Refusal> {
        disk::quiesce::write_out(&self.directory).map_err(Refusal::failed)
    }

    /// The device whose counters show what the trial did.
    pub(crate) fn device(&self) -> &Measured<BlockDevice> {
        &self.device
    }

    /// The files of the trial, in its workload's order.
    pub(crate) fn files(&self) -> &[FileNeed] {
        &self.files
    }

    /// The description of the trial's configuration.
    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    /// The parameters that every trial has.
    pub(crate) fn every_trial(&self) -> &TrialParameters {
        &self.every_trial
    }

    /// The path of one of the files.
    pub(crate) fn path(&self, file: &FileNeed) -> PathBuf {
        self.directory_of(&file.role).join(&file.name)
    }

    /// The alignment that direct I/O needs here, or the reason why it does not work.
    pub(crate) fn direct(&self) -> Result<&Alignment, &str> {
        self.direct.as_ref().map_err(String::as_str)
    }

    /// The device and file system below the files.
    pub(crate) fn placement(&self) -> Placement {
        if self.description.in_object_store {
            return Placement::in_object_store();
        }
        disk::placement::placement_with(&self.directory, &self.direct)
    }
}

/// A trial's configuration, read once.
struct Known {
    description: Description,
    every_trial: TrialParameters,
}

impl Known {
    fn read(spec: &TrialSpec) -> Result<Self, Refusal> {
        let schema = workload::schema(&spec.workload).map_err(Refusal::Failed)?;
        let levels = Levels::new(schema.workload(), &spec.configuration);
        Ok(Self {
            description: (schema.describe)(&spec.configuration).map_err(Refusal::failed)?,
            every_trial: TrialParameters::of(&levels).map_err(Refusal::failed)?,
        })
    }
}

fn files_directory(root: &Path, spec: &TrialSpec) -> PathBuf {
    match spec.placement_round {
        None => root.join(REUSED),
        Some(round) => root.join(format!("{ROUND_PREFIX}{round}")),
    }
}

/// The first seat has the files of trials that run alone.
fn seat_directory(shared: &Path, spec: &TrialSpec) -> PathBuf {
    match spec.seat {
        None | Some(0) => shared.to_owned(),
        Some(seat) => shared.join(format!("{SEAT_PREFIX}{seat}")),
    }
}

/// Removes the placements of earlier rounds; otherwise a run would need room for every round.
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
