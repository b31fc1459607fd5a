//! Values in files of their own: written before the log names them, and never moved by a compaction.

use crate::block::{AlignedBuffer, whole_blocks};
use crate::checksum::{checksum, place};
use crate::entry::ValuePlace;
use crate::error::StoreError;
use crate::files::{FileKind, Files};
use crate::storage::{Access, Durable};
use model::IoMode;

/// Writes a value. On return it survives power loss, except for the name of its file.
pub(crate) fn write(
    files: &Files,
    number: u64,
    value: &[u8],
    io: IoMode,
    write_bytes: usize,
) -> Result<ValuePlace, StoreError> {
    let io = if io == IoMode::Mmap { IoMode::Buffered } else { io };
    let file = files.create(&FileKind::Value.name(number), io)?;
    let mut piece = AlignedBuffer::zeroed(write_bytes.min(whole_blocks(value.len())));
    let step = piece.len().max(1);
    for (index, bytes) in value.chunks(step).enumerate() {
        let end = whole_blocks(bytes.len());
        piece[..bytes.len()].copy_from_slice(bytes);
        piece[bytes.len()..end].fill(0);
        file.write_at(&piece[..end], (index * step) as u64, Durable::Later)?;
    }
    file.sync()?;
    let (bytes, checksum) = (value.len() as u64, checksum(value, place(number, 0)));
    Ok(ValuePlace { number, offset: 0, bytes, checksum })
}

/// Reads a value into `value`, whose content it replaces.
pub(crate) fn read(
    files: &Files,
    large: ValuePlace,
    io: IoMode,
    value: &mut Vec<u8>,
) -> Result<(), StoreError> {
    let io = if io == IoMode::Mmap { IoMode::Buffered } else { io };
    let file = files.open(&FileKind::Value.name(large.number), io, Access::Read)?;
    if large.bytes > crate::limits::VALUE_BYTES_MAX as u64 {
        return Err(file.damaged(0, "the value is longer than a value can be"));
    }
    let bytes = large.bytes as usize;
    if file.bytes()? < whole_blocks(bytes) as u64 {
        return Err(file.damaged(0, "the file ends too early"));
    }
    let mut buffer = AlignedBuffer::zeroed(whole_blocks(bytes));
    file.read_at(&mut buffer, 0)?;
    if checksum(&buffer[..bytes], place(large.number, 0)) != large.checksum {
        return Err(file.damaged(0, "the value's checksum does not match"));
    }
    value.clear();
    value.extend_from_slice(&buffer[..bytes]);
    Ok(())
}
