//! Publishes what a worker has acknowledged to the process that will kill it.

use super::Appender;
use driver::{Next, Recorder, Workload};
use model::{Completion, Nanos};
use std::sync::atomic::{AtomicU64, Ordering};

/// Two counters of one thread, in memory that outlives its process.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'m> {
    pub acknowledged: &'m AtomicU64,
    /// Bytes of entries handed to the kernel or the engine.
    pub written_bytes: &'m AtomicU64,
}

/// A workload that stores its counts in a [`Progress`] whenever they change.
///
/// An entry is counted after it was acknowledged and before the next operation is issued. Therefore every counted entry
/// was acknowledged whenever the process is killed, and only the entries of one batch of completions can be
/// acknowledged but not yet counted.
#[derive(Clone, Debug)]
pub struct Published<'m, W> {
    workload: W,
    progress: Progress<'m>,
}

impl<'m, W: Appender> Published<'m, W> {
    /// Publishes the workload's progress, which starts at zero.
    pub fn new(workload: W, progress: Progress<'m>) -> Self {
        let published = Self { workload, progress };
        published.publish();
        published
    }

    /// The workload itself; its progress is no longer published.
    pub fn into_workload(self) -> W {
        self.workload
    }

    #[inline]
    fn publish(&self) {
        let Progress { acknowledged, written_bytes } = self.progress;
        // The acknowledgements are stored first, so that acknowledged minus written is never too small.
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

    fn complete_started(&mut self, now: Nanos, out: &mut Vec<W::Op>) -> Next {
        self.workload.complete_started(now, out)
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
