//! Trees of a server's files: copied, removed, given to the user that it runs as.

use crate::Failure;
use crate::kernel::child::Account;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;

/// Removes a file; one that is not there is removed.
pub fn remove_file(path: &Path) -> Result<(), Failure> {
    removed(path, fs::remove_file(path))
}

/// Removes a directory with all that is in it; one that is not there is removed.
pub fn remove_tree(path: &Path) -> Result<(), Failure> {
    removed(path, fs::remove_dir_all(path))
}

fn removed(path: &Path, result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::on("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Copies directories, files (as reflinks where the file system has them) and symbolic links, with their permissions.
pub fn copy_tree(from: &Path, to: &Path, owner: Option<Account>) -> Result<(), Failure> {
    let facts = fs::symlink_metadata(from).map_err(Failure::on("read", from))?;
    if facts.is_symlink() {
        let target = fs::read_link(from).map_err(Failure::on("read", from))?;
        std::os::unix::fs::symlink(target, to).map_err(Failure::on("link", to))?;
    } else if facts.is_dir() {
        fs::create_dir(to).map_err(Failure::on("make", to))?;
        for entry in fs::read_dir(from).map_err(Failure::on("list", from))? {
            let entry = entry.map_err(Failure::on("list", from))?;
            copy_tree(&entry.path(), &to.join(entry.file_name()), owner)?;
        }
        let mode = fs::Permissions::from_mode(facts.permissions().mode());
        fs::set_permissions(to, mode).map_err(Failure::on("set the permissions of", to))?;
    } else {
        fs::copy(from, to).map_err(Failure::on("copy to", to))?;
    }
    own(to, owner)
}

/// Gives a file or directory to a user, if there is one to give it to.
pub fn own(path: &Path, owner: Option<Account>) -> Result<(), Failure> {
    let Some(owner) = owner else { return Ok(()) };
    lchown(path, Some(owner.user), Some(owner.group)).map_err(Failure::on("give away", path))
}
