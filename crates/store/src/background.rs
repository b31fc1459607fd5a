//! Flushes and compactions: chosen one at a time, performed by background threads or by the thread that needs them.

use crate::compaction::{Reason, Task, pick, reads_for};
use crate::counters::add;
use crate::error::StoreError;
use crate::files::FileKind;
use crate::manifest::Manifest;
use crate::memtable::Memtable;
use crate::run::{Kept, Run, RunWriter, Written};
use crate::shared::{FlushWork, Job, Shared, Work, lock};
use crate::sync::atomic::Ordering;
use crate::values::ValueUses;
use crate::version::{Version, View};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, PoisonError};

/// Reads in vain until somebody looks whether a merge is due.
const LOOK_EACH_READS: u64 = 256;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Every memtable that takes no more writes is in runs.
    Flushed,
    /// Nothing is left to flush or merge.
    Idle,
}

impl Shared {
    /// What a background thread does until the store is closed.
    pub(crate) fn work_until_stopped(&self) {
        let mut work = lock(&self.work);
        while !work.is_stopping {
            match self.choose(&mut work) {
                Some(job) => {
                    drop(work);
                    // The failure is kept, and every later write reports it.
                    let _ = self.perform_or_fail(job);
                    work = lock(&self.work);
                }
                None => work = self.work_changed.wait(work).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Performs one job on this thread; whether there was one.
    pub(crate) fn work_once(&self) -> Result<bool, StoreError> {
        self.check_failure()?;
        let job = self.choose(&mut lock(&self.work));
        job.map_or(Ok(false), |job| self.perform(job).map(|()| true))
    }

    /// Waits until nothing is left to flush or to merge, deletes included.
    pub(crate) fn drain(&self) -> Result<(), StoreError> {
        {
            let mut work = lock(&self.work);
            work.drains += 1;
            work.busy.offer_refused();
        }
        self.work_changed.notify_all();
        let drained = self.wait_until(Until::Idle);
        lock(&self.work).drains -= 1;
        drained?;
        self.files.await_removals();
        // Nobody has asked for what scans have paid for.
        let has_refused = lock(&self.work).busy.has_refused(|reason| reason != Reason::Scans);
        if has_refused { Err(self.reserve.refusal("merge runs of")) } else { Ok(()) }
    }

    /// Waits for background work.
    pub(crate) fn wait_until(&self, until: Until) -> Result<(), StoreError> {
        if self.options.background_threads == 0 {
            while self.work_once()? {}
            return Ok(());
        }
        let mut work = lock(&self.work);
        loop {
            self.check_failure()?;
            let is_flushed = work.flush.is_none() && self.view().memtables.len() == 1;
            let is_done = match until {
                Until::Flushed => is_flushed,
                Until::Idle => is_flushed && work.running == 0 && self.task(&work).is_none(),
            };
            if is_done {
                return Ok(());
            }
            work = self.work_changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next job: the oldest memtable first, then a log segment, then runs.
    fn choose(&self, work: &mut Work) -> Option<Job> {
        if self.failure.get().is_some() {
            return None;
        }
        let job = self
            .choose_flush(work)
            .or_else(|| {
                let is_wanted = !work.is_preparing && self.segments.wants_spare();
                work.is_preparing |= is_wanted;
                is_wanted.then_some(Job::PrepareSegment)
            })
            .or_else(|| {
                // While a memtable waits, one thread is left for the next one: writers wait for flushes sooner.
                let busy = work.compactions;
                let is_last_thread = busy > 0 && busy + 1 >= self.options.background_threads;
                if is_last_thread && self.view().memtables.len() > 1 {
                    return None;
                }
                // Without the reserve a merge is alone: what it takes could be what a flush needs.
                let is_alone = busy == 0 && work.flush.is_none() && self.view().memtables.len() == 1;
                if self.reserve.is_given_up() && !is_alone {
                    return None;
                }
                let (partition, task) = self.task(work)?;
                work.compactions += 1;
                work.busy.begin(&task);
                if task.reason == Reason::Scans {
                    work.repaid_to_scans += self.reads_for(partition, &task);
                }
                Some(Job::Compact(partition, task))
            })?;
        work.running += 1;
        Some(job)
    }

    fn choose_flush(&self, work: &mut Work) -> Option<Job> {
        if work.flush.is_none() {
            let view = self.view();
            let memtable = view.memtables.last().filter(|_| view.memtables.len() > 1)?;
            let memtable = Arc::clone(memtable);
            work.flush =
                Some(FlushWork { memtable, next: 0, left: self.options.partitions, runs: Vec::new() });
        }
        let flush = work.flush.as_mut().filter(|flush| flush.next < self.options.partitions)?;
        flush.next += 1;
        Some(Job::Flush(Arc::clone(&flush.memtable), flush.next - 1))
    }

    /// Runs to be merged, beside those that are being merged.
    fn task(&self, work: &Work) -> Option<(usize, Task)> {
        let view = self.view();
        let is_drain = work.drains > 0;
        let pick = |reason| {
            let mut partitions = 0..view.version.partitions.len();
            partitions.find_map(|partition| {
                let task = pick(&self.options, &view.version, partition, &work.busy, reason, is_drain)?;
                Some((partition, task))
            })
        };
        // Deletes first: they may be what makes room for the others.
        let deletes = is_drain.then(|| pick(Reason::Deletes)).flatten();
        // What is left of the reserve is for deletes.
        let may_take_room = is_drain || !self.reserve.is_given_up();
        let for_scans = || {
            let unpaid = self.counters.scan_reads_in_vain.load(Ordering::Relaxed) - work.repaid_to_scans;
            pick(Reason::Scans).filter(|(partition, task)| self.reads_for(*partition, task) <= unpaid)
        };
        // The policy's first: writers may wait for fewer runs.
        let others = || pick(Reason::Policy).or_else(for_scans).or_else(|| pick(Reason::Garbage));
        deletes.or_else(|| may_take_room.then(others).flatten())
    }

    /// The reads in vain that pay for a task.
    fn reads_for(&self, partition: usize, task: &Task) -> u64 {
        let view = self.view();
        let runs = view.version.partitions[partition].iter().flatten();
        reads_for(runs.filter(|run| task.inputs.contains(&run.number)).map(|run| run.bytes).sum())
    }

    /// Counts reads that a scan makes only because there are several sorted runs. Now and then a background thread
    /// looks whether they have paid for a merge.
    pub(crate) fn count_in_vain(&self, reads: u64) {
        let before = self.counters.scan_reads_in_vain.fetch_add(reads, Ordering::Relaxed);
        if before / LOOK_EACH_READS < (before + reads) / LOOK_EACH_READS {
            // Between a waiting thread's look and its sleep it holds the lock.
            drop(lock(&self.work));
            self.work_changed.notify_all();
        }
    }

    /// As [`perform`](Self::perform); a panic is a failure, so that nobody waits for the job forever.
    fn perform_or_fail(&self, job: Job) -> Result<(), StoreError> {
        panic::catch_unwind(AssertUnwindSafe(|| self.perform(job))).unwrap_or_else(|_| {
            let source = io::Error::other("a background thread panicked");
            Err(self.fail(StoreError::Io {
                operation: "flush or merge in",
                path: self.files.path(""),
                source,
            }))
        })
    }

    fn perform(&self, job: Job) -> Result<(), StoreError> {
        let outcome = match job {
            Job::Flush(memtable, partition) => self.flush_partition(&memtable, partition),
            Job::PrepareSegment => {
                let prepared = self.segments.prepare();
                lock(&self.work).is_preparing = false;
                prepared
            }
            Job::Compact(partition, task) => {
                let compacted = self.compact(partition, &task);
                let mut work = lock(&self.work);
                work.compactions -= 1;
                work.busy.end(&task);
                match compacted {
                    // The runs stay as they are, and nothing is lost.
                    Err(error) if error.is_full() => {
                        work.busy.refuse(&task);
                        Ok(())
                    }
                    outcome => {
                        if outcome.is_ok() && work.drains > 0 {
                            // There may be more room now.
                            work.busy.offer_refused();
                        }
                        outcome
                    }
                }
            }
        };
        let outcome = outcome.and_then(|()| self.take_room_back());
        lock(&self.work).running -= 1;
        self.work_changed.notify_all();
        outcome.map_err(|error| self.fail(error))
    }

    /// After something that may have freed room: keeps it back again.
    fn take_room_back(&self) -> Result<(), StoreError> {
        if self.reserve.is_given_up() {
            self.files.await_removals();
            self.reserve.keep()?;
        }
        Ok(())
    }

    fn flush_partition(&self, memtable: &Memtable, partition: usize) -> Result<(), StoreError> {
        let last = memtable.sequence_last.get().copied().unwrap_or(0);
        self.applied.wait(last);
        // Reads find everything that is in a run.
        self.require_commit(last)?;
        self.check_failure()?;
        let run = self.reserve.spend(|| self.flush_table(memtable, partition))?;
        let finished = {
            let mut work = lock(&self.work);
            let Some(flush) = &mut work.flush else { return Ok(()) };
            flush.runs.extend(run.map(|run| (partition, run)));
            flush.left -= 1;
            if flush.left > 0 {
                return Ok(());
            }
            flush.runs.clone()
        };
        self.install_flush(memtable, &finished, last)?;
        lock(&self.work).flush = None;
        Ok(())
    }

    /// Writes a partition of a memtable to a run; `None` if it is empty.
    pub(crate) fn flush_table(
        &self,
        memtable: &Memtable,
        partition: usize,
    ) -> Result<Option<Arc<Run>>, StoreError> {
        if memtable.versions(partition) == 0 {
            return Ok(None);
        }
        let mut writer =
            RunWriter::create(&self.files, &self.next_number, &self.options, &ValueUses::default())?;
        let mut cursor = memtable.cursor(partition, &[], u64::MAX);
        while let Some(entry) = cursor.entry() {
            writer.push(entry)?;
            cursor.advance()?;
        }
        let Written { run, value_bytes } = writer.finish()?;
        add(&self.counters.flush_bytes, run.bytes);
        add(&self.counters.flush_value_bytes, value_bytes);
        Ok(Some(Arc::new(run)))
    }

    fn install_flush(
        &self,
        memtable: &Memtable,
        runs: &[(usize, Arc<Run>)],
        last: u64,
    ) -> Result<(), StoreError> {
        // The memtable after it says where the log begins that is still needed.
        let log_begin = self.view().memtables.iter().rev().nth(1).map_or(0, |next| next.log_begin);
        self.install(
            |version, manifest| {
                for (partition, run) in runs {
                    version.push(*partition, Arc::clone(run));
                }
                manifest.flushed_sequence = last;
                manifest.log_begin = log_begin;
            },
            |view| {
                view.memtables.pop();
            },
        )?;
        let runs: Vec<_> = runs.iter().map(|(_, run)| Arc::clone(run)).collect();
        // It is set once, here.
        let _ = memtable.kept.set(Kept::new(&self.files, memtable.replaced_large_values(), &runs));
        add(&self.counters.flushes, 1);
        let retired = lock(&self.log).retired(log_begin);
        retired.into_iter().try_for_each(|segment| self.segments.retire(segment))
    }

    /// Makes a new version durable, then visible. What made it needs a name that survives power loss: the manifest
    /// syncs names.
    pub(crate) fn install(
        &self,
        change: impl FnOnce(&mut Version, &mut Manifest),
        change_view: impl FnOnce(&mut View),
    ) -> Result<(), StoreError> {
        let mut manifest = lock(&self.manifest);
        let before = Arc::clone(&self.view().version);
        let mut version = Version::clone(&before);
        let mut next = manifest.clone();
        change(&mut version, &mut next);
        version.count_values();
        next.partitions = version.numbers();
        next.next_number = self.next_number.load(Ordering::Relaxed);
        self.reserve.spend(|| next.write(&self.files))?;
        *manifest = next;
        let version = Arc::new(version);
        before.retire_values(&version);
        self.change_view(|view| {
            view.version = version;
            change_view(view);
        });
        Ok(())
    }

    /// Removes the log: everything is in runs, and nothing is written any more.
    pub(crate) fn remove_log(&self) -> Result<(), StoreError> {
        let log_begin = self.next_number.load(Ordering::Relaxed);
        self.install(|_, manifest| (manifest.log_begin, manifest.has_log) = (log_begin, false), |_| {})?;
        let is_log = |name: &String| matches!(FileKind::parse(name), Some((FileKind::Log, _)));
        self.files.names()?.iter().filter(|name| is_log(name)).try_for_each(|name| self.files.remove(name))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::keys::Keys;
    use crate::open::open;
    use crate::options::{CompactionOptions, Options, SizeTieredOptions};
    use crate::read::Reading;
    use crate::storage::simulated::Disk;
    use std::ops::ControlFlow;

    #[test]
    fn a_tree_has_several_compactions_at_once_each_of_its_own_runs() {
        let compaction = CompactionOptions::Off;
        let options = Options { partitions: 1, background_threads: 0, compaction, ..Options::default() };
        let mut shared = open(Arc::new(Disk::new()), &options).unwrap();
        // Two large runs, then two small ones, which have newer values of some keys.
        for (round, keys) in [(1, 0..2000_u32), (2, 1000..3000), (3, 500..510), (4, 505..515)] {
            for number in keys {
                let mut batch = Batch::new();
                batch.put(&number.to_be_bytes(), &[round; 50]).unwrap();
                shared.write(&batch).unwrap();
            }
            shared.rotate_if_used().unwrap();
        }
        let tiers = SizeTieredOptions { runs_merged: 2, ..SizeTieredOptions::default() };
        shared.options.compaction = CompactionOptions::SizeTiered(tiers);
        let compaction = || loop {
            match shared.choose(&mut lock(&shared.work)) {
                Some(Job::Compact(partition, task)) => return Some((partition, task)),
                Some(other) => shared.perform(other).unwrap(),
                None => return None,
            }
        };
        let (first, second) = (compaction().unwrap(), compaction().unwrap());
        assert!(first.1.inputs.iter().all(|run| !second.1.inputs.contains(run)));
        assert!(compaction().is_none());
        // The one that began later ends first.
        for (partition, task) in [second, first] {
            shared.perform(Job::Compact(partition, task)).unwrap();
        }
        assert!(lock(&shared.work).busy.merged.is_empty());
        assert_eq!(shared.view().version.partitions[0][0].len(), 2);
        let reading = Reading { shared: &shared, view: shared.view(), sequence: u64::MAX };
        let mut number = 0_u32;
        let visited = reading.scan(&Keys::all(), |key, value| {
            let round = match number {
                505..515 => 4,
                500..505 => 3,
                1000.. => 2,
                0..500 | 515..1000 => 1,
            };
            assert_eq!((key, value), (&number.to_be_bytes()[..], &[round; 50][..]));
            number += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(visited.unwrap(), 3000);
    }
}
