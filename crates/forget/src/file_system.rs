//! A file system with one file, `disk`, which is the image. The kernel's loop driver opens it and sends what reaches
//! the block device.
//!
//! What arrives, from `drivers/block/loop.c` and `fs/fuse` of Linux 6.18, and seen there:
//! - A write is one `FUSE_WRITE`, or several of at most 1 MiB (`fs.fuse.max_pages_limit`).
//! - `REQ_PREFLUSH` is a `vfs_fsync`, so `FUSE_FSYNC` with `datasync` 0; so is `REQ_FUA` after its write, because the
//!   loop device has a write cache and no FUA, and the block layer makes a flush of it.
//! - A discard and a command to write zeros are a `FUSE_FALLOCATE` that punches a hole or zeroes a range.
//!
//! The page cache absorbs none of it: the file is opened with `FOPEN_DIRECT_IO`, so a request of the loop device is
//! complete only after this file system has answered.

use crate::image::Image;
use fuser::{
    AccessFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use std::ffi::OsStr;
use std::io;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Name of the only file.
pub(crate) const FILE: &str = "disk";
const FILE_NUMBER: INodeNo = INodeNo(2);
/// Nothing but this process changes a name or an attribute, and nothing does.
const FOREVER: Duration = Duration::from_hours(24);
/// `FUSE_WRITE` and `FUSE_READ` hold at most this, bytes: more than the kernel's usual limit of 1 MiB.
const REQUEST_BYTES_MAX: u32 = 1 << 20;
/// Requests of the loop device in flight: its queue has 128.
const BACKGROUND_MAX: u16 = 128;
const BLOCK_BYTES: u32 = 4096;
/// Bits of fallocate(2).
const PUNCH_HOLE: i32 = 0x02;
const ZERO_RANGE: i32 = 0x10;

/// What arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Write requests.
    pub writes: u64,
    /// Bytes that they carried.
    pub written_bytes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Discards and commands to write zeros.
    pub clears: u64,
}

/// How long the disk takes, in addition to what it takes anyway. It does one request after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// For each write request.
    pub write: Duration,
    /// For each flush.
    pub flush: Duration,
}

/// The image and what happened to it.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) image: Image,
    pub(crate) counts: Counts,
    pub(crate) delays: Delays,
    waits_for: Option<Awaited>,
}

/// A moment that somebody waits for.
#[derive(Debug)]
struct Awaited {
    /// At which this number of bytes is not flushed.
    pending_bytes: u64,
    /// The disk at that moment.
    seen: SyncSender<Moment>,
}

/// The disk at one moment.
#[derive(Debug)]
pub struct Moment {
    /// What was acknowledged before was flushed before, if it was flushed at all.
    pub at: Instant,
    /// What the disk held.
    pub image: Image,
}

impl State {
    /// The disk as it is now.
    fn moment(&self) -> Moment {
        Moment { at: Instant::now(), image: self.image.clone() }
    }

    /// Hands over this moment if it is the one that somebody waits for.
    fn look(&mut self) {
        let pending_bytes = self.image.pending_bytes();
        if let Some(awaited) = self.waits_for.take_if(|awaited| pending_bytes >= awaited.pending_bytes) {
            // Nobody waits any longer for a moment that comes at the limit.
            let _ = awaited.seen.try_send(self.moment());
        }
    }
}

/// The state, shared by the thread that serves and the others.
#[derive(Clone, Debug)]
pub(crate) struct Shared(Arc<Mutex<State>>);

impl Shared {
    pub(crate) fn new(image: Image) -> Self {
        let state = State { image, counts: Counts::default(), delays: Delays::default(), waits_for: None };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Every request leaves a valid image, also one that panics: the lock's poison says nothing.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first moment from now on at which this number of bytes is not flushed; this moment if it is 0, and the
    /// moment at the limit if none comes before.
    pub(crate) fn moment(&self, pending_bytes: u64, limit: Duration) -> Moment {
        let (seen, await_seen) = mpsc::sync_channel(1);
        let mut state = self.lock();
        state.waits_for = Some(Awaited { pending_bytes, seen });
        state.look();
        drop(state);
        await_seen.recv_timeout(limit).unwrap_or_else(|_| {
            let mut state = self.lock();
            state.waits_for = None;
            state.moment()
        })
    }
}

/// The file system.
pub(crate) struct OneFile {
    shared: Shared,
    size_bytes: u64,
}

impl OneFile {
    pub(crate) fn new(shared: Shared) -> Self {
        let size_bytes = shared.lock().image.size_bytes();
        Self { shared, size_bytes }
    }

    fn attributes(&self, number: INodeNo) -> Option<FileAttr> {
        let (kind, perm, size) = match number {
            INodeNo::ROOT => (FileType::Directory, 0o700, 0),
            FILE_NUMBER => (FileType::RegularFile, 0o600, self.size_bytes),
            _ => return None,
        };
        let time: SystemTime = UNIX_EPOCH;
        Some(FileAttr {
            ino: number,
            size,
            // As if all of it were allocated: nobody is to look for holes.
            blocks: size / 512,
            atime: time,
            mtime: time,
            ctime: time,
            crtime: time,
            kind,
            perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: BLOCK_BYTES,
            flags: 0,
        })
    }

    fn answer_attributes(&self, number: INodeNo, reply: ReplyAttr) {
        match self.attributes(number) {
            Some(attributes) => reply.attr(&FOREVER, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }
}

/// Takes time, without the lock.
fn take(delay: Duration) {
    if !delay.is_zero() {
        std::thread::sleep(delay);
    }
}

impl Filesystem for OneFile {
    fn init(&mut self, _request: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // Each is the best that the kernel has: an older one has less of it and works too.
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        let _ = config.set_max_write(REQUEST_BYTES_MAX);
        let _ = config.set_max_background(BACKGROUND_MAX);
        Ok(())
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.attributes(FILE_NUMBER) {
            Some(attributes) if parent == INodeNo::ROOT && name == FILE => {
                reply.entry(&FOREVER, &attributes, Generation(0));
            }
            Some(_) | None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, number: INodeNo, _file: Option<FileHandle>, reply: ReplyAttr) {
        self.answer_attributes(number, reply);
    }

    /// A disk keeps its size, whatever mkfs asks for; its times and its owner interest nobody.
    fn setattr(
        &self,
        _request: &Request,
        number: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _file: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        match size {
            Some(size) if size != self.size_bytes => reply.error(Errno::EPERM),
            Some(_) | None => self.answer_attributes(number, reply),
        }
    }

    fn open(&self, _request: &Request, _number: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        reply.opened(
            FileHandle(0),
            FopenFlags::FOPEN_DIRECT_IO
                | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
                | FopenFlags::FOPEN_NOFLUSH,
        );
    }

    fn read(
        &self,
        _request: &Request,
        _number: INodeNo,
        _file: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let length = u64::from(size).min(self.size_bytes.saturating_sub(offset));
        let mut bytes = vec![0; length as usize];
        let read = self.shared.lock().image.read(offset.min(self.size_bytes), &mut bytes);
        match read {
            Ok(()) => reply.data(&bytes),
            Err(_) => reply.error(Errno::EINVAL),
        }
    }

    fn write(
        &self,
        _request: &Request,
        _number: INodeNo,
        _file: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut state = self.shared.lock();
        if state.image.write(offset, data).is_err() {
            return reply.error(Errno::ENOSPC);
        }
        state.counts.writes += 1;
        state.counts.written_bytes += data.len() as u64;
        state.look();
        let delay = state.delays.write;
        drop(state);
        take(delay);
        reply.written(data.len() as u32);
    }

    /// close(2) makes nothing durable.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(
        &self,
        _request: &Request,
        _number: INodeNo,
        _file: FileHandle,
        _datasync: bool,
        reply: ReplyEmpty,
    ) {
        let mut state = self.shared.lock();
        state.image.flush();
        state.counts.flushes += 1;
        let delay = state.delays.flush;
        drop(state);
        take(delay);
        reply.ok();
    }

    fn fallocate(
        &self,
        _request: &Request,
        _number: INodeNo,
        _file: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        // To allocate is nothing: the disk has all of its blocks.
        if mode & (PUNCH_HOLE | ZERO_RANGE) == 0 {
            return reply.error(Errno::EOPNOTSUPP);
        }
        let mut state = self.shared.lock();
        if state.image.clear(offset, length).is_err() {
            return reply.error(Errno::ENOSPC);
        }
        state.counts.clears += 1;
        drop(state);
        reply.ok();
    }

    fn readdir(
        &self,
        _request: &Request,
        _number: INodeNo,
        _file: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let entries = [
            (INodeNo::ROOT, FileType::Directory, "."),
            (INodeNo::ROOT, FileType::Directory, ".."),
            (FILE_NUMBER, FileType::RegularFile, FILE),
        ];
        for (next, (number, kind, name)) in (1..).zip(entries).skip(offset as usize) {
            if reply.add(number, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _request: &Request, _number: INodeNo, reply: ReplyStatfs) {
        let blocks = self.size_bytes / u64::from(BLOCK_BYTES);
        reply.statfs(blocks, 0, 0, 1, 0, BLOCK_BYTES, 255, BLOCK_BYTES);
    }

    fn access(&self, _request: &Request, _number: INodeNo, _mask: AccessFlags, reply: ReplyEmpty) {
        reply.ok();
    }

    fn getxattr(&self, _request: &Request, _number: INodeNo, _name: &OsStr, _size: u32, reply: ReplyXattr) {
        reply.error(Errno::ENOSYS);
    }

    fn listxattr(&self, _request: &Request, _number: INodeNo, _size: u32, reply: ReplyXattr) {
        reply.error(Errno::ENOSYS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const PAGE: [u8; 4096] = [7; 4096];

    fn write(shared: &Shared) {
        let mut state = shared.lock();
        state.image.write(0, &PAGE).expect("inside");
        state.look();
    }

    #[test]
    fn a_moment_is_the_first_with_so_much_that_is_not_flushed() {
        let shared = Shared::new(Image::new(1 << 20));
        assert_eq!(shared.moment(0, Duration::ZERO).image.pending_bytes(), 0);
        write(&shared);
        assert_eq!(shared.moment(8192, Duration::from_millis(1)).image.pending_bytes(), 4096, "the limit");
        let moment = thread::scope(|scope| {
            let waits = scope.spawn(|| shared.moment(8192, Duration::from_mins(1)));
            while shared.lock().waits_for.is_none() {
                thread::yield_now();
            }
            write(&shared);
            shared.lock().image.flush();
            waits.join().expect("no panic")
        });
        assert_eq!((moment.image.pending_bytes(), shared.lock().image.pending_bytes()), (8192, 0));
        assert!(shared.lock().waits_for.is_none());
    }
}
