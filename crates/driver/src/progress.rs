//! Operations over time in a turn whose end nobody knows before.

use model::Nanos;

/// Parts that can be counted: between half of them and all are used.
const PARTS: usize = 64;
/// How long a part is at first.
const PART_MIN: Nanos = Nanos::from_millis(1);

/// Operations completed in each part of a turn. When the last part is over, two neighbours become one, so it takes no
/// more memory after an hour than after a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    part: Nanos,
    operations: [u64; PARTS],
}

impl Progress {
    pub(crate) const fn new() -> Self {
        Self { part: PART_MIN, operations: [0; PARTS] }
    }

    /// Counts operations that completed at this time of the turn. What completes as a part ends is of that part.
    #[inline]
    pub(crate) fn add(&mut self, at: Nanos, operations: u64) {
        let before = at.0.saturating_sub(1);
        while before / self.part.0 >= PARTS as u64 {
            self.double();
        }
        self.operations[(before / self.part.0) as usize] += operations;
    }

    fn double(&mut self) {
        for part in 0..PARTS / 2 {
            self.operations[part] = self.operations[2 * part] + self.operations[2 * part + 1];
        }
        self.operations[PARTS / 2..].fill(0);
        self.part = self.part + self.part;
    }

    /// Together with a team mate's in the same turn.
    #[must_use]
    pub(crate) fn with(&self, mate: &Self) -> Self {
        let (mut both, mut mate) = (*self, *mate);
        while both.part < mate.part {
            both.double();
        }
        while mate.part < both.part {
            mate.double();
        }
        for (sum, more) in both.operations.iter_mut().zip(mate.operations) {
            *sum += more;
        }
        both
    }

    /// Length of a part.
    pub fn part(&self) -> Nanos {
        self.part
    }

    /// The parts of a window that began with the turn; its end may cut the last one.
    pub fn parts(&self, window: Nanos) -> &[u64] {
        let parts = window.0.div_ceil(self.part.0).min(PARTS as u64);
        &self.operations[..parts as usize]
    }

    /// Operations in each quarter of a window that began with the turn.
    pub fn quarters(&self, window: Nanos) -> [u64; 4] {
        let all: u64 = self.operations.iter().sum();
        let [first, second, third] =
            [1, 2, 3].map(|quarters| self.completed_by(Nanos(window.0 / 4 * quarters)));
        [first, second - first, third - second, all - third]
    }

    /// Operations completed by this time, if those of a part are spread evenly over it.
    fn completed_by(&self, at: Nanos) -> u64 {
        let whole = ((at.0 / self.part.0) as usize).min(PARTS);
        let spread = |operations: &u64| {
            u128::from(*operations) * u128::from(at.0 % self.part.0) / u128::from(self.part.0)
        };
        self.operations[..whole].iter().sum::<u64>() + self.operations.get(whole).map_or(0, spread) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One operation at the end of each of these milliseconds.
    fn every_ms(ms: std::ops::RangeInclusive<u64>) -> Progress {
        let mut progress = Progress::new();
        ms.for_each(|at| progress.add(Nanos::from_millis(at), 1));
        progress
    }

    #[test]
    fn parts_double_and_nothing_is_lost() {
        let progress = every_ms(1..=64);
        assert_eq!((progress.part(), progress.parts(Nanos::from_millis(64))), (PART_MIN, &[1; PARTS][..]));
        let progress = every_ms(1..=1000);
        let window = Nanos::from_millis(1000);
        assert_eq!(progress.part(), Nanos::from_millis(16));
        let parts = progress.parts(window);
        assert_eq!((parts.len(), parts[0], parts[62]), (63, 16, 8));
        assert_eq!(parts.iter().sum::<u64>(), 1000);
        assert_eq!(progress.quarters(window), [250; 4]);
    }

    /// One has read its share early.
    #[test]
    fn team_mates_are_added_part_by_part() {
        let together = every_ms(1..=10).with(&every_ms(1..=100));
        assert_eq!(together, every_ms(1..=100).with(&every_ms(1..=10)));
        assert_eq!(together.part(), Nanos::from_millis(2));
        assert_eq!(&together.parts(Nanos::from_millis(100))[3..7], &[4, 4, 2, 2]);
        assert_eq!(together.quarters(Nanos::from_millis(100)), [35, 25, 25, 25]);
    }

    #[test]
    fn a_turn_in_which_nothing_completed_has_no_parts() {
        let progress = Progress::new();
        assert!(progress.parts(Nanos::ZERO).is_empty());
        assert_eq!(progress.quarters(Nanos::ZERO), [0; 4]);
    }
}
