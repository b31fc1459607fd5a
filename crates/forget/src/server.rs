//! The thread that serves the file system. It has file descriptors of its own, so that the kernel drops the connection
//! when the thread ends: a process whose other threads wait for the disk can still be killed.
//!
//! It never touches the file system that is on the disk: it would wait for itself.

use crate::error::ForgetError;
use crate::file_system::{OneFile, Shared};
use disk::kernel::{apart, fuse};
use fuser::{Config, Session, SessionACL};
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    thread: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Mounts the file system on `point` and serves it, until it is unmounted.
    pub(crate) fn start(shared: Shared, point: &Path) -> Result<Self, ForgetError> {
        apart::dump_no_core().map_err(ForgetError::Server)?;
        let (say, heard) = mpsc::sync_channel(1);
        let point = point.to_owned();
        let serve = move |left: io::Result<()>| serve(left, &shared, &point, &say);
        let thread = apart::spawn("forgetting disk", serve).map_err(ForgetError::Server)?;
        match heard.recv() {
            Ok(Ok(())) => Ok(Self { thread }),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ForgetError::Server(io::Error::other("the thread that serves the disk ended"))),
        }
    }

    /// Waits for its end, after the file system has been unmounted.
    pub(crate) fn join(self) -> Result<(), ForgetError> {
        let ended = self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread panicked")));
        match ended {
            // The connection is over, as it is after every unmount. The kernel calls it ENODEV, which `fuser` knows; on
            // a busy machine Linux 6.18 called it this once.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => Ok(()),
            ended => ended.map_err(ForgetError::ServerEnd),
        }
    }
}

/// Serves until the file system is unmounted.
fn serve(
    left: io::Result<()>,
    shared: &Shared,
    point: &Path,
    say: &SyncSender<Result<(), ForgetError>>,
) -> io::Result<()> {
    let session = left.map_err(ForgetError::Server).and_then(|()| open(shared, point));
    let (session, answer) = match session {
        Ok(session) => (Some(session), Ok(())),
        Err(error) => (None, Err(error)),
    };
    // The caller waits for it.
    let _ = say.send(answer);
    session.map_or(Ok(()), Session::run)
}

fn open(shared: &Shared, point: &Path) -> Result<Session<OneFile>, ForgetError> {
    let connection = fuse::mount(point)?;
    // The mount is in the caller's namespace, which may end with this process.
    apart::leave_mount_namespace()?;
    let one_file = OneFile::new(shared.clone());
    Session::from_fd(one_file, connection, SessionACL::Owner, Config::default()).map_err(ForgetError::Server)
}
