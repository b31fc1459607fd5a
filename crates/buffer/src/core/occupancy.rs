//! Which frames have no page, and which page is evicted when every frame has one.

use crate::policy::Policy;
use crate::shared::Shared;

#[derive(Debug)]
pub(super) struct Occupancy<P> {
    pub(super) policy: P,
    /// Frames without a page, the lowest last.
    pub(super) empty: Vec<u32>,
}

impl<P: Policy> Occupancy<P> {
    pub(super) fn new(frames: u32) -> Self {
        Self { policy: P::new(frames), empty: (0..frames).rev().collect() }
    }

    /// Removes a page whose bytes did not arrive from its frame.
    pub(super) fn drop_page(&mut self, shared: &Shared, page: u32, frame: u32) {
        shared.table.clear(page);
        self.policy.evicted(frame);
        shared.frames.get(frame).clear();
        self.empty.push(frame);
    }
}
