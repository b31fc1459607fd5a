//! From events to operations: each stretch of an operation's time and what it was spent on.
//!
//! An operation is a stretch of a thread's time. While the thread runs, the thread explains it. While it waits, what
//! woke it does: a request of a device that was completed on the same CPU just before, or another thread, whose time is
//! explained in the same way. So the chain ends at the devices, at run queues, or at what the events do not show, and
//! **the segments cover the operation without a gap**: their sum is its latency, and unknown time is a segment.

mod request;
mod segment;
#[cfg(test)]
mod tests;
mod timeline;

pub use segment::{Segment, Stage};
pub use timeline::CallSpan;

use crate::event::{Blocks, Device};
use crate::trace::Trace;
use request::{Flush, Request, RequestId};
use segment::Laid;
use std::collections::{BTreeMap, BTreeSet};
use timeline::{State, Timelines, Wake};

/// How many threads a chain of waiting may have, each waiting for the next.
const CHAIN_MAX: usize = 24;

/// A trace that operations can be looked up in.
#[derive(Debug)]
pub struct Waterfall {
    timelines: Timelines,
}

/// One operation: a stretch of a thread's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// They follow each other without a gap. There is none in an operation that took no time.
    pub segments: Vec<Segment>,
    /// By thread, what others did meanwhile.
    pub neighbours: BTreeMap<u32, Neighbour>,
}

/// What a thread did beside an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbour {
    /// Time that it ran on a CPU which a thread of the operation waited for, nanoseconds.
    pub ran_ns: u64,
    /// Requests that the drivers of the operation's devices got for it, unless the operation waited for it.
    pub requests: u64,
}

impl Neighbour {
    /// The sum of both.
    pub(crate) fn add(&mut self, other: &Self) {
        self.ran_ns += other.ran_ns;
        self.requests += other.requests;
    }
}

impl Operation {
    /// Its length, nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        self.segments.iter().map(Segment::duration_ns).sum()
    }

    /// Requests that the drivers of its devices got meanwhile for other threads than those that it waited for.
    pub fn foreign_requests(&self) -> u64 {
        self.neighbours.values().map(|neighbour| neighbour.requests).sum()
    }
}

/// What an operation waited for.
#[derive(Debug, Default)]
struct Chain {
    /// When the operation began.
    from_ns: u64,
    /// Threads that wait for each other, at the time that is being explained.
    length: usize,
    threads: BTreeSet<u32>,
    devices: BTreeSet<Device>,
    neighbours: BTreeMap<u32, Neighbour>,
    /// Requests that are not queued yet at that time, by a thread that the operation waits for.
    unqueued: usize,
}

impl Waterfall {
    pub fn new(trace: &Trace) -> Self {
        Self { timelines: Timelines::new(trace) }
    }

    /// The system calls of a thread that began and ended in the trace, in order.
    pub fn calls(&self, thread: u32) -> &[CallSpan] {
        self.timelines.calls(thread)
    }

    /// What a thread's time between two times was spent on.
    pub fn operation(&self, thread: u32, from_ns: u64, to_ns: u64) -> Operation {
        let mut laid = Laid::from(from_ns);
        let mut chain = Chain { from_ns, ..Chain::default() };
        self.lay_thread(thread, to_ns, &mut chain, &mut laid);
        let Chain { threads, devices, mut neighbours, .. } = chain;
        let issued =
            devices.into_iter().flat_map(|device| self.timelines.requests.issued(device, from_ns, to_ns));
        for owner in issued.filter(|owner| !threads.contains(owner)) {
            neighbours.entry(owner).or_default().requests += 1;
        }
        Operation { segments: self.by_call(thread, &laid.into_segments()), neighbours }
    }

    /// Lays segments until a time, from what a thread did.
    fn lay_thread(&self, thread: u32, to_ns: u64, chain: &mut Chain, laid: &mut Laid) {
        let from_ns = laid.end_ns();
        let is_own = chain.length == 0;
        chain.length += 1;
        chain.threads.insert(thread);
        let journal = self.timelines.journal.contains(&thread);
        let is_kernels = self.timelines.is_kernels(thread);
        let spans = self.timelines.spans(thread, from_ns, to_ns);
        // The trace does not show what it did before its first event.
        laid.until(spans.first().map_or(to_ns, |span| span.from_ns.min(to_ns)), Stage::Unknown, journal);
        let ends = spans.iter().skip(1).map(|span| span.from_ns).chain([to_ns]);
        for (span, end_ns) in spans.iter().zip(ends) {
            match span.state {
                State::Running if is_own => laid.until(end_ns, Stage::Program, false),
                State::Running if is_kernels => laid.until(end_ns, Stage::Worker, journal),
                State::Running => self.lay_other(thread, end_ns, laid),
                State::Runnable => {
                    for (other, ran_ns) in self.timelines.ran_instead(thread, laid.end_ns(), end_ns) {
                        chain.neighbours.entry(other).or_default().ran_ns += ran_ns;
                    }
                    laid.until(end_ns, Stage::RunQueue, journal);
                }
                State::Blocked(Some(wake)) => self.lay_wait(thread, wake, end_ns, chain, laid),
                State::Blocked(None) => self.lay_unseen(thread, span.from_ns, end_ns, chain, laid),
            }
        }
        chain.length -= 1;
    }

    /// Lays the time that a thread of a program ran for the operation, as a server's for its client.
    fn lay_other(&self, thread: u32, to_ns: u64, laid: &mut Laid) {
        let calls = self.calls(thread);
        let begin = calls.partition_point(|call| call.to_ns <= laid.end_ns());
        for call in calls[begin..].iter().take_while(|call| call.from_ns < to_ns) {
            laid.until(call.from_ns, Stage::OtherProgram, false);
            laid.until(call.to_ns.min(to_ns), Stage::FileSystem, false);
        }
        laid.until(to_ns, Stage::OtherProgram, false);
    }

    /// Lays segments until a time, from what ended a thread's wait.
    fn lay_wait(&self, thread: u32, wake: Wake, to_ns: u64, chain: &mut Chain, laid: &mut Laid) {
        let journal = self.timelines.journal.contains(&thread);
        let done_meanwhile = |id: &RequestId| {
            self.timelines.requests.get(*id).ended_ns.is_some_and(|ended_ns| ended_ns >= laid.end_ns())
        };
        // A thread that the trace does not end with waits beyond the operation's end.
        let is_over = wake.time_ns <= to_ns;
        if let Some(id) = wake.request.filter(done_meanwhile) {
            self.lay_request(thread, id, to_ns, chain, laid);
        } else if is_over && !wake.in_interrupt && wake.by != 0 && chain.length < CHAIN_MAX {
            self.lay_thread(wake.by, to_ns, chain, laid);
        }
        // A timer ends the wait of the kernel's thread that holds a request back for a limit (`kthrotld`).
        let is_held = chain.unqueued > 0 && wake.in_interrupt;
        laid.until(to_ns, if is_held { Stage::Queue } else { Stage::Unknown }, journal);
    }

    /// Lays segments until a time from a wait whose end was not seen. Some kernels hide from perf what an idle CPU
    /// does, such as a device's completion and the wake after it. If the thread's last request is one that nobody saw
    /// end, it waited for that one.
    fn lay_unseen(&self, thread: u32, since_ns: u64, to_ns: u64, chain: &mut Chain, laid: &mut Laid) {
        let is_journal = self.timelines.journal.contains(&thread);
        let requests = &self.timelines.requests;
        if let Some(request) = requests.unended(thread, chain.from_ns, since_ns) {
            let Blocks { device, class, .. } = request.blocks;
            let journal = is_journal || class.metadata;
            let is_flush = class.flushes_before || class.durable;
            let issued_ns = if is_flush {
                requests.flush_issued(device, request.queued_ns, to_ns)
            } else {
                request.issued_ns.filter(|issued_ns| *issued_ns <= to_ns)
            };
            let (before, behind) = if is_flush {
                (Stage::FlushHandOver, Stage::FlushToRun)
            } else {
                (Stage::Queue, Stage::DeviceToRun)
            };
            if let Some(issued_ns) = issued_ns {
                chain.devices.insert(device);
                laid.until(issued_ns, before, journal);
                laid.until(to_ns, behind, journal);
            }
        }
        laid.until(to_ns, Stage::Unknown, is_journal);
    }

    /// Lays segments until a time, from the way of a request that something waited for.
    fn lay_request(&self, thread: u32, id: RequestId, to_ns: u64, chain: &mut Chain, laid: &mut Laid) {
        let request = self.timelines.requests.get(id);
        chain.devices.insert(request.blocks.device);
        if request.queued_ns > laid.end_ns() {
            let until_ns = request.queued_ns.min(to_ns);
            if request.queued_by != thread && chain.length < CHAIN_MAX {
                chain.unqueued += 1;
                self.lay_thread(request.queued_by, until_ns, chain, laid);
                chain.unqueued -= 1;
            }
            laid.until(until_ns, Stage::Unknown, self.timelines.journal.contains(&thread));
        }
        chain.threads.insert(request.queued_by);
        let journal = request.blocks.class.metadata || self.timelines.journal.contains(&request.queued_by);
        if request.blocks.class.flushes_before || request.blocks.class.durable {
            self.lay_flushing(request, journal, to_ns, laid);
        } else {
            self.lay_transfer(request, journal, to_ns, laid);
        }
    }

    /// Blocks without a flush: queue, device, completion.
    fn lay_transfer(&self, request: &Request, journal: bool, to_ns: u64, laid: &mut Laid) {
        let done_ns = request.completed.map_or(to_ns, |completed| completed.time_ns.min(to_ns));
        match request.issued_ns {
            Some(issued_ns) => laid.until(issued_ns.min(done_ns), Stage::Queue, journal),
            None => laid.until(done_ns, Stage::Unknown, journal),
        }
        self.lay_device(request, done_ns, Stage::Device, journal, laid);
        laid.until(to_ns, Stage::Completion, journal);
    }

    /// The device's time until a completion. On a busy CPU the kernel leaves completions to a thread, which waits for
    /// the CPU like any other.
    fn lay_device(&self, request: &Request, done_ns: u64, stage: Stage, journal: bool, laid: &mut Laid) {
        let by_thread =
            request.completed.filter(|completed| self.timelines.runs_interrupts(completed.thread));
        if let Some(completed) = by_thread {
            let spans = self.timelines.spans(completed.thread, laid.end_ns(), done_ns);
            let running = spans.iter().rposition(|span| matches!(span.state, State::Running));
            let before = running.and_then(|at| at.checked_sub(1)).map(|at| (&spans[at], &spans[at + 1]));
            if let Some((runnable, running)) = before
                && matches!(runnable.state, State::Runnable)
            {
                laid.until(runnable.from_ns.min(done_ns), stage, journal);
                laid.until(running.from_ns.min(done_ns), Stage::RunQueue, journal);
                laid.until(done_ns, Stage::Completion, journal);
            }
        }
        laid.until(done_ns, stage, journal);
    }

    /// A flush, the blocks that are written after it, and the flush after those.
    fn lay_flushing(&self, request: &Request, journal: bool, to_ns: u64, laid: &mut Laid) {
        let from_ns = laid.end_ns();
        let flushes: Vec<Flush> =
            self.timelines.requests.flushes(request.blocks.device, from_ns, to_ns).collect();
        let is_bare = request.blocks.sectors == 0;
        let data = match (request.issued_ns, request.completed) {
            (Some(issued_ns), Some(completed)) if !is_bare => Some((issued_ns, completed.time_ns)),
            _ => None,
        };
        let own = flushes.iter().filter(|flush| flush.issued_ns >= request.queued_ns);
        let last_flush = own.filter_map(|flush| flush.completed_ns).filter(|done| *done <= to_ns).max();
        let last_data = data.map(|(_, completed_ns)| completed_ns);
        let done_ns = last_flush.max(last_data).unwrap_or(to_ns);
        let ends = flushes.iter().flat_map(|flush| [Some(flush.issued_ns), flush.completed_ns]).flatten();
        let data_ends = data.map(|(issued_ns, completed_ns)| [issued_ns, completed_ns]);
        let mut boundaries: Vec<u64> =
            ends.chain(data_ends.into_iter().flatten()).chain([done_ns, to_ns]).collect();
        boundaries.sort_unstable();
        for end_ns in boundaries.into_iter().filter(|end_ns| *end_ns <= to_ns) {
            let at_ns = laid.end_ns();
            let covers = |flush: &&Flush| {
                flush.issued_ns <= at_ns && flush.completed_ns.is_none_or(|completed| completed > at_ns)
            };
            let is_transferred =
                data.is_some_and(|(issued_ns, completed_ns)| (issued_ns..completed_ns).contains(&at_ns));
            let covering = flushes.iter().filter(covers).max_by_key(|flush| flush.issued_ns);
            let stage = match covering {
                _ if is_transferred => Stage::Device,
                _ if at_ns >= done_ns => Stage::Completion,
                Some(flush) if flush.issued_ns < request.queued_ns => Stage::FlushBehindFlush,
                Some(_) => Stage::Flush,
                None if !request.blocks.class.flushes_before
                    && data.is_none_or(|(issued, _)| at_ns < issued) =>
                {
                    Stage::Queue
                }
                None => Stage::FlushHandOver,
            };
            laid.until(end_ns, stage, journal);
        }
    }

    /// Tells the thread's own time apart: the program's, a system call's, and the way back after the call's last wait.
    /// If the trace has no calls, all of it is theirs.
    fn by_call(&self, thread: u32, segments: &[Segment]) -> Vec<Segment> {
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return Vec::new() };
        let calls = self.calls(thread);
        let begin = calls.partition_point(|call| call.to_ns <= first.from_ns);
        let end = calls.partition_point(|call| call.from_ns < last.to_ns);
        let calls = &calls[begin..end.max(begin)];
        let mut laid = Laid::from(first.from_ns);
        for segment in segments {
            if segment.stage != Stage::Program {
                laid.until(segment.to_ns, segment.stage, segment.journal);
                continue;
            }
            if !self.timelines.has_calls {
                laid.until(segment.to_ns, Stage::FileSystem, false);
                continue;
            }
            for call in calls.iter().filter(|call| call.to_ns > segment.from_ns) {
                laid.until(call.from_ns.min(segment.to_ns), Stage::Program, false);
                let waited = segments.iter().any(|other| {
                    other.stage != Stage::Program
                        && other.from_ns >= call.from_ns
                        && other.to_ns <= segment.from_ns
                });
                let is_last = call.to_ns <= segment.to_ns;
                let stage = if waited && is_last { Stage::Return } else { Stage::FileSystem };
                laid.until(call.to_ns.min(segment.to_ns), stage, false);
            }
            laid.until(segment.to_ns, Stage::Program, false);
        }
        laid.into_segments()
    }
}
