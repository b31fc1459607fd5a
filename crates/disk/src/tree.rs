//! Trees of a server's files: copied, removed, given to the user that it runs as.

use crate::Failure;
use crate::kernel::child::Account;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;

/// What is read and written at a time.
const COPIED_BYTES: usize = 1 << 20;

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

/// The blocks of a copied file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Those of the original until one of the two is written to (a reflink), if the file system can.
    Shared,
    /// The copy's own, written one after another as a program writes a new file. What is then overwritten lies where it
    /// would lie in a file of the user's, on every file system alike.
    Own,
}

/// Copies directories, files and symbolic links, with their permissions.
pub fn copy_tree(from: &Path, to: &Path, owner: Option<Account>, blocks: Blocks) -> Result<(), Failure> {
    let facts = fs::symlink_metadata(from).map_err(Failure::on("read", from))?;
    if facts.is_symlink() {
        let target = fs::read_link(from).map_err(Failure::on("read", from))?;
        std::os::unix::fs::symlink(target, to).map_err(Failure::on("link", to))?;
    } else if facts.is_dir() {
        fs::create_dir(to).map_err(Failure::on("make", to))?;
        for entry in fs::read_dir(from).map_err(Failure::on("list", from))? {
            let entry = entry.map_err(Failure::on("list", from))?;
            copy_tree(&entry.path(), &to.join(entry.file_name()), owner, blocks)?;
        }
        let mode = fs::Permissions::from_mode(facts.permissions().mode());
        fs::set_permissions(to, mode).map_err(Failure::on("set the permissions of", to))?;
    } else {
        match blocks {
            Blocks::Shared => fs::copy(from, to).map(drop),
            Blocks::Own => write_again(from, to),
        }
        .map_err(Failure::on("copy to", to))?;
    }
    own(to, owner)
}

/// `fs::copy` and `io::copy` call copy_file_range(2), which shares blocks.
fn write_again(from: &Path, to: &Path) -> io::Result<()> {
    let (mut source, mut copy) = (File::open(from)?, File::create_new(to)?);
    let mut buffer = vec![0; COPIED_BYTES];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return copy.set_permissions(source.metadata()?.permissions()),
            Ok(bytes) => copy.write_all(&buffer[..bytes])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Gives a file or directory to a user, if there is one to give it to.
pub fn own(path: &Path, owner: Option<Account>) -> Result<(), Failure> {
    let Some(owner) = owner else { return Ok(()) };
    lchown(path, Some(owner.user), Some(owner.group)).map_err(Failure::on("give away", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_content_and_the_permissions_whatever_its_blocks() {
        let parent = tempfile::tempdir().unwrap();
        let from = parent.path().join("from");
        fs::create_dir_all(from.join("below")).unwrap();
        let content: Vec<u8> = (0..3 << 19).map(|at: u32| (at % 251) as u8).collect();
        let files: [(&str, &[u8], u32); 3] =
            [("large", &content, 0o640), ("below/empty", b"", 0o600), ("below/small", b"x", 0o444)];
        for (name, bytes, mode) in files {
            fs::write(from.join(name), bytes).unwrap();
            fs::set_permissions(from.join(name), PermissionsExt::from_mode(mode)).unwrap();
        }
        std::os::unix::fs::symlink("large", from.join("link")).unwrap();
        for (blocks, place) in [(Blocks::Shared, "shared"), (Blocks::Own, "own")] {
            let to = parent.path().join(place);
            copy_tree(&from, &to, None, blocks).unwrap();
            for (name, bytes, mode) in files {
                assert_eq!(fs::read(to.join(name)).unwrap(), bytes, "{blocks:?}: {name}");
                let found = fs::metadata(to.join(name)).unwrap().permissions().mode() & 0o777;
                assert_eq!(found, mode, "{blocks:?}: {name}");
            }
            assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("large"));
        }
    }
}
