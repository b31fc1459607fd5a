//! The order in which blocks of the file are accessed: a block has `bs` bytes, and an operation one block or, with
//! `bssplit`, several.

use super::levels::{Distribution, Order};
use super::parameters::Parameters;
use super::permutation::Permutation;
use crate::scatter::Scatter;
use model::Zones;
use rand_distr::{Distribution as _, Zipf};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// One job's order of blocks. Each answer is the first block of an operation, which ends inside the file.
#[derive(Clone, Debug)]
pub(super) enum Blocks {
    /// One after another from `first` to `end`, then again from `first`.
    Sequential { first: u64, end: u64, next: u64 },
    /// Runs of blocks with holes between them, or from the end to the beginning.
    Stepped(Stepped),
    /// All equally often.
    Uniform { count: u64, random: Xoshiro256PlusPlus },
    /// Each once, then each once again in another order. Operations have one block.
    Once { order: Permutation, drawn: u64, random: Xoshiro256PlusPlus },
    /// Some far more often than others.
    Zipf { ranks: Zipf<f64>, scatter: Scatter, random: Xoshiro256PlusPlus },
    /// Those of one zone equally often.
    Zoned { zones: Box<[Zone]>, count: u64, random: Xoshiro256PlusPlus },
    /// The next one of a random zone.
    InZones(InZones),
}

/// A zone of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zone {
    /// The largest draw of this zone; the last one's is above every draw.
    bound: u64,
    first: u64,
    count: u64,
}

impl Blocks {
    /// The order of this job. A sequential job has its own slice of the file, and the slices are evenly spaced, or the
    /// whole file; a random job has the whole file.
    pub(super) fn new(parameters: &Parameters, job: u32, random: Xoshiro256PlusPlus) -> Self {
        let count = parameters.blocks();
        if !parameters.rw.is_random() && parameters.whole_file {
            return Self::in_order(parameters, 0, count);
        }
        if !parameters.rw.is_random() {
            let starts = |job: u32| {
                let start = u128::from(count) * u128::from(job) / u128::from(parameters.numjobs);
                start as u64
            };
            return Self::in_order(parameters, starts(job), starts(job + 1));
        }
        match parameters.random_distribution {
            Distribution::Uniform => Self::Uniform { count, random },
            Distribution::Once => {
                let mut random = random;
                Self::Once { order: Permutation::new(count, &mut random), drawn: 0, random }
            }
            Distribution::Zipf => Self::Zipf {
                ranks: Zipf::new(count as f64, parameters.zipf_theta)
                    .expect("the schema keeps theta above 0 and size at one block or more"),
                scatter: Scatter::new(count),
                random,
            },
            Distribution::Zoned => Self::Zoned { zones: zones_of(&parameters.zones, count), count, random },
            Distribution::InZones => Self::InZones(InZones::new(parameters, job, random)),
        }
    }

    fn in_order(parameters: &Parameters, first: u64, end: u64) -> Self {
        let is_backward = parameters.order == Order::Backward;
        if parameters.hole == 0 && !is_backward {
            return Self::Sequential { first, end, next: first };
        }
        let bs = u64::from(parameters.bs);
        let run = parameters.hole_every / bs;
        Self::Stepped(Stepped {
            first,
            end,
            next: if is_backward { end } else { first },
            is_backward,
            run,
            accessed: 0,
            hole: parameters.hole / bs,
        })
    }

    /// Where the next operation begins, which has this number of blocks.
    #[inline]
    pub(super) fn next(&mut self, blocks: u64) -> u64 {
        match self {
            Self::Sequential { first, end, next } => {
                let block = if *next + blocks <= *end { *next } else { *first };
                *next = block + blocks;
                block
            }
            Self::Stepped(stepped) => stepped.next(blocks),
            // Lemire's multiply-shift: uniform to within 2⁻⁶⁴ × count, without a division.
            Self::Uniform { count, random } => {
                let places = *count - (blocks - 1);
                ((u128::from(random.next_u64()) * u128::from(places)) >> 64) as u64
            }
            Self::Once { order, drawn, random } => {
                if *drawn == order.count() {
                    *order = Permutation::new(order.count(), random);
                    *drawn = 0;
                }
                *drawn += 1;
                order.place(*drawn - 1)
            }
            Self::Zipf { ranks, scatter, random } => {
                scatter.place(ranks.sample(random) as u64 - 1).min(scatter.count() - blocks)
            }
            Self::Zoned { zones, count, random } => {
                let draw = random.next_u64();
                let zone = zones.iter().find(|zone| draw <= zone.bound).unwrap_or(&zones[0]);
                let place = (u128::from(random.next_u64()) * u128::from(zone.count)) >> 64;
                (zone.first + place as u64).min(*count - blocks)
            }
            Self::InZones(zones) => zones.next(blocks),
        }
    }
}

/// A sequential job's place, in blocks. At the end of its part of the file it begins again, with a whole run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stepped {
    first: u64,
    end: u64,
    /// Where the next operation begins; if it goes backward, where it ends.
    next: u64,
    is_backward: bool,
    /// Blocks from one hole to the next; 0 for those of one operation.
    run: u64,
    /// Blocks of the run that have been accessed.
    accessed: u64,
    hole: u64,
}

impl Stepped {
    #[inline]
    fn next(&mut self, blocks: u64) -> u64 {
        let left = if self.is_backward {
            self.next.saturating_sub(self.first)
        } else {
            self.end.saturating_sub(self.next)
        };
        if left < blocks {
            self.next = if self.is_backward { self.end } else { self.first };
            self.accessed = 0;
        }
        self.accessed += blocks;
        let is_at_hole = self.accessed >= self.run;
        let hole = if is_at_hole { self.hole } else { 0 };
        self.accessed = if is_at_hole { 0 } else { self.accessed };
        if self.is_backward {
            let block = self.next - blocks;
            self.next = block.saturating_sub(hole);
            block
        } else {
            let block = self.next;
            self.next = block.saturating_add(blocks + hole);
            block
        }
    }
}

/// The zones of one job, each accessed in order. The first job has the first zone, the next job the next one, and so on
/// in turn. A full zone begins again when it is drawn the next time, as after a reset of its write pointer.
#[derive(Clone, Debug)]
pub(super) struct InZones {
    /// Blocks of a zone that have been accessed, by the zone's place among the job's own.
    accessed: Box<[u64]>,
    /// Places of the open zones, and by place whether it is one of them.
    open: Vec<usize>,
    is_open: Box<[bool]>,
    open_max: usize,
    /// The job's first zone, and how far its zones lie apart.
    first: u64,
    step: u64,
    zone_blocks: u64,
    random: Xoshiro256PlusPlus,
}

impl InZones {
    fn new(parameters: &Parameters, job: u32, random: Xoshiro256PlusPlus) -> Self {
        let (job, step) = (u64::from(job), u64::from(parameters.numjobs));
        let zones = parameters.size / parameters.zone_size;
        let own = (zones + step - 1 - job) / step;
        let open = if parameters.open_zones == 0 { own } else { own.min(parameters.open_zones / step) };
        Self {
            accessed: vec![0; own as usize].into(),
            open: Vec::with_capacity(open as usize),
            is_open: vec![false; own as usize].into(),
            open_max: open as usize,
            first: job,
            step,
            zone_blocks: parameters.zone_size / u64::from(parameters.bs),
            random,
        }
    }

    #[inline]
    fn next(&mut self, blocks: u64) -> u64 {
        let drawn = below(&mut self.random, self.accessed.len());
        let zone = if self.is_open[drawn] {
            drawn
        } else if self.open.len() < self.open_max {
            self.open.push(drawn);
            self.is_open[drawn] = true;
            self.accessed[drawn] = 0;
            drawn
        } else {
            self.open[below(&mut self.random, self.open.len())]
        };
        // An operation that does not fit into the rest of a zone leaves it, as at its end.
        let place = if self.accessed[zone] + blocks <= self.zone_blocks { self.accessed[zone] } else { 0 };
        self.accessed[zone] = place + blocks;
        if self.accessed[zone] == self.zone_blocks {
            self.is_open[zone] = false;
            self.open.retain(|open| *open != zone);
        }
        (self.first + zone as u64 * self.step) * self.zone_blocks + place
    }
}

/// A random number below `count`, by Lemire's multiply-shift.
#[inline]
fn below(random: &mut Xoshiro256PlusPlus, count: usize) -> usize {
    ((u128::from(random.next_u64()) * count as u128) >> 64) as usize
}

/// Zones of a file with this number of blocks; one that is smaller than a block has one.
fn zones_of(zones: &Zones, count: u64) -> Box<[Zone]> {
    let part = |percent: u64| (u128::from(count) * u128::from(percent) / 100) as u64;
    let (mut accesses, mut size) = (0, 0);
    let zone = |zone: model::Zone| {
        let first = part(size);
        accesses += u64::from(zone.accesses);
        size += u64::from(zone.size);
        let bound = if accesses < 100 { u64::MAX / 100 * accesses } else { u64::MAX };
        Zone { bound, first: first.min(count - 1), count: (part(size) - first).max(1) }
    };
    zones.iter().map(zone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;
    use std::collections::BTreeSet;

    /// `rw=read:8k` leaves out 8 KiB after each read, `rw=read:-8k` with 4 KiB goes backward, and `zonemode=strided`
    /// reads a zone and leaves out the next.
    #[test]
    fn sequential_jobs_go_backward_and_leave_holes() {
        let places = |is_backward: bool, run: u64, hole: u64, blocks: u64| -> Vec<u64> {
            let next = if is_backward { 10 } else { 0 };
            let mut stepped = Stepped { first: 0, end: 10, next, is_backward, run, accessed: 0, hole };
            (0..8).map(|_| stepped.next(blocks)).collect()
        };
        assert_eq!(places(false, 0, 2, 1), [0, 3, 6, 9, 0, 3, 6, 9]);
        assert_eq!(places(true, 0, 0, 1), [9, 8, 7, 6, 5, 4, 3, 2]);
        assert_eq!(places(true, 0, 0, 4), [6, 2, 6, 2, 6, 2, 6, 2]);
        assert_eq!(places(true, 0, 1, 1), [9, 7, 5, 3, 1, 9, 7, 5]);
        assert_eq!(places(false, 2, 3, 1), [0, 1, 5, 6, 0, 1, 5, 6]);
        assert_eq!(places(false, 0, 20, 1), [0, 0, 0, 0, 0, 0, 0, 0]);
    }

    /// Two jobs share eight zones of four blocks, two of them open at a time: each zone is accessed in order, from its
    /// beginning and to its end, and a job takes another zone only after one of its own is full.
    #[test]
    fn zones_are_accessed_in_order() {
        let parameters = super::super::tests::parameters(&[
            ("rw", "randwrite"),
            ("random_distribution", "in_zones"),
            ("size", "128KiB"),
            ("zone_size", "16KiB"),
            ("open_zones", "2"),
            ("numjobs", "2"),
        ]);
        for job in [0, 1] {
            let mut blocks = Blocks::new(&parameters, job, Xoshiro256PlusPlus::seed_from_u64(3));
            let mut next = [0; 8];
            let mut entered = BTreeSet::new();
            for _ in 0..100 {
                let block = blocks.next(1);
                let zone = (block / 4) as usize;
                assert_eq!(zone as u32 % 2, job, "a zone of the other job");
                assert_eq!(block % 4, next[zone]);
                let unfinished = next.iter().enumerate().filter(|(at, next)| *at != zone && **next > 0);
                assert_eq!(unfinished.count(), 0, "one zone of each job is open");
                next[zone] = (next[zone] + 1) % 4;
                entered.insert(zone);
            }
            assert_eq!(entered.len(), 4);
        }
    }
}
