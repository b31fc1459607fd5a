//! What survives a loss of power: which requests since the last flush, in which order, and which parts of each.

use crate::pages::units;
use crate::request::Request;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::ops::Range;

/// A loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// The disk keeps what was flushed and nothing else.
    FlushedOnly,
    /// The disk also keeps some of the requests since the last flush. The seed decides which, and in which order they
    /// reached the medium. First it draws how many are kept, from none to all, so that some cuts lose one request and
    /// others lose nearly all.
    Subset {
        /// The same seed, image and `torn` give the same result.
        seed: u64,
        /// Where a request may be torn.
        torn: Torn,
    },
}

/// Where the loss of power may tear a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Torn {
    /// Nowhere: the disk keeps a request whole or not at all.
    Whole,
    /// At multiples of 512 bytes: of a torn request the disk keeps any of its sectors.
    Sector512,
    /// At multiples of 4096 bytes, as a drive with such sectors does.
    Page4096,
}

impl Torn {
    /// The unit that stays whole, bytes.
    const fn unit_bytes(self) -> Option<u64> {
        match self {
            Self::Whole => None,
            Self::Sector512 => Some(512),
            Self::Page4096 => Some(4096),
        }
    }
}

/// The parts of requests that survive, in the order in which they reach the medium.
///
/// A drive that caches keeps, of each unit, what was flushed or any of the later versions; a subset in any order gives
/// exactly these. In one case of two a request that is kept is torn, and then each of its units survives in one case of
/// two.
pub(crate) fn survivors(requests: &[Request], seed: u64, torn: Torn) -> Vec<(&Request, Range<u64>)> {
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(seed));
    let kept_per_mille = draw.below(1001);
    let mut kept: Vec<&Request> = requests.iter().filter(|_| draw.below(1000) < kept_per_mille).collect();
    draw.shuffle(&mut kept);
    let mut survivors = Vec::new();
    for request in kept {
        let whole = request.offset..request.offset + request.length();
        match torn.unit_bytes() {
            Some(unit) if draw.is_heads() => {
                let units = units(request.offset, request.length(), unit);
                survivors.extend(units.filter(|_| draw.is_heads()).map(|unit| (request, unit)));
            }
            Some(_) | None => survivors.push((request, whole)),
        }
    }
    survivors
}

/// The choices of one seed.
struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// A number below `limit`, which is far below 2⁶⁴: the remainder favours none noticeably.
    fn below(&mut self, limit: u64) -> u64 {
        self.0.next_u64() % limit
    }

    fn is_heads(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Fisher and Yates.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
