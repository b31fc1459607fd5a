//! How soon a device can make something durable: one law for Syncline's records and for other people's tables.
//!
//! A sync of a written block is one device write or one flush at least. The fastest drives behind a bus (Optane) take 5 µs
//! for 4 KiB, and more with the kernel's own work. Persistent memory alone is faster.

use model::sidecar::Counts;

/// No drive makes a block durable earlier, ns.
pub const SYNC_MIN_NS: f64 = 5000.0;

/// Whether this is too short for a device, ns.
pub fn is_too_short(nanos: f64) -> bool {
    nanos < SYNC_MIN_NS
}

/// Share of the operations of a histogram that are too short for a device; `None` if it has none.
pub(crate) fn share_too_short(counts: &Counts) -> Option<f64> {
    let of =
        |counted: &mut dyn Iterator<Item = &(u64, u64)>| counted.map(|(_, count)| *count as f64).sum::<f64>();
    let all = of(&mut counts.iter());
    let short = of(&mut counts.iter().filter(|(nanos, _)| is_too_short(*nanos as f64)));
    (all > 0.0).then(|| short / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_operations() {
        assert_eq!(share_too_short(&vec![(200, 3), (4999, 1), (5000, 6), (90_000, 6)]), Some(0.25));
        assert_eq!(share_too_short(&Vec::new()), None);
    }
}
