//! Draws the operations of a mix by their shares.

use model::Shares;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// Steps of type `S`, each as often as its share says.
#[derive(Clone, Debug)]
pub(crate) struct Mix<S> {
    /// Each with the largest draw that chooses it; the last one's is above every draw.
    bounds: Box<[(u64, S)]>,
}

impl<S: Copy> Mix<S> {
    /// The steps by their names. Names of other things are left out: the schema knows all names.
    pub(crate) fn new(shares: &Shares, from_name: impl Fn(&str) -> Option<S>) -> Self {
        let mut sum = 0;
        let bounds = shares.iter().filter_map(|(name, percent)| {
            sum += u64::from(percent);
            let bound = if sum < 100 { u64::MAX / 100 * sum } else { u64::MAX };
            Some((bound, from_name(name)?))
        });
        Self { bounds: bounds.collect() }
    }

    /// Nothing but this step.
    pub(crate) fn only(step: S) -> Self {
        Self { bounds: [(u64::MAX, step)].into() }
    }

    /// # Panics
    /// There is no step: shares sum to 100 percent.
    #[inline]
    pub(crate) fn draw(&self, random: &mut Xoshiro256PlusPlus) -> S {
        let draw = random.next_u64();
        let last = self.bounds.len() - 1;
        self.bounds.iter().find(|(bound, _)| draw <= *bound).unwrap_or(&self.bounds[last]).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    const NAMES: &[&str] = &["get", "insert", "delete", "scan"];

    #[test]
    fn steps_come_by_their_shares() {
        let shares = Shares::parse("get/50:insert/30:delete/20", NAMES).unwrap();
        let place = |name: &str| NAMES.iter().position(|known| *known == name);
        let (mix, mut random) = (Mix::new(&shares, place), Xoshiro256PlusPlus::seed_from_u64(1));
        let drawn: Vec<usize> = (0..100_000).map(|_| mix.draw(&mut random)).collect();
        for (step, name) in NAMES.iter().enumerate() {
            let count = drawn.iter().filter(|drawn| **drawn == step).count();
            let expected = usize::from(shares.of(name)) * 1000;
            // Six standard deviations of a binomial distribution are at most 950.
            assert!(count.abs_diff(expected) < 1000, "{name}: {count}");
            assert!(expected > 0 || count == 0, "{name}: {count}");
        }
    }
}
