//! A worker's line to the lab: turns come in, their figures go out, one line of JSON each.

use crate::refusal::Refusal;
use model::trial::WorkerReply;
use model::turns::TurnOrder;
use std::io::{self, BufRead, Write};
use std::sync::{Mutex, PoisonError};

/// Both ends of the worker's pipes.
pub struct Line {
    orders: Mutex<Box<dyn BufRead + Send>>,
    replies: Mutex<Box<dyn Write + Send>>,
}

impl Line {
    /// A line whose lab writes to `orders` and reads `replies`.
    pub fn new(orders: impl BufRead + Send + 'static, replies: impl Write + Send + 'static) -> Self {
        Self { orders: Mutex::new(Box::new(orders)), replies: Mutex::new(Box::new(replies)) }
    }

    /// Tells the lab something.
    ///
    /// # Errors
    /// The lab has ended.
    pub fn say(&self, reply: &WorkerReply) -> io::Result<()> {
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
        Ok(serde_json::from_str(&line)?)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::failed(error)
    }
}
