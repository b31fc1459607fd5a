//! Compactions: runs that were chosen are merged into new ones.

use crate::compaction::{Task, collected};
use crate::counters::add;
use crate::cursor::{Cursor, Merge};
use crate::entry::{Entry, EntryKind};
use crate::error::StoreError;
use crate::keys::Keys;
use crate::options::CompactionOptions;
use crate::run::{Kept, Run, RunCursor, RunReads, RunWriter, Written};
use crate::shared::Shared;
use crate::values::{Collector, CollectorReads, ValueUses};
use crate::version::Levels;
use model::IoMode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// Entries that are merged in some 30 microseconds.
const MERGED_AT_ONCE: u64 = 64;
/// After this number of checks without a read of a page, some milliseconds, no get waits for the processor.
const UNREAD_MAX: u32 = 100;

/// Offers the processor to gets. The page of one may have come, and the kernel would let its thread wait for the
/// compaction's whole slice, a millisecond and more. Without gets nothing is offered: then a busy processor would leave
/// compactions behind.
#[derive(Default)]
struct GivesWay {
    merged: u64,
    page_reads: u64,
    unread: u32,
}

impl GivesWay {
    /// After each entry that is merged: whether the thread gives way now.
    fn is_due(&mut self, page_reads: impl FnOnce() -> u64) -> bool {
        self.merged += 1;
        if !self.merged.is_multiple_of(MERGED_AT_ONCE) {
            return false;
        }
        let before = std::mem::replace(&mut self.page_reads, page_reads());
        self.unread = if self.page_reads == before { self.unread.saturating_add(1) } else { 0 };
        self.unread < UNREAD_MAX
    }
}

/// What is merged.
struct Inputs {
    runs: Vec<Arc<Run>>,
    /// Whether a run that is older may have one of their keys: then deletes are kept.
    has_older: bool,
    /// The value files with too much garbage: what the runs have there is written to a new one.
    collected: ValueUses,
}

/// Runs that a merge has made. Their files go if it fails.
#[derive(Default)]
struct Outputs(Vec<Arc<Run>>);

impl Drop for Outputs {
    fn drop(&mut self) {
        self.0.iter().for_each(|run| run.discard());
    }
}

impl Shared {
    pub(crate) fn compact(&self, partition: usize, task: &Task) -> Result<(), StoreError> {
        let inputs = self.inputs(partition, task);
        add(&self.counters.compactions, 1);
        if task.is_move {
            return self.install(
                |version, _| version.replace(partition, &task.inputs, task.output_level, inputs.runs),
                |_| {},
            );
        }
        // What drops deletes frees room in the end.
        let frees_room = !inputs.has_older && inputs.runs.iter().any(|run| run.deletes() > 0);
        let merge = || self.merge(&inputs, task.output_level, frees_room);
        let (outputs, dead) = self.reserve.merge(frees_room, merge)?;
        self.install(
            |version, _| version.replace(partition, &task.inputs, task.output_level, outputs.clone()),
            |_| {},
        )?;
        let kept = Arc::new(Kept::new(&self.files, dead, &outputs));
        for run in &inputs.runs {
            run.retire(&kept);
        }
        Ok(())
    }

    /// What a compaction needs of the view. It keeps nothing else of it: a merge takes long, and the memtables that are
    /// flushed meanwhile would stay in memory.
    fn inputs(&self, partition: usize, task: &Task) -> Inputs {
        let view = self.view();
        let levels = &view.version.partitions[partition];
        let runs: Vec<Arc<Run>> =
            levels.iter().flatten().filter(|run| task.inputs.contains(&run.number)).cloned().collect();
        let has_older = has_older(levels, &runs, task.output_level);
        let collected = collected(self.options.values.garbage_percent, &view.version.values);
        Inputs { runs, has_older, collected }
    }

    /// Merges runs, the newest first. Returns the new runs, and the large values that nothing refers to any more.
    fn merge(
        &self,
        inputs: &Inputs,
        output_level: usize,
        frees_room: bool,
    ) -> Result<(Vec<Arc<Run>>, Vec<u64>), StoreError> {
        let began_with_reserve = !self.reserve.is_given_up();
        let run_bytes_max = match &self.options.compaction {
            CompactionOptions::Leveled(levels) if output_level > 0 => levels.run_bytes,
            CompactionOptions::Leveled(_) | CompactionOptions::SizeTiered(_) | CompactionOptions::Off => {
                u64::MAX
            }
        };
        let reads = self.compaction_reads();
        let sources = inputs.runs.iter().map(|run| {
            let mut cursor = RunCursor::new(Arc::clone(run), &Keys::all(), reads)?;
            cursor.begin(&[])?;
            Ok(Box::new(cursor) as Box<dyn Cursor + '_>)
        });
        let mut merge = Merge::new(sources.collect::<Result<_, StoreError>>()?);
        let (mut outputs, mut dead) = (Outputs::default(), Vec::new());
        let mut writer: Option<RunWriter> = None;
        let mut values = ValueUses::default();
        inputs.runs.iter().for_each(|run| values.add_all(&run.values));
        let collected = inputs.collected.iter().map(|value_use| Arc::clone(&value_use.file));
        let mut collector = Collector::new(collected, collector_reads(reads));
        let mut gives_way = GivesWay::default();
        while let Some(entry) = merge.entry() {
            if gives_way.is_due(|| self.counters.page_reads.load(Ordering::Relaxed)) {
                thread::yield_now();
            }
            if began_with_reserve && !frees_room && self.reserve.is_given_up() {
                // The room that it takes is needed.
                return Err(self.reserve.refusal("merge runs of"));
            }
            if entry.kind != EntryKind::Delete || inputs.has_older {
                let full = writer.take_if(|writer| writer.bytes() >= run_bytes_max);
                outputs.0.extend(full.map(|full| self.finish(full)).transpose()?);
                let writer = match &mut writer {
                    Some(writer) => writer,
                    none => none.insert(RunWriter::create(
                        &self.files,
                        &self.next_number,
                        &self.options,
                        &values,
                    )?),
                };
                match collector.value_of(entry)? {
                    Some(value) => writer.push(Entry { kind: EntryKind::Put, value, ..entry })?,
                    None => writer.push(entry)?,
                }
            }
            merge.advance_with(|replaced| dead.extend(replaced.large_value()))?;
        }
        outputs.0.extend(writer.map(|writer| self.finish(writer)).transpose()?);
        Ok((std::mem::take(&mut outputs.0), dead))
    }

    fn compaction_reads(&self) -> RunReads<'_> {
        let data = &self.options.data;
        let io = data.compaction_read_io.filter(|io| *io != data.io);
        // A mapping is of one thread, and its reads are copies.
        let depth = if io.unwrap_or(data.io) == IoMode::Mmap { 0 } else { data.compaction_read_depth };
        RunReads {
            first_bytes: data.compaction_read_bytes,
            bytes_max: data.compaction_read_bytes,
            depth,
            io,
            verify_checksums: true,
            cache: None,
            reads: &self.counters.compaction_reads,
            bytes_read: &self.counters.compaction_read_bytes,
            cache_hits: &self.counters.cache_hits,
        }
    }

    fn finish(&self, writer: RunWriter) -> Result<Arc<Run>, StoreError> {
        let Written { run, value_bytes } = writer.finish()?;
        add(&self.counters.compaction_bytes, run.bytes);
        add(&self.counters.compaction_value_bytes, value_bytes);
        Ok(Arc::new(run))
    }
}

/// Values are read as runs are.
fn collector_reads(reads: RunReads<'_>) -> CollectorReads<'_> {
    let RunReads { bytes_max, depth, io, reads, bytes_read, .. } = reads;
    CollectorReads { bytes: bytes_max, is_limited: depth > 0, io, reads, bytes_read }
}

/// Whether a run that is older than the inputs may have one of their keys: then deletes are kept.
fn has_older(levels: &Levels, inputs: &[Arc<Run>], output_level: usize) -> bool {
    let is_input = |run: &Arc<Run>| inputs.iter().any(|input| input.number == run.number);
    let smallest = inputs.iter().map(|run| run.smallest()).min().unwrap_or_default();
    let largest = inputs.iter().map(|run| run.largest()).max().unwrap_or_default();
    let last_input = levels[0].iter().rposition(is_input);
    let older_in_level0 = levels[0].iter().skip(last_input.map_or(levels[0].len(), |last| last + 1));
    let below = levels.iter().skip(output_level.max(1)).flatten();
    let mut older = older_in_level0.chain(below).filter(|run| !is_input(run));
    older.any(|run| run.smallest() <= largest && smallest <= run.largest())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::compaction::Reason;
    use crate::open::open;
    use crate::options::Options;
    use crate::storage::simulated::Disk;

    #[test]
    fn a_memtable_that_is_flushed_beside_a_merge_is_freed() {
        let compaction = CompactionOptions::Off;
        let mut options = Options { partitions: 1, background_threads: 0, compaction, ..Options::default() };
        options.log.segment_bytes = 16 << 10;
        let shared = open(Arc::new(Disk::new()), &options).unwrap();
        let write_and_flush = || {
            let mut batch = Batch::new();
            batch.put(b"key", b"value").unwrap();
            shared.write(&batch).unwrap();
            shared.rotate_if_used().unwrap();
        };
        (0..2).for_each(|_| write_and_flush());
        let numbers = shared.view().version.runs().map(|run| run.number).collect();
        let merged = shared
            .inputs(0, &Task { reason: Reason::Policy, inputs: numbers, output_level: 0, is_move: false });
        let memtable = Arc::downgrade(&shared.view().memtables[0]);
        write_and_flush();
        assert_eq!(merged.runs.len(), 2);
        assert!(memtable.upgrade().is_none());
    }

    #[test]
    fn a_compaction_gives_way_while_there_are_gets() {
        let mut gives_way = GivesWay::default();
        let mut times = |merged: u64, page_reads: &dyn Fn(u64) -> u64| {
            (0..merged).filter(|entry| gives_way.is_due(|| page_reads(*entry))).count() as u64
        };
        let checks = 1000;
        // A page was read before each check.
        assert_eq!(times(checks * MERGED_AT_ONCE, &|entry| entry), checks);
        // None any more.
        let last = checks * MERGED_AT_ONCE - 1;
        assert_eq!(times(checks * MERGED_AT_ONCE, &|_| last), u64::from(UNREAD_MAX) - 1);
        // One more.
        assert_eq!(times(checks * MERGED_AT_ONCE, &|_| last + 1), u64::from(UNREAD_MAX));
    }
}
