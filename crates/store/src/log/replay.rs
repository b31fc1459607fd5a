//! Reads the log after a crash.

use super::record::{self, ALIGNMENT_BYTES, HEADER_BYTES};
use super::segment::{FORMAT, RECORDS_BEGIN, check_header};
use crate::block::{AlignedBuffer, BLOCK_BYTES};
use crate::error::StoreError;
use crate::files::{Files, InFlight, Kind, OpenFile};
use crate::storage::Access;
use crate::transfers::Direction;
use model::IoMode;
use std::collections::VecDeque;

/// A segment of fewer bytes is not worth a thread.
const SMALL_BYTES: usize = 1 << 20;
/// Segments that are read while one is replayed.
const SEGMENTS_AHEAD: usize = 2;

/// What the log had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replay {
    /// The last sequence number, in the log or before it.
    pub(crate) sequence: u64,
    /// Records that were applied.
    pub(crate) records: u64,
    /// The last segment that a record was applied from.
    pub(crate) last_segment: Option<u64>,
}

/// A record that is applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replayed<'a> {
    /// The number of its segment.
    pub(crate) segment: u64,
    pub(crate) sequence: u64,
    pub(crate) payload: &'a [u8],
}

/// Applies the records after `flushed` in the order of their sequence numbers, as far as they are without a gap. Segments are read
/// past the page cache if `io` is direct.
///
/// # Errors
/// [`StoreError::Damaged`] if a record that was durable is not there; what `apply` returns.
pub(crate) fn replay(
    files: &Files,
    segments: &[u64],
    io: IoMode,
    flushed: u64,
    mut apply: impl FnMut(Replayed<'_>) -> bool,
) -> Result<Replay, StoreError> {
    let segments: Vec<Segment> =
        segments.iter().map(|number| Segment::open(files, *number, io)).collect::<Result<_, _>>()?;
    let bytes: usize = segments.iter().map(|segment| segment.bytes).sum();
    let last_possible = flushed + (bytes / HEADER_BYTES) as u64;
    let mut state = State {
        last: flushed,
        last_possible,
        records: 0,
        last_segment: None,
        claimed: flushed,
        stopped: None,
    };
    let (mut ahead, mut unread) = (VecDeque::new(), segments.iter());
    for segment in unread.by_ref().take(1 + SEGMENTS_AHEAD) {
        ahead.push_back((segment, segment.start(files, AlignedBuffer::zeroed(0))?));
    }
    while let Some((segment, reading)) = ahead.pop_front() {
        let memory = reading.wait()?;
        state.segment(segment.number, &segment.file, &memory[..segment.bytes], &mut apply)?;
        if let Some(segment) = unread.next() {
            ahead.push_back((segment, segment.start(files, memory)?));
        }
    }
    if let Some((file, offset)) = &state.stopped
        && state.claimed > state.last
    {
        return Err(file.damaged(*offset, "a log record that was durable is damaged or missing"));
    }
    Ok(Replay { sequence: state.last, records: state.records, last_segment: state.last_segment })
}

/// A segment that is replayed.
struct Segment {
    number: u64,
    file: OpenFile,
    bytes: usize,
}

impl Segment {
    fn open(files: &Files, number: u64, io: IoMode) -> Result<Self, StoreError> {
        let name = Kind::Log.name(number);
        let mut file = files.open(&name, IoMode::Buffered, Access::Read)?;
        let bytes = file.bytes()? as usize;
        if io == IoMode::Direct && bytes.is_multiple_of(BLOCK_BYTES) {
            file = files.open(&name, IoMode::Direct, Access::Read)?;
        }
        Ok(Self { number, file, bytes })
    }

    /// Starts to read all of it; a small one is read at once.
    fn start(&self, files: &Files, mut memory: AlignedBuffer) -> Result<Reading, StoreError> {
        let piece = memory.require(self.bytes);
        if self.bytes < SMALL_BYTES {
            self.file.read_at(piece, 0)?;
            return Ok(Reading::Complete(memory));
        }
        Ok(Reading::InFlight(files.start(Direction::Read, &self.file, memory, self.bytes, 0)))
    }
}

/// The read of a segment.
enum Reading {
    InFlight(InFlight),
    Complete(AlignedBuffer),
}

impl Reading {
    fn wait(self) -> Result<AlignedBuffer, StoreError> {
        match self {
            Self::InFlight(read) => read.wait(),
            Self::Complete(memory) => Ok(memory),
        }
    }
}

struct State {
    last: u64,
    /// No sequence number in the log is larger: each record takes at least a header.
    last_possible: u64,
    records: u64,
    last_segment: Option<u64>,
    /// The highest sequence number that any record says was durable.
    claimed: u64,
    /// Where the record after `last` was looked for first.
    stopped: Option<(OpenFile, u64)>,
}

impl State {
    fn segment(
        &mut self,
        number: u64,
        file: &OpenFile,
        content: &[u8],
        apply: &mut impl FnMut(Replayed<'_>) -> bool,
    ) -> Result<(), StoreError> {
        let has_header = check_header(content, number).map_err(|found| StoreError::Format {
            path: file.path(),
            found,
            supported: FORMAT,
        })?;
        let before = self.last;
        let (at, mut has_records) = self.prefix(number, file, content, apply)?;
        if self.last > before || self.stopped.is_none() {
            self.stopped = Some((file.clone(), at as u64));
        }
        has_records |= self.claims(number, content, at);
        if has_records && !has_header {
            return Err(file.damaged(0, "the header of a log segment does not match its checksum"));
        }
        Ok(())
    }

    /// Applies records from the beginning on. Returns where it ended, and whether there was a record.
    fn prefix(
        &mut self,
        number: u64,
        file: &OpenFile,
        content: &[u8],
        apply: &mut impl FnMut(Replayed<'_>) -> bool,
    ) -> Result<(usize, bool), StoreError> {
        let (mut at, mut has_records) = (RECORDS_BEGIN as usize, false);
        while at < content.len() {
            match record::decode(&content[at..], number, at as u64, 1..=self.last_possible) {
                Some(record) if record.sequence > self.last + 1 => break,
                Some(record) => {
                    has_records = true;
                    self.claimed = self.claimed.max(record.durable.unwrap_or(0));
                    if record.sequence == self.last + 1 {
                        let (sequence, payload) = (record.sequence, record.payload);
                        if !apply(Replayed { segment: number, sequence, payload }) {
                            return Err(file.damaged(at as u64, "a log record cannot be decoded"));
                        }
                        self.last += 1;
                        self.records += 1;
                        self.last_segment = Some(number);
                    }
                    at += record.bytes;
                }
                // The rest of a block may be padding.
                None if !at.is_multiple_of(BLOCK_BYTES) => {
                    let next = at.next_multiple_of(BLOCK_BYTES);
                    let follows = content.get(next..).is_some_and(|rest| {
                        record::decode(rest, number, next as u64, 1..=self.last_possible)
                            .is_some_and(|record| record.sequence <= self.last + 1)
                    });
                    if !follows {
                        break;
                    }
                    at = next;
                }
                None => break,
            }
        }
        Ok((at, has_records))
    }

    /// Looks for records behind the end, for what they say about those before them. Returns whether there is one.
    fn claims(&mut self, number: u64, content: &[u8], from: usize) -> bool {
        let (mut at, mut has_records) = (from.next_multiple_of(ALIGNMENT_BYTES), false);
        while at < content.len() {
            match record::decode(&content[at..], number, at as u64, self.last + 1..=self.last_possible) {
                Some(record) => {
                    has_records = true;
                    self.claimed = self.claimed.max(record.durable.unwrap_or(0));
                    at += record.bytes;
                }
                None => at += ALIGNMENT_BYTES,
            }
        }
        has_records
    }
}
