//! Entries at the end of one file.

use super::levels::FileDurability;
use super::parameters::Parameters;
use super::user_buffer::UserBuffer;
use super::{APPEND_LATENCY, Appender, FAMILIES, SYNC_LATENCY, WRITE_LATENCY};
use driver::{Next, Recorder, Workload};
use model::{BlockKind, BlockOp, Completion, Nanos};

/// Index of the file in the trial's file table.
pub const ENTRIES_FILE: u16 = 0;

/// The state of the writer's sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syncing {
    /// No sync is due; writes continue.
    No,
    /// An `fdatasync` starts as soon as no write is in flight; nothing else starts before it.
    Due,
    /// A sync is in flight; nothing else starts.
    UnderWay,
}

/// A write, from its start until it and every write before it are complete, and synced if it waits for a sync.
#[derive(Clone, Copy, Debug)]
struct Slot {
    entries: u64,
    /// Calls that have not completed.
    outstanding: u32,
    began: Nanos,
    ended: Nanos,
    /// Whether its last entry is the one that the next sync is for.
    waits_for_sync: bool,
}

/// The writer of one file.
///
/// Entry `i` is at offset `i` × entry size. Entries are acknowledged in that order, so their count also identifies
/// them: a write that completes early waits for the writes before it. An append returns when its write has completed,
/// or the `fdatasync` that is due after it; with a buffer it returns as soon as the entry has been copied there.
#[derive(Clone, Debug)]
pub struct Raw {
    parameters: Parameters,
    durability: FileDurability,
    entries_max: u64,
    entries_per_write: u64,
    /// By write number, modulo the maximum number in flight.
    slots: Vec<Slot>,
    /// Number of the next write.
    next: u64,
    /// Number of the oldest write that still has a slot.
    oldest: u64,
    syncing: Syncing,
    end_synced: bool,
    entries_started: u64,
    entries_acknowledged: u64,
    entries_written: u64,
    buffer: Option<UserBuffer>,
}

impl Raw {
    /// The writer of a configuration whose file has this durability.
    pub fn new(parameters: Parameters, durability: FileDurability) -> Self {
        let empty = Slot {
            entries: 0,
            outstanding: 0,
            began: Nanos::ZERO,
            ended: Nanos::ZERO,
            waits_for_sync: false,
        };
        Self {
            durability,
            entries_max: parameters.entries_max(),
            entries_per_write: parameters.entries_per_write(),
            slots: vec![empty; parameters.iodepth as usize],
            next: 0,
            oldest: 0,
            syncing: Syncing::No,
            end_synced: false,
            entries_started: 0,
            entries_acknowledged: 0,
            entries_written: 0,
            buffer: None,
            parameters,
        }
    }

    /// The same with the copies into its buffer, if it has one. The copies are work of the workload, not overhead of
    /// the instrument.
    #[must_use]
    pub fn gathering(self, seed: u64) -> Self {
        Self { buffer: UserBuffer::new(&self.parameters, seed), ..self }
    }

    #[cfg(test)]
    pub(super) fn buffered(&self) -> &[u8] {
        self.buffer.as_ref().map_or(&[], UserBuffer::bytes)
    }

    fn is_over(&self, now: Nanos) -> bool {
        let runtime = self.parameters.runtime;
        self.entries_started >= self.entries_max || (runtime > Nanos::ZERO && now >= runtime)
    }

    fn slot(&mut self, write: u64) -> &mut Slot {
        let place = write % self.slots.len() as u64;
        &mut self.slots[place as usize]
    }

    fn writes_under_way(&self) -> bool {
        (self.oldest..self.next).any(|write| {
            let place = write % self.slots.len() as u64;
            self.slots[place as usize].outstanding > 0
        })
    }

    fn start_write(&mut self, out: &mut Vec<BlockOp>) {
        let p = &self.parameters;
        let (write, first) = (self.next, self.entries_started);
        let entries = self.entries_per_write.min(self.entries_max - first);
        let bytes = entries as u32 * p.entry_bytes();
        let offset = first * u64::from(p.entry_bytes());
        let buffer = p.payload_offset(write) as u32;
        let calls = p.writes_per_entry;
        let id = (write % self.slots.len() as u64) as u32 * calls;
        let head = if calls > 1 { p.key_size } else { bytes };
        let kind = self.durability.write_kind();
        if let Some(user_buffer) = &mut self.buffer {
            user_buffer.gather(buffer as usize, entries);
        }
        out.push(BlockOp { id, kind, file: ENTRIES_FILE, offset, length: head, buffer });
        if calls > 1 {
            let (id, offset) = (id + 1, offset + u64::from(head));
            let (length, buffer) = (bytes - head, buffer + head);
            out.push(BlockOp { id, kind, file: ENTRIES_FILE, offset, length, buffer });
        }
        self.next += 1;
        self.entries_started += entries;
        let waits_for_sync = self.durability == FileDurability::Fdatasync
            && self.entries_started.is_multiple_of(self.parameters.sync_every);
        if waits_for_sync {
            self.syncing = Syncing::Due;
        }
        if self.parameters.buffer_size > 0 {
            self.entries_acknowledged += entries;
        }
        let began = Nanos(u64::MAX);
        *self.slot(write) = Slot { entries, outstanding: calls, began, ended: Nanos::ZERO, waits_for_sync };
    }

    fn start_sync(&mut self, kind: BlockKind, out: &mut Vec<BlockOp>) {
        let id = self.parameters.iodepth * self.parameters.writes_per_entry;
        out.push(BlockOp { id, kind, file: ENTRIES_FILE, offset: 0, length: 0, buffer: 0 });
        self.syncing = Syncing::UnderWay;
    }

    /// Issues no more writes, only the sync at the end, after the last write.
    fn finish(&mut self, out: &mut Vec<BlockOp>) -> Next {
        if self.durability != FileDurability::SyncAtEnd || self.end_synced {
            return Next::Done;
        }
        if !self.writes_under_way() {
            self.start_sync(BlockKind::FullSync, out);
            self.end_synced = true;
        }
        Next::Wait
    }

    /// Frees the slots of complete writes, up to the first incomplete one.
    fn advance(&mut self, now: Nanos, recorder: &mut Recorder) {
        while self.oldest < self.next {
            let slot = *self.slot(self.oldest);
            if slot.outstanding > 0 {
                return;
            }
            self.entries_written += slot.entries;
            if slot.waits_for_sync {
                // Nothing starts after it, so this line is reached once.
                return;
            }
            self.release(slot, now, recorder);
        }
    }

    fn release(&mut self, slot: Slot, now: Nanos, recorder: &mut Recorder) {
        self.oldest += 1;
        if self.parameters.buffer_size == 0 {
            recorder.latency(APPEND_LATENCY, slot.began, slot.ended.max(now));
            self.entries_acknowledged += slot.entries;
        }
    }

    fn complete_sync(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(SYNC_LATENCY, completion.began(), completion.ended());
        self.syncing = Syncing::No;
        if self.oldest < self.next {
            let slot = *self.slot(self.oldest);
            self.release(slot, completion.ended(), recorder);
        }
    }
}

impl Workload for Raw {
    type Op = BlockOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        if self.syncing != Syncing::No {
            return self.complete_started(now, out);
        }
        if self.is_over(now) {
            return self.finish(out);
        }
        while self.next - self.oldest < self.slots.len() as u64
            && self.entries_started < self.entries_max
            && self.syncing == Syncing::No
        {
            self.start_write(out);
        }
        Next::Wait
    }

    fn complete_started(&mut self, _: Nanos, out: &mut Vec<BlockOp>) -> Next {
        match self.syncing {
            Syncing::No => return Next::Done,
            Syncing::Due if !self.writes_under_way() => self.start_sync(BlockKind::DataSync, out),
            Syncing::Due | Syncing::UnderWay => {}
        }
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let place = (completion.id / self.parameters.writes_per_entry) as usize;
        let Some(slot) = self.slots.get_mut(place) else {
            return self.complete_sync(completion, recorder);
        };
        let ended = completion.ended();
        slot.outstanding -= 1;
        slot.began = slot.began.min(completion.began());
        slot.ended = slot.ended.max(ended);
        if slot.outstanding == 0 {
            if self.parameters.acknowledges_apart() {
                recorder.latency(WRITE_LATENCY, slot.began, slot.ended);
            }
            self.advance(ended, recorder);
        }
    }

    fn in_flight_max(&self) -> usize {
        self.parameters.in_flight_max()
    }

    fn families(&self) -> &'static [&'static str] {
        FAMILIES
    }
}

impl Appender for Raw {
    fn acknowledged(&self) -> u64 {
        self.entries_acknowledged
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.entries_acknowledged * u64::from(self.parameters.entry_bytes())
    }

    fn written_bytes(&self) -> u64 {
        self.entries_written * u64::from(self.parameters.entry_bytes())
    }
}
