//! Which write each block holds, in the volatile cache and on the medium.

use super::random::Random;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// A write, by the number of its operation.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) number: u64,
    pub(super) file: u16,
    /// Byte range that was really moved.
    pub(super) bytes: Range<u64>,
}

/// Position in the order in which writes completed; the cache applies them in that order.
type Order = u64;

#[derive(Clone, Copy, Debug)]
struct Placed {
    order: Order,
    number: u64,
}

/// The drive's volatile cache and the medium behind it.
#[derive(Debug)]
pub(super) struct Cache {
    block_bytes: u64,
    order: Order,
    /// By file, in completion order.
    unsynced: BTreeMap<u16, VecDeque<(Order, Write)>>,
    durable: BTreeMap<(u16, u64), Placed>,
    /// By operation number: everything ever written.
    written: BTreeMap<u64, (Order, Write)>,
}

impl Cache {
    pub(super) fn new(block_bytes: u32) -> Self {
        Self {
            block_bytes: u64::from(block_bytes),
            order: 0,
            unsynced: BTreeMap::new(),
            durable: BTreeMap::new(),
            written: BTreeMap::new(),
        }
    }

    /// The order of the write that completed last: what a sync submitted now will cover.
    pub(super) fn completed(&self) -> Order {
        self.order
    }

    /// A write has completed.
    pub(super) fn wrote(&mut self, write: Write, durable: bool) {
        self.order += 1;
        let order = self.order;
        self.written.insert(write.number, (order, write.clone()));
        if durable {
            for block in self.blocks(&write) {
                self.place(write.file, block, Placed { order, number: write.number });
            }
        } else {
            self.unsynced.entry(write.file).or_default().push_back((order, write));
        }
    }

    /// A sync of this file has completed: everything up to `covers` is durable.
    pub(super) fn synced(&mut self, file: u16, covers: Order) {
        while let Some((order, write)) =
            self.unsynced.get_mut(&file).and_then(|writes| writes.pop_front_if(|(order, _)| *order <= covers))
        {
            for block in self.blocks(&write) {
                self.place(file, block, Placed { order, number: write.number });
            }
        }
    }

    /// The power fails: each block of a write that nobody synced is kept with the probability `survival`, whether the
    /// write had completed or was still in flight. A large write may so be torn.
    pub(super) fn lose(mut self, in_flight: Vec<Write>, survival: f64, random: &mut Random) -> Survivors {
        for write in in_flight {
            self.wrote(write, false);
        }
        for (order, write) in std::mem::take(&mut self.unsynced).into_values().flatten() {
            for block in self.blocks(&write) {
                if random.happens(survival) {
                    self.place(write.file, block, Placed { order, number: write.number });
                }
            }
        }
        Survivors { block_bytes: self.block_bytes, durable: self.durable, written: self.written }
    }

    /// A block never goes back to an older write: the cache holds the newest, and a flush writes what it holds.
    fn place(&mut self, file: u16, block: u64, placed: Placed) {
        let held = self.durable.entry((file, block)).or_insert(placed);
        if placed.order > held.order {
            *held = placed;
        }
    }

    fn blocks(&self, write: &Write) -> Range<u64> {
        blocks(self.block_bytes, &write.bytes)
    }
}

fn blocks(block_bytes: u64, bytes: &Range<u64>) -> Range<u64> {
    if bytes.is_empty() { 0..0 } else { bytes.start / block_bytes..bytes.end.div_ceil(block_bytes) }
}

/// What is on the medium after a power cut.
#[derive(Clone, Debug)]
pub struct Survivors {
    block_bytes: u64,
    durable: BTreeMap<(u16, u64), Placed>,
    written: BTreeMap<u64, (Order, Write)>,
}

impl Survivors {
    /// Whether the data of the write with this number (its place in [`Simulated::log`](super::Simulated::log)) can
    /// be read: every block it moved holds it, or a write that completed after it.
    pub fn survived(&self, number: u64) -> bool {
        self.written.get(&number).is_some_and(|(order, write)| {
            !write.bytes.is_empty()
                && blocks(self.block_bytes, &write.bytes).all(|block| {
                    self.durable.get(&(write.file, block)).is_some_and(|placed| placed.order >= *order)
                })
        })
    }

    /// The number of the write whose data the block at this byte offset holds; `None` if it was never written.
    pub fn version(&self, file: u16, offset: u64) -> Option<u64> {
        self.durable.get(&(file, offset / self.block_bytes)).map(|placed| placed.number)
    }
}
