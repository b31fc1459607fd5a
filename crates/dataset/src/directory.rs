//! A dataset in a directory of this machine.
//!
//! Whatever is read is opened for reading only and has to be a regular file; symbolic links are not followed. Files are
//! written and removed only inside a work directory that carries Syncline's marker.

mod client;
mod reader;

pub use client::{FileClient, FileClients};
pub use reader::{FileReader, FileReaders, FileReads};

use crate::name_room::{NameRoom, too_many};
use crate::{Dataset, Object, ObjectError, Reading, Working};
use disk::files::Layout;
use disk::work_directory::{NAME_PREFIX, require_inside};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A directory whose files, at any depth, are the dataset.
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
}

const CANNOT_LIST: &str = "cannot list the directory";

/// What is done with each file of a walk through a directory.
type Visit<'a> = dyn FnMut(Object) -> Result<(), ObjectError> + 'a;

impl Directory {
    /// The dataset at this path.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where an object is.
    pub fn path(&self, object: &Object) -> PathBuf {
        self.root.join(&object.name)
    }

    /// Visits every regular file below. Returns the number of those that are neither regular files nor directories.
    fn walk(&self, below: &Path, visit: &mut Visit<'_>) -> Result<u64, ObjectError> {
        // An empty path would put a slash behind the root.
        let directory = if below.as_os_str().is_empty() { self.root.clone() } else { self.root.join(below) };
        let failed = |error| ObjectError::failed(directory.display().to_string(), CANNOT_LIST, error);
        let mut others = 0;
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = below.join(entry.file_name());
            if kind.is_dir() {
                // A run's own files are not part of the dataset that it measures.
                if !entry.file_name().to_string_lossy().starts_with(NAME_PREFIX) {
                    others += self.walk(&name, visit)?;
                }
                continue;
            }
            match (kind.is_file(), name.to_str()) {
                (true, Some(name)) => {
                    let bytes = entry.metadata().map_err(failed)?.len();
                    visit(Object { name: name.to_owned(), bytes })?;
                }
                (true, None) | (false, _) => others += 1,
            }
        }
        Ok(others)
    }

    fn require_ours(&self) -> Result<(), ObjectError> {
        require_inside(&self.root.join("any"))
            .map_err(|_| ObjectError::NotOurs { place: self.root.display().to_string() })
    }

    /// Removes every regular file below; the folders stay.
    fn remove_files(&self, below: &Path) -> Result<u64, ObjectError> {
        let mut removed = 0;
        self.walk(below, &mut |object| {
            let path = self.path(&object);
            fs::remove_file(&path).map_err(|error| {
                ObjectError::failed(path.display().to_string(), "cannot remove the file", error)
            })?;
            removed += 1;
            Ok(())
        })?;
        Ok(removed)
    }

    /// The files in the order of their names, if these have room.
    fn list_within(&self, mut room: NameRoom) -> Result<Vec<Object>, ObjectError> {
        let place = || self.root.display().to_string();
        let mut objects = Vec::new();
        let others = self.walk(Path::new(""), &mut |object| {
            let taken = room.take(size_of::<Object>(), &object.name);
            taken.map_err(|names| too_many(place(), CANNOT_LIST, names, "name a directory below it"))?;
            objects.push(object);
            Ok(())
        })?;
        if objects.is_empty() {
            let why = match others {
                0 => "the directory holds no file".to_owned(),
                others => {
                    format!(
                        "the directory holds {others} symbolic links, devices or the like, and no regular file"
                    )
                }
            };
            return Err(ObjectError::Empty { place: place(), why });
        }
        objects.sort_unstable_by(|a: &Object, b| a.name.cmp(&b.name));
        Ok(objects)
    }
}

impl Dataset for Directory {
    type Readers = FileReaders;
    type Clients = FileClients;

    fn list(&self) -> Result<Vec<Object>, ObjectError> {
        self.list_within(NameRoom::default())
    }

    fn read_range(&self, object: &Object, offset: u64, length: u64) -> Result<Vec<u8>, ObjectError> {
        let path = self.path(object);
        let failed = |error| ObjectError::failed(path.display().to_string(), "cannot read the file", error);
        let file = reader::open(&path, model::IoMode::Buffered).map_err(failed)?;
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, offset).map_err(failed)?;
        Ok(bytes)
    }

    fn write(&self, object: &Object, seed: u64) -> Result<(), ObjectError> {
        // An empty file has no block that could have been written.
        let layout = if object.bytes == 0 { Layout::Append } else { Layout::Prefilled };
        Ok(disk::files::create(&self.path(object), layout, object.bytes, seed)?)
    }

    fn remove_written(&self) -> Result<u64, ObjectError> {
        self.require_ours()?;
        self.remove_files(Path::new(""))
    }

    fn readers(&self, objects: &[Object], reading: Reading) -> Result<FileReaders, ObjectError> {
        let failed = |error| {
            ObjectError::failed(self.root.display().to_string(), "cannot make the readers' buffers", error)
        };
        reading.require_possible(self.root.display().to_string())?;
        let paths = objects.iter().map(|object| self.path(object)).collect();
        FileReaders::new(paths, reading).map_err(failed)
    }

    fn clients(&self, working: Working) -> Result<FileClients, ObjectError> {
        self.require_ours()?;
        let failed = |error| {
            ObjectError::failed(self.root.display().to_string(), "cannot make the objects' folders", error)
        };
        FileClients::new(&self.root, working).map_err(failed)
    }

    fn empty(&self, folder: &str) -> Result<u64, ObjectError> {
        self.require_ours()?;
        if !self.root.join(folder).is_dir() {
            return Ok(0);
        }
        self.remove_files(Path::new(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a bucket had a bound, those of a directory had none.
    #[test]
    fn the_names_of_a_directory_have_a_bound() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("deep")).unwrap();
        for number in 0..10 {
            fs::write(directory.path().join(format!("deep/{number}")), "x").unwrap();
        }
        let entry = size_of::<Object>() + "deep/0".len();
        let dataset = Directory::at(directory.path());
        assert_eq!(dataset.list_within(NameRoom::of(10 * entry)).unwrap().len(), 10);
        let refused = dataset.list_within(NameRoom::of(10 * entry - 1)).unwrap_err();
        let ObjectError::Refused { operation: CANNOT_LIST, why, .. } = &refused else { panic!("{refused}") };
        assert!(why.contains("more than 9 objects"), "{why}");
    }
}
