//! A run directory in which something else is in place of a file: links, pipes, sockets, devices, directories. No
//! command waits for it, writes through it or changes what it leads to.

use super::spoiled::{ends_clearly, of_a_user};
use crate::laboratory::{Laboratory, root};
use hostile::run::Files;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

/// Names in a run directory that a command reads, writes, replaces or removes.
const NAMES: &[&str] = &[
    "plan.json",
    "host.json",
    "trials.jsonl",
    "sidecars",
    "sidecars/tiny-r003-c001.json",
    "report.html",
    "advice",
    "advice/postgresql.conf",
];

#[derive(Clone, Copy, Debug)]
enum Plant {
    LinkToFile,
    LinkToDirectory,
    LinkToNothing,
    LinkToItself,
    HardLink,
    Pipe,
    Socket,
    /// Endless zeros.
    Device,
    Directory,
    ClosedFile,
}

const PLANTS: &[Plant] = &[
    Plant::LinkToFile,
    Plant::LinkToDirectory,
    Plant::LinkToNothing,
    Plant::LinkToItself,
    Plant::HardLink,
    Plant::Pipe,
    Plant::Socket,
    Plant::Device,
    Plant::Directory,
    Plant::ClosedFile,
];

const COMMANDS: &[&[&str]] = &[
    &["report", "run"],
    &["advise", "run"],
    &["compare", "run", "run"],
    &["audit", "run"],
    &["export", "run", "--format", "json"],
    &["export", "run", "--format", "long"],
    &["run", "--resume", "run"],
];

/// Every name with every plant and every command.
pub(super) const CASES: u64 = (NAMES.len() * PLANTS.len() * COMMANDS.len()) as u64;

impl Plant {
    /// Puts it there; `false` if this user may not make one.
    fn put(self, path: &Path, lab: &Laboratory) -> bool {
        let mode = Mode::from_raw_mode(0o644);
        match self {
            Self::LinkToFile => symlink(lab.path().join("user/postgresql.conf"), path).is_ok(),
            Self::LinkToDirectory => symlink(lab.path().join("user"), path).is_ok(),
            Self::LinkToNothing => symlink(lab.path().join("user/new"), path).is_ok(),
            Self::LinkToItself => symlink(path, path).is_ok(),
            Self::HardLink => fs::hard_link(lab.path().join("user/postgresql.conf"), path).is_ok(),
            Self::Pipe => mknodat(CWD, path, FileType::Fifo, mode, 0).is_ok(),
            // The name of a socket has to be short; it stays when the listener is gone.
            Self::Socket => {
                let short = lab.path().join("s");
                UnixListener::bind(&short).is_ok() && fs::rename(short, path).is_ok()
            }
            Self::Device => mknodat(CWD, path, FileType::CharacterDevice, mode, makedev(1, 5)).is_ok(),
            Self::Directory => fs::create_dir(path).is_ok(),
            Self::ClosedFile => {
                fs::write(path, "{}").is_ok()
                    && fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o000)).is_ok()
            }
        }
    }
}

/// One name, one plant, one command: which, the number says.
pub(super) fn one(number: u64) -> Result<(), String> {
    let number = number as usize;
    let name = NAMES[number % NAMES.len()];
    let plant = PLANTS[number / NAMES.len() % PLANTS.len()];
    let command = COMMANDS[number / NAMES.len() / PLANTS.len() % COMMANDS.len()];
    let lab = Laboratory::new();
    let files = Files::read(&root().join("crates/hostile/seeds/run")).map_err(|error| error.to_string())?;
    files.write(&lab.run_directory()).map_err(|error| error.to_string())?;
    of_a_user(&lab);
    let path = lab.run_directory().join(name);
    let parent = path.parent().unwrap_or(&path);
    fs::create_dir_all(parent).map_err(|error| error.to_string())?;
    if path.is_dir() {
        fs::remove_dir_all(&path).map_err(|error| error.to_string())?;
    } else if path.exists() {
        fs::remove_file(&path).map_err(|error| error.to_string())?;
    }
    if !plant.put(&path, &lab) {
        skip::because(format_args!("{plant:?} cannot be made here"));
        return Ok(());
    }
    ends_clearly(&lab, command).map_err(|why| format!("{name} is a {plant:?}: {why}"))
}
