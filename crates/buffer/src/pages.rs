//! A session as a backend of page operations.

use crate::{Policy, PoolError, Session};
use driver::Backend;
use model::page::{HIT, TRANSFERRED};
use model::{BlockOp, Completion, Nanos, PageKind, PageOp};
use std::collections::VecDeque;
use std::hint::black_box;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// The content of every page, and the stamp by which a page is recognised.
#[derive(Debug)]
struct Content {
    /// The content of a created page, except for its first word.
    words: Vec<u64>,
    seed: u64,
}

impl Content {
    /// A page's first word: a different one for every page and seed.
    fn stamp(&self, page: u32) -> u64 {
        // SplitMix64's increment and finaliser (Steele, Lea & Flood, OOPSLA 2014).
        let mut mixed = self.seed ^ (u64::from(page) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    }

    fn fill(&self, page: u32, words: &[AtomicU64]) {
        for (word, value) in words.iter().zip(&self.words) {
            word.store(*value, Ordering::Relaxed);
        }
        words[0].store(self.stamp(page), Ordering::Relaxed);
    }
}

/// Performs page operations in the order of submission. It reads queued pages ahead, so as many reads are in flight as
/// there are operations.
#[derive(Debug)]
pub struct Pages<'a, P, B> {
    session: Session<'a, P, B>,
    content: Content,
    queue: VecDeque<PageOp>,
    in_flight_max: usize,
    /// Operations at the front of the queue whose reads have started.
    ahead: usize,
}

impl<'a, P: Policy, B: Backend<Op = BlockOp>> Pages<'a, P, B> {
    /// A backend over a session. `payload` is the content of created pages. `seed` determines their stamps; a page with
    /// another stamp is an error.
    pub fn new(session: Session<'a, P, B>, payload: &[u64], seed: u64, in_flight_max: usize) -> Self {
        Self {
            session,
            content: Content { words: payload.to_vec(), seed },
            queue: VecDeque::with_capacity(in_flight_max),
            in_flight_max,
            ahead: 0,
        }
    }

    /// Starts the reads of queued operations, as far as the backend accepts them. Reads can complete out of order, so
    /// more are queued than are in flight: the next one starts when any has ended.
    #[inline]
    fn read_ahead(&mut self) {
        if self.in_flight_max == 1 {
            return;
        }
        while let Some(operation) = self.queue.get(self.ahead)
            && (operation.kind != PageKind::Read || self.session.read_ahead(operation.page))
        {
            self.ahead += 1;
        }
    }

    fn perform(&self, operation: &PageOp) -> Result<i32, PoolError> {
        let PageOp { kind, page, .. } = *operation;
        let transferred = match kind {
            PageKind::Create => {
                let pinned = self.session.create(page)?;
                self.content.fill(page, pinned.words());
                pinned.set_dirty();
                pinned.is_transferred()
            }
            PageKind::Displace => self.session.create(page)?.is_transferred(),
            PageKind::Read | PageKind::Update => {
                let pinned = self.session.pin(page)?;
                let words = pinned.words();
                self.require_stamp(page, black_box(words[0].load(Ordering::Relaxed)))?;
                if kind == PageKind::Update {
                    // The last word, because the first is the stamp.
                    words[words.len() - 1].fetch_add(1, Ordering::Relaxed);
                    pinned.set_dirty();
                }
                pinned.is_transferred()
            }
            PageKind::WriteBack => self.session.write_back(page)?,
        };
        Ok(if transferred { TRANSFERRED } else { HIT })
    }

    #[inline]
    fn require_stamp(&self, page: u32, found: u64) -> Result<(), PoolError> {
        if found == self.content.stamp(page) {
            return Ok(());
        }
        let text = "the page does not hold what was written to it";
        let source = io::Error::new(io::ErrorKind::InvalidData, text);
        Err(PoolError::Transfer { what: "read", page, source })
    }
}

impl<P: Policy, B: Backend<Op = BlockOp>> Backend for Pages<'_, P, B> {
    type Op = PageOp;

    #[inline]
    fn submit(&mut self, operations: &[PageOp]) -> io::Result<usize> {
        let taken = operations.len().min(self.in_flight_max - self.queue.len());
        self.queue.extend(&operations[..taken]);
        self.read_ahead();
        Ok(taken)
    }

    #[inline]
    fn reap(&mut self, at_least: usize, _: Option<Nanos>, out: &mut Vec<Completion>) -> io::Result<()> {
        let Some(operation) = self.queue.pop_front() else {
            if at_least == 0 {
                return Ok(());
            }
            return Err(io::Error::other("the workload waits for a completion, but nothing is in flight"));
        };
        self.ahead = self.ahead.saturating_sub(1);
        // The operation is complete when this call returns; the driver's own time stamps measure it.
        let result = self.perform(&operation)?;
        out.push(Completion { id: operation.id, result, stamps: None });
        Ok(())
    }

    /// The system calls of the backend below are counted by the pool.
    fn system_calls(&self) -> u64 {
        0
    }
}
