//! A device that takes no time: what remains is the instrument.

use super::{BlockBackend, Setup};
use driver::wait::{make_timers_exact, wait_idle};
use driver::{Backend, MonotonicClock};
use model::{BlockOp, Completion, Nanos, Operation};
use std::io;

/// Completes everything at once, fully and successfully, and touches neither file nor memory.
#[derive(Debug)]
pub struct Null {
    clock: MonotonicClock,
    completed: Vec<Completion>,
}

impl BlockBackend for Null {
    fn supported() -> io::Result<()> {
        Ok(())
    }

    fn build(setup: &Setup) -> io::Result<Self> {
        make_timers_exact()?;
        Ok(Self { clock: setup.clock, completed: Vec::with_capacity(setup.in_flight_max) })
    }
}

impl Backend for Null {
    type Op = BlockOp;

    #[inline]
    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        let taken = operations.len().min(self.completed.capacity() - self.completed.len());
        let completion = |op: &BlockOp| Completion { id: op.id, result: op.expected_result(), stamps: None };
        self.completed.extend(operations[..taken].iter().map(completion));
        Ok(taken)
    }

    #[inline]
    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        if self.completed.is_empty() {
            return wait_idle(self.clock, at_least, deadline);
        }
        out.append(&mut self.completed);
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}
