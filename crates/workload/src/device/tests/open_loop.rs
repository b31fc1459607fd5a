//! Latencies of an open loop, on a device in virtual time that stalls.

use super::*;
use driver::{Backend, Clock, Driven, Driver, VirtualClock};
use std::collections::VecDeque;
use std::io;

const SERVICE: Nanos = Nanos(10_000);

/// Serves one operation after another, each for [`SERVICE`], except the one in service at `stall.0`, which takes
/// `stall.1` longer.
pub(super) struct OneServer {
    clock: VirtualClock,
    queue: VecDeque<BlockOp>,
    /// When the operation at the head of the queue completes.
    head_ends: Nanos,
    stall: Option<(Nanos, Nanos)>,
    calls: u64,
}

impl OneServer {
    fn begin_head(&mut self) {
        let now = self.clock.now();
        let service = match self.stall {
            Some((at, length)) if now >= at => {
                self.stall = None;
                length
            }
            Some(_) | None => SERVICE,
        };
        self.head_ends = now + service;
    }
}

impl Backend for OneServer {
    type Op = BlockOp;

    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        let idle = self.queue.is_empty();
        self.queue.extend(operations);
        self.calls += 1;
        if idle {
            self.begin_head();
        }
        Ok(operations.len())
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        let head = self.queue.front().map(|head| (head.id, head.length, self.head_ends));
        match (head, deadline) {
            (Some((id, length, ends)), deadline) if deadline.is_none_or(|deadline| ends <= deadline) => {
                self.clock.advance_to(ends);
                out.push(Completion { id, result: length as i32, stamps: None });
                self.queue.pop_front();
                if !self.queue.is_empty() {
                    self.begin_head();
                }
            }
            (_, Some(deadline)) => self.clock.advance_to(deadline),
            (_, None) => assert_eq!(at_least, 0, "waits for ever"),
        }
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        self.calls
    }
}

pub(super) fn drive(p: &Parameters, stall: Option<(Nanos, Nanos)>) -> Driven<Device> {
    let clock = VirtualClock::default();
    // The driver counts from its own start; the clock need not start at zero.
    clock.advance_to(Nanos::from_millis(5));
    let stall = stall.map(|(at, length)| (clock.now() + at, length));
    let server =
        OneServer { clock: clock.clone(), queue: VecDeque::new(), head_ends: Nanos::ZERO, stall, calls: 0 };
    Driver::new(Device::new(p.clone(), 0, 3), server, clock).run().unwrap()
}

fn second(changes: &[(&str, &str)]) -> Parameters {
    let mut all = vec![("runtime", "1s"), ("number_ios", "0")];
    all.extend_from_slice(changes);
    parameters(&all)
}

#[test]
fn a_device_that_keeps_up_serves_the_rate() {
    let driven = drive(&second(&[("rate_iops", "20000")]), None);
    let reads = driven.workload.reads();
    assert!((19_500..20_500).contains(&reads), "{reads}");
    let latencies = driven.recorder.histogram("completion_latency").unwrap();
    // An M/D/1 queue at a load of 0.2: mean = service × (1 + ρ ÷ (2 (1 − ρ))) (Pollaczek and Khinchine).
    let expected = 10_000.0 * (1.0 + 0.2 / 1.6);
    assert!((latencies.mean() / expected - 1.0).abs() < 0.02, "{} of {expected}", latencies.mean());
    assert!(driven.workload.unserved(Nanos::from_millis(1000)) < 3);
    assert!(driven.elapsed() < Nanos::from_millis(1001));
}

/// Coordinated omission: a closed loop records a stall of 100 ms as one slow operation among tens of thousands,
/// although a tenth of a second's worth of requests would have waited.
#[test]
fn a_stall_shows_in_the_latencies_of_all_who_waited() {
    let stall = Some((Nanos::from_millis(500), Nanos::from_millis(100)));
    let slow = |changes: &[(&str, &str)]| {
        let driven = drive(&second(changes), stall);
        let latencies = driven.recorder.histogram("completion_latency").unwrap();
        assert!((99_000_000..101_000_000).contains(&latencies.max()), "{}", latencies.max());
        latencies.len() - latencies.count_between(0, 10_000_000)
    };
    assert_eq!(slow(&[]), 1);
    for iodepth in ["1", "64"] {
        // At 20 000/s, 2 000 operations arrive during the stall. The queue then drains at 80 000/s. The last operation
        // that waits arrives 10 ms before the queue is empty; 100 ms ÷ 0.8 × 20 000 = 2 500 operations wait at all.
        let waited = slow(&[("rate_iops", "20000"), ("iodepth", iodepth)]);
        assert!((2100..2400).contains(&waited), "{waited} waited for more than 10 ms");
    }
}

#[test]
fn what_could_not_be_started_is_said() {
    // 250 000 arrive, 100 000 are served.
    let driven = drive(&second(&[("rate_iops", "250000"), ("iodepth", "8")]), None);
    let device = &driven.workload;
    assert!((100_000..100_020).contains(&device.started()), "{}", device.started());
    let due = device.started() + device.unserved(Nanos::from_millis(1000));
    assert!((249_000..251_000).contains(&due), "{due}");
    let longest = driven.recorder.histogram("completion_latency").unwrap().max();
    assert!(longest > 590_000_000, "the last started had waited for 0.6 s, not {longest} ns");

    let limited = second(&[("rate_iops", "250000"), ("number_ios", "100100")]);
    let unserved = drive(&limited, None).workload.unserved(Nanos::from_millis(1000));
    assert!((80..=100).contains(&unserved), "{unserved} of 100 100 were never started");
}

#[test]
fn a_rate_far_below_the_runtime_starts_nothing_late() {
    let p = parameters(&[("rate_iops", "1"), ("runtime", "10ms"), ("number_ios", "0")]);
    let driven = drive(&p, None);
    assert_eq!(driven.workload.started(), 0);
    assert_eq!(driven.elapsed(), Nanos::from_millis(10));
}
