//! A directory of the real file system.

use super::mapped::{Mapped, MappedLog};
use super::ring::Rings;
use super::{Access, Durable, Reads, Storage, StorageFile, one_after_another};
use crate::block::BLOCK_BYTES;
use crate::options::ReadEngine;
use disk::kernel::fork::ForkMark;
use model::IoMode;
use rustix::fs::{AtFlags, FallocateFlags, FlockOperation, Mode, OFlags, StatxFlags};
use rustix::io::{Errno, ReadWriteFlags};
use std::any::Any;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// `RWF_DONTCACHE` (Linux 6.14, `linux/fs.h`); rustix has no name for it.
const DONTCACHE: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x80);

/// `STATX_MNT_ID_UNIQUE` (Linux 6.8, `linux/stat.h`): a number that no other mount of this boot has; rustix has no name
/// for it.
const MOUNT_UNIQUE: StatxFlags = StatxFlags::from_bits_retain(0x4000);

/// File systems that write to the blocks that a file has (`linux/magic.h`): ext2 to ext4, XFS, tmpfs.
const OVERWRITING: [u32; 3] = [0xef53, 0x5846_5342, 0x0102_1994];

/// A directory of the file system.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// None: reads are performed one after another.
    rings: Option<Rings>,
}

impl Directory {
    /// Opens a directory, or creates it. Its parent must exist.
    ///
    /// # Errors
    /// As [`existing`](Self::existing).
    pub fn open(
        path: &Path,
        engine: ReadEngine,
        io: IoMode,
        depth: usize,
        page_bytes: usize,
    ) -> io::Result<Self> {
        match std::fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let directory = Self::existing(path, engine, io, depth, page_bytes)?;
        // Power loss could undo the creation of the directory, with everything in it.
        if let Some(parent) = directory.path.parent() {
            rustix::fs::fsync(File::open(parent)?)?;
        }
        Ok(directory)
    }

    /// Opens a directory that is there. Writes nothing.
    ///
    /// # Errors
    /// The kernel's error; `Unsupported` if a ring is requested and this process cannot have one.
    pub fn existing(
        path: &Path,
        engine: ReadEngine,
        io: IoMode,
        depth: usize,
        page_bytes: usize,
    ) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let has_rings = match engine {
            ReadEngine::Uring => Rings::supported().map(|()| true)?,
            ReadEngine::Auto => depth > 1 && io != IoMode::Mmap && Rings::supported().is_ok(),
            ReadEngine::Psync => false,
        };
        let is_required = engine == ReadEngine::Uring;
        let rings = has_rings.then(|| Rings::new(path.clone(), io, depth, page_bytes, is_required));
        Ok(Self { path, rings })
    }

    /// Whether the file system below `path` is known to overwrite blocks in place: then a mapped log, whose blocks are
    /// there before, does not run out of space. One that copies on write may.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn overwrites_in_place(path: &Path) -> io::Result<bool> {
        // The kernel's types have 32 bits; `statfs` has a word.
        Ok(OVERWRITING.contains(&(rustix::fs::statfs(path)?.f_type as u32)))
    }

    fn open_file(&self, name: &str, io: IoMode, flags: OFlags) -> io::Result<Arc<dyn StorageFile>> {
        let direct = if io == IoMode::Direct { OFlags::DIRECT } else { OFlags::empty() };
        Ok(Arc::new(OpenFile { file: self.open_regular(name, flags | direct)?, io }))
    }

    fn open_mapped_log(&self, name: &str, flags: OFlags) -> io::Result<Arc<dyn StorageFile>> {
        Ok(Arc::new(MappedLog::new(self.open_regular(name, flags)?)))
    }

    /// Opens a regular file and nothing else: to open a named pipe waits for its other end, and a device does what its
    /// driver likes.
    fn open_regular(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let guarded = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = rustix::fs::open(self.path.join(name), guarded, Mode::RUSR | Mode::WUSR);
        let file = match opened {
            // A symbolic link; a socket, or a device without a driver; a directory.
            Err(Errno::LOOP | Errno::NXIO | Errno::ISDIR) => return Err(not_regular()),
            opened => File::from(opened?),
        };
        if !file.metadata()?.is_file() {
            return Err(not_regular());
        }
        // A ring answers EAGAIN on a regular file with O_NONBLOCK.
        rustix::fs::fcntl_setfl(&file, flags & OFlags::DIRECT)?;
        Ok(file)
    }
}

fn flock(file: File, operation: FlockOperation) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
    let mark = ForkMark::new()?;
    match rustix::fs::flock(&file, operation) {
        Ok(()) => Ok(Some(Box::new(Lock { file, mark }))),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// A lock of an open file, which children of `fork` have too: without the unlock, the lock would stay as long as one of
/// them lives.
struct Lock {
    file: File,
    mark: ForkMark,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if !self.mark.is_forked() {
            // If the kernel refuses, the last process that has the file ends the lock.
            let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
        }
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

impl Storage for Directory {
    fn create(&self, name: &str, io: IoMode) -> io::Result<Arc<dyn StorageFile>> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC;
        if io == IoMode::Mmap { self.open_mapped_log(name, flags) } else { self.open_file(name, io, flags) }
    }

    fn open(&self, name: &str, io: IoMode, access: Access) -> io::Result<Arc<dyn StorageFile>> {
        match (io, access) {
            (IoMode::Mmap, Access::Read) => {
                let file = self.open_regular(name, OFlags::RDONLY)?;
                let bytes = file.metadata()?.len();
                Ok(Arc::new(Mapped::new(file, bytes)))
            }
            (IoMode::Mmap, Access::ReadWrite) => self.open_mapped_log(name, OFlags::RDWR),
            (_, Access::Read) => self.open_file(name, io, OFlags::RDONLY),
            (_, Access::ReadWrite) => self.open_file(name, io, OFlags::RDWR),
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        // The ring or the mapping of an idle thread still has the file, so only the truncation frees its blocks.
        self.open_regular(name, OFlags::WRONLY)?.set_len(0)?;
        std::fs::remove_file(self.path.join(name))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        std::fs::read_dir(&self.path)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    }

    fn sync_names(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(File::open(&self.path)?)?)
    }

    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        let file = self.open_regular(name, OFlags::RDWR | OFlags::CREATE)?;
        flock(file, FlockOperation::NonBlockingLockExclusive)
    }

    fn lock_shared(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        match self.open_regular(name, OFlags::RDONLY) {
            Ok(file) => flock(file, FlockOperation::NonBlockingLockShared),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Box::new(()))),
            Err(error) => Err(error),
        }
    }

    fn reserve(&self, name: &str, bytes: u64) -> io::Result<()> {
        let file = self.open_regular(name, OFlags::RDWR | OFlags::CREATE)?;
        rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, bytes)?;
        file.set_len(bytes)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn check(&self, name: &str, io: IoMode) -> Result<(), String> {
        match io {
            IoMode::Direct => {
                let found = disk::files::direct_alignment(&self.path.join(name))
                    .map_err(|reason| format!("{reason}; choose buffered"))?;
                let block = BLOCK_BYTES as u64;
                if block.is_multiple_of(found.offset_bytes) && block.is_multiple_of(found.memory_bytes) {
                    return Ok(());
                }
                Err(format!(
                    "direct I/O needs offsets in multiples of {} bytes here, more than the store's blocks of \
                     {BLOCK_BYTES}; choose buffered",
                    found.offset_bytes
                ))
            }
            IoMode::DontCache => self.check_dontcache(name),
            IoMode::Buffered | IoMode::Mmap => Ok(()),
        }
    }

    fn session(&self) -> Option<u128> {
        // It ends with the boot, and with the mount if the kernel numbers mounts uniquely (Linux 6.8).
        let boot = std::fs::read("/proc/sys/kernel/random/boot_id").ok()?;
        let facts = rustix::fs::statx(rustix::fs::CWD, &self.path, AtFlags::empty(), MOUNT_UNIQUE).ok()?;
        let is_unique = facts.stx_mask & MOUNT_UNIQUE.bits() != 0;
        let mount = if is_unique { facts.stx_mnt_id } else { 0 };
        Some(xxh3_128_with_seed(&boot, mount))
    }

    fn read_many(&self, reads: &mut dyn Reads) -> io::Result<()> {
        match &self.rings {
            Some(rings) => rings.read_many(reads),
            None => {
                one_after_another(reads);
                Ok(())
            }
        }
    }
}

impl Directory {
    fn check_dontcache(&self, name: &str) -> Result<(), String> {
        // The kernel refuses the flag before it looks whether the file has any byte.
        match self
            .open_file(name, IoMode::DontCache, OFlags::RDONLY)
            .and_then(|file| file.read_at(&mut [0], 0))
        {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                Err(format!("this file system refuses RWF_DONTCACHE ({error}); choose buffered"))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    io: IoMode,
}

impl StorageFile for OpenFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        if self.io != IoMode::DontCache {
            return self.file.read_exact_at(into, offset);
        }
        let mut done = 0;
        while done < into.len() {
            let slice = &mut [IoSliceMut::new(&mut into[done..])];
            match rustix::io::preadv2(&self.file, slice, offset + done as u64, DONTCACHE) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(moved) => done += moved,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64, durable: Durable) -> io::Result<()> {
        let mut flags = if self.io == IoMode::DontCache { DONTCACHE } else { ReadWriteFlags::empty() };
        if durable == Durable::Now {
            flags |= ReadWriteFlags::DSYNC;
        }
        if flags.is_empty() {
            return self.file.write_all_at(bytes, offset);
        }
        let mut done = 0;
        while done < bytes.len() {
            let slice = [IoSlice::new(&bytes[done..])];
            match rustix::io::pwritev2(&self.file, &slice, offset + done as u64, flags) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(moved) => done += moved,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn only_known_file_systems_overwrite_in_place() {
        match Directory::overwrites_in_place(Path::new("/dev/shm")) {
            Ok(tmpfs) => assert!(tmpfs),
            Err(error) => skip::because(format_args!("tmpfs: {error}")),
        }
        assert!(!Directory::overwrites_in_place(Path::new("/proc")).unwrap());
        Directory::overwrites_in_place(Path::new("/proc/0")).unwrap_err();
    }
}
