//! Names of the store that something else has: a pipe, a socket, a directory, a symbolic link, a device.

use crate::support::{key, small};
use model::{DurabilityClass, IoMode};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use store::{Options, Store, StoreError};

/// An open that has not returned by then waits for the other end of a pipe.
const PATIENCE: Duration = Duration::from_mins(2);

type Make = fn(&Path) -> io::Result<()>;

const INTRUDERS: [(&str, Make); 5] = [
    ("pipe", |path| Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)),
    ("socket", |path| UnixListener::bind(path).map(drop)),
    ("directory", |path| fs::create_dir(path)),
    ("link", |path| symlink("/dev/null", path)),
    ("device", |path| {
        let null = rustix::fs::makedev(1, 3);
        Ok(mknodat(CWD, path, FileType::CharacterDevice, Mode::RUSR | Mode::WUSR, null)?)
    }),
];

fn options(data: IoMode) -> Options {
    let mut options = small(DurabilityClass::Process);
    (options.log.io, options.data.io) = (IoMode::Buffered, data);
    options
}

/// A store with a run and a log.
fn fill(path: &Path) {
    let store = Store::open(path, &options(IoMode::Buffered)).unwrap();
    store.put(&key(1), b"flushed").unwrap();
    store.drain().unwrap();
    store.put(&key(2), b"logged").unwrap();
}

/// A named pipe in the place of a file made open wait forever.
#[test]
fn what_is_not_a_regular_file_is_named() {
    for (what, make) in INTRUDERS {
        for extension in ["MANIFEST", "LOCK", "log", "run"] {
            for data in [IoMode::Buffered, IoMode::Mmap] {
                let directory = tempfile::tempdir().unwrap();
                fill(directory.path());
                let names = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
                let named: Vec<_> =
                    names.filter(|path| path.to_string_lossy().ends_with(extension)).collect();
                let replaced = named.into_iter().min().unwrap();
                fs::remove_file(&replaced).unwrap();
                if let Err(error) = make(&replaced) {
                    skip::because(format_args!("a {what}: {error}"));
                    continue;
                }
                let (sender, opened) = channel();
                let path = directory.path().to_owned();
                thread::spawn(move || sender.send(Store::open(&path, &options(data)).map(drop)));
                let outcome = opened.recv_timeout(PATIENCE);
                let outcome = outcome.unwrap_or_else(|_| panic!("{what} as {extension}: open hangs"));
                match outcome {
                    Err(StoreError::Io { path, source, .. }) => {
                        assert_eq!(path.file_name(), replaced.file_name(), "{what}");
                        assert_eq!(
                            source.kind(),
                            io::ErrorKind::InvalidInput,
                            "{what} as {extension}: {source}"
                        );
                    }
                    other => panic!("{what} as {extension}: {other:?}"),
                }
            }
        }
    }
}
