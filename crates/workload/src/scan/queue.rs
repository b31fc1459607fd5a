//! The pieces of one pass, in its order: files, or parts of them. Readers take them one by one, and a reader that is
//! done takes the next. A pass therefore ends with the slowest piece and not with the slowest share.

use super::accelerator::{Accelerator, AcceleratorTime, Taken};
use super::levels::Order;
use super::parameters::Parameters;
use model::Nanos;
use model::scan::ReadSize;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a reader takes at a time: a file, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) file: u32,
    /// Where it begins, bytes.
    pub(super) begin: u64,
    /// Where it ends.
    pub(super) end: u64,
}

/// The rest of a pass, shared by all its readers.
#[derive(Debug)]
pub struct FileQueue {
    sizes: Arc<[u64]>,
    piece_size: ReadSize,
    /// By file: the number of its first piece; empty if pieces are files.
    first_pieces: Box<[u32]>,
    order: Vec<u32>,
    next: AtomicUsize,
    accelerator: Option<Accelerator>,
}

impl FileQueue {
    /// The pieces of files of these sizes in this pass's order. The same seed gives the same order.
    pub fn new(parameters: &Parameters, sizes: &Arc<[u64]>, pass: u32, seed: u64) -> Self {
        let piece_size = parameters.piece_size;
        let (first_pieces, pieces) = number(sizes, piece_size);
        let mut order: Vec<u32> = (0..pieces).collect();
        match parameters.order {
            Order::Sequential => {}
            Order::Shuffled => {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
                for _ in 0..pass {
                    random.jump();
                }
                // Fisher–Yates, with Lemire's multiply-shift instead of a modulus.
                for last in (1..order.len()).rev() {
                    let drawn = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
                    order.swap(last, drawn as usize);
                }
            }
        }
        let accelerator = Accelerator::new(parameters, sizes.iter().sum());
        Self {
            sizes: Arc::clone(sizes),
            piece_size,
            first_pieces,
            order,
            next: AtomicUsize::new(0),
            accelerator,
        }
    }

    /// The next piece, once.
    #[inline]
    pub(super) fn take(&self) -> Option<Piece> {
        // Readers exchange only this number.
        let number = self.order.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()?;
        let (file, begin) = match self.piece_size.block_bytes() {
            None => (number, 0),
            Some(bytes) => {
                let file = self.first_pieces.partition_point(|first| *first <= number) as u32 - 1;
                (file, u64::from(number - self.first_pieces[file as usize]) * bytes)
            }
        };
        let left = self.sizes[file as usize] - begin;
        Some(Piece { file, begin, end: begin + self.piece_size.of(left) })
    }

    /// Lets a reader start a read; `Err` with the time at which to ask again if that would be too far ahead of the
    /// accelerator.
    #[inline]
    pub(super) fn start(&self, taken: &mut Taken, now: Nanos, bytes: u64) -> Result<(), Nanos> {
        self.accelerator.as_ref().map_or(Ok(()), |accelerator| accelerator.start(taken, now, bytes))
    }

    /// Takes note of a read that has ended.
    #[inline]
    pub(super) fn end(&self, bytes: u64, ended: Nanos) {
        if let Some(accelerator) = &self.accelerator {
            accelerator.end(bytes, ended);
        }
    }

    /// The time of the accelerator that the pass was read for; `None` if there is none.
    pub fn accelerator_time(&self) -> Option<AcceleratorTime> {
        self.accelerator.as_ref().map(Accelerator::time)
    }
}

/// The number of each file's first piece, and of all pieces. An empty file is one piece.
fn number(sizes: &[u64], piece_size: ReadSize) -> (Box<[u32]>, u32) {
    let Some(piece_bytes) = piece_size.block_bytes() else { return ([].into(), sizes.len() as u32) };
    let mut pieces: u32 = 0;
    let mut first_pieces = Vec::with_capacity(sizes.len());
    for bytes in sizes {
        first_pieces.push(pieces);
        // The schema keeps the sum far below the type's limit.
        pieces = pieces.saturating_add(bytes.div_ceil(piece_bytes).max(1) as u32);
    }
    (first_pieces.into(), pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::SCHEMA;
    use std::collections::BTreeSet;

    fn drain(changes: &[(&str, &str)], sizes: &[u64], pass: u32, seed: u64) -> Vec<Piece> {
        let parameters = Parameters::read(&crate::configured::configured(&SCHEMA, changes)).unwrap();
        let queue = FileQueue::new(&parameters, &sizes.into(), pass, seed);
        std::iter::from_fn(|| queue.take()).collect()
    }

    #[test]
    fn every_pass_takes_every_file_once_and_shuffles_anew() {
        let order = |pass, seed| -> Vec<u32> {
            let pieces = drain(&[("order", "shuffled")], &[5; 100], pass, seed);
            assert!(pieces.iter().all(|piece| (piece.begin, piece.end) == (0, 5)));
            pieces.iter().map(|piece| piece.file).collect()
        };
        for pass in 0..3 {
            let mut files = order(pass, 7);
            files.sort_unstable();
            assert_eq!(files, (0..100).collect::<Vec<_>>());
        }
        assert_ne!(order(0, 7), order(1, 7));
        assert_ne!(order(0, 7), order(0, 8));
        assert_eq!(order(2, 7), order(2, 7));
        let by_name: Vec<u32> = drain(&[], &[1; 3], 1, 7).iter().map(|piece| piece.file).collect();
        assert_eq!(by_name, [0, 1, 2]);
    }

    #[test]
    fn pieces_are_all_of_their_files_and_in_any_order() {
        let sizes = [10_000, 0, 4096, 1];
        let of = |file, begin, end| Piece { file, begin, end };
        let in_order = [
            of(0, 0, 4096),
            of(0, 4096, 8192),
            of(0, 8192, 10_000),
            of(1, 0, 0),
            of(2, 0, 4096),
            of(3, 0, 1),
        ];
        assert_eq!(drain(&[("piece_size", "4KiB")], &sizes, 0, 1), in_order);
        let shuffled = drain(&[("piece_size", "4KiB"), ("order", "shuffled")], &sizes, 0, 1);
        assert_ne!(shuffled, in_order);
        let places =
            |pieces: &[Piece]| pieces.iter().map(|piece| (piece.file, piece.begin)).collect::<BTreeSet<_>>();
        assert_eq!((places(&shuffled), shuffled.len()), (places(&in_order), in_order.len()));
    }
}
