//! Files and directories of Syncline: copied, removed, given to a server's user.

use crate::account::Unprivileged;
use crate::error::PostgresqlError;
use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;

pub(crate) fn remove_file(path: &Path) -> Result<(), PostgresqlError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(PostgresqlError::on("remove", path)(error))
        }
        _ => Ok(()),
    }
}

pub(crate) fn remove_tree(path: &Path) -> Result<(), PostgresqlError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(PostgresqlError::on("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Copies directories, files (as reflinks where the file system has them) and symbolic links, with their permissions.
pub(crate) fn copy_tree(from: &Path, to: &Path, owner: Option<&Unprivileged>) -> Result<(), PostgresqlError> {
    let facts = fs::symlink_metadata(from).map_err(PostgresqlError::on("read", from))?;
    if facts.is_symlink() {
        let target = fs::read_link(from).map_err(PostgresqlError::on("read", from))?;
        std::os::unix::fs::symlink(target, to).map_err(PostgresqlError::on("link", to))?;
    } else if facts.is_dir() {
        fs::create_dir(to).map_err(PostgresqlError::on("make", to))?;
        for entry in fs::read_dir(from).map_err(PostgresqlError::on("list", from))? {
            let entry = entry.map_err(PostgresqlError::on("list", from))?;
            copy_tree(&entry.path(), &to.join(entry.file_name()), owner)?;
        }
        let mode = fs::Permissions::from_mode(facts.permissions().mode());
        fs::set_permissions(to, mode).map_err(PostgresqlError::on("set the permissions of", to))?;
    } else {
        fs::copy(from, to).map_err(PostgresqlError::on("copy to", to))?;
    }
    own(to, owner)
}

pub(crate) fn own(path: &Path, owner: Option<&Unprivileged>) -> Result<(), PostgresqlError> {
    let Some(owner) = owner else { return Ok(()) };
    lchown(path, Some(owner.account.user), Some(owner.account.group))
        .map_err(PostgresqlError::on("give away", path))
}
