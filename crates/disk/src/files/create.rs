//! Making a file of a given layout. It gets its name only when it is complete, so a half-made one is never
//! mistaken for it.

use super::random::RandomContent;
use super::{FileError, Layout, extent_facts, require_space, space_available, verify_layout};
use crate::failure::Failure;
use crate::page_cache;
use crate::work_directory::require_inside;
use model::mechanism::Measured;
use rustix::fs::{FallocateFlags, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes written at a time.
const CHUNK_BYTES: u64 = 1 << 20;
/// Bytes written between two waits for the device, so that dirty pages stay few.
const SYNC_EVERY_BYTES: u64 = 64 << 20;

/// What [`ensure`] found or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// The file was there, complete.
    Reused,
    /// The file was made.
    Created,
}

/// The file as it should be: reused if it is complete, else made.
pub fn ensure(path: &Path, layout: Layout, size_bytes: u64, seed: u64) -> Result<Prepared, FileError> {
    if is_complete(path, layout, size_bytes)? {
        return Ok(Prepared::Reused);
    }
    create(path, layout, size_bytes, seed)?;
    Ok(Prepared::Created)
}

/// Whether a file of this layout and size is there. Only complete files have their name; this also checks that
/// a trial has not changed what the layout promises.
pub fn is_complete(path: &Path, layout: Layout, size_bytes: u64) -> Result<bool, FileError> {
    let facts = match std::fs::symlink_metadata(path) {
        Ok(facts) => facts,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Failure::on("read the size of", path)(error).into()),
    };
    let expected = if layout == Layout::Append { 0 } else { size_bytes };
    if !facts.is_file() || facts.len() != expected {
        return Ok(false);
    }
    Ok(match extent_facts(path)? {
        Measured::Value(extents) => verify_layout(path, layout, &extents, expected).is_ok(),
        // The name alone says that it was finished.
        Measured::Unsupported { .. } => true,
    })
}

/// Makes a file inside a work directory, at any depth: `size_bytes` long, or empty for [`Layout::Append`], for which
/// the size is only checked for. Replaces a file of that name. On return it is on the device, name included, its layout
/// is verified, and none of it is cached on purpose.
pub fn create(path: &Path, layout: Layout, size_bytes: u64, seed: u64) -> Result<(), FileError> {
    require_inside(path).map_err(FileError::NotOurs)?;
    let directory = path.parent().unwrap_or(Path::new("."));
    require_space(directory, size_bytes)?;
    let unfinished = unfinished_name(path);
    let made = make(&unfinished, layout, size_bytes, seed).and_then(|()| {
        std::fs::rename(&unfinished, path).map_err(Failure::on("rename into place", path))?;
        sync_directory(directory)
    });
    if made.is_err() {
        // Best effort: what matters is the error that is being reported.
        let _ = std::fs::remove_file(&unfinished);
    }
    made
}

/// Puts a file back to how [`create`] left it, in place: [`Layout::Append`] empty, [`Layout::Fallocated`] with
/// unwritten extents only. For trials that consume their file.
///
/// # Errors
/// [`FileError::NotRecreatable`] for [`Layout::Prefilled`].
pub fn recreate(path: &Path, layout: Layout, size_bytes: u64) -> Result<(), FileError> {
    if layout == Layout::Prefilled {
        return Err(FileError::NotRecreatable { path: path.to_owned() });
    }
    require_inside(path).map_err(FileError::NotOurs)?;
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file =
        rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(Failure::on("open", path))?;
    rustix::fs::ftruncate(&file, 0).map_err(Failure::on("truncate", path))?;
    // The freed blocks must not come back as a journal commit inside the measurement.
    rustix::fs::fsync(&file).map_err(Failure::on("fsync", path))?;
    if layout == Layout::Fallocated {
        require_space(path.parent().unwrap_or(path), size_bytes)?;
        allocate(&file, path, size_bytes)?;
        rustix::fs::fsync(&file).map_err(Failure::on("fsync", path))?;
        verify(path, layout, size_bytes)?;
    }
    Ok(())
}

fn make(path: &Path, layout: Layout, size_bytes: u64, seed: u64) -> Result<(), FileError> {
    // A file that a killed process left under this name may be replaced; O_EXCL then proves that this file is new.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::on("remove", path)(error).into());
        }
        Ok(()) | Err(_) => {}
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)
        .map(File::from)
        .map_err(Failure::on("create", path))?;
    match layout {
        Layout::Append => {}
        Layout::Fallocated => allocate(&file, path, size_bytes)?,
        Layout::Prefilled => fill(&file, path, size_bytes, &mut RandomContent::new(seed))?,
    }
    rustix::fs::fsync(&file).map_err(|errno| failed_write("fsync", path, size_bytes, errno))?;
    page_cache::drop_pages(&file).map_err(Failure::on("evict", path))?;
    verify(path, layout, if layout == Layout::Append { 0 } else { size_bytes })
}

fn verify(path: &Path, layout: Layout, size_bytes: u64) -> Result<(), FileError> {
    match extent_facts(path)? {
        Measured::Value(facts) => verify_layout(path, layout, &facts, size_bytes),
        Measured::Unsupported { .. } => Ok(()),
    }
}

fn allocate(file: &File, path: &Path, size_bytes: u64) -> Result<(), FileError> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        Ok(()) => Ok(()),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => Err(FileError::NoFallocate { path: path.to_owned() }),
        Err(errno) => {
            // ext4 keeps what it could allocate; without it the error can say how much is available.
            rustix::fs::ftruncate(file, 0).map_err(Failure::on("truncate", path))?;
            Err(failed_write("allocate", path, size_bytes, errno))
        }
    }
}

fn fill(mut file: &File, path: &Path, size_bytes: u64, content: &mut RandomContent) -> Result<(), FileError> {
    // Reserving first keeps the file in few extents and finds a full file system before writing to it.
    match allocate(file, path, size_bytes) {
        Ok(()) | Err(FileError::NoFallocate { .. }) => {}
        Err(error) => return Err(error),
    }
    let failed = |error: std::io::Error| match Errno::from_io_error(&error) {
        Some(errno) => failed_write("write", path, size_bytes, errno),
        None => Failure::on("write", path)(error).into(),
    };
    let mut chunk = vec![0; CHUNK_BYTES as usize];
    let mut written = 0;
    while written < size_bytes {
        let length = CHUNK_BYTES.min(size_bytes - written) as usize;
        content.fill(&mut chunk[..length]);
        file.write_all(&chunk[..length]).map_err(failed)?;
        written += length as u64;
        if written % SYNC_EVERY_BYTES == 0 {
            file.sync_data().map_err(failed)?;
        }
    }
    Ok(())
}

/// A failed write; "no space" also states how much was needed and how much is free.
fn failed_write(operation: &'static str, path: &Path, needed_bytes: u64, errno: Errno) -> FileError {
    if errno == Errno::NOSPC {
        let directory = path.parent().unwrap_or(path);
        let available_bytes = space_available(directory).unwrap_or(0);
        return FileError::NoSpace { path: path.to_owned(), needed_bytes, available_bytes };
    }
    FileError::Kernel(Failure::on(operation, path)(errno))
}

fn unfinished_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

/// Makes a new name durable.
fn sync_directory(directory: &Path) -> Result<(), FileError> {
    let handle = File::open(directory).map_err(Failure::on("open", directory))?;
    Ok(rustix::fs::fsync(&handle).map_err(Failure::on("fsync", directory))?)
}
