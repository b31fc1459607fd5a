//! The disk that forgets with a file system on it, mounted.

use crate::cut::Cut;
use crate::error::{ForgetError, Unsupported};
use crate::file_system::{Counts, Delays, FILE, Moment, Shared};
use crate::image::{Image, Snapshot};
use crate::server::Server;
use disk::Failure;
use disk::filesystem::{self, FileSystemKind, FilesystemError, LoopMount};
use disk::kernel::fuse;
use disk::work_directory::WorkDirectory;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Below the work directory: where the file system with the file `disk` is mounted.
const DEVICE: &str = "device";
/// And where the file system on that disk is.
const FILES: &str = "files";

/// A mounted file system on a disk in memory that forgets what was not flushed. It is unmounted and gone when this is
/// dropped.
#[derive(Debug)]
pub struct ForgettingDisk {
    folder: PathBuf,
    kind: FileSystemKind,
    shared: Shared,
    mounted: LoopMount,
    /// Until it is removed.
    parts: Option<(WorkDirectory, Server)>,
}

/// What a disk that forgets lacks here, if anything.
pub fn unsupported(kind: FileSystemKind, size_bytes: u64) -> Option<Unsupported> {
    if kind == FileSystemKind::Btrfs {
        return Some(Unsupported::Kind { kind });
    }
    match filesystem::require_possible(kind, size_bytes) {
        Ok(()) => {}
        Err(FilesystemError::NotRoot { .. }) => return Some(Unsupported::NotRoot),
        Err(error) => return Some(Unsupported::FileSystem(error)),
    }
    // A container may have the device and not the right to it. A connection that nothing mounts is nothing.
    File::options()
        .read(true)
        .write(true)
        .open(fuse::DEVICE)
        .err()
        .map(|source| Unsupported::NoFuse { source })
}

impl ForgettingDisk {
    /// Makes a disk of `size_bytes` with a fresh file system. Nothing is written to `folder`, but the mounts are on
    /// directories in it. What killed processes left mounted there is unmounted first.
    ///
    /// # Errors
    /// [`ForgetError::Unsupported`] if this machine has no such disks.
    pub fn new(size_bytes: u64, folder: &Path, kind: FileSystemKind) -> Result<Self, ForgetError> {
        WorkDirectory::clean_abandoned_of_this_host(folder)?;
        Self::start(Image::new(size_bytes), folder, kind, Content::Nothing)
    }

    /// Switches a disk on after a loss of power: its file system recovers while it is mounted. It forgets too: another
    /// cut can follow at any time.
    ///
    /// # Errors
    /// [`ForgetError::FileSystem`] if the file system cannot be mounted.
    pub fn after(snapshot: &Snapshot, folder: &Path, kind: FileSystemKind) -> Result<Self, ForgetError> {
        Self::start(Image::after(snapshot), folder, kind, Content::FileSystem)
    }

    /// Another disk, in the same folder and with the same kind of file system, that is switched on with what a cut
    /// left.
    ///
    /// # Errors
    /// Those of [`after`](Self::after).
    pub fn mount_after(&self, snapshot: &Snapshot) -> Result<Self, ForgetError> {
        Self::after(snapshot, &self.folder, self.kind)
    }

    fn start(image: Image, folder: &Path, kind: FileSystemKind, holds: Content) -> Result<Self, ForgetError> {
        if let Some(unsupported) = unsupported(kind, image.size_bytes()) {
            return Err(unsupported.into());
        }
        let work = WorkDirectory::create(folder)?;
        let device = work.path().join(DEVICE);
        std::fs::create_dir(&device).map_err(Failure::on("create", &device))?;
        let shared = Shared::new(image);
        let server = Server::start(shared.clone(), &device)?;
        let file = device.join(FILE);
        let mount = || {
            match holds {
                Content::Nothing => {
                    filesystem::make(kind, &file)?;
                    // The first cut finds a file system, whatever mkfs flushed.
                    let mut state = shared.lock();
                    state.image.flush();
                    state.counts = Counts::default();
                }
                Content::FileSystem => {}
            }
            // Copies of an XFS have the same identity.
            let options: &[&str] = if kind == FileSystemKind::Xfs { &["nouuid"] } else { &[] };
            filesystem::mount_image(work.path(), kind, &file, &work.path().join(FILES), options)
        };
        match mount() {
            Ok(mounted) => {
                Ok(Self { folder: folder.to_owned(), kind, shared, mounted, parts: Some((work, server)) })
            }
            Err(error) => {
                remove(work, server)?;
                Err(ForgetError::FileSystem(error))
            }
        }
    }

    /// Where files go.
    pub fn path(&self) -> &Path {
        &self.mounted.point
    }

    /// Name of the block device, such as `loop0`.
    pub fn device(&self) -> &str {
        &self.mounted.device
    }

    /// The disk as it is at this moment, to be cut in several ways. What arrives later does not change it.
    pub fn image(&self) -> Image {
        self.shared.lock().image.clone()
    }

    /// The disk at the first moment from now on at which this number of bytes is not flushed; now if it is 0,
    /// and at the limit if no such moment comes before.
    pub fn moment(&self, pending_bytes: u64, limit: Duration) -> Moment {
        self.shared.moment(pending_bytes, limit)
    }

    /// What the disk would hold if it lost power at this moment. What arrives later does not change it: the disk
    /// goes on to serve the processes that use it, until they are killed. An acknowledgement counts only if it was
    /// received before this call.
    pub fn cut(&self, cut: Cut) -> Snapshot {
        self.image().cut(cut)
    }

    /// From now on the disk takes longer.
    pub fn slow_down(&self, delays: Delays) {
        self.shared.lock().delays = delays;
    }

    /// What has arrived since the file system was made or the disk was switched on.
    pub fn counts(&self) -> Counts {
        self.shared.lock().counts
    }

    /// Unmounts and removes it.
    ///
    /// # Errors
    /// Some process still uses the file system.
    pub fn close(mut self) -> Result<(), ForgetError> {
        self.parts.take().map_or(Ok(()), |(work, server)| remove(work, server))
    }
}

impl Drop for ForgettingDisk {
    fn drop(&mut self) {
        // Nothing can be reported from here; what stays is found by the next start.
        if let Some((work, server)) = self.parts.take() {
            let _ = remove(work, server);
        }
    }
}

/// What a disk holds when it is switched on.
#[derive(Clone, Copy)]
enum Content {
    Nothing,
    FileSystem,
}

/// Unmounts what is on the disk, then the file that is the disk, and waits for its server.
fn remove(work: WorkDirectory, server: Server) -> Result<(), ForgetError> {
    // If something is still mounted, its server must go on.
    work.remove()?;
    server.join()
}
