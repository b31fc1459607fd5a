//! How long each operation of a job is: `bs` bytes, or what `bssplit` draws.

use model::Sizes;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// The length of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) bytes: u32,
    /// Blocks of `bs` that it touches: its offset is a multiple of `bs`.
    pub(super) blocks: u32,
}

impl Length {
    fn new(bytes: u64, bs: u32) -> Self {
        Self { bytes: bytes as u32, blocks: bytes.div_ceil(u64::from(bs)) as u32 }
    }
}

/// One job's lengths.
#[derive(Clone, Debug)]
pub(super) enum Lengths {
    /// Every operation has this one.
    One(Length),
    /// Drawn with fixed probabilities.
    Drawn {
        /// The largest draw of each length; the last one is above every draw.
        bounds: Box<[(u64, Length)]>,
        random: Xoshiro256PlusPlus,
    },
}

impl Lengths {
    /// Lengths of these sizes, of `bs` without any.
    pub(super) fn new(sizes: &Sizes, bs: u32, random: Xoshiro256PlusPlus) -> Self {
        if sizes.is_empty() {
            return Self::One(Length::new(u64::from(bs), bs));
        }
        let mut percent = 0;
        let bound = |size: model::SizeShare| {
            percent += u64::from(size.percent);
            let bound = if percent < 100 { u64::MAX / 100 * percent } else { u64::MAX };
            (bound, Length::new(size.bytes, bs))
        };
        Self::Drawn { bounds: sizes.iter().map(bound).collect(), random }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Length {
        match self {
            Self::One(length) => *length,
            Self::Drawn { bounds, random } => {
                let draw = random.next_u64();
                let (_, length) = bounds.iter().find(|(bound, _)| draw <= *bound).unwrap_or(&bounds[0]);
                *length
            }
        }
    }

    /// Whether operations may differ in their bytes from `bs`.
    #[inline]
    pub(super) const fn are_drawn(&self) -> bool {
        matches!(self, Self::Drawn { .. })
    }
}
