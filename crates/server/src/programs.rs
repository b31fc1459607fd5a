//! A server's programs: the machine's own, or those of a tree of unpacked packages.

use crate::ServerError;
use disk::trust;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where packages put programs, below `/` or a tree.
const FOLDERS: [&str; 3] = ["usr/sbin", "usr/bin", "usr/local/bin"];

/// The name of the loader in packages of the C library (ld.so(8)).
const LOADER: &str =
    if cfg!(target_arch = "aarch64") { "ld-linux-aarch64.so.1" } else { "ld-linux-x86-64.so.2" };

/// Where `scripts/install-servers` puts trees of packages, if it has.
pub fn unpacked() -> Option<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| Some(env::home_dir()?.join(".cache")))?;
    Some(cache.join("syncline/servers")).filter(|trees| trees.is_dir())
}

/// The main program of a server, and what it needs beside itself.
#[derive(Clone, Debug)]
pub struct Programs {
    main: PathBuf,
    /// The root of the tree that the program is in: `/`, or the unpacked packages.
    root: PathBuf,
}

impl Programs {
    /// The first of these programs that the machine has, or else one of the trees in a folder.
    pub fn find(
        names: &[&'static str],
        package: &'static str,
        trees: Option<&Path>,
    ) -> Result<Self, ServerError> {
        Self::find_other_than("", names, package, trees)
    }

    /// The same, without links to a program of this name: another server answers to a name of its ancestor's.
    pub(crate) fn find_other_than(
        other: &str,
        names: &[&'static str],
        package: &'static str,
        trees: Option<&Path>,
    ) -> Result<Self, ServerError> {
        let mut roots = vec![PathBuf::from("/")];
        roots.extend(trees.into_iter().flat_map(fs::read_dir).flatten().flatten().map(|entry| entry.path()));
        // In one order on every machine; "/" is the first.
        roots.sort_unstable();
        let places = roots.iter().flat_map(|root| {
            let of_name =
                move |name: &&str| FOLDERS.map(|folder| (root.as_path(), root.join(folder).join(name)));
            names.iter().flat_map(of_name)
        });
        let program = names.first().copied().unwrap_or_default();
        Self::first(other, places)?.ok_or(ServerError::Missing { program, package })
    }

    /// A program in a directory that the user names: the directory that holds it, or the root of the packages that it
    /// is in. No link to a program of the name `other`, if that is not empty.
    pub(crate) fn below(directory: &Path, name: &str, other: &str) -> Result<Self, ServerError> {
        let in_folder = FOLDERS.iter().find(|folder| directory.ends_with(folder));
        let levels = in_folder.map_or(1, |folder| Path::new(folder).components().count());
        let around = directory.ancestors().nth(levels).unwrap_or(directory);
        let below = FOLDERS.iter().map(|folder| (directory, directory.join(folder).join(name)));
        let places = std::iter::once((around, directory.join(name))).chain(below);
        let missing = || ServerError::Unsupported(format!("{}: there is no {name}", directory.display()));
        Self::first(other, places)?.ok_or_else(missing)
    }

    /// The first of these places, each with the root of its tree, that has a program.
    fn first<'r>(
        other: &str,
        mut places: impl Iterator<Item = (&'r Path, PathBuf)>,
    ) -> Result<Option<Self>, ServerError> {
        let is_other = |path: &Path| {
            path.canonicalize().is_ok_and(|path| path.file_name().is_some_and(|name| name == other))
        };
        let found = places.find(|(_, main)| main.is_file() && !is_other(main));
        let Some((root, main)) = found else { return Ok(None) };
        let distrusted = |why: trust::Distrust| ServerError::Unsupported(why.to_string());
        trust::require_trusted(&main).map_err(distrusted)?;
        Ok(Some(Self { main, root: root.to_owned() }))
    }

    /// A program at a place of its own.
    pub fn at(main: PathBuf, root: PathBuf) -> Self {
        Self { main, root }
    }

    /// The same programs where every user reaches them: a tree below a closed directory is copied into `place`, once.
    ///
    /// # Errors
    /// [`ServerError::Unsupported`] for installed programs that other users may not reach.
    pub fn reachable(self, place: &Path) -> Result<Self, ServerError> {
        let open =
            |path: &Path| fs::metadata(path).is_ok_and(|facts| facts.permissions().mode() & 0o001 != 0);
        if self.main.ancestors().skip(1).all(open) {
            return Ok(self);
        }
        if self.root == Path::new("/") {
            let why = format!("{}: other users may not reach it", self.main.display());
            return Err(ServerError::Unsupported(why));
        }
        let name = self.root.file_name().unwrap_or_default();
        let copy = place.join(name);
        if !copy.exists() {
            copy_tree(&self.root, &copy)?;
        }
        let inside = self.main.strip_prefix(&self.root).unwrap_or(&self.main).to_owned();
        Ok(Self { main: copy.join(inside), root: copy })
    }

    /// The main program, with nothing of the caller's environment but its path.
    pub fn command(&self) -> Command {
        self.beside(&self.main)
    }

    /// The main program, and the root of the tree that it is in.
    pub fn place(&self) -> (&Path, &Path) {
        (&self.main, &self.root)
    }

    /// Another program of the same packages.
    pub fn program(&self, name: &str) -> Command {
        self.beside(&self.main.with_file_name(name))
    }

    fn beside(&self, program: &Path) -> Command {
        let libraries = [self.root.join("usr/lib").join(multiarch()), self.root.join("usr/lib")];
        let libraries = env::join_paths(&libraries).unwrap_or_default();
        // A tree with a C library of its own has the loader that goes with it.
        let loader = self.root.join("usr/lib").join(multiarch()).join(LOADER);
        let is_tree = self.root != Path::new("/");
        let mut command = if is_tree && loader.is_file() {
            let mut command = Command::new(loader);
            command.arg("--library-path").arg(&libraries).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.env_clear().env("PATH", env::var_os("PATH").unwrap_or_default()).env("LANG", "C");
        if is_tree {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command.stdin(Stdio::null()).current_dir("/");
        command
    }

    /// A file of the packages by its path below the root.
    pub fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

/// The number in what a program calls its version: `10.11.6` of `mariadbd  Ver 10.11.6-MariaDB-0+deb12u1`.
pub fn version_number(version: &str) -> Option<&str> {
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let word = version.split_whitespace().find(is_number)?;
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
    Some(word[..end].trim_end_matches('.'))
}

/// Debian's name of this machine's kind (wiki.debian.org/Multiarch/Tuples).
fn multiarch() -> OsString {
    format!("{}-linux-gnu", env::consts::ARCH).into()
}

/// Directories, files and links; open to read.
fn copy_tree(from: &Path, to: &Path) -> Result<(), ServerError> {
    let facts = fs::symlink_metadata(from).map_err(ServerError::on("read", from))?;
    if facts.is_symlink() {
        let target = fs::read_link(from).map_err(ServerError::on("read", from))?;
        return std::os::unix::fs::symlink(target, to).map_err(ServerError::on("link", to));
    }
    if facts.is_dir() {
        fs::create_dir(to).map_err(ServerError::on("make", to))?;
        for entry in fs::read_dir(from).map_err(ServerError::on("list", from))? {
            let entry = entry.map_err(ServerError::on("list", from))?;
            copy_tree(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else {
        fs::copy(from, to).map_err(ServerError::on("copy to", to))?;
    }
    let mode = facts.permissions().mode() | 0o444 | if facts.is_dir() { 0o111 } else { 0 };
    fs::set_permissions(to, fs::Permissions::from_mode(mode))
        .map_err(ServerError::on("set the permissions of", to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_user_are_in_their_directory_or_in_the_tree_of_packages_that_it_is() {
        let around = tempfile::tempdir().expect("made");
        let tree = around.path().canonicalize().expect("there").join("tree");
        let (folder, flat) = (tree.join("usr/sbin"), tree.join("bin"));
        for directory in [&folder, &flat] {
            fs::create_dir_all(directory).expect("made");
            fs::write(directory.join("served"), "").expect("written");
            std::os::unix::fs::symlink("served", directory.join("linked")).expect("made");
        }
        let root = |directory: &Path, name: &str, other: &str| {
            Programs::below(directory, name, other).ok().map(|programs| programs.root)
        };
        for directory in [&tree, &folder, &flat] {
            assert_eq!(root(directory, "served", ""), Some(tree.clone()), "{}", directory.display());
            assert_eq!(root(directory, "linked", "served"), None, "it is the other server's");
        }
        assert_eq!(root(around.path(), "served", ""), None);
    }

    #[test]
    fn a_version_has_its_number_somewhere() {
        for (version, number) in [
            (
                "mariadbd  Ver 10.11.18-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
                Some("10.11.18"),
            ),
            ("mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))", Some("9.7.4")),
            ("etcd Version: 3.5.16", Some("3.5.16")),
            ("no number", None),
        ] {
            assert_eq!(version_number(version), number);
        }
    }
}
