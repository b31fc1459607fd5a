//! What one job wrote last into each block, so that the file can be compared with it after the measurement.

use super::parameters::Parameters;

/// Set while a write of the block is in flight.
const IN_FLIGHT: u16 = 1 << 15;
const NEVER: u16 = !IN_FLIGHT;
/// Two writes of the block were in flight at once, and the device chose their order.
const UNORDERED: u16 = NEVER - 1;

/// The content of a block, as far as one job determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWrite {
    /// The job never wrote the block.
    Never,
    /// The block has the bytes at this place of the job's arena.
    From(usize),
    /// Two writes of the block were in flight at once: it has the bytes of either.
    Unordered,
}

/// A job's writes by block of `bs`.
#[derive(Clone, Debug)]
pub struct Written {
    /// The number of the payload's block, or one of the constants above.
    blocks: Box<[u16]>,
    payload_start: usize,
    bs: usize,
}

impl Written {
    /// The record for a job that has written nothing; `None` if nothing will be compared. The schema bounds the memory.
    pub(super) fn new(parameters: &Parameters) -> Option<Self> {
        parameters.verifies().then(|| Self {
            blocks: vec![NEVER; parameters.blocks() as usize].into(),
            payload_start: parameters.payload().start,
            bs: parameters.bs as usize,
        })
    }

    /// Bytes of memory for each job.
    pub(super) fn memory_bytes(parameters: &Parameters) -> u64 {
        parameters.blocks().saturating_mul(size_of::<u16>() as u64)
    }

    /// A write of the block from this place of the arena begins.
    #[inline]
    pub(super) fn begin(&mut self, block: u64, place: usize) {
        // PAYLOAD_BYTES_MAX holds 8192 blocks of the smallest size, so the number is below both constants.
        let number = ((place - self.payload_start) / self.bs) as u16;
        let last = &mut self.blocks[block as usize];
        *last = if *last & IN_FLIGHT > 0 || *last == UNORDERED { UNORDERED } else { number | IN_FLIGHT };
    }

    /// A write of the block has ended.
    #[inline]
    pub(super) fn end(&mut self, block: u64) {
        let last = &mut self.blocks[block as usize];
        // Neither of two writes in flight at once is the last.
        if *last != UNORDERED {
            *last &= !IN_FLIGHT;
        }
    }

    /// The last write of the block, when none is in flight.
    pub fn last(&self, block: u64) -> LastWrite {
        match self.blocks.get(block as usize) {
            None | Some(&NEVER) => LastWrite::Never,
            Some(&UNORDERED) => LastWrite::Unordered,
            Some(number) => LastWrite::From(self.payload_start + usize::from(number & !IN_FLIGHT) * self.bs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A write in flight has `UNORDERED` neither by its number nor by its mark.
    #[test]
    fn writes_in_flight_at_once_have_no_order() {
        let mut written = Written { blocks: vec![NEVER; 3].into(), payload_start: 100, bs: 10 };
        written.begin(0, 120);
        written.end(0);
        written.begin(1, 130);
        written.begin(1, 140);
        written.end(1);
        written.begin(1, 150);
        written.end(1);
        written.end(1);
        assert_eq!(
            [0, 1, 2].map(|block| written.last(block)),
            [LastWrite::From(120), LastWrite::Unordered, LastWrite::Never]
        );
        written.begin(0, 100);
        written.end(0);
        assert_eq!(written.last(0), LastWrite::From(100));
    }
}
