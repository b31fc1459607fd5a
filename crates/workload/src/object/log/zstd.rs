//! A log that zstd compressed, as its text: frames behind each other, skippable ones among them (RFC 8878, 3.1).

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, Read};

/// What a frame begins with (RFC 8878, 3.1.1).
const FRAME: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// What a skippable frame begins with, behind a first byte of 0x50 to 0x5F (3.1.2).
const SKIPPABLE: [u8; 3] = [0x2A, 0x4D, 0x18];

/// Whether a file that begins with these bytes is compressed.
pub(super) fn is_compressed(begin: &[u8]) -> bool {
    begin.starts_with(&FRAME)
        || matches!(begin, [first, rest @ ..] if first >> 4 == 5 && rest.starts_with(&SKIPPABLE))
}

/// The text of the frames. A frame takes as much memory as its window, at most 128 MiB.
pub(super) struct Frames<R> {
    source: R,
    frame: FrameDecoder,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, frame: FrameDecoder::new() }
    }

    /// Begins the next frame, or passes one that is to be skipped.
    fn begin(&mut self) -> io::Result<()> {
        match self.frame.init(&mut self.source) {
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut self.source.by_ref().take(length), &mut io::sink())?;
                if skipped == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
            }
            begun => begun.map_err(|error| broken(&error)),
        }
    }

    /// Whether the frame that has ended has the checksum that stands behind it, if one does.
    fn check(&self) -> io::Result<()> {
        match (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum()) {
            (Some(expected), found) if found != Some(expected) => {
                Err(io::Error::other("the compressed log is damaged: a checksum of zstd does not match"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, text: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.frame.can_collect() > 0 || text.is_empty() {
                return self.frame.read(text);
            }
            if !self.frame.is_finished() {
                self.frame
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|error| broken(&error))?;
                continue;
            }
            self.check()?;
            if self.source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.begin()?;
        }
    }
}

fn broken(error: &FrameDecoderError) -> io::Error {
    io::Error::other(format!("the compressed log is damaged, or cut: {error}"))
}
