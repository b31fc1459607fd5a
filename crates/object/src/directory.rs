//! A dataset in a directory of this machine.
//!
//! Whatever is read is opened for reading only and has to be a regular file; symbolic links are not followed. Files are
//! written and removed only inside a work directory that carries Syncline's marker.

mod reader;

pub use reader::{FileReader, FileReaders, FileReads};

use crate::{Dataset, Object, ObjectError, Reading};
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

/// What a walk through a directory found.
#[derive(Debug, Default)]
struct Found {
    objects: Vec<Object>,
    /// Neither regular files nor directories.
    others: u64,
}

impl Directory {
    /// The dataset at this path.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where an object is.
    pub fn path(&self, object: &Object) -> PathBuf {
        self.root.join(&object.name)
    }

    fn walk(&self, below: &Path, found: &mut Found) -> Result<(), ObjectError> {
        // An empty path would put a slash behind the root.
        let directory = if below.as_os_str().is_empty() { self.root.clone() } else { self.root.join(below) };
        let failed =
            |error| ObjectError::failed(directory.display().to_string(), "cannot list the directory", error);
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = below.join(entry.file_name());
            if kind.is_dir() {
                // A run's own files are not part of the dataset that it measures.
                if !entry.file_name().to_string_lossy().starts_with(NAME_PREFIX) {
                    self.walk(&name, found)?;
                }
                continue;
            }
            match (kind.is_file(), name.to_str()) {
                (true, Some(name)) => {
                    let bytes = entry.metadata().map_err(failed)?.len();
                    found.objects.push(Object { name: name.to_owned(), bytes });
                }
                (true, None) | (false, _) => found.others += 1,
            }
        }
        Ok(())
    }
}

impl Dataset for Directory {
    type Readers = FileReaders;

    fn list(&self) -> Result<Vec<Object>, ObjectError> {
        let mut found = Found::default();
        self.walk(Path::new(""), &mut found)?;
        if found.objects.is_empty() {
            return Err(ObjectError::Empty {
                place: self.root.display().to_string(),
                why: match found.others {
                    0 => "the directory holds no file".to_owned(),
                    others => format!(
                        "the directory holds {others} symbolic links, devices or the like, and no regular file"
                    ),
                },
            });
        }
        found.objects.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(found.objects)
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
        require_inside(&self.root.join("any"))
            .map_err(|_| ObjectError::NotOurs { place: self.root.display().to_string() })?;
        let mut found = Found::default();
        self.walk(Path::new(""), &mut found)?;
        for object in &found.objects {
            let path = self.path(object);
            fs::remove_file(&path).map_err(|error| {
                ObjectError::failed(path.display().to_string(), "cannot remove the file", error)
            })?;
        }
        Ok(found.objects.len() as u64)
    }

    fn readers(&self, objects: &[Object], reading: Reading) -> Result<FileReaders, ObjectError> {
        let failed = |error| {
            ObjectError::failed(self.root.display().to_string(), "cannot make the readers' buffers", error)
        };
        reading.require_possible(self.root.display().to_string())?;
        let paths = objects.iter().map(|object| self.path(object)).collect();
        FileReaders::new(paths, reading).map_err(failed)
    }
}
