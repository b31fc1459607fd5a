//! What the time of operations was spent on: the last seconds of events, laid out as waterfalls.
//!
//! A waterfall needs all events of an operation, so they are kept for as long as an operation of the target may last.
//! Once a second those that ended since are laid out: a part of them, evenly chosen, for the mean, and the slowest.

use crate::class::Class;
use crate::files::FileId;
use crate::observation::{Explanation, Part};
use crate::system::System;
use model::traced::Segment;
use std::collections::{BTreeMap, BTreeSet};
use trace::waterfall::{Operation, Waterfall};
use trace::{Device, Event, EventKind, KernelThreads, Trace};

/// Events that are kept: 14 MB. To lay out more of them each second would cost the machine that is observed too much.
const EVENTS_MAX: usize = 1 << 18;
/// Operations that wait to be laid out.
const FINISHED_MAX: usize = 1 << 16;
/// Operations of a class that are laid out for the mean, each time.
const SAMPLED_MAX: usize = 400;
/// The slowest operations of a class that are laid out, each time.
const SLOWEST_EACH: usize = 40;
/// The slowest operations of a class that are kept.
const SLOWEST_MAX: usize = 1000;
/// Operations of which the slowest are the tail.
const TAIL_SHARE: f64 = 0.01;

/// An operation that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished {
    pub(crate) class: Class,
    pub(crate) process: u32,
    /// As events have it; `None` of a request of a ring, which no thread waits in.
    pub(crate) thread: Option<u32>,
    pub(crate) file: FileId,
    pub(crate) bytes: u64,
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
}

impl Finished {
    pub(crate) const fn latency_ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }
}

/// Nanoseconds by what they were spent on.
pub(crate) type Spent = BTreeMap<Segment, u64>;

/// What the operations of one class were spent on.
#[derive(Debug, Default)]
struct OfClass {
    /// Those of which all events were there.
    explained: u64,
    sampled: u64,
    spent: Spent,
    /// The slowest: latency, and what it was spent on.
    slowest: Vec<(u64, Spent)>,
}

#[derive(Debug)]
pub(crate) struct Explained {
    trace: Trace,
    /// All events since this time are there.
    whole_since_ns: u64,
    /// And until this one, which is the end of the last window.
    whole_until_ns: u64,
    /// Whether only operations in windows are to be explained.
    is_windowed: bool,
    finished: Vec<Finished>,
    classes: BTreeMap<Class, OfClass>,
    /// Operations that last as long as this are spikes.
    spike_ns: Option<u64>,
    /// Devices that were looked up.
    devices: BTreeSet<Device>,
    /// Operations whose events were no longer there, or that were too many.
    unexplained: u64,
}

impl Explained {
    pub(crate) fn new(kernel_threads: KernelThreads, spike_ns: Option<u64>) -> Self {
        Self {
            trace: Trace { kernel_threads, ..Trace::default() },
            whole_since_ns: 0,
            whole_until_ns: u64::MAX,
            is_windowed: false,
            finished: Vec::new(),
            classes: BTreeMap::new(),
            spike_ns,
            devices: BTreeSet::new(),
            unexplained: 0,
        }
    }

    pub(crate) fn take(&mut self, event: Event, system: &dyn System) {
        if let EventKind::Queued(blocks) = event.kind
            && self.devices.insert(blocks.device)
            && let Some(disk) = system.disk_of_partition(blocks.device)
        {
            self.trace.disks.insert(blocks.device, disk);
        }
        if self.trace.events.len() >= EVENTS_MAX {
            // The older half: moving the rest once in a while costs little.
            self.trace.events.drain(..EVENTS_MAX / 2);
            self.whole_since_ns = self.trace.events.first().map_or(event.time_ns, |first| first.time_ns);
        }
        self.trace.events.push(event);
    }

    /// Events are missing until a time.
    pub(crate) fn leave_out(&mut self, until_ns: u64) {
        self.trace.events.clear();
        self.whole_since_ns = self.whole_since_ns.max(until_ns);
    }

    /// A window begins.
    pub(crate) fn resume(&mut self, since_ns: u64) {
        self.leave_out(since_ns);
        self.whole_until_ns = u64::MAX;
    }

    /// Events are missing from a time on, which is the end of a window.
    pub(crate) fn pause(&mut self, until_ns: u64) {
        self.is_windowed = true;
        self.whole_until_ns = until_ns;
    }

    pub(crate) fn finish(&mut self, operation: Finished) {
        if self.finished.len() < FINISHED_MAX || self.is_spike(&operation) {
            self.finished.push(operation);
        } else {
            self.unexplained += 1;
        }
    }

    fn is_spike(&self, operation: &Finished) -> bool {
        self.spike_ns.is_some_and(|least_ns| operation.latency_ns() >= least_ns)
    }

    /// Lays out what ended, hands those that are spikes to `spike`, and keeps the events since a time, when the oldest
    /// operation began that has not ended.
    pub(crate) fn lay(
        &mut self,
        keep_since_ns: u64,
        mut spike: impl FnMut(&Finished, &dyn Fn() -> Option<Operation>, &Trace),
    ) {
        let finished = std::mem::take(&mut self.finished);
        if !finished.is_empty() {
            let waterfall = Waterfall::new(&self.trace);
            for class in Class::ALL {
                let mut of: Vec<&Finished> = finished.iter().filter(|other| other.class == class).collect();
                let whole = of.len();
                for operation in of.iter().filter(|operation| self.is_spike(operation)) {
                    let way = |thread| waterfall.operation(thread, operation.from_ns, operation.to_ns);
                    spike(operation, &|| operation.thread.map(way), &self.trace);
                }
                let whole_ns = self.whole_since_ns..=self.whole_until_ns;
                of.retain(|operation| {
                    let is_whole =
                        whole_ns.contains(&operation.from_ns) && whole_ns.contains(&operation.to_ns);
                    is_whole && operation.thread.is_some()
                });
                if !self.is_windowed {
                    self.unexplained += (whole - of.len()) as u64;
                }
                let laid = self.classes.entry(class).or_default();
                laid.explained += of.len() as u64;
                laid.sample(&waterfall, &of);
                laid.slowest(&waterfall, &mut of);
            }
        }
        let kept = self.trace.events.partition_point(|event| event.time_ns < keep_since_ns);
        self.trace.events.drain(..kept);
        self.whole_since_ns = self.whole_since_ns.max(keep_since_ns);
    }

    pub(crate) const fn unexplained(&self) -> u64 {
        self.unexplained
    }

    /// What a class of operations was spent on; `None` if none of them was laid out.
    pub(crate) fn explanation(&self, class: Class) -> Option<Explanation> {
        let of = self.classes.get(&class).filter(|of| of.sampled > 0)?;
        let tail = ((of.explained as f64 * TAIL_SHARE) as usize).clamp(1, SLOWEST_MAX).min(of.slowest.len());
        let slowest = &of.slowest[..tail];
        let mut slow = Spent::new();
        for (segment, ns) in slowest.iter().flat_map(|(_, spent)| spent) {
            *slow.entry(*segment).or_default() += ns;
        }
        Some(Explanation {
            class,
            operations: of.sampled,
            mean_us: microseconds(of.spent.values().sum(), of.sampled),
            parts: parts(&of.spent, of.sampled),
            slowest_operations: tail as u64,
            slowest_mean_us: microseconds(slow.values().sum(), tail as u64),
            slowest_parts: parts(&slow, tail as u64),
        })
    }
}

impl OfClass {
    /// One in every `step`, so that the mean is that of all.
    fn sample(&mut self, waterfall: &Waterfall, operations: &[&Finished]) {
        let step = operations.len().div_ceil(SAMPLED_MAX).max(1);
        for operation in operations.iter().step_by(step) {
            for (segment, ns) in spent(waterfall, operation) {
                *self.spent.entry(segment).or_default() += ns;
            }
            self.sampled += 1;
        }
    }

    fn slowest(&mut self, waterfall: &Waterfall, operations: &mut [&Finished]) {
        operations.sort_by_key(|operation| std::cmp::Reverse(operation.latency_ns()));
        let least = self.slowest.get(SLOWEST_MAX - 1).map_or(0, |(latency_ns, _)| *latency_ns);
        let slow = operations.iter().take(SLOWEST_EACH).filter(|operation| operation.latency_ns() > least);
        self.slowest.extend(slow.map(|operation| (operation.latency_ns(), spent(waterfall, operation))));
        self.slowest.sort_by_key(|(latency_ns, _)| std::cmp::Reverse(*latency_ns));
        self.slowest.truncate(SLOWEST_MAX);
    }
}

fn spent(waterfall: &Waterfall, operation: &Finished) -> Spent {
    let way = |thread| sums(&waterfall.operation(thread, operation.from_ns, operation.to_ns));
    operation.thread.map(way).unwrap_or_default()
}

/// The time of an operation by what it was spent on.
pub(crate) fn sums(operation: &Operation) -> Spent {
    let mut spent = Spent::new();
    for segment in &operation.segments {
        *spent.entry(segment.spent_on()).or_default() += segment.duration_ns();
    }
    spent
}

/// The parts of a time, in the order in which an operation passes them.
pub(crate) fn parts(spent: &Spent, operations: u64) -> Vec<Part> {
    let whole: u64 = spent.values().sum();
    let part = |(segment, ns): (&Segment, &u64)| Part {
        segment: *segment,
        mean_us: microseconds(*ns, operations),
        share: *ns as f64 / whole as f64,
    };
    spent.iter().filter(|(_, ns)| **ns > 0).map(part).collect()
}

fn microseconds(ns: u64, operations: u64) -> f64 {
    ns as f64 / operations.max(1) as f64 / 1000.0
}
