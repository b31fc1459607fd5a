//! A worker's line to the lab: turns come in, their figures go out, one line of JSON each.

use crate::refusal::Refusal;
use model::trial::WorkerReply;
use model::turns::TurnOrder;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Both ends of the worker's pipes.
pub struct TurnChannel {
    orders: Mutex<Box<dyn BufRead + Send>>,
    replies: Mutex<Box<dyn Write + Send>>,
    /// Twice the number of turns that have ended, and one more during a turn.
    turn: Mutex<u64>,
    turn_changed: Condvar,
    /// Whether the trial is traced, and so keeps the stamps of its operations.
    is_traced: AtomicBool,
}

impl TurnChannel {
    /// A line whose lab writes to `orders` and reads `replies`.
    pub fn new(orders: impl BufRead + Send + 'static, replies: impl Write + Send + 'static) -> Self {
        Self {
            orders: Mutex::new(Box::new(orders)),
            replies: Mutex::new(Box::new(replies)),
            turn: Mutex::default(),
            turn_changed: Condvar::new(),
            is_traced: AtomicBool::new(false),
        }
    }

    /// The trial is traced.
    pub(crate) fn set_traced(&self) {
        self.is_traced.store(true, Ordering::Relaxed);
    }

    /// Whether it is.
    pub(crate) fn is_traced(&self) -> bool {
        self.is_traced.load(Ordering::Relaxed)
    }

    /// Tells the lab something.
    ///
    /// # Errors
    /// The lab has ended.
    pub fn say(&self, reply: &WorkerReply) -> io::Result<()> {
        if matches!(reply, WorkerReply::Turned(_)) {
            *self.turn() += 1;
        }
        let mut line = serde_json::to_vec(reply)?;
        line.push(b'\n');
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        replies.write_all(&line)?;
        replies.flush()
    }

    /// Waits for the next order.
    pub(crate) fn hear(&self) -> io::Result<TurnOrder> {
        let mut line = String::new();
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if orders.read_line(&mut line)? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the lab gives no more turns: it has ended",
            ));
        }
        let order = serde_json::from_str(&line)?;
        if matches!(order, TurnOrder::Turn(_)) {
            *self.turn() += 1;
            self.turn_changed.notify_all();
        }
        Ok(order)
    }

    fn turn(&self) -> MutexGuard<'_, u64> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn under way, for a thread that looks on; `None` between two turns.
    pub(crate) fn turn_under_way(&self) -> Option<u64> {
        Some(*self.turn()).filter(|turn| !turn.is_multiple_of(2))
    }

    /// Waits between two turns, until the next one begins or `is_over`, which [`TurnChannel::wake`] has it look at
    /// again.
    pub(crate) fn wait_for_turn(&self, is_over: impl Fn() -> bool) {
        let is_between = |turn: &mut u64| turn.is_multiple_of(2) && !is_over();
        drop(self.turn_changed.wait_while(self.turn(), is_between));
    }

    /// Wakes who waits for a turn.
    pub(crate) fn wake(&self) {
        drop(self.turn());
        self.turn_changed.notify_all();
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::failed(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::turns::Turn;
    use std::io::Cursor;
    use std::sync::mpsc;
    use std::thread;

    fn line(orders: &str) -> TurnChannel {
        TurnChannel::new(Cursor::new(orders.to_owned()), io::sink())
    }

    #[test]
    fn orders_come_one_a_line_and_their_end_is_an_error() {
        let turn = serde_json::to_string(&TurnOrder::Turn(Turn::WHOLE)).unwrap();
        let line = line(&format!("{turn}\n\"end\"\n"));
        assert_eq!(line.hear().unwrap(), TurnOrder::Turn(Turn::WHOLE));
        assert_eq!(line.hear().unwrap(), TurnOrder::End);
        assert_eq!(line.hear().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn what_is_no_order_is_an_error() {
        assert!(line("turn\n").hear().is_err());
    }

    /// A thread that looks at the trial's files waits for turns, and must not wait for ever.
    #[test]
    fn who_waits_for_a_turn_goes_on_when_it_begins_or_when_all_is_over() {
        let turn = serde_json::to_string(&TurnOrder::Turn(Turn::WHOLE)).unwrap();
        let line = line(&(turn + "\n"));
        assert_eq!(line.turn_under_way(), None);
        let (going_on, goes_on) = mpsc::channel();
        thread::scope(|scope| {
            let line = &line;
            scope.spawn(move || {
                line.wait_for_turn(|| false);
                going_on.send(line.turn_under_way()).unwrap();
            });
            line.hear().unwrap();
            assert_eq!(goes_on.recv().unwrap(), Some(1));
        });
        // During a turn, and when all is over, nobody waits.
        line.wait_for_turn(|| false);
        let over = TurnChannel::new(io::empty(), io::sink());
        over.wait_for_turn(|| true);
    }
}
