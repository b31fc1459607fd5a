//! Operations over time, in slots that become longer as the observation does.

use crate::class::Class;
use crate::observation::{ClassOverTime, OverTime};
use crate::windows::{Counted, Seen, Times};

/// Slots that are kept. If the time is longer, two neighbours become one.
const SLOTS_MAX: usize = 256;
/// Length of the first slots: a minute has 240.
const SLOT_NS: u64 = 250_000_000;
/// A slot that was seen for a shorter time has no rate.
const SEEN_NS_MIN: u64 = 20_000_000;

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    operations: Counted,
    bytes: Counted,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    counts: [Count; Class::ALL.len()],
    /// How long calls were recorded.
    seen_ns: u64,
}

#[derive(Debug)]
pub(crate) struct Timeline {
    begun_ns: u64,
    slot_ns: u64,
    slots: Vec<Slot>,
}

impl Timeline {
    pub(crate) const fn new(begun_ns: u64) -> Self {
        Self { begun_ns, slot_ns: SLOT_NS, slots: Vec::new() }
    }

    /// Adds an operation at its end.
    pub(crate) fn add(&mut self, class: Class, seen: Seen, time_ns: u64, bytes: u64) {
        let count = &mut self.slot(time_ns).counts[class as usize];
        count.operations.add(seen, 1);
        count.bytes.add(seen, bytes);
    }

    /// Calls were recorded from a time to a time.
    pub(crate) fn see(&mut self, from_ns: u64, to_ns: u64) {
        // Its slots then stay as long as they are.
        self.place(to_ns);
        let mut at_ns = from_ns;
        while at_ns < to_ns {
            let slot_ns = self.slot_ns;
            let passed_ns = at_ns.saturating_sub(self.begun_ns) % slot_ns;
            let length_ns = (slot_ns - passed_ns).min(to_ns - at_ns);
            self.slot(at_ns).seen_ns += length_ns;
            at_ns += length_ns;
        }
    }

    /// The rates until a time, if calls were recorded all the time or not. The last slot is left out if less than half
    /// of it has passed.
    pub(crate) fn figures(&mut self, until_ns: u64, has_gaps: bool) -> OverTime {
        self.place(until_ns);
        let slot_s = self.slot_ns as f64 / 1e9;
        let slots = (until_ns.saturating_sub(self.begun_ns) as f64 / self.slot_ns as f64).round() as usize;
        let passed = |place: usize| {
            let from_ns = self.begun_ns + place as u64 * self.slot_ns;
            until_ns.saturating_sub(from_ns).min(self.slot_ns)
        };
        let in_windows = |class: &Class| {
            has_gaps && self.slots.iter().any(|slot| slot.counts[*class as usize].operations.has_windows())
        };
        let rates = |class: Class, of: fn(Count) -> Counted| -> Vec<Option<f64>> {
            let in_windows = in_windows(&class);
            let rate = |place: usize| {
                let slot = self.slots.get(place).copied().unwrap_or_default();
                let whole_ns = passed(place);
                let in_windows_ns = if in_windows { slot.seen_ns } else { whole_ns };
                let rate = of(slot.counts[class as usize]).per_s(Times { whole_ns, in_windows_ns });
                (in_windows_ns >= SEEN_NS_MIN).then_some(rate)
            };
            (0..slots).map(rate).collect()
        };
        let is_used =
            |class: &Class| self.slots.iter().any(|slot| slot.counts[*class as usize].operations.sum() > 0);
        let figures = |class: Class| ClassOverTime {
            class,
            operations_per_s: rates(class, |count| count.operations),
            bytes_per_s: rates(class, |count| count.bytes),
        };
        OverTime { slot_s, classes: Class::ALL.into_iter().filter(is_used).map(figures).collect() }
    }

    /// The slot of a time.
    fn slot(&mut self, time_ns: u64) -> &mut Slot {
        let place = self.place(time_ns);
        if place >= self.slots.len() {
            self.slots.resize(place + 1, Slot::default());
        }
        &mut self.slots[place]
    }

    /// The place of the slot of a time, after joining as many as it takes.
    fn place(&mut self, time_ns: u64) -> usize {
        loop {
            let place = (time_ns.saturating_sub(self.begun_ns) / self.slot_ns) as usize;
            if place < SLOTS_MAX {
                return place;
            }
            self.join();
        }
    }

    /// Two neighbours become one.
    fn join(&mut self) {
        let joined = |pair: &[Slot]| {
            let mut sum = Slot::default();
            for slot in pair {
                sum.seen_ns += slot.seen_ns;
                for (sum, count) in sum.counts.iter_mut().zip(slot.counts) {
                    sum.operations.extend(count.operations);
                    sum.bytes.extend(count.bytes);
                }
            }
            sum
        };
        self.slots = self.slots.chunks(2).map(joined).collect();
        self.slot_ns *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn operations_are_rates_of_their_slots() {
        let mut timeline = Timeline::new(SECOND);
        for time_ns in [SECOND, SECOND + SLOT_NS - 1, SECOND + SLOT_NS] {
            timeline.add(Class::Write, Seen::InWindows, time_ns, 100);
        }
        let seen = timeline.figures(SECOND + 3 * SLOT_NS, false);
        let [writes] = &seen.classes[..] else { panic!("{seen:?}") };
        assert_eq!((seen.slot_s, writes.class), (0.25, Class::Write));
        assert_eq!(writes.operations_per_s, [8.0, 4.0, 0.0].map(Some));
        assert_eq!(writes.bytes_per_s, [800.0, 400.0, 0.0].map(Some));
    }

    #[test]
    fn a_rate_in_a_window_is_that_of_the_window() {
        let mut timeline = Timeline::new(0);
        timeline.see(SLOT_NS / 2, SLOT_NS + SLOT_NS / 50);
        timeline.add(Class::Read, Seen::InWindows, SLOT_NS / 2, 0);
        timeline.add(Class::Sync, Seen::Always, 2 * SLOT_NS, 0);
        let seen = timeline.figures(3 * SLOT_NS, true);
        let [reads, syncs] = &seen.classes[..] else { panic!("{seen:?}") };
        assert_eq!(reads.operations_per_s, [Some(8.0), None, None], "the second slot was hardly seen");
        assert_eq!(syncs.operations_per_s, [0.0, 0.0, 4.0].map(Some));
        assert_eq!(timeline.slots.iter().map(|slot| slot.seen_ns).sum::<u64>(), SLOT_NS / 2 + SLOT_NS / 50);
    }

    #[test]
    fn a_slot_that_has_hardly_begun_is_left_out() {
        let mut timeline = Timeline::new(0);
        timeline.add(Class::Sync, Seen::Always, SLOT_NS, 0);
        let mut rates = |until_ns| timeline.figures(until_ns, false).classes[0].operations_per_s.clone();
        assert_eq!(rates(SLOT_NS + 1), [Some(0.0)]);
        assert_eq!(rates(SLOT_NS + SLOT_NS / 2), [Some(0.0), Some(8.0)]);
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_lost() {
        let mut timeline = Timeline::new(0);
        for second in 0..7200 {
            timeline.add(Class::Read, Seen::InWindows, second * SECOND, 1);
        }
        assert!(timeline.slots.len() <= SLOTS_MAX);
        let seen = timeline.figures(7200 * SECOND, false);
        let sum: f64 = seen.classes[0].operations_per_s.iter().flatten().map(|rate| rate * seen.slot_s).sum();
        assert!((sum - 7200.0).abs() <= 40.0, "{sum} of 7200");
        timeline.add(Class::Read, Seen::InWindows, u64::MAX, 1);
        assert!(timeline.slots.len() <= SLOTS_MAX);
        // A minute of work before a day of rest.
        timeline = Timeline::new(0);
        timeline.add(Class::Read, Seen::InWindows, 60 * SECOND, 1);
        assert!(timeline.figures(86_400 * SECOND, false).classes[0].operations_per_s.len() <= SLOTS_MAX);
    }
}
