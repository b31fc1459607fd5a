//! A page in a file that the user names: whole, or as it was.

use crate::failure::Failure;
use lab::open_directory::OpenDirectory;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a page. A regular file is replaced by a new one that takes its name, so that a full disk leaves no half page; a
/// device or a pipe takes what it is given.
pub(crate) fn write(path: &Path, page: &str) -> Result<(), Failure> {
    // The user named it: a link leads where they want it.
    let file = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_replaced = fs::metadata(&file).map_or(true, |facts| facts.is_file());
    let written = match file.file_name().and_then(OsStr::to_str) {
        Some(name) if is_replaced => OpenDirectory::open(&directory_of(&file))
            .and_then(|directory| directory.replace(name, page.as_bytes())),
        Some(_) | None => fs::write(&file, page),
    };
    written.map_err(|error| Failure::Runtime(format!("{}: cannot write the page: {error}", path.display())))
}

fn directory_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that filled left the beginning of a page in the place of the whole one.
    #[test]
    fn a_page_that_cannot_be_written_leaves_the_one_before() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing else is left");
        assert!(write(&directory.path().join("absent/page.html"), "x").is_err());
        write(Path::new("/dev/null"), "x").unwrap();
        assert!(write(Path::new("/dev/full"), "x").is_err());
    }
}
