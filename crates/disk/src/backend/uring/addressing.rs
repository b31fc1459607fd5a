//! How operations name files and memory to the ring.

use super::super::contract::{PUNCH_HOLE_FLAGS, RWF_ATOMIC, range_sync_flags};
use super::super::{RWF_DONTCACHE, Setup};
use crate::arena::Arena;
use crate::file_table::{FileTable, OpenFile};
use io_uring::types::{Fd, FsyncFlags};
use io_uring::{IoUring, opcode, squeue};
use model::{BlockKind, BlockOp, IoMode};
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// The kernel takes at most 1 GiB in one registered buffer (`io_sqe_buffer_register`); a larger arena is several.
const FIXED_BUFFER_SHIFT: u32 = 30;

/// What the ring knows before an operation names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registered {
    pub(super) files: bool,
    pub(super) buffers: bool,
}

impl Registered {
    pub(super) const NOTHING: Self = Self { files: false, buffers: false };
}

/// What an operation's file is to the ring: a descriptor, or an index in the registered table.
#[derive(Clone, Copy, Debug)]
struct Target {
    file: Fd,
    /// Flags of every read and write.
    flags: i32,
}

/// The table of files and the arena, as the ring knows them.
#[derive(Debug)]
pub(super) struct Addressing {
    /// Held because the kernel writes to it while operations are in flight.
    arena: Arc<Arena>,
    /// Held because error texts and file descriptors must outlive the operations.
    _files: Arc<FileTable>,
    targets: Box<[Target]>,
    entry_flags: squeue::Flags,
    buffers_registered: bool,
}

impl Addressing {
    pub(super) fn new(setup: &Setup, registered: Registered) -> Self {
        let target = |(index, open): (i32, &OpenFile)| Target {
            file: Fd(if registered.files { index } else { open.file.as_raw_fd() }),
            flags: if open.mode == IoMode::DontCache { RWF_DONTCACHE } else { 0 },
        };
        Self {
            arena: Arc::clone(&setup.arena),
            targets: (0..).zip(setup.files.iter()).map(target).collect(),
            entry_flags: if registered.files { squeue::Flags::FIXED_FILE } else { squeue::Flags::empty() },
            _files: Arc::clone(&setup.files),
            buffers_registered: registered.buffers,
        }
    }

    /// The submission queue entry of an operation; `None` if it names memory or a file that is not in the tables.
    #[inline]
    pub(super) fn entry(&self, operation: &BlockOp) -> Option<squeue::Entry> {
        let BlockOp { id, kind, file, offset, length, buffer } = *operation;
        let Target { file, flags } = *self.targets.get(usize::from(file))?;
        let entry = match kind {
            BlockKind::Read => {
                let memory = self.arena.address(buffer, length)?;
                match self.fixed_buffer(buffer, length) {
                    Some(index) => opcode::ReadFixed::new(file, memory, length, index)
                        .offset(offset)
                        .rw_flags(flags)
                        .build(),
                    None => opcode::Read::new(file, memory, length).offset(offset).rw_flags(flags).build(),
                }
            }
            BlockKind::Write | BlockKind::WriteDsync | BlockKind::WriteSync | BlockKind::WriteAtomic => {
                let flags = match kind {
                    BlockKind::WriteDsync => flags | libc::RWF_DSYNC,
                    BlockKind::WriteSync => flags | libc::RWF_SYNC,
                    BlockKind::WriteAtomic => flags | RWF_ATOMIC,
                    BlockKind::Read
                    | BlockKind::Write
                    | BlockKind::DataSync
                    | BlockKind::FullSync
                    | BlockKind::RangeSync(_)
                    | BlockKind::PunchHole => flags,
                };
                let memory = self.arena.address(buffer, length)?;
                match self.fixed_buffer(buffer, length) {
                    Some(index) => opcode::WriteFixed::new(file, memory, length, index)
                        .offset(offset)
                        .rw_flags(flags)
                        .build(),
                    None => opcode::Write::new(file, memory, length).offset(offset).rw_flags(flags).build(),
                }
            }
            BlockKind::DataSync => opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build(),
            BlockKind::FullSync => opcode::Fsync::new(file).build(),
            BlockKind::RangeSync(what) => {
                opcode::SyncFileRange::new(file, length).offset(offset).flags(range_sync_flags(what)).build()
            }
            BlockKind::PunchHole => {
                opcode::Fallocate::new(file, u64::from(length)).offset(offset).mode(PUNCH_HOLE_FLAGS).build()
            }
        };
        Some(entry.flags(self.entry_flags).user_data(u64::from(id)))
    }

    /// The registered buffer that holds the whole range; `None` if none does.
    #[inline]
    fn fixed_buffer(&self, buffer: u32, length: u32) -> Option<u16> {
        let (first, last) = (buffer, buffer.saturating_add(length.saturating_sub(1)));
        let whole = first >> FIXED_BUFFER_SHIFT == last >> FIXED_BUFFER_SHIFT;
        (self.buffers_registered && whole).then_some((first >> FIXED_BUFFER_SHIFT) as u16)
    }
}

/// Registers the arena's memory with the ring.
pub(super) fn register_arena(ring: &IoUring, arena: &Arena) -> io::Result<()> {
    let step = 1_usize << FIXED_BUFFER_SHIFT;
    let pieces: Option<Vec<_>> = (0..arena.len())
        .step_by(step)
        .map(|offset| {
            let iov_len = step.min(arena.len() - offset);
            let iov_base = arena.address(offset as u32, iov_len as u32)?.cast();
            Some(libc::iovec { iov_base, iov_len })
        })
        .collect();
    let pieces = pieces.ok_or_else(|| io::Error::other("a piece of the arena is not inside it"))?;
    // SAFETY: the pieces are the arena, which the backend keeps mapped until the ring is gone.
    unsafe { ring.submitter().register_buffers(&pieces) }
}
