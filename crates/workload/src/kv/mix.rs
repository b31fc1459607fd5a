//! The operations of the mix, and how often each comes.

use super::phase::Phase;
use model::{Shares, levels};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

levels! {
    /// The phases after the load: the parameter `phases`.
    pub enum Phases {
        /// Reads of loaded keys, reads of absent keys, a mix, and scans.
        All = "all",
        /// The mix alone.
        Mixed = "mixed",
    }
}

impl Phases {
    /// The phases after the load, in the order in which a trial runs them.
    pub const fn after_load(self) -> &'static [Phase] {
        match self {
            Self::All => &[Phase::ReadHit, Phase::ReadMiss, Phase::Mixed, Phase::Scan],
            Self::Mixed => &[Phase::Mixed],
        }
    }
}

levels! {
    /// What an operation of the mix does: the names in the parameter `mix`. The workloads A to F of YCSB (Cooper and
    /// others, "Benchmarking cloud serving systems with YCSB", SoCC 2010) are made of them.
    pub enum Step {
        /// Reads a key that is there.
        Get = "get",
        /// Gives a loaded key a new value.
        Put = "put",
        /// Puts a new key.
        Insert = "insert",
        /// Reads a loaded key, then gives it a new value: two operations.
        ReadModifyWrite = "read_modify_write",
        /// Takes the oldest inserted key away.
        Delete = "delete",
        /// Reads a short range, which starts at a loaded key.
        Scan = "scan",
    }
}

/// Draws steps by their shares.
#[derive(Clone, Debug)]
pub(super) struct Mix {
    /// Each with the largest draw that chooses it; the last one's is above every draw.
    bounds: Box<[(u64, Step)]>,
}

impl Mix {
    pub(super) fn new(shares: &Shares) -> Self {
        let mut sum = 0;
        let bounds = shares.iter().filter_map(|(name, percent)| {
            sum += u64::from(percent);
            let bound = if sum < 100 { u64::MAX / 100 * sum } else { u64::MAX };
            Some((bound, Step::from_name(name)?))
        });
        Self { bounds: bounds.collect() }
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Xoshiro256PlusPlus) -> Step {
        let draw = random.next_u64();
        self.bounds.iter().find(|(bound, _)| draw <= *bound).map_or(Step::Get, |(_, step)| *step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn steps_come_by_their_shares() {
        let shares = Shares::parse("get/50:insert/30:delete/20", Step::NAMES).unwrap();
        let (mix, mut random) = (Mix::new(&shares), Xoshiro256PlusPlus::seed_from_u64(1));
        let drawn: Vec<Step> = (0..100_000).map(|_| mix.draw(&mut random)).collect();
        for step in Step::NAMES.iter().filter_map(|name| Step::from_name(name)) {
            let count = drawn.iter().filter(|drawn| **drawn == step).count();
            let expected = usize::from(shares.of(step.name())) * 1000;
            // Six standard deviations of a binomial distribution are at most 950.
            assert!(count.abs_diff(expected) < 1000, "{step}: {count}");
            assert!(expected > 0 || count == 0, "{step}: {count}");
        }
    }
}
