//! Reads the log after a crash.
//!
//! The log ends where no record follows the last one. If records further on verify, then either power loss left a hole,
//! or the log is damaged. It is damaged if
//! - a record, a note or the header of a segment says that what is missing survives power loss;
//! - the storage has lost nothing since the segment was made, groups were written one after another, and a later group
//!   begins: only the last one can be torn then;
//! - a segment that was in use is missing, lost its header, or is shorter than it was made.
//!
//! A record at the end of the log cannot be missed: only the record itself shows that it existed.

use super::header::{FirstBlock, Header, NOTE_AT, NOTE_DAMAGED};
use super::record::{self, ALIGNMENT_BYTES, HEADER_BYTES, Record};
use super::segment::{RECORDS_BEGIN, first_block};
use crate::block::{AlignedBuffer, BLOCK_BYTES};
use crate::error::StoreError;
use crate::files::{FileKind, Files, InFlight, OpenFile};
use crate::storage::Access;
use crate::transfers::Direction;
use model::IoMode;
use std::collections::VecDeque;

/// A segment of fewer bytes is not worth a thread.
const SMALL_BYTES: usize = 1 << 20;
/// Segments that are read while one is replayed.
const SEGMENTS_AHEAD: usize = 2;

/// What the log had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replay {
    /// The last sequence number, in the log or before it.
    pub(crate) sequence: u64,
    /// Records that were applied.
    pub(crate) records: u64,
    /// The segments that were in use, up to the last one that a record was applied from.
    pub(crate) segments: Vec<u64>,
}

/// A record that is applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replayed<'a> {
    /// The number of its segment.
    pub(crate) segment: u64,
    pub(crate) sequence: u64,
    pub(crate) payload: &'a [u8],
}

/// Where a log begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogBegin {
    /// The first segment that is needed.
    pub(crate) segment: u64,
    /// Whether that segment was there.
    pub(crate) is_there: bool,
    /// Every record up to this sequence number is in runs.
    pub(crate) flushed: u64,
}

/// Applies the records after `begin.flushed` in the order of their sequence numbers, as far as they are without a gap.
/// Segments are read past the page cache if `io` is direct.
///
/// # Errors
/// [`StoreError::Damaged`] if a record that was acknowledged is known not to be there; what `apply` returns.
pub(crate) fn replay(
    files: &Files,
    numbers: &[u64],
    io: IoMode,
    begin: LogBegin,
    mut apply: impl FnMut(Replayed<'_>) -> bool,
) -> Result<Replay, StoreError> {
    let segments = open_segments(files, numbers, io, begin)?;
    let bytes: usize = segments.iter().map(|segment| segment.bytes).sum();
    let mut state = State::new(files, &segments, begin, bytes);
    let (mut ahead, mut unread) = (VecDeque::new(), segments.iter());
    for segment in unread.by_ref().take(1 + SEGMENTS_AHEAD) {
        ahead.push_back((segment, segment.start(files, AlignedBuffer::zeroed(0))?));
    }
    while let Some((segment, reading)) = ahead.pop_front() {
        let memory = reading.wait()?;
        state.segment(segment, &memory[..segment.bytes], &mut apply)?;
        if let Some(segment) = unread.next() {
            ahead.push_back((segment, segment.start(files, memory)?));
        }
    }
    let used = segments
        .iter()
        .filter(|segment| Some(segment.number) <= state.last_segment && segment.used().is_ok());
    let used = used.map(|segment| segment.number).collect();
    let (sequence, records) = (state.last, state.records);
    state.end()?;
    Ok(Replay { sequence, records, segments: used })
}

/// Opens the segments with these numbers, and checks what their first blocks say about them and about each other.
fn open_segments(
    files: &Files,
    numbers: &[u64],
    io: IoMode,
    begin: LogBegin,
) -> Result<Vec<Segment>, StoreError> {
    let segments: Vec<Segment> =
        numbers.iter().map(|number| Segment::open(files, *number, io)).collect::<Result<_, _>>()?;
    let notes = segments.iter().filter_map(|segment| segment.first_block.as_ref()?.note);
    let links = notes.filter_map(|note| note.next);
    for number in begin.is_there.then_some(begin.segment).into_iter().chain(links) {
        match segments.iter().find(|segment| segment.number == number) {
            Some(segment) => segment.used().map(drop)?,
            None => {
                let what = "a log segment that was in use is missing";
                return Err(StoreError::Damaged {
                    path: files.path(&FileKind::Log.name(number)),
                    offset: 0,
                    what,
                });
            }
        }
    }
    for segment in &segments {
        let bytes = segment.first_block.as_ref().map_or(0, |block| block.header.bytes);
        if (segment.bytes as u64) < bytes {
            return Err(segment.file.damaged(segment.bytes as u64, "a log segment ends too early"));
        }
    }
    Ok(segments)
}

/// A segment that is replayed.
struct Segment {
    number: u64,
    file: OpenFile,
    bytes: usize,
    first_block: Option<FirstBlock>,
}

impl Segment {
    fn open(files: &Files, number: u64, io: IoMode) -> Result<Self, StoreError> {
        let name = FileKind::Log.name(number);
        let mut file = files.open(&name, IoMode::Buffered, Access::Read)?;
        let bytes = file.bytes()? as usize;
        if io == IoMode::Direct && bytes.is_multiple_of(BLOCK_BYTES) {
            file = files.open(&name, IoMode::Direct, Access::Read)?;
        }
        let first_block = first_block(&file, number, bytes as u64)?;
        Ok(Self { number, file, bytes, first_block })
    }

    /// The header of a segment that was in use.
    fn used(&self) -> Result<&Header, StoreError> {
        match &self.first_block {
            Some(FirstBlock { header, note: Some(_) }) => Ok(header),
            Some(FirstBlock { note: None, .. }) => Err(self.file.damaged(NOTE_AT, NOTE_DAMAGED)),
            None => Err(self.file.damaged(0, "the header of a log segment does not match its checksum")),
        }
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
    /// The session of the storage now.
    session: Option<u128>,
    last: u64,
    /// No sequence number in the log is larger: each record takes at least a header.
    last_possible: u64,
    /// For each life: the least number of its segments, and the last sequence number of earlier lives that counts.
    lives: Vec<(u64, u64)>,
    records: u64,
    /// The last segment that a record was applied from.
    last_segment: Option<u64>,
    /// Every record up to this sequence number survives power loss, as far as any record, note or header says.
    claimed: u64,
    /// The highest sequence number with which a group begins that was written after all before it, by a process that
    /// lost nothing.
    written_after: u64,
    /// Where the record after `last` should be.
    stopped: Option<(OpenFile, u64)>,
}

impl State {
    fn new(files: &Files, segments: &[Segment], begin: LogBegin, bytes: usize) -> Self {
        let blocks = || segments.iter().filter_map(|segment| segment.first_block.as_ref());
        let claims = blocks().map(|block| block.header.base.max(block.note.map_or(0, |note| note.synced)));
        let claimed = claims.max().unwrap_or(0);
        Self {
            session: files.storage().session(),
            last: begin.flushed,
            last_possible: begin.flushed + (bytes / HEADER_BYTES) as u64,
            lives: blocks().map(|block| (block.header.life, block.header.base)).collect(),
            records: 0,
            last_segment: None,
            claimed,
            written_after: 0,
            stopped: segments.first().map(|segment| (segment.file.clone(), RECORDS_BEGIN)),
        }
    }

    /// Applies the records of a segment that follow, and takes note of what its other records say.
    fn segment(
        &mut self,
        segment: &Segment,
        content: &[u8],
        apply: &mut impl FnMut(Replayed<'_>) -> bool,
    ) -> Result<(), StoreError> {
        let number = segment.number;
        // Later lives began without the records beyond.
        let later = self.lives.iter().filter(|(begin, _)| *begin > number).map(|(_, base)| *base);
        let last_possible = later.min().unwrap_or(u64::MAX).min(self.last_possible);
        let (mut at, mut is_contiguous) = (RECORDS_BEGIN as usize, true);
        while at < content.len() {
            // Where a record may be anywhere only those that matter are looked for: that is cheap.
            let least = if is_contiguous { 1 } else { self.last + 1 };
            let record = record::decode(&content[at..], number, at as u64, least..=last_possible);
            is_contiguous = record.is_some();
            let Some(record) = record else {
                at += ALIGNMENT_BYTES;
                continue;
            };
            let header = segment.used()?;
            self.claimed = self.claimed.max(record.durable.unwrap_or(0));
            if record.begins_group
                && header.is_ordered
                && header.session.is_some()
                && header.session == self.session
            {
                self.written_after = self.written_after.max(record.sequence);
            }
            if record.sequence == self.last + 1 {
                self.apply(segment, at, record, apply)?;
            }
            at += record.bytes;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        segment: &Segment,
        at: usize,
        record: Record<'_>,
        apply: &mut impl FnMut(Replayed<'_>) -> bool,
    ) -> Result<(), StoreError> {
        let (sequence, payload) = (record.sequence, record.payload);
        if !apply(Replayed { segment: segment.number, sequence, payload }) {
            return Err(segment.file.damaged(at as u64, "a log record cannot be decoded"));
        }
        self.last += 1;
        self.records += 1;
        self.last_segment = Some(segment.number);
        self.stopped = Some((segment.file.clone(), (at + record.bytes) as u64));
        Ok(())
    }

    /// Whether the log ends behind the last record that was applied.
    fn end(self) -> Result<(), StoreError> {
        let what = if self.claimed > self.last {
            "a log record that was durable is damaged or missing"
        } else if self.written_after > self.last {
            "a log record is damaged or missing: later ones are there, and neither the machine nor the file system \
             started again"
        } else {
            return Ok(());
        };
        self.stopped.map_or(Ok(()), |(file, offset)| Err(file.damaged(offset, what)))
    }
}
