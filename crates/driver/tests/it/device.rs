//! A device in virtual time that serves everything at once, and workloads of reads for it.

use driver::{Backend, Clock, Next, Recorder, VirtualClock, Workload};
use model::{BlockKind, BlockOp, Completion, Nanos, Stamps};
use std::collections::BTreeMap;
use std::io;

/// A millisecond.
pub(crate) const MS: Nanos = Nanos::from_millis(1);

/// This many milliseconds.
pub(crate) const fn ms(number: u64) -> Nanos {
    Nanos::from_millis(number)
}

fn read(id: u32) -> BlockOp {
    BlockOp { id, kind: BlockKind::Read, file: 0, offset: 0, length: 4096, buffer: 0 }
}

/// How completions reach the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Delivery {
    /// Each when it ends, as from a ring.
    OneByOne,
    /// When the last of them ends, as from a thread that performs them itself.
    AllAtOnce,
}

/// An operation takes the time that `service` returns for its number.
pub(crate) struct Device<F> {
    clock: VirtualClock,
    service: F,
    delivery: Delivery,
    submitted: u64,
    /// By end and number: the operation's id and when it was submitted.
    in_flight: BTreeMap<(Nanos, u64), (u32, Nanos)>,
}

impl<F: Fn(u64) -> Nanos> Device<F> {
    pub(crate) fn new(clock: VirtualClock, service: F) -> Self {
        Self { clock, service, delivery: Delivery::OneByOne, submitted: 0, in_flight: BTreeMap::new() }
    }

    pub(crate) fn delivering(self, delivery: Delivery) -> Self {
        Self { delivery, ..self }
    }
}

impl<F: Fn(u64) -> Nanos> Backend for Device<F> {
    type Op = BlockOp;

    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        let now = self.clock.now();
        for operation in operations {
            let ends = now + (self.service)(self.submitted);
            self.in_flight.insert((ends, self.submitted), (operation.id, now));
            self.submitted += 1;
        }
        Ok(operations.len())
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        let next = match self.delivery {
            Delivery::OneByOne => self.in_flight.first_key_value(),
            Delivery::AllAtOnce => self.in_flight.last_key_value(),
        };
        let next = next.map(|((ends, _), _)| *ends);
        let until = match (next.filter(|_| at_least > 0), deadline) {
            (Some(next), Some(deadline)) => next.min(deadline),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return Err(io::Error::other("the workload waits for nothing")),
        };
        self.clock.advance_to(until);
        while let Some(first) = self.in_flight.first_entry().filter(|first| first.key().0 <= until) {
            let ((ended, _), (id, began)) = first.remove_entry();
            out.push(Completion { id, result: 4096, stamps: Some(Stamps { began, ended }) });
        }
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

/// A closed loop: this many reads in flight until this number has been started.
pub(crate) struct Closed {
    free: Vec<u32>,
    left: u64,
    depth: usize,
}

impl Closed {
    pub(crate) fn new(depth: u32, reads: u64) -> Self {
        Self { free: (0..depth).rev().collect(), left: reads, depth: depth as usize }
    }
}

impl Workload for Closed {
    type Op = BlockOp;

    fn poll(&mut self, _now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        while self.left > 0
            && let Some(id) = self.free.pop()
        {
            self.left -= 1;
            out.push(read(id));
        }
        if self.left == 0 { Next::Done } else { Next::Wait }
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(0, completion.began(), completion.ended());
        self.free.push(completion.id);
    }

    fn in_flight_max(&self) -> usize {
        self.depth
    }

    fn families(&self) -> &'static [&'static str] {
        &["read_latency"]
    }
}

/// An open loop: a read is due at every multiple of the interval until the end, and one at a time is in flight.
pub(crate) struct Open {
    interval: Nanos,
    end: Nanos,
    due: Nanos,
    /// When each was submitted.
    pub(crate) started: Vec<Nanos>,
    in_flight: Option<Nanos>,
}

impl Open {
    pub(crate) fn new(interval: Nanos, end: Nanos) -> Self {
        Self { interval, end, due: Nanos::ZERO, started: Vec::new(), in_flight: None }
    }
}

impl Workload for Open {
    type Op = BlockOp;

    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        if self.due >= self.end {
            return Next::Done;
        }
        if self.in_flight.is_some() {
            return Next::Wait;
        }
        if self.due > now {
            return Next::At(self.due);
        }
        out.push(read(0));
        self.started.push(now);
        self.in_flight = Some(self.due);
        self.due = self.due + self.interval;
        Next::Wait
    }

    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let due = self.in_flight.take().unwrap();
        recorder.latency(0, due, completion.ended());
    }

    fn in_flight_max(&self) -> usize {
        1
    }

    fn families(&self) -> &'static [&'static str] {
        &["read_latency"]
    }
}
