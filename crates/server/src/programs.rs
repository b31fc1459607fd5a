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

/// The main program of a server, and what it needs beside itself.
#[derive(Clone, Debug)]
pub struct Programs {
    main: PathBuf,
    /// The root of the tree that the program is in: `/`, or the unpacked packages.
    root: PathBuf,
}

impl Programs {
    /// The first of these programs that the machine has, or else the tree.
    pub fn find(
        names: &[&'static str],
        package: &'static str,
        tree: Option<&Path>,
    ) -> Result<Self, ServerError> {
        let roots = [Some(Path::new("/")), tree].into_iter().flatten();
        let places = roots.flat_map(|root| {
            names.iter().flat_map(move |name| FOLDERS.map(|folder| (root, root.join(folder).join(name))))
        });
        for (root, main) in places {
            if main.is_file() {
                let distrusted = |why: trust::Distrust| ServerError::Unsupported(why.to_string());
                trust::require_trusted(&main).map_err(distrusted)?;
                return Ok(Self { main, root: root.to_owned() });
            }
        }
        let program = names.first().copied().unwrap_or_default();
        Err(ServerError::Missing { program, package })
    }

    /// A program at a place of its own.
    pub fn at(main: PathBuf, root: PathBuf) -> Self {
        Self { main, root }
    }

    /// The same programs where every user reaches them: a tree below a closed directory is copied into `place`, once.
    ///
    /// # Errors
    /// [`ServerError::Unsupported`] for installed programs that other users may not reach.
    pub(crate) fn reachable(self, place: &Path) -> Result<Self, ServerError> {
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

    /// Another program of the same packages.
    pub fn program(&self, name: &str) -> Command {
        self.beside(&self.main.with_file_name(name))
    }

    fn beside(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", env::var_os("PATH").unwrap_or_default()).env("LANG", "C");
        if self.root != Path::new("/") {
            let libraries = [self.root.join("usr/lib"), self.root.join("usr/lib").join(multiarch())];
            command.env("LD_LIBRARY_PATH", env::join_paths(libraries).unwrap_or_default());
        }
        command.stdin(Stdio::null()).current_dir("/");
        command
    }

    /// A file of the packages by its path below the root.
    pub fn file(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
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
