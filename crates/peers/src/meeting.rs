//! Meetings: every rank comes, rank 0 decides, every rank gets the decision.

use crate::clocks;
use crate::lost::Lost;
use crate::transport::{Channel, ROOT, Transport};
use model::Nanos;
use model::shared::ClockOffset;
use std::time::Duration;

/// How long ranks wait for each other.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// At most, however slow all of them are.
    pub most: Duration,
    /// After half of the ranks have come, the others have this time, and three times the time that the first half took.
    pub slack: Duration,
}

/// All ranks do the same work. One that takes this many times as long as half of them is a straggler.
const STRAGGLER_TIMES: u64 = 3;

/// The ranks of this launch.
#[derive(Debug)]
pub struct Peers<T> {
    transport: T,
    /// Meetings so far: a message of another one is a defect.
    meetings: u64,
    /// When the last one ended.
    met: Nanos,
}

impl<T: Transport> Peers<T> {
    /// Those that this transport reaches.
    pub fn new(transport: T) -> Self {
        let met = transport.now();
        Self { transport, meetings: 0, met }
    }

    /// This rank, from 0.
    pub fn rank(&self) -> u32 {
        self.transport.rank()
    }

    /// How many ranks there are.
    pub fn size(&self) -> u32 {
        self.transport.size()
    }

    pub fn now(&self) -> Nanos {
        self.transport.now()
    }

    /// Whether this rank decides and keeps the records.
    pub fn is_root(&self) -> bool {
        self.rank() == ROOT
    }

    /// What carries the messages, for a test in which a rank works between meetings.
    #[cfg(test)]
    pub(crate) const fn transport_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// What carries the messages: the end of a launch is its own.
    pub fn into_transport(self) -> T {
        self.transport
    }

    /// Waits for all ranks. Each brings something, rank 0 decides by what all brought, in the order of ranks, and each
    /// gets the decision.
    ///
    /// # Errors
    /// [`Lost`] if a rank does not come. The ranks that came get the same error.
    pub fn meet(
        &mut self,
        mine: Vec<u8>,
        wait: Wait,
        decide: impl FnOnce(Vec<Vec<u8>>) -> Vec<u8>,
    ) -> Result<Vec<u8>, Lost> {
        self.meetings += 1;
        let decided = if self.is_root() {
            let brought = self.collect(mine, wait)?;
            let decision = decide(brought);
            self.announce(&Announced::Decision(decision.clone()), wait);
            Ok(decision)
        } else {
            self.attend(&mine, wait)
        };
        self.met = self.transport.now();
        decided
    }

    /// Waits for all ranks, and leaves together with them.
    ///
    /// # Errors
    /// [`Lost`] if a rank does not come.
    pub fn barrier(&mut self, wait: Wait) -> Result<(), Lost> {
        self.meet(Vec::new(), wait, |_| Vec::new())?;
        self.release(wait)
    }

    /// Leaves together with all ranks, right after a meeting. If they are not released, those that are left meet once
    /// more, which names the others.
    ///
    /// # Errors
    /// [`Lost`] if one of them has ended since.
    pub fn release(&mut self, wait: Wait) -> Result<(), Lost> {
        let until = self.transport.now() + Nanos::from(wait.slack);
        if self.transport.release(until) {
            return Ok(());
        }
        self.meet(Vec::new(), Wait { most: wait.slack, slack: wait.slack }, |_| Vec::new())?;
        Err(Lost::InRelease)
    }

    /// Gives every rank what rank 0 has. The bytes of the others are not used.
    ///
    /// # Errors
    /// [`Lost`] if a rank does not come.
    pub fn broadcast(&mut self, bytes: Vec<u8>, wait: Wait) -> Result<Vec<u8>, Lost> {
        self.meet(Vec::new(), wait, |_| bytes)
    }

    /// Gives rank 0 what every rank has, in the order of ranks; `None` on the other ranks.
    ///
    /// # Errors
    /// [`Lost`] if a rank does not come.
    pub fn gather(&mut self, mine: Vec<u8>, wait: Wait) -> Result<Option<Vec<Vec<u8>>>, Lost> {
        let mut gathered = None;
        self.meet(mine, wait, |brought| {
            gathered = Some(brought);
            Vec::new()
        })?;
        Ok(gathered)
    }

    /// Compares the clock of each rank with that of rank 0, which gets the offsets; `None` on the other ranks.
    ///
    /// # Errors
    /// [`Lost`] if a rank does not come or does not answer.
    pub fn compare_clocks(&mut self, wait: Wait) -> Result<Option<Vec<ClockOffset>>, Lost> {
        self.meet(Vec::new(), wait, |_| Vec::new())?;
        // What follows is a meeting too: if a rank does not answer, the others get the decision that it is lost.
        self.meetings += 1;
        let until = self.transport.now() + Nanos::from(wait.slack);
        let compared = if self.is_root() {
            match clocks::compare(&mut self.transport, until) {
                Ok(offsets) => {
                    self.announce(&Announced::Decision(Vec::new()), wait);
                    Ok(Some(offsets))
                }
                Err(silent) => Err(self.lose(vec![silent], wait.slack, wait)),
            }
        } else {
            clocks::answer(&mut self.transport, until);
            self.decision(wait).map(|_| None)
        };
        self.met = self.transport.now();
        compared
    }

    /// Rank 0: what each rank brings.
    fn collect(&mut self, mine: Vec<u8>, wait: Wait) -> Result<Vec<Vec<u8>>, Lost> {
        let began = self.transport.now();
        let mut until = began + Nanos::from(wait.most);
        let mut is_half = false;
        let mut brought: Vec<Option<Vec<u8>>> = vec![None; self.size() as usize];
        brought[ROOT as usize] = Some(mine);
        loop {
            for (rank, brought) in (0..).zip(&mut brought).filter(|(_, brought)| brought.is_none()) {
                if let Some(message) = self.transport.take(rank, Channel::Arrival) {
                    let arrival = of_meeting(self.meetings, &message).ok_or(Lost::Foreign { from: rank })?;
                    *brought = Some(arrival.to_vec());
                }
            }
            let missing: Vec<u32> =
                (0..).zip(&brought).filter(|(_, brought)| brought.is_none()).map(|(rank, _)| rank).collect();
            if missing.is_empty() {
                return Ok(brought.into_iter().flatten().collect());
            }
            let now = self.transport.now();
            if !is_half && missing.len() * 2 <= brought.len() {
                is_half = true;
                let worked = now.since(self.met).0.saturating_mul(STRAGGLER_TIMES);
                until = until.min(now + Nanos::from(wait.slack) + Nanos(worked));
            }
            if now >= until {
                return Err(self.lose(missing, now.since(began).into(), wait));
            }
            self.transport.wait(until);
        }
    }

    /// Any other rank: brings this, and gets the decision.
    fn attend(&mut self, mine: &[u8], wait: Wait) -> Result<Vec<u8>, Lost> {
        let until = self.transport.now() + Nanos::from(wait.most);
        let message = [&self.meetings.to_le_bytes()[..], mine].concat();
        self.transport.send(ROOT, Channel::Arrival, &message, until);
        self.decision(wait)
    }

    /// Any other rank: what rank 0 announces.
    fn decision(&mut self, wait: Wait) -> Result<Vec<u8>, Lost> {
        // Rank 0 comes first to the conclusion that a rank is missing, and says which.
        let most = wait.most + wait.slack;
        let until = self.transport.now() + Nanos::from(most);
        let message = loop {
            if let Some(message) = self.transport.take(ROOT, Channel::Decision) {
                break message;
            }
            if self.transport.now() >= until {
                return Err(Lost::Root { waited: most });
            }
            self.transport.wait(until);
        };
        let announced = of_meeting(self.meetings, &message).and_then(Announced::read);
        match announced.ok_or(Lost::Foreign { from: ROOT })? {
            Announced::Decision(decision) => Ok(decision),
            Announced::Missing { ranks, waited } => Err(Lost::Missing { ranks, waited }),
        }
    }

    /// Rank 0: tells every rank which ones are missing. A straggler hears it when it comes.
    fn lose(&mut self, ranks: Vec<u32>, waited: Duration, wait: Wait) -> Lost {
        self.announce(&Announced::Missing { ranks: ranks.clone(), waited }, wait);
        Lost::Missing { ranks, waited }
    }

    fn announce(&mut self, announced: &Announced, wait: Wait) {
        let message = [&self.meetings.to_le_bytes()[..], &announced.written()].concat();
        let until = self.transport.now() + Nanos::from(wait.slack);
        for rank in (0..self.size()).filter(|rank| *rank != ROOT) {
            self.transport.send(rank, Channel::Decision, &message, until);
        }
    }
}

/// The content of a message, if it belongs to this meeting.
fn of_meeting(meeting: u64, message: &[u8]) -> Option<&[u8]> {
    message.strip_prefix(&meeting.to_le_bytes())
}

/// What rank 0 tells all ranks at the end of a meeting.
#[derive(Debug, PartialEq, Eq)]
enum Announced {
    Decision(Vec<u8>),
    Missing { ranks: Vec<u32>, waited: Duration },
}

const DECISION: u8 = 0;
const MISSING: u8 = 1;

impl Announced {
    fn written(&self) -> Vec<u8> {
        match self {
            Self::Decision(decision) => [&[DECISION][..], decision].concat(),
            Self::Missing { ranks, waited } => {
                let waited = Nanos::from(*waited).0.to_le_bytes();
                let ranks = ranks.iter().flat_map(|rank| rank.to_le_bytes());
                [MISSING].into_iter().chain(waited).chain(ranks).collect()
            }
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (&DECISION, decision) => Some(Self::Decision(decision.to_vec())),
            (&MISSING, lost) => {
                let (waited, ranks) = lost.split_first_chunk::<8>()?;
                let (ranks, rest) = ranks.as_chunks::<4>();
                let ranks = ranks.iter().map(|rank| u32::from_le_bytes(*rank)).collect();
                let waited = Nanos(u64::from_le_bytes(*waited)).into();
                rest.is_empty().then_some(Self::Missing { ranks, waited })
            }
            (_, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_announced_is_read_as_it_was_written() {
        let missing = Announced::Missing { ranks: vec![3, 70_000], waited: Duration::from_millis(1_500) };
        for announced in [missing, Announced::Decision(Vec::new()), Announced::Decision(vec![1, 2])] {
            assert_eq!(Announced::read(&announced.written()), Some(announced));
        }
        for foreign in [&[][..], &[2], &[MISSING, 0], &[MISSING, 0, 0, 0, 0, 0, 0, 0, 0, 7]] {
            assert_eq!(Announced::read(foreign), None, "{foreign:?}");
        }
    }

    #[test]
    fn a_message_of_another_meeting_is_not_taken_for_this_one() {
        let message = [&7_u64.to_le_bytes()[..], b"seven"].concat();
        assert_eq!(of_meeting(7, &message), Some(&b"seven"[..]));
        assert_eq!(of_meeting(8, &message), None);
        assert_eq!(of_meeting(7, &[7]), None);
    }
}
