//! SHA-256 of what was downloaded: of an archive, and of the tree that was unpacked from it.

use crate::error::PostgresqlError;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const CHUNK_BYTES: usize = 1 << 16;

/// The digest of bytes, hexadecimal.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(Sha256::digest(bytes).as_slice())
}

/// The digest of a directory's names, kinds, contents and whether their owner may execute them; not of owners, other
/// permissions and times, which depend on who unpacked it.
pub(crate) fn of_tree(tree: &Path) -> Result<String, PostgresqlError> {
    let mut digest = Sha256::new();
    add(&mut digest, tree)?;
    Ok(hexadecimal(digest.finalize().as_slice()))
}

fn add(digest: &mut Sha256, path: &Path) -> Result<(), PostgresqlError> {
    let facts = fs::symlink_metadata(path).map_err(PostgresqlError::on("read", path))?;
    if facts.is_symlink() {
        let target = fs::read_link(path).map_err(PostgresqlError::on("read", path))?;
        add_bytes(digest, b"link", target.as_os_str().as_bytes());
    } else if facts.is_dir() {
        let entries = fs::read_dir(path).map_err(PostgresqlError::on("list", path))?;
        let names: Result<Vec<OsString>, io::Error> =
            entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
        let mut names = names.map_err(PostgresqlError::on("list", path))?;
        names.sort();
        digest.update(b"directory");
        digest.update((names.len() as u64).to_le_bytes());
        for name in names {
            add_bytes(digest, b"name", name.as_bytes());
            add(digest, &path.join(&name))?;
        }
    } else if facts.is_file() {
        let is_program = facts.permissions().mode() & 0o100 != 0;
        digest.update(if is_program { "program" } else { "file" });
        digest.update(facts.len().to_le_bytes());
        let mut file = File::open(path).map_err(PostgresqlError::on("open", path))?;
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            match file.read(&mut chunk).map_err(PostgresqlError::on("read", path))? {
                0 => break,
                read => digest.update(&chunk[..read]),
            }
        }
    } else {
        // A pipe or a device is in no archive: this makes the digest another one.
        digest.update(b"special");
    }
    Ok(())
}

/// Bytes with what they are and how many, so that no two trees have the same sequence.
fn add_bytes(digest: &mut Sha256, what: &[u8], bytes: &[u8]) {
    digest.update(what);
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn every_change_of_a_tree_changes_its_digest() {
        let top = tempfile::tempdir().expect("made");
        let (bin, library) = (top.path().join("bin"), top.path().join("lib"));
        fs::create_dir(&bin).expect("made");
        fs::write(bin.join("initdb"), "program").expect("written");
        symlink("initdb", &library).expect("made");
        let digest = || of_tree(top.path()).expect("readable");
        let before = digest();
        let mode = |bits| fs::set_permissions(bin.join("initdb"), fs::Permissions::from_mode(bits));
        mode(0o600).expect("ours");
        assert_eq!(digest(), before, "who else may read it is not part of it");
        let changes: [&dyn Fn(); 4] = [
            &|| fs::write(bin.join("initdb"), "progrAm").expect("written"),
            &|| mode(0o700).expect("ours"),
            &|| fs::write(bin.join("more"), "").expect("written"),
            &|| {
                fs::remove_file(&library).expect("removed");
                symlink("more", &library).expect("made");
            },
        ];
        let mut seen = vec![before];
        for change in changes {
            change();
            assert!(!seen.contains(&digest()));
            seen.push(digest());
        }
    }
}
