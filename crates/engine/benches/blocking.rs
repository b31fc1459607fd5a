//! What the loop around an engine costs: the no-op engine through driver, [`Blocking`] and histograms; as the floor,
//! the same engine called in a bare loop, and the one read of the clock that every stamped operation takes.
//!
//! Target: under 60 ns per operation and thread.

use driver::{Clock, Driver, MonotonicClock, Next, Recorder, Workload};
use engine::adapter::{Noop, open};
use engine::{AnyEngine, Blocking, Engine, EngineKind, Options};
use model::{Completion, Key, KvOp, Nanos, ValueRange};
use std::hint::black_box;
use std::time::Instant;

const NANOS_PER_OPERATION_MAX: f64 = 60.0;
const OPERATIONS: u64 = 4_000_000;
const REPETITIONS: usize = 7;
const VALUE_BYTES: u32 = 100;

/// Puts and gets of keys that follow each other, at a fixed depth, as cheap as a workload can be.
struct Alternate {
    depth: u32,
    idle: Vec<u32>,
    emitted: u64,
}

impl Workload for Alternate {
    type Op = KvOp;

    #[inline]
    fn poll(&mut self, _now: Nanos, out: &mut Vec<KvOp>) -> Next {
        while self.emitted < OPERATIONS
            && let Some(id) = self.idle.pop()
        {
            self.emitted += 1;
            let key = Key::new(&self.emitted.to_be_bytes()).expect("eight bytes");
            out.push(if self.emitted.is_multiple_of(2) {
                KvOp::put(id, key, ValueRange { offset: 0, length: VALUE_BYTES })
            } else {
                KvOp::get(id, key, VALUE_BYTES)
            });
        }
        if self.idle.len() == self.depth as usize && out.is_empty() { Next::Done } else { Next::Wait }
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        self.idle.push(completion.id);
        recorder.latency(0, completion.began(), completion.ended());
    }

    fn in_flight_max(&self) -> usize {
        self.depth as usize
    }

    fn families(&self) -> &'static [&'static str] {
        &["operation"]
    }
}

/// Nanoseconds per operation through the driver.
fn drive<E: Engine>(engine: &E, depth: u32) -> f64 {
    let payload = [0; VALUE_BYTES as usize];
    let clock = MonotonicClock::start();
    let backend = Blocking::new(engine, &payload, clock, depth as usize).expect("exact timers");
    let workload = Alternate { depth, idle: (0..depth).collect(), emitted: 0 };
    let driven = Driver::new(workload, backend, clock).run().expect("noop never fails");
    assert_eq!(driven.operations, OPERATIONS);
    driven.ns_per_operation()
}

/// Nanoseconds per operation of a bare loop over the same engine.
fn bare(engine: &AnyEngine) -> f64 {
    let (payload, mut value) = ([0; VALUE_BYTES as usize], Vec::new());
    let began = Instant::now();
    for index in 0..OPERATIONS {
        let key = index.to_be_bytes();
        if index % 2 == 0 {
            engine.put(black_box(&key), black_box(&payload)).expect("noop never fails");
        } else {
            black_box(engine.get(black_box(&key), &mut value).expect("noop never fails"));
        }
    }
    began.elapsed().as_nanos() as f64 / OPERATIONS as f64
}

/// Nanoseconds per read of the clock: what a machine's time source costs, the loop pays.
fn clock_read() -> f64 {
    let clock = MonotonicClock::start();
    let began = Instant::now();
    for _ in 0..OPERATIONS {
        black_box(clock.now());
    }
    began.elapsed().as_nanos() as f64 / OPERATIONS as f64
}

fn best(measure: impl Fn() -> f64) -> f64 {
    (0..REPETITIONS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let noop: Noop = open(&Options::new("")).expect("noop always opens");
    let any = EngineKind::Noop.open(&Options::new("")).expect("noop always opens");
    println!("no-op engine, puts and gets, one thread: nanoseconds per operation (best of {REPETITIONS})");
    println!("  bare loop:                {:6.1} ns", best(|| bare(&any)));
    println!("  one clock read:           {:6.1} ns", best(clock_read));
    let mut ok = true;
    for depth in [1, 8] {
        for (name, nanos) in
            [("noop", best(|| drive(&noop, depth))), ("any engine", best(|| drive(&any, depth)))]
        {
            let met = nanos < NANOS_PER_OPERATION_MAX;
            ok &= met;
            let verdict = if met { "ok" } else { "MISSED" };
            println!(
                "  depth {depth}, {name:10}:      {nanos:6.1} ns  (< {NANOS_PER_OPERATION_MAX} ns: {verdict})"
            );
        }
    }
    assert!(ok, "a target was missed");
}
