//! What a load asks of its device while nothing limits it.

use model::IoCap;
use model::trial::TrialRecord;
use model::units::format_bytes_approximate;
use serde::Serialize;

/// The arm without a cap.
pub const UNCAPPED: &str = "uncapped";

/// Requests and bytes a second at the device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Demand {
    pub reads_per_s: f64,
    pub writes_per_s: f64,
    pub read_bytes_per_s: f64,
    pub written_bytes_per_s: f64,
}

/// What a cap limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CapKind {
    /// Requests a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

impl CapKind {
    pub const ALL: [Self; 2] = [Self::Iops, Self::Bandwidth];
}

/// A direction with a smaller share of the load gets no limit of its own: what little there is may be the file
/// system's.
const SHARE_MIN: f64 = 0.02;

impl Demand {
    /// Over these trials together; `None` if no trial has the counters of its device, or the device did nothing.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a TrialRecord>) -> Option<Self> {
        let (mut seconds, mut sums) = (0.0, [0.0; 4]);
        let measured = records.into_iter().filter_map(|record| record.measurement.as_ref());
        for phase in measured.flat_map(|measurement| &measurement.phases) {
            let Some(device) = phase.mechanism.device.value() else { continue };
            // A flush counts as a write of no bytes, and no limit counts it.
            let writes = device.writes.saturating_sub(device.flushes.value().copied().unwrap_or(0));
            seconds += phase.duration_s.max(0.0);
            let counted = [device.reads, writes, device.read_bytes, device.written_bytes];
            sums.iter_mut().zip(counted).for_each(|(sum, counted)| *sum += counted as f64);
        }
        let [reads_per_s, writes_per_s, read_bytes_per_s, written_bytes_per_s] =
            sums.map(|sum| sum / seconds);
        let demand = Self { reads_per_s, writes_per_s, read_bytes_per_s, written_bytes_per_s };
        let is_some = |rate: f64| rate.is_finite() && rate > 0.0;
        (is_some(demand.of_kind(CapKind::Iops)) && is_some(demand.of_kind(CapKind::Bandwidth)))
            .then_some(demand)
    }

    /// Reads and writes together, a second.
    pub fn of_kind(&self, kind: CapKind) -> f64 {
        let (reads, writes) = self.both(kind);
        reads + writes
    }

    /// The limits that together let through `total` of this kind a second, split as the load reads and writes.
    pub fn cap(&self, kind: CapKind, total: f64) -> IoCap {
        let (reads, writes) = self.both(kind);
        let limit = |own: f64, other: f64| {
            let share = own / (own + other);
            let share = if share > 1.0 - SHARE_MIN { 1.0 } else { share };
            (share >= SHARE_MIN).then(|| (total * share).round().max(1.0) as u64)
        };
        let (of_reads, of_writes) = (limit(reads, writes), limit(writes, reads));
        match kind {
            CapKind::Iops => IoCap { reads_per_s: of_reads, writes_per_s: of_writes, ..IoCap::default() },
            CapKind::Bandwidth => {
                IoCap { read_bytes_per_s: of_reads, written_bytes_per_s: of_writes, ..IoCap::default() }
            }
        }
    }

    const fn both(&self, kind: CapKind) -> (f64, f64) {
        match kind {
            CapKind::Iops => (self.reads_per_s, self.writes_per_s),
            CapKind::Bandwidth => (self.read_bytes_per_s, self.written_bytes_per_s),
        }
    }
}

/// The arm of a cap: `1500 IOPS`, `12.5 MiB/s`.
pub(crate) fn arm_name(kind: CapKind, total: f64) -> String {
    match kind {
        CapKind::Iops => format!("{total:.0} IOPS"),
        CapKind::Bandwidth => format!("{}/s", format_bytes_approximate(total)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_split_as_the_load_reads_and_writes() {
        let demand = Demand {
            reads_per_s: 700.0,
            writes_per_s: 300.0,
            read_bytes_per_s: 8e6,
            written_bytes_per_s: 1e5,
        };
        let cap = demand.cap(CapKind::Iops, 100.0);
        assert_eq!((cap.reads_per_s, cap.writes_per_s, cap.read_bytes_per_s), (Some(70), Some(30), None));
        let cap = demand.cap(CapKind::Bandwidth, 1e6);
        assert_eq!((cap.read_bytes_per_s, cap.written_bytes_per_s), (Some(1_000_000), None));
    }

    #[test]
    fn nothing_is_asked_where_nothing_was_counted() {
        assert_eq!(Demand::of([]), None);
    }
}
