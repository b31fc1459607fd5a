//! A page in a file that the user names: whole, or as it was.

use crate::failure::Failure;
use lab::open_directory::OpenDirectory;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Permission bits: read, write and execute, for the owner, the group and others.
const PERMISSIONS: u32 = 0o777;

/// Writes a page. A regular file is replaced by a new one that takes its name and its permissions, so that a full disk
/// leaves no half page. A device or a pipe takes what it is given, and so does a file that a link names and that does
/// not exist yet.
pub(crate) fn write(path: &Path, page: &str) -> Result<(), Failure> {
    // The user named it: a link leads where they want it.
    let file = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let facts = fs::metadata(&file).ok();
    let is_replaced = facts.as_ref().map_or(!file.is_symlink(), fs::Metadata::is_file);
    let mode = facts.map(|facts| facts.permissions().mode() & PERMISSIONS);
    let written = match file.file_name().and_then(OsStr::to_str) {
        Some(name) if is_replaced => OpenDirectory::open(&directory_of(&file))
            .and_then(|directory| directory.replace_with_mode(name, page.as_bytes(), mode)),
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

    /// A page that its owner alone could read became everybody's.
    #[test]
    fn a_page_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & PERMISSIONS, 0o600);
    }

    /// The link itself was replaced.
    #[test]
    fn a_link_to_a_page_that_does_not_exist_yet_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (link, page) = (directory.path().join("latest.html"), directory.path().join("page.html"));
        std::os::unix::fs::symlink(&page, &link).unwrap();
        for text in ["one", "two"] {
            write(&link, text).unwrap();
            assert!(link.is_symlink());
            assert_eq!(fs::read_to_string(&page).unwrap(), text);
        }
    }
}
