//! Operations that took longer than a threshold, each with its cause.

use crate::class::Class;
use crate::explained::{Finished, parts, sums};
use crate::observation::{Spike, Writer};
use crate::system::System;
use std::collections::BTreeMap;
use trace::waterfall::Operation;
use trace::{Action, Device, Event, EventKind, Trace};

/// The slowest that are kept.
const KEPT_MAX: usize = 100;
/// Others whose requests came between, for each spike.
const WRITERS_MAX: usize = 5;
const SECTOR_BYTES: u64 = 512;

#[derive(Debug)]
pub(crate) struct Spikes {
    least_ns: u64,
    /// By class.
    seen: [u64; Class::ALL.len()],
    /// The slowest first.
    kept: Vec<Spike>,
}

impl Spikes {
    pub(crate) const fn new(least_ns: u64) -> Self {
        Self { least_ns, seen: [0; Class::ALL.len()], kept: Vec::new() }
    }

    pub(crate) const fn least_ns(&self) -> u64 {
        self.least_ns
    }

    pub(crate) fn seen(&self) -> u64 {
        self.seen.iter().sum()
    }

    pub(crate) const fn seen_of(&self, class: Class) -> u64 {
        self.seen[class as usize]
    }

    /// In the order of their times.
    pub(crate) fn into_kept(mut self) -> Vec<Spike> {
        self.kept.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
        self.kept
    }

    /// Takes an operation that is one, with what lays it out; a request of a ring has no thread that waits.
    pub(crate) fn take(
        &mut self,
        (finished, way): (&Finished, &dyn Fn() -> Option<Operation>),
        path: &str,
        begun_ns: u64,
        trace: &Trace,
        system: &dyn System,
    ) {
        self.seen[finished.class as usize] += 1;
        let latency_us = finished.latency_ns() as f64 / 1000.0;
        if self.kept.last().is_some_and(|last| self.kept.len() >= KEPT_MAX && last.latency_us >= latency_us) {
            return;
        }
        let spike = Spike {
            at_s: finished.from_ns.saturating_sub(begun_ns) as f64 / 1e9,
            class: finished.class,
            process: finished.process,
            name: system.name(finished.process).unwrap_or_default(),
            path: path.to_owned(),
            bytes: finished.bytes,
            latency_us,
            parts: way().map(|way| parts(&sums(&way), 1)).unwrap_or_default(),
            others: writers(finished, trace, system),
        };
        self.kept.push(spike);
        self.kept.sort_by(|one, other| other.latency_us.total_cmp(&one.latency_us));
        self.kept.truncate(KEPT_MAX);
    }
}

/// Threads that handed writes or flushes to the disks of the operation meanwhile; to any disk if its own had none of
/// its thread.
fn writers(finished: &Finished, trace: &Trace, system: &dyn System) -> Vec<Writer> {
    let begin = trace.events.partition_point(|event| event.time_ns < finished.from_ns);
    let end = trace.events.partition_point(|event| event.time_ns <= finished.to_ns);
    let queued = |event: &Event| match event.kind {
        EventKind::Queued(blocks) if blocks.class.action == Action::Write || blocks.class.flushes_before => {
            let device = trace.disks.get(&blocks.device).copied().unwrap_or(blocks.device);
            Some((event.thread, device, u64::from(blocks.sectors) * SECTOR_BYTES))
        }
        EventKind::Queued(_)
        | EventKind::CallBegins(_)
        | EventKind::CallEnds(_)
        | EventKind::Issued(_)
        | EventKind::Completed(_)
        | EventKind::Switched { .. }
        | EventKind::Woken(_)
        | EventKind::PacketSent
        | EventKind::CommitBegins
        | EventKind::CommitEnds => None,
    };
    let requests: Vec<(u32, Device, u64)> =
        trace.events[begin..end.max(begin)].iter().filter_map(queued).collect();
    let own = |thread: u32| Some(thread) == finished.thread;
    let disks: Vec<Device> =
        requests.iter().filter(|(thread, ..)| own(*thread)).map(|(_, disk, _)| *disk).collect();
    let mut sums: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (thread, disk, bytes) in requests {
        if !own(thread) && (disks.is_empty() || disks.contains(&disk)) {
            let (requests, sum) = sums.entry(thread).or_default();
            *requests += 1;
            *sum += bytes;
        }
    }
    let writer = |(thread, (requests, bytes)): (u32, (u64, u64))| Writer {
        thread,
        name: system.thread_name(thread).unwrap_or_default(),
        requests,
        bytes,
    };
    let mut writers: Vec<Writer> = sums.into_iter().map(writer).collect();
    writers.sort_by_key(|writer| std::cmp::Reverse((writer.bytes, writer.requests)));
    writers.truncate(WRITERS_MAX);
    writers
}
