//! The operations of a log that one client repeats.

use super::super::levels::Step;
use super::super::parameters::Parameters;
use super::replay::{Due, Replay};
use model::{Nanos, ObjectKind, ObjectOp};
use std::sync::Arc;

/// What one client does, in the order of the times at which it is due.
#[derive(Clone, Debug)]
pub(in crate::object) struct Script {
    replay: Arc<Replay>,
    /// Places in the replay.
    mine: Box<[u32]>,
    next: usize,
    speed: f64,
    names_max: u32,
}

impl Script {
    /// The part of a client: all operations on objects that change come to one client, the others to all in turn.
    pub(in crate::object) fn new(replay: &Arc<Replay>, parameters: &Parameters, client: u32) -> Self {
        let operations_max = match parameters.operations_max {
            0 => usize::MAX,
            operations => usize::try_from(operations).unwrap_or(usize::MAX),
        };
        let is_mine = |place: u32, due: &Due| {
            let chosen = if due.is_of_one_client { due.object } else { place };
            chosen % parameters.clients == client
        };
        let places =
            (0..).zip(replay.due.iter().take(operations_max)).filter(|(place, due)| is_mine(*place, due));
        let mine = places.map(|(place, _)| place).collect();
        let (speed, names_max) = (parameters.replay_speed, parameters.list_page);
        Self { replay: Arc::clone(replay), mine, next: 0, speed, names_max }
    }

    #[inline]
    fn at(&self, next: usize) -> Option<&Due> {
        Some(&self.replay.due[*self.mine.get(next)? as usize])
    }

    fn time(&self, due: &Due) -> Nanos {
        Nanos((due.at.0 as f64 / self.speed) as u64)
    }

    /// When the next operation is due; `None` at the end.
    #[inline]
    pub(in crate::object) fn due(&self) -> Option<Nanos> {
        self.at(self.next).map(|due| self.time(due))
    }

    /// The next operation, and the names that a list of it had when it was recorded.
    #[inline]
    pub(in crate::object) fn next(&self) -> Option<(Step, ObjectOp, u64)> {
        let due = self.at(self.next)?;
        let object = u64::from(due.object);
        let of = |kind, length| ObjectOp { id: 0, kind, object, content: object, offset: due.offset, length };
        let operation = match due.step {
            Step::Get | Step::GetRange => of(ObjectKind::Get, due.length),
            Step::Put => of(ObjectKind::Put, due.length),
            Step::MultipartPut => of(ObjectKind::PutInParts, due.length),
            Step::Stat => of(ObjectKind::Stat, due.length),
            Step::Delete => of(ObjectKind::Delete, 0),
            Step::List => of(ObjectKind::List, due.length.clamp(1, self.names_max)),
        };
        let names = if due.step == Step::List { u64::from(due.length) } else { 0 };
        Some((due.step, operation, names))
    }

    /// The next operation has started.
    #[inline]
    pub(in crate::object) fn take(&mut self) {
        self.next += 1;
    }

    /// Operations that were due before this time and have not started.
    pub(in crate::object) fn waiting_at(&self, end: Nanos) -> u64 {
        let left = self.mine[self.next..].iter().map(|place| &self.replay.due[*place as usize]);
        left.take_while(|due| self.time(due) < end).count() as u64
    }
}
