//! What was recorded.

use crate::catalogue::LostWithout;
use crate::error::Absence;
use crate::event::{Device, Event, EventKind};
use crate::kernel_threads::KernelThreads;
use std::collections::BTreeMap;

/// The events of a stretch of time, on all CPUs.
#[derive(Debug, Default)]
pub struct Trace {
    /// From when to when was recorded, `CLOCK_MONOTONIC` nanoseconds.
    pub began_ns: u64,
    pub ended_ns: u64,
    /// In the order of their times.
    pub events: Vec<Event>,
    /// Records for which a ring had no room.
    pub lost: u64,
    /// Events beyond the limit of what is kept in memory: the trace ends before its time.
    pub beyond_limit: u64,
    /// Tracepoints that this kernel has not, or does not record.
    pub missing: Vec<Missing>,
    /// For each partition, the disk that it is on: requests name the disk.
    pub disks: BTreeMap<Device, Device>,
    /// The kernel's own threads.
    pub kernel_threads: KernelThreads,
    /// For a thread of this process's name space of processes, the number that the events have, where they differ.
    pub threads: BTreeMap<u32, u32>,
}

/// A tracepoint that is not among the events.
#[derive(Debug)]
pub struct Missing {
    /// Its folder and name below `events` of tracefs.
    pub tracepoint: &'static str,
    pub lost_without: LostWithout,
    pub reason: Absence,
}

impl Trace {
    /// The programs of the threads that got a CPU.
    pub fn programs(&self) -> BTreeMap<u32, String> {
        let mut names = BTreeMap::new();
        for event in &self.events {
            if let EventKind::Switched { next, next_name, .. } = event.kind {
                names.insert(next, next_name);
            }
        }
        names.into_iter().map(|(thread, name)| (thread, name.program())).collect()
    }

    /// The number that a thread of this process has in the events.
    pub fn thread(&self, thread: u32) -> u32 {
        self.threads.get(&thread).copied().unwrap_or(thread)
    }
}
