//! Operations over time, in slots that become longer as the observation does.

use crate::class::Class;
use crate::observation::{ClassOverTime, OverTime};

/// Slots that are kept. If the time is longer, two neighbours become one.
const SLOTS_MAX: usize = 256;
/// Length of the first slots: a minute has 240.
const SLOT_NS: u64 = 250_000_000;

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    operations: u64,
    bytes: u64,
}

/// One for each class.
type Slot = [Count; Class::ALL.len()];

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
    pub(crate) fn add(&mut self, class: Class, time_ns: u64, bytes: u64) {
        let place = self.place(time_ns);
        if place >= self.slots.len() {
            self.slots.resize(place + 1, Slot::default());
        }
        let count = &mut self.slots[place][class as usize];
        count.operations += 1;
        count.bytes += bytes;
    }

    /// The rates until a time. The last slot is left out if less than half of it has passed.
    pub(crate) fn figures(&mut self, until_ns: u64) -> OverTime {
        self.place(until_ns);
        let slot_s = self.slot_ns as f64 / 1e9;
        let slots = (until_ns.saturating_sub(self.begun_ns) as f64 / self.slot_ns as f64).round() as usize;
        let passed = |place: usize| {
            let from_ns = self.begun_ns + place as u64 * self.slot_ns;
            until_ns.saturating_sub(from_ns).min(self.slot_ns) as f64 / 1e9
        };
        let rates = |class: Class, of: fn(Count) -> u64| -> Vec<f64> {
            let count = |place: usize| self.slots.get(place).map_or(0, |slot| of(slot[class as usize]));
            (0..slots).map(|place| count(place) as f64 / passed(place)).collect()
        };
        let is_used = |class: &Class| self.slots.iter().any(|slot| slot[*class as usize].operations > 0);
        let figures = |class: Class| ClassOverTime {
            class,
            operations_per_s: rates(class, |count| count.operations),
            bytes_per_s: rates(class, |count| count.bytes),
        };
        OverTime { slot_s, classes: Class::ALL.into_iter().filter(is_used).map(figures).collect() }
    }

    /// The slot of a time, after joining as many as it takes.
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
            for (class, count) in pair.iter().flat_map(|slot| slot.iter().enumerate()) {
                sum[class].operations += count.operations;
                sum[class].bytes += count.bytes;
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
            timeline.add(Class::Write, time_ns, 100);
        }
        let seen = timeline.figures(SECOND + 3 * SLOT_NS);
        let [writes] = &seen.classes[..] else { panic!("{seen:?}") };
        assert_eq!((seen.slot_s, writes.class), (0.25, Class::Write));
        assert_eq!(writes.operations_per_s, [8.0, 4.0, 0.0]);
        assert_eq!(writes.bytes_per_s, [800.0, 400.0, 0.0]);
    }

    #[test]
    fn a_slot_that_has_hardly_begun_is_left_out() {
        let mut timeline = Timeline::new(0);
        timeline.add(Class::Sync, SLOT_NS, 0);
        let mut rates = |until_ns| timeline.figures(until_ns).classes[0].operations_per_s.clone();
        assert_eq!(rates(SLOT_NS + 1), [0.0]);
        assert_eq!(rates(SLOT_NS + SLOT_NS / 2), [0.0, 8.0]);
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_lost() {
        let mut timeline = Timeline::new(0);
        for second in 0..7200 {
            timeline.add(Class::Read, second * SECOND, 1);
        }
        assert!(timeline.slots.len() <= SLOTS_MAX);
        let seen = timeline.figures(7200 * SECOND);
        let sum: f64 = seen.classes[0].operations_per_s.iter().map(|rate| rate * seen.slot_s).sum();
        assert!((sum - 7200.0).abs() <= 40.0, "{sum} of 7200");
        timeline.add(Class::Read, u64::MAX, 1);
        assert!(timeline.slots.len() <= SLOTS_MAX);
        // A minute of work before a day of rest.
        timeline = Timeline::new(0);
        timeline.add(Class::Read, 60 * SECOND, 1);
        assert!(timeline.figures(86_400 * SECOND).classes[0].operations_per_s.len() <= SLOTS_MAX);
    }
}
