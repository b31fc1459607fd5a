//! What a disk did: its requests, from the driver's hand to their completion.

use crate::observation::DeviceFigures;
use crate::order::Order;
use crate::tally::Tally;
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
            | EventKind::CommitBegins
            | EventKind::CommitEnds => {}
        }
    }

    /// What a disk did in a time.
    pub(crate) fn figures(
        &self,
        name: &str,
        device: Device,
        until_ns: u64,
        duration_ns: u64,
    ) -> Vec<DeviceFigures> {
        let seconds = duration_ns as f64 / 1e9;
        let kinds = self.all.get(&device).into_iter().flat_map(|disk| &disk.kinds);
        let used = kinds.filter(|(_, tally)| tally.operations > 0);
        let figures = |(kind, tally): (&Kind, &Tally)| {
            let (depth_counted, busy_share) = tally.gauge.over(until_ns, duration_ns);
            DeviceFigures {
                disk: name.to_owned(),
                requests: kind.name().to_owned(),
                requests_per_s: tally.operations as f64 / seconds,
                bytes_per_s: tally.bytes as f64 / seconds,
                sizes: tally.sizes(),
                sequential_share: if *kind == Kind::Flush { None } else { tally.sequential_share() },
                depth_by_littles_law: tally.depth_by_littles_law(duration_ns),
                depth_counted,
                depth_max: tally.gauge.max(),
                busy_share,
                latency: tally.latencies.figures(),
            }
        };
        used.map(figures).collect()
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
            self.kinds.entry(kind).or_default().gauge.rise(time_ns);
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
        tally.gauge.fall(time_ns);
        tally.add(bytes, order, time_ns.saturating_sub(issued_ns));
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
        let figures = disks.figures("vda", Device(1), 1_000, 1_000);
        let [writes, flushes] = &figures[..] else { panic!("{figures:?}") };
        assert_eq!((writes.requests.as_str(), flushes.requests.as_str()), ("writes", "flushes"));
        assert_eq!((writes.depth_by_littles_law, writes.depth_counted, writes.depth_max), (0.2, 0.2, 2));
        assert_eq!((writes.sequential_share, flushes.sequential_share), (Some(1.0), None));
        assert_eq!((flushes.depth_counted, flushes.depth_max), (0.1, 1));
        assert!(disks.figures("vdb", Device(2), 1_000, 1_000).is_empty());
    }
}
