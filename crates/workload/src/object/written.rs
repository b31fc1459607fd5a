//! The objects that a client puts: which of them are there. Numbers count a client's puts from 0.

use super::parameters::Parameters;
use crate::kv::keys::Stripe;

/// An object by its name and by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) object: u64,
    pub(super) content: u64,
}

/// The puts of one client: each has bytes of its own, and after a number of them names come again.
#[derive(Clone, Debug)]
pub(super) struct Written {
    stripe: Stripe,
    /// Objects of the dataset, whose numbers come before.
    objects: u64,
    kept: u64,
    /// Puts that were started.
    put: u64,
    /// Deletes that were started; they take the oldest.
    deleted: u64,
    under_way: Vec<u64>,
    /// Puts that failed, and are not there.
    lost: Vec<u64>,
}

impl Written {
    pub(super) fn new(parameters: &Parameters, client: u32) -> Self {
        Self {
            stripe: parameters.stripe(client),
            objects: parameters.objects,
            kept: parameters.kept_by_client(),
            put: 0,
            deleted: 0,
            under_way: Vec::with_capacity(parameters.iodepth as usize),
            lost: Vec::new(),
        }
    }

    #[inline]
    fn named(&self, number: u64) -> Named {
        Named {
            object: self.objects + self.stripe.index(number % self.kept),
            content: self.objects + self.stripe.index(number),
        }
    }

    /// The oldest that was neither replaced nor deleted.
    #[inline]
    fn first(&self) -> u64 {
        self.deleted.max(self.put.saturating_sub(self.kept))
    }

    /// Those before it have been put.
    #[inline]
    fn settled(&self) -> u64 {
        self.under_way.iter().copied().min().unwrap_or(self.put)
    }

    /// How many are there.
    #[inline]
    pub(super) fn count(&self) -> u64 {
        self.settled().saturating_sub(self.first())
    }

    /// The one after which this number was put, of those that are there; `None` if its put failed.
    #[inline]
    pub(super) fn newest(&self, age: u64) -> Option<Named> {
        let number = self.settled().checked_sub(age + 1)?;
        (number >= self.first() && !self.lost.contains(&number)).then(|| self.named(number))
    }

    /// All that are there, the newest first.
    pub(super) fn there(&self) -> Vec<Named> {
        (0..self.count()).filter_map(|age| self.newest(age)).collect()
    }

    /// The oldest that is there.
    pub(super) fn oldest(&mut self) -> Option<Named> {
        while self.count() > 0 && self.lost.contains(&self.first()) {
            self.deleted = self.first() + 1;
        }
        (self.count() > 0).then(|| self.named(self.first()))
    }

    /// Takes the oldest away.
    pub(super) fn delete_oldest(&mut self) {
        self.deleted = self.first() + 1;
    }

    /// What the next put writes.
    #[inline]
    pub(super) fn next(&self) -> Named {
        self.named(self.put)
    }

    /// Starts that put.
    #[inline]
    pub(super) fn start(&mut self) {
        self.under_way.push(self.put);
        self.put += 1;
    }

    /// The put of these bytes has ended.
    pub(super) fn end(&mut self, content: u64, has_failed: bool) {
        let place = self.under_way.iter().position(|number| self.named(*number).content == content);
        let Some(place) = place else { return };
        let number = self.under_way.swap_remove(place);
        if has_failed {
            let first = self.first();
            self.lost.retain(|lost| *lost >= first);
            self.lost.push(number);
        }
    }
}
