//! A store's directory: made and marked by Syncline, or not touched.
//!
//! The marker says which engine made the store, and at which durability level; the engine's own files are in a
//! directory beside it, so no engine meets a file that it does not know.

use crate::EngineError;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Name of the marker file: a line that says whose it is, then engine and durability level.
pub const MARKER: &str = "syncline-store";
const FIRST_LINE: &str = "A store made by Syncline; it may be removed.";
const DATA: &str = "data";

fn on<'a>(operation: &'static str, path: &'a Path) -> impl Fn(io::Error) -> EngineError + 'a {
    move |source| EngineError::Directory { operation, path: path.to_path_buf(), source }
}

/// The maker of the store in `directory`: engine and durability level. `None` if there is no such directory, or nothing
/// in it.
///
/// # Errors
/// The directory holds something that Syncline did not make; or it cannot be read.
pub fn made_by(directory: &Path) -> Result<Option<String>, EngineError> {
    let foreign = || EngineError::ForeignStore { path: directory.to_path_buf() };
    match fs::symlink_metadata(directory) {
        Ok(facts) if facts.is_dir() => {}
        Ok(_) => return Err(foreign()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(on("look at", directory)(error)),
    }
    let marker = directory.join(MARKER);
    match fs::read_to_string(&marker) {
        Ok(text) => match text.split_once('\n') {
            Some((FIRST_LINE, maker)) => Ok(Some(maker.trim_end().to_owned())),
            Some(_) | None => Err(foreign()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut entries = fs::read_dir(directory).map_err(on("read", directory))?;
            if entries.next().is_some() { Err(foreign()) } else { Ok(None) }
        }
        Err(error) => Err(on("read", &marker)(error)),
    }
}

/// Makes the store's directory, or finds the one that `maker` made earlier; returns where the engine's files go.
///
/// # Errors
/// [`EngineError::ForeignStore`], [`EngineError::OtherStore`], or the kernel's error.
pub(crate) fn prepare(directory: &Path, maker: &str) -> Result<PathBuf, EngineError> {
    let data = directory.join(DATA);
    match made_by(directory)? {
        Some(found) if found == maker => {}
        Some(found) => {
            let path = directory.to_path_buf();
            return Err(EngineError::OtherStore { path, found, wanted: maker.to_owned() });
        }
        None => {
            fs::create_dir_all(directory).map_err(on("make", directory))?;
            let marker = directory.join(MARKER);
            // The marker is new: two that make the same store at once do not share it.
            let mut file = fs::File::create_new(&marker).map_err(on("mark", &marker))?;
            file.write_all(format!("{FIRST_LINE}\n{maker}\n").as_bytes()).map_err(on("mark", &marker))?;
        }
    }
    fs::create_dir_all(&data).map_err(on("make", &data))?;
    Ok(data)
}

/// Removes a store that Syncline made and nobody has open, and frees its space. The marker goes last, so what an
/// interruption leaves can still be removed. A directory that is not there is fine.
///
/// # Errors
/// [`EngineError::ForeignStore`], or the kernel's error.
pub fn remove(directory: &Path) -> Result<(), EngineError> {
    if made_by(directory)?.is_none() {
        return match fs::remove_dir(directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(on("remove", directory)(error)),
            Ok(()) | Err(_) => Ok(()),
        };
    }
    let data = directory.join(DATA);
    match fs::remove_dir_all(&data) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(on("remove", &data)(error)),
        Ok(()) | Err(_) => {}
    }
    let marker = directory.join(MARKER);
    fs::remove_file(&marker).map_err(on("remove", &marker))?;
    fs::remove_dir(directory).map_err(on("remove", directory))
}

/// Space that the files below `directory` take on the disk, in bytes: allocated blocks, as `du` counts them (stat(2):
/// `st_blocks` is in units of 512 bytes). A file that a compaction removes meanwhile counts or does not.
///
/// # Errors
/// The directory cannot be read.
pub fn disk_bytes(directory: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        match entry.metadata() {
            Ok(facts) if facts.is_dir() => sum += disk_bytes(&entry.path())?,
            Ok(facts) => sum += facts.blocks() * 512,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sum)
}
