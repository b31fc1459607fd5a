//! Which keys or objects are read and changed most often.

use crate::scatter::Scatter;
use model::levels;
use rand_distr::{Distribution as _, Zipf};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

levels! {
    /// How often each loaded key or object is read or changed: the parameter `popularity`.
    pub enum Popularity {
        /// All equally often.
        Uniform = "uniform",
        /// The k-th hottest with a probability proportional to k^−θ, θ being `zipf_theta`; when it was loaded says
        /// nothing about its rank.
        Zipf = "zipf",
        /// The k-th newest with that probability: what a thread inserted last, then what was loaded last.
        Latest = "latest",
    }
}

/// Chooses ranks of popularity among `count` that are loaded, and says which of them has a rank.
#[derive(Clone, Debug)]
pub(crate) enum Ranks {
    Uniform { count: u64 },
    Zipf { ranks: Zipf<f64>, scatter: Scatter },
    Latest { ranks: Zipf<f64>, count: u64 },
}

/// A key or an object that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// The index of a loaded one.
    Loaded(u64),
    /// How many this thread inserted after it, of those that are still there.
    Inserted(u64),
}

impl Ranks {
    /// # Panics
    /// `count` is 0, or `theta` is not above 0: the schema keeps both.
    pub(crate) fn new(popularity: Popularity, theta: f64, count: u64) -> Self {
        let zipf = || Zipf::new(count as f64, theta).expect("the schema keeps theta and the count above 0");
        match popularity {
            Popularity::Uniform => Self::Uniform { count },
            Popularity::Zipf => Self::Zipf { ranks: zipf(), scatter: Scatter::new(count) },
            Popularity::Latest => Self::Latest { ranks: zipf(), count },
        }
    }

    /// One that is there; the thread has inserted `inserted` that still are.
    #[inline]
    pub(crate) fn choose(&self, inserted: u64, random: &mut Xoshiro256PlusPlus) -> Chosen {
        match self {
            Self::Uniform { count } => Chosen::Loaded(below(*count, random)),
            Self::Zipf { ranks, scatter } => Chosen::Loaded(scatter.place(ranks.sample(random) as u64 - 1)),
            Self::Latest { ranks, count } => {
                let rank = ranks.sample(random) as u64 - 1;
                match rank.checked_sub(inserted) {
                    None => Chosen::Inserted(rank),
                    // Rounding can give a rank beyond the last.
                    Some(age) => Chosen::Loaded((count - 1).saturating_sub(age)),
                }
            }
        }
    }
}

/// A number below `count`, all equally likely, by Lemire's multiply-shift: uniform to within 2⁻⁶⁴ × count, without a
/// division.
#[inline]
pub(crate) fn below(count: u64, random: &mut Xoshiro256PlusPlus) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(count)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    const COUNT: u64 = 1000;

    fn chosen(popularity: Popularity, inserted: u64) -> Vec<Chosen> {
        let (ranks, mut random) = (Ranks::new(popularity, 0.99, COUNT), Xoshiro256PlusPlus::seed_from_u64(2));
        (0..100_000).map(|_| ranks.choose(inserted, &mut random)).collect()
    }

    /// How often the most frequent one came.
    fn hottest(chosen: &[Chosen]) -> (Chosen, usize) {
        let count = |one: &Chosen| chosen.iter().filter(|other| *other == one).count();
        let loaded = (0..COUNT).map(Chosen::Loaded).chain((0..5).map(Chosen::Inserted));
        loaded.map(|one| (one, count(&one))).max_by_key(|(_, count)| *count).unwrap()
    }

    /// With θ = 0.99 the hottest of a thousand keys has the share 1 ÷ Σ k^−0.99 = 13.0 %.
    #[test]
    fn hot_keys_come_as_often_as_the_distribution_says() {
        let (place, count) = hottest(&chosen(Popularity::Zipf, 5));
        assert!((12_400..13_600).contains(&count), "{count}");
        assert_ne!(place, Chosen::Loaded(0), "the hottest key is not the first that was loaded");
        let (_, count) = hottest(&chosen(Popularity::Uniform, 5));
        assert!(count < 200, "{count}");
    }

    #[test]
    fn the_latest_are_those_of_the_thread_then_those_loaded_last() {
        let (place, count) = hottest(&chosen(Popularity::Latest, 5));
        assert_eq!(place, Chosen::Inserted(0));
        assert!((12_400..13_600).contains(&count), "{count}");
        assert_eq!(hottest(&chosen(Popularity::Latest, 0)).0, Chosen::Loaded(COUNT - 1));
        let of = chosen(Popularity::Latest, 5);
        assert!(of.iter().all(|one| match one {
            Chosen::Loaded(index) => *index < COUNT,
            Chosen::Inserted(rank) => *rank < 5,
        }));
    }
}
