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
    /// The steps by their names. Those that `from_name` leaves out have no share: the others divide it up.
    pub(crate) fn new(shares: &Shares, from_name: impl Fn(&str) -> Option<S>) -> Self {
        let kept = shares.iter().filter_map(|(name, percent)| Some((u64::from(percent), from_name(name)?)));
        let kept: Vec<(u64, S)> = kept.collect();
        let total: u64 = kept.iter().map(|(percent, _)| percent).sum();
        let mut sum = 0;
        let bounds = kept.into_iter().map(|(percent, step)| {
            sum += percent;
            (if sum < total { u64::MAX / total * sum } else { u64::MAX }, step)
        });
        Self { bounds: bounds.collect() }
    }

    /// Nothing but this step.
    pub(crate) fn only(step: S) -> Self {
        Self { bounds: [(u64::MAX, step)].into() }
    }

    /// # Panics
    /// There is no step: some share is kept.
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

    #[test]
    fn what_is_left_out_leaves_its_share_to_the_others() {
        let shares = Shares::parse("get/50:insert/30:delete/10:scan/10", NAMES).unwrap();
        let mix = Mix::new(&shares, |name| ["insert", "delete"].into_iter().find(|kept| *kept == name));
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let drawn: Vec<&str> = (0..100_000).map(|_| mix.draw(&mut random)).collect();
        let inserts = drawn.iter().filter(|step| **step == "insert").count();
        assert!(
            inserts.abs_diff(75_000) < 1000 && drawn.iter().all(|step| ["insert", "delete"].contains(step))
        );
    }
}
