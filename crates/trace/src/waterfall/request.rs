//! The requests of a trace: blocks that a thread handed over, and when the device had them.

use crate::event::{Action, Blocks, Device};
use std::collections::BTreeMap;

/// Blocks that a thread handed to the block layer at once (a bio), on their way. Several may share one request of the
/// device; one that the kernel splits is done with its last part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) blocks: Blocks,
    pub(super) queued_ns: u64,
    pub(super) queued_by: u32,
    /// When the driver got it, the last time: one that the device's queue has no room for is handed over again.
    pub(super) issued_ns: Option<u64>,
    pub(super) completed: Option<Completed>,
    /// When the device last did something for it: a flush may follow the blocks.
    pub(super) ended_ns: Option<u64>,
    sectors_done: u64,
}

/// How a request was completed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completed {
    pub(super) time_ns: u64,
    /// The thread that the CPU had: with `ksoftirqd`, the device was done earlier.
    pub(super) thread: u32,
}

/// The device flushed its cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flush {
    pub(super) issued_ns: u64,
    pub(super) completed_ns: Option<u64>,
}

/// Flushes of a device on their way at a time: each of its hardware queues has one.
const FLUSHES_MAX: usize = 64;

/// Index of a request.
pub(super) type RequestId = usize;

#[derive(Debug, Default)]
pub(super) struct Requests {
    all: Vec<Request>,
    /// Those of each thread, in the order in which it queued them.
    by_thread: BTreeMap<u32, Vec<RequestId>>,
    devices: BTreeMap<Device, OfDevice>,
    /// When each device's driver got a request, and whose blocks it had.
    issues: BTreeMap<Device, Vec<(u64, u32)>>,
}

/// What is on its way to one device, and its flushes.
#[derive(Debug, Default)]
struct OfDevice {
    /// By the first sector.
    pending: BTreeMap<u64, RequestId>,
    /// Flushes without data, in the order in which they were queued.
    bare: Vec<RequestId>,
    flushes: Vec<Flush>,
    /// When the last flush was issued that has ended: it served what was queued before.
    served_until_ns: u64,
    /// The last that was completed: a flush may follow its data.
    last_done: Option<RequestId>,
}

impl Requests {
    pub(super) fn get(&self, id: RequestId) -> &Request {
        &self.all[id]
    }

    pub(super) fn queue(&mut self, blocks: Blocks, time_ns: u64, thread: u32) {
        let id = self.all.len();
        self.all.push(Request {
            blocks,
            queued_ns: time_ns,
            queued_by: thread,
            issued_ns: None,
            completed: None,
            ended_ns: None,
            sectors_done: 0,
        });
        self.by_thread.entry(thread).or_default().push(id);
        let device = self.devices.entry(blocks.device).or_default();
        if blocks.sectors > 0 {
            device.pending.insert(blocks.sector, id);
        } else if blocks.class.flushes_before {
            device.bare.push(id);
        }
    }

    pub(super) fn issue(&mut self, blocks: Blocks, time_ns: u64) {
        let device = self.devices.entry(blocks.device).or_default();
        if blocks.class.action == Action::Flush {
            device.flushes.push(Flush { issued_ns: time_ns, completed_ns: None });
            return;
        }
        let mut owner = None;
        for id in device.overlapping(&self.all, blocks) {
            let request = &mut self.all[id];
            request.issued_ns = Some(time_ns);
            owner.get_or_insert(request.queued_by);
        }
        if let Some(owner) = owner {
            self.issues.entry(blocks.device).or_default().push((time_ns, owner));
        }
    }

    /// The request whose completion this is, or that a flush was for: the first on the device if there are several.
    pub(super) fn complete(&mut self, blocks: Blocks, time_ns: u64, thread: u32) -> Option<RequestId> {
        let completed = self.completed(blocks, time_ns, thread)?;
        self.all[completed].ended_ns = Some(time_ns);
        Some(completed)
    }

    fn completed(&mut self, blocks: Blocks, time_ns: u64, thread: u32) -> Option<RequestId> {
        let device = self.devices.entry(blocks.device).or_default();
        let completed = Some(Completed { time_ns, thread });
        if blocks.class.action == Action::Flush {
            return device.end_flush(&self.all, time_ns);
        }
        if blocks.sectors == 0 {
            let Some(id) = device.take_served(&self.all) else { return device.flushed_after(&self.all) };
            self.all[id].completed = completed;
            return Some(id);
        }
        let overlapping = device.overlapping(&self.all, blocks);
        for id in &overlapping {
            let request = &mut self.all[*id];
            let from = blocks.sector.max(request.blocks.sector);
            request.sectors_done += blocks.end().min(request.blocks.end()) - from;
            if request.sectors_done >= u64::from(request.blocks.sectors) {
                request.completed = completed;
                device.pending.remove(&request.blocks.sector);
            }
        }
        let first = overlapping.first().copied();
        device.last_done = first.or(device.last_done);
        first
    }

    /// Flushes of a device that were on their way at some time of a stretch.
    pub(super) fn flushes(&self, device: Device, from_ns: u64, to_ns: u64) -> impl Iterator<Item = Flush> {
        let flushes = self.devices.get(&device).map_or(&[][..], |device| &device.flushes);
        let issued_before = flushes.partition_point(|flush| flush.issued_ns < to_ns);
        let ends_after = move |flush: &&Flush| flush.completed_ns.is_none_or(|completed| completed > from_ns);
        flushes[issued_before.saturating_sub(FLUSHES_MAX)..issued_before].iter().filter(ends_after).copied()
    }

    /// The last request that a thread queued in a stretch of time, unless its end was seen.
    pub(super) fn unended(&self, thread: u32, from_ns: u64, to_ns: u64) -> Option<&Request> {
        let own = self.by_thread.get(&thread)?;
        let queued = own.partition_point(|id| self.all[*id].queued_ns <= to_ns);
        let last = &self.all[*own.get(queued.checked_sub(1)?)?];
        (last.queued_ns >= from_ns && last.ended_ns.is_none()).then_some(last)
    }

    /// When the first flush of a device was issued in a stretch of time.
    pub(super) fn flush_issued(&self, device: Device, from_ns: u64, to_ns: u64) -> Option<u64> {
        let flushes = &self.devices.get(&device)?.flushes;
        let first = flushes.get(flushes.partition_point(|flush| flush.issued_ns < from_ns))?;
        Some(first.issued_ns).filter(|issued_ns| *issued_ns <= to_ns)
    }

    /// The threads whose blocks a device's driver got in a stretch of time, one for each request.
    pub(super) fn issued(&self, device: Device, from_ns: u64, to_ns: u64) -> impl Iterator<Item = u32> {
        let issues = self.issues.get(&device).map_or(&[][..], Vec::as_slice);
        let begin = issues.partition_point(|(time_ns, _)| *time_ns < from_ns);
        let end = issues.partition_point(|(time_ns, _)| *time_ns < to_ns);
        issues[begin..end.max(begin)].iter().map(|(_, thread)| *thread)
    }
}

impl OfDevice {
    /// Ends the oldest flush on its way. The request that it was for continues to its data, or is done.
    fn end_flush(&mut self, all: &[Request], time_ns: u64) -> Option<RequestId> {
        let flush = self.flushes.iter_mut().rev().take_while(|flush| flush.completed_ns.is_none()).last()?;
        flush.completed_ns = Some(time_ns);
        let issued_ns = flush.issued_ns;
        // The ends of those that an earlier flush served were not seen.
        self.bare.retain(|id| all[*id].queued_ns > self.served_until_ns);
        self.served_until_ns = issued_ns;
        let waits = |id: &RequestId| {
            let request = &all[*id];
            request.blocks.class.flushes_before && request.queued_ns <= issued_ns
        };
        let waiting = self.bare.iter().chain(self.pending.values()).copied().find(waits);
        waiting.or_else(|| self.flushed_after(all))
    }

    /// The first flush without data that the last flush of the device served. One that was queued before the trace
    /// began is not among them, so its end takes nobody's place.
    fn take_served(&mut self, all: &[Request]) -> Option<RequestId> {
        let at = self.bare.iter().position(|id| all[*id].queued_ns <= self.served_until_ns)?;
        Some(self.bare.remove(at))
    }

    /// The write that was completed last, if the device's flush may have followed its data.
    fn flushed_after(&self, all: &[Request]) -> Option<RequestId> {
        self.last_done.filter(|id| all[*id].blocks.class.durable)
    }

    /// Those on their way that share a sector with these blocks, in the order of the device.
    fn overlapping(&self, all: &[Request], blocks: Blocks) -> Vec<RequestId> {
        let before = self.pending.range(..blocks.sector).next_back().map(|(_, id)| *id);
        let before = before.filter(|id| all[*id].blocks.end() > blocks.sector);
        let within = self.pending.range(blocks.sector..blocks.end().max(blocks.sector)).map(|(_, id)| *id);
        before.into_iter().chain(within).collect()
    }
}
