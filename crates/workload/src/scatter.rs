//! Where hot things are: a bijection from ranks of popularity to places.

/// A bijection of 0…count−1 that sends neighbouring ranks far apart. Hot blocks are then not neighbours, which
/// readahead would exploit, and every block has a rank. It is the same for all jobs, threads and seeds, so all have the
/// same hot ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scatter {
    count: u64,
    multiplier: u64,
    shift: u64,
}

impl Scatter {
    /// An affine map `rank × multiplier + shift mod count`: a bijection because the multiplier is coprime to `count`.
    /// Multiples of the golden ratio modulo 1 are spread as evenly as possible (Knuth, TAOCP 3, 6.4).
    pub(crate) fn new(count: u64) -> Self {
        const GOLDEN_RATIO_FRACTION: f64 = 0.618_033_988_749_894_9;
        let mut multiplier = ((count as f64 * GOLDEN_RATIO_FRACTION) as u64).clamp(1, count);
        while greatest_common_divisor(multiplier, count) > 1 {
            multiplier += 1;
        }
        Self { count, multiplier: multiplier % count, shift: count / 3 }
    }

    /// How many places there are.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// The place of this rank. Rounding can give a rank beyond the last, which is taken as the last.
    #[inline]
    pub(crate) fn place(&self, rank: u64) -> u64 {
        let rank = rank.min(self.count - 1);
        match rank.checked_mul(self.multiplier) {
            // A 128-bit division takes several times as long, and only the cold ranks of an enormous file need it.
            Some(product) => (product % self.count + self.shift) % self.count,
            None => {
                let product = u128::from(rank) * u128::from(self.multiplier) + u128::from(self.shift);
                (product % u128::from(self.count)) as u64
            }
        }
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scattering_is_a_bijection(count in 1_u64..3000) {
            let scatter = Scatter::new(count);
            let mut blocks: Vec<u64> = (0..count).map(|rank| scatter.place(rank)).collect();
            blocks.sort_unstable();
            prop_assert_eq!(blocks, (0..count).collect::<Vec<_>>());
        }

        /// Too many blocks to list: checks that the map is affine with a coprime multiplier, and that both computations
        /// agree.
        #[test]
        fn scattering_an_enormous_file_stays_inside_it(count in 1_u64 << 32..1 << 50, rank: u64) {
            let scatter = Scatter::new(count);
            prop_assert_eq!(greatest_common_divisor(scatter.multiplier, count), 1);
            let rank = rank % count;
            let wide = u128::from(rank) * u128::from(scatter.multiplier) + u128::from(scatter.shift);
            prop_assert_eq!(u128::from(scatter.place(rank)), wide % u128::from(count));
        }
    }

    #[test]
    fn neighbouring_ranks_are_far_apart() {
        let scatter = Scatter::new(262_144);
        for rank in 0..1000 {
            let apart = scatter.place(rank).abs_diff(scatter.place(rank + 1));
            assert!(apart > 1000, "ranks {rank} and {} are {apart} blocks apart", rank + 1);
        }
    }
}
