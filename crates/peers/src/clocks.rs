//! The clocks of ranks, compared by messages that go back and forth.
//!
//! Cristian's estimate: a rank reads its clock between the moments at which rank 0 sent its question and got the
//! answer, so it lies half a round trip from the middle of the two at most. The shortest of several round trips is the
//! most certain one.

use crate::transport::{Channel, ROOT, Transport};
use model::Nanos;
use model::shared::ClockOffset;

/// Round trips with each rank. The first ones find its process asleep.
pub(crate) const ROUND_TRIPS: u32 = 32;

/// Rank 0: the offset of each other rank; or the first rank that does not answer until this time.
pub(crate) fn compare(transport: &mut impl Transport, until: Nanos) -> Result<Vec<ClockOffset>, u32> {
    let others = (0..transport.size()).filter(|rank| *rank != ROOT);
    others.map(|rank| offset(transport, rank, until).ok_or(rank)).collect()
}

fn offset(transport: &mut impl Transport, rank: u32, until: Nanos) -> Option<ClockOffset> {
    let mut best: Option<(f64, f64)> = None;
    for _ in 0..ROUND_TRIPS {
        let asked = transport.now();
        transport.send(rank, Channel::Clock, &[], until);
        let answer = loop {
            if let Some(answer) = transport.take(rank, Channel::Clock) {
                break answer;
            }
            if transport.now() >= until {
                return None;
            }
            transport.spin();
        };
        let answered = transport.now();
        let theirs = Nanos(u64::from_le_bytes(answer.try_into().ok()?));
        let half_s = answered.since(asked).seconds() / 2.0;
        let offset_s = difference_s(theirs, asked) - half_s;
        if best.is_none_or(|(least_s, _)| half_s < least_s) {
            best = Some((half_s, offset_s));
        }
    }
    best.map(|(uncertainty_s, offset_s)| ClockOffset { rank, offset_s, uncertainty_s })
}

/// Any other rank: answers rank 0. Returns early if nothing is asked until this time: the decision that follows says
/// why.
pub(crate) fn answer(transport: &mut impl Transport, until: Nanos) {
    for trip in 0..ROUND_TRIPS {
        while transport.take(ROOT, Channel::Clock).is_none() {
            if transport.now() >= until {
                return;
            }
            // The ranks before this one are asked first.
            if trip == 0 { transport.wait(until) } else { transport.spin() }
        }
        let now = transport.now().0.to_le_bytes();
        transport.send(ROOT, Channel::Clock, &now, until);
    }
}

/// `one - other` in seconds, exact for clocks of machines that started years apart.
fn difference_s(one: Nanos, other: Nanos) -> f64 {
    (i128::from(one.0) - i128::from(other.0)) as f64 / 1e9
}
