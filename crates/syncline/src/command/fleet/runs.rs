//! The runs of a fleet: read in the order of time, a few at a time, and reduced to what is compared.

use fleet::{Digest, Fleet, Unread, Unused};
use lab::run_directory::RunFiles;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

/// Runs whose digests wait for their turn.
const TOGETHER: usize = 64;

/// What a run directory is for the fleet.
enum Read {
    Digest(Box<Digest>),
    Unread(Unread),
}

/// Reads every run. One that cannot be read is recorded as such.
pub(super) fn read(directories: Vec<PathBuf>) -> Fleet {
    let mut fleet = Fleet::default();
    // What cannot be read has no time, and comes first.
    let mut dated: Vec<(String, PathBuf)> =
        directories.into_iter().map(|path| (created_at(&path), path)).collect();
    dated.sort();
    for together in dated.chunks(TOGETHER) {
        for read in in_parts(together) {
            match read {
                Read::Digest(digest) => fleet.add(*digest),
                Read::Unread(unread) => fleet.add_unread(unread),
            }
        }
    }
    fleet
}

fn created_at(path: &Path) -> String {
    RunFiles::open(path).and_then(|files| files.created_at()).unwrap_or_default()
}

/// The digests of these runs in their order; every CPU takes a part.
fn in_parts(runs: &[(String, PathBuf)]) -> Vec<Read> {
    let digests =
        |part: &[(String, PathBuf)]| -> Vec<Read> { part.iter().map(|(_, path)| digest(path)).collect() };
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let mut parts = runs.chunks(runs.len().div_ceil(cpus).max(1));
    let Some(first) = parts.next() else { return Vec::new() };
    thread::scope(|scope| {
        // A part whose thread cannot be started is read here.
        let start = |part| (part, thread::Builder::new().spawn_scoped(scope, move || digests(part)));
        let others: Vec<_> = parts.map(start).collect();
        let mut read = digests(first);
        for (part, other) in others {
            read.extend(match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => digests(part),
            });
        }
        read
    })
}

fn digest(path: &Path) -> Read {
    let name = path.display().to_string();
    let read = RunFiles::open(path).and_then(|files| files.run().map(|run| (files, run)));
    match read {
        Ok((files, run)) => match Digest::of(name, &run, &|key| files.sidecar(key)) {
            Ok(digest) => Read::Digest(Box::new(digest)),
            Err(unread) => Read::Unread(*unread),
        },
        Err(error) => {
            Read::Unread(Unread { run: name, why: Unused::Unreadable { error: error.to_string() } })
        }
    }
}
