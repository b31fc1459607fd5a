//! What carries messages between ranks.

use model::Nanos;

/// The rank that decides, and that keeps the records of all.
pub const ROOT: u32 = 0;

/// Which conversation a message belongs to. Messages of one channel from one rank to another arrive in the order in
/// which they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// From a rank to the root: it has come to a meeting.
    Arrival,
    /// From the root to a rank: what the meeting decided.
    Decision,
    /// Both ways: a comparison of clocks.
    Clock,
}

/// Messages between the ranks of one launch, a release that all ranks leave together, and this rank's clock.
pub trait Transport {
    /// This rank, from 0.
    fn rank(&self) -> u32;

    /// How many ranks there are.
    fn size(&self) -> u32;

    /// This rank's `CLOCK_MONOTONIC`.
    fn now(&self) -> Nanos;

    /// Sends a message. One to a rank that has died may be accepted: only the silence of that rank shows it. A
    /// transport that cannot send it until this time ends the launch, because ranks that cannot send cannot name who is
    /// missing either.
    fn send(&mut self, to: u32, channel: Channel, bytes: &[u8], until: Nanos);

    /// Takes the next message of this channel from this rank if it has arrived. Does not wait.
    fn take(&mut self, from: u32, channel: Channel) -> Option<Vec<u8>>;

    /// Waits a moment: until a message may have arrived, at most until this time.
    fn wait(&mut self, until: Nanos);

    /// Does not wait, but lets other processes run: between two looks for a message whose arrival is timed.
    fn spin(&mut self);

    /// Waits until every rank has called this; `false` if not all have by this time, after which it must not be called
    /// again.
    fn release(&mut self, until: Nanos) -> bool;
}
