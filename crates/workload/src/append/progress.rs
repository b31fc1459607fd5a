//! What a worker has acknowledged, told to whoever will kill it.

use super::Appender;
use driver::{Next, Recorder, Workload};
use model::{Completion, Nanos};
use std::sync::atomic::{AtomicU64, Ordering};

/// Two counters of one thread, in memory that outlives it.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'m> {
    /// Entries acknowledged.
    pub acknowledged: &'m AtomicU64,
    /// Bytes of entries handed to the kernel or the engine.
    pub written_bytes: &'m AtomicU64,
}

/// A workload that stores its counts in a [`Progress`] whenever they change.
///
/// An entry is counted after it was acknowledged and before the next operation is handed out. So whenever the process
/// is killed, an entry that is counted was acknowledged, and at most those of one batch of completions are not counted
/// yet.
#[derive(Clone, Debug)]
pub struct Published<'m, W> {
    workload: W,
    progress: Progress<'m>,
}

impl<'m, W: Appender> Published<'m, W> {
    /// Tells the workload's progress; it begins with none.
    pub fn new(workload: W, progress: Progress<'m>) -> Self {
        let published = Self { workload, progress };
        published.publish();
        published
    }

    /// The workload itself, which is no longer told about.
    pub fn into_workload(self) -> W {
        self.workload
    }

    #[inline]
    fn publish(&self) {
        let Progress { acknowledged, written_bytes } = self.progress;
        // The acknowledgement first: what has been acknowledged and not written is never told too small.
        acknowledged.store(self.workload.acknowledged(), Ordering::Release);
        written_bytes.store(self.workload.written_bytes(), Ordering::Release);
    }
}

impl<W: Appender> Workload for Published<'_, W> {
    type Op = W::Op;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<W::Op>) -> Next {
        let next = self.workload.poll(now, out);
        // An entry that enters a buffer is acknowledged here.
        self.publish();
        next
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        self.workload.complete(completion, recorder);
        self.publish();
    }

    fn in_flight_max(&self) -> usize {
        self.workload.in_flight_max()
    }

    fn families(&self) -> &'static [&'static str] {
        self.workload.families()
    }
}

impl<W: Appender> Appender for Published<'_, W> {
    fn acknowledged(&self) -> u64 {
        self.workload.acknowledged()
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.workload.acknowledged_bytes()
    }

    fn written_bytes(&self) -> u64 {
        self.workload.written_bytes()
    }
}
