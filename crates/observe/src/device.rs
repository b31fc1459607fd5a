//! What a disk did: its requests, from the driver's hand to their completion.

use crate::observation::DeviceFigures;
use crate::order::Order;
use crate::system::DiskCounters;
use crate::tally::Tally;
use crate::windows::{Seen, Times};
use std::collections::{BTreeMap, HashMap};
use trace::{Action, Blocks, Device, Event, EventKind};

const SECTOR_BYTES: u64 = 512;
/// Requests of a device that are waited for.
const IN_FLIGHT_MAX: usize = 1 << 16;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Read,
    Write,
    Flush,
    Other,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Flush, Self::Other];

    const fn of(blocks: Blocks) -> Self {
        match blocks.class.action {
            Action::Read => Self::Read,
            Action::Write => Self::Write,
            Action::Flush => Self::Flush,
            Action::Other => Self::Other,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Flush => "flushes",
            Self::Other => "other",
        }
    }

    /// Requests and bytes by the kernel's counters; `None` of what it does not count.
    const fn counted(self, counters: DiskCounters) -> Option<(u64, u64)> {
        match self {
            Self::Read => Some((counters.reads, counters.bytes_read)),
            Self::Write => Some((counters.writes, counters.bytes_written)),
            Self::Flush => match counters.flushes {
                Some(flushes) => Some((flushes, 0)),
                None => None,
            },
            Self::Other => None,
        }
    }
}

/// One disk.
#[derive(Debug, Default)]
struct OfDisk {
    kinds: BTreeMap<Kind, Tally>,
    /// When the driver got each, by its first sector.
    issued: HashMap<(Kind, u64), u64>,
    ends: BTreeMap<Kind, u64>,
}

/// All disks of the machine.
#[derive(Debug, Default)]
pub(crate) struct Disks {
    all: BTreeMap<Device, OfDisk>,
}

impl Disks {
    pub(crate) fn take(&mut self, event: &Event) {
        match event.kind {
            EventKind::Issued(blocks) => {
                self.all.entry(blocks.device).or_default().issue(blocks, event.time_ns);
            }
            EventKind::Completed(blocks) => {
                if let Some(disk) = self.all.get_mut(&blocks.device) {
                    disk.complete(blocks, event.time_ns);
                }
            }
            EventKind::CallBegins(_)
            | EventKind::CallEnds(_)
            | EventKind::Queued(_)
            | EventKind::Switched { .. }
            | EventKind::Woken(_)
            | EventKind::PacketSent
            | EventKind::CommitBegins
            | EventKind::CommitEnds => {}
        }
    }

    /// A window ends: when what is in flight is done will not be seen.
    pub(crate) fn close(&mut self, time_ns: u64) {
        for disk in self.all.values_mut() {
            for (kind, _) in disk.issued.drain().map(|(key, _)| key) {
                disk.kinds.entry(kind).or_default().gauge(Seen::InWindows).fall(time_ns);
            }
            // What comes first in the next window follows nothing.
            disk.ends.clear();
        }
    }

    /// What a disk did in a time; its rates by the kernel's counters if they are given.
    pub(crate) fn figures(
        &self,
        name: &str,
        device: Device,
        until_ns: u64,
        times: Times,
        counters: Option<DiskCounters>,
    ) -> Vec<DeviceFigures> {
        let none = Tally::default();
        let figures = |kind: Kind| {
            let tally = self.all.get(&device).and_then(|disk| disk.kinds.get(&kind)).unwrap_or(&none);
            let counted = counters.and_then(|counters| kind.counted(counters));
            if tally.operations.sum() == 0 && counted.is_none_or(|(requests, _)| requests == 0) {
                return None;
            }
            let exact = |number: u64| number as f64 / (times.whole_ns as f64 / 1e9);
            let (depth_counted, busy_share) = tally.depth(until_ns, times);
            Some(DeviceFigures {
                disk: name.to_owned(),
                requests: kind.name().to_owned(),
                requests_per_s: counted
                    .map_or_else(|| tally.operations.per_s(times), |(requests, _)| exact(requests)),
                bytes_per_s: counted.map_or_else(|| tally.bytes.per_s(times), |(_, bytes)| exact(bytes)),
                sizes: tally.sizes(),
                sequential_share: if kind == Kind::Flush { None } else { tally.sequential_share() },
                depth_by_littles_law: tally.depth_by_littles_law(times),
                depth_counted,
                depth_max: tally.depth_max(),
                busy_share,
                latency: tally.latencies.figures(),
            })
        };
        Kind::ALL.into_iter().filter_map(figures).collect()
    }
}

impl OfDisk {
    fn issue(&mut self, blocks: Blocks, time_ns: u64) {
        let kind = Kind::of(blocks);
        let key = key(kind, blocks);
        if self.issued.len() >= IN_FLIGHT_MAX {
            self.issued.clear();
        }
        // One that the device's queue has no room for is handed over again.
        if self.issued.insert(key, time_ns).is_none() {
            self.kinds.entry(kind).or_default().gauge(Seen::InWindows).rise(time_ns);
        }
    }

    fn complete(&mut self, blocks: Blocks, time_ns: u64) {
        let kind = Kind::of(blocks);
        // The end of a write that was flushed after its data comes once more, without blocks.
        let Some(issued_ns) = self.issued.remove(&key(kind, blocks)) else { return };
        let bytes = u64::from(blocks.sectors) * SECTOR_BYTES;
        let last = self.ends.insert(kind, blocks.sector.saturating_add(u64::from(blocks.sectors)));
        let order = match last {
            None => Order::First,
            Some(end) if end == blocks.sector => Order::Sequential,
            Some(_) => Order::Elsewhere,
        };
        let tally = self.kinds.entry(kind).or_default();
        tally.gauge(Seen::InWindows).fall(time_ns);
        tally.add(Seen::InWindows, bytes, order, time_ns.saturating_sub(issued_ns));
    }
}

/// A flush is issued with sector 0 and completed with another.
const fn key(kind: Kind, blocks: Blocks) -> (Kind, u64) {
    match kind {
        Kind::Flush => (kind, 0),
        Kind::Read | Kind::Write | Kind::Other => (kind, blocks.sector),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::Class;

    fn event(time_ns: u64, kind: EventKind) -> Event {
        Event { time_ns, cpu: 0, thread: 1, in_interrupt: false, kind }
    }

    fn blocks(sector: u64, sectors: u32, class: &str) -> Blocks {
        Blocks { device: Device(1), sector, sectors, class: Class::read(class.as_bytes()) }
    }

    #[test]
    fn a_request_lasts_from_the_driver_to_its_completion() {
        let mut disks = Disks::default();
        for (time_ns, kind) in [
            (100, EventKind::Issued(blocks(8, 16, "WS"))),
            (150, EventKind::Issued(blocks(24, 8, "WS"))),
            (200, EventKind::Completed(blocks(8, 16, "WS"))),
            (250, EventKind::Completed(blocks(24, 8, "WS"))),
            (300, EventKind::Issued(blocks(0, 0, "FF"))),
            (400, EventKind::Completed(blocks(u64::MAX, 0, "FF"))),
            (401, EventKind::Completed(blocks(24, 0, "WS"))),
        ] {
            disks.take(&event(time_ns, kind));
        }
        let times = Times { whole_ns: 1_000, in_windows_ns: 1_000 };
        let figures = disks.figures("vda", Device(1), 1_000, times, None);
        let [writes, flushes] = &figures[..] else { panic!("{figures:?}") };
        assert_eq!((writes.requests.as_str(), flushes.requests.as_str()), ("writes", "flushes"));
        assert_eq!((writes.depth_by_littles_law, writes.depth_counted, writes.depth_max), (0.2, 0.2, 2));
        assert_eq!((writes.sequential_share, flushes.sequential_share), (Some(1.0), None));
        assert_eq!((flushes.depth_counted, flushes.depth_max), (0.1, 1));
        assert!(disks.figures("vdb", Device(2), 1_000, times, None).is_empty());
    }

    #[test]
    fn outside_windows_the_kernel_counts_requests() {
        let mut disks = Disks::default();
        disks.take(&event(100, EventKind::Issued(blocks(8, 16, "WS"))));
        disks.take(&event(150, EventKind::Completed(blocks(8, 16, "WS"))));
        disks.take(&event(180, EventKind::Issued(blocks(24, 16, "WS"))));
        disks.close(200);
        disks.take(&event(900, EventKind::Completed(blocks(24, 16, "WS"))));
        let times = Times { whole_ns: 1_000_000_000, in_windows_ns: 200 };
        let counters =
            DiskCounters { writes: 30, bytes_written: 1 << 20, flushes: Some(7), ..DiskCounters::default() };
        let figures = disks.figures("vda", Device(1), 1_000_000_000, times, Some(counters));
        let [writes, flushes] = &figures[..] else { panic!("{figures:?}") };
        assert_eq!((writes.requests_per_s, writes.bytes_per_s), (30.0, 1_048_576.0));
        // One for 50 ns, and another one for 20 ns, of 200 ns.
        assert_eq!((writes.depth_counted, writes.depth_by_littles_law), (0.35, 0.25));
        assert_eq!((flushes.requests_per_s, flushes.latency), (7.0, None));
    }
}
