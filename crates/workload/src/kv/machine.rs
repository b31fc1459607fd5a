//! One thread's operations in one phase.

use super::keys::{Keys, Stripe, mix};
use super::mix::Step;
use super::parameters::{PARAMETERS, Parameters};
use super::phase::Phase;
use super::values::Values;
use crate::arrivals::Arrivals;
use crate::mix::Mix;
use crate::popularity::{Chosen, Ranks, below};
use driver::{Next, Recorder, Workload};
use model::kv::{ANY_LENGTH, NOT_FOUND};
use model::{Completion, Key, KvKind, KvOp, Nanos};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// One thread in one phase, with one operation in flight, as in a server that calls its storage engine; gets of single
/// keys may be several, which the engine is handed at once. In an open loop the latency of a late operation counts from
/// when it was due.
#[derive(Clone, Debug)]
pub struct KvPhase {
    phase: Phase,
    /// Whether it puts while others read.
    is_writer: bool,
    keys: Keys,
    values: Values,
    stripe: Stripe,
    /// Keys that are loaded.
    loaded: u64,
    ranks: Ranks,
    mix: Mix<Step>,
    /// Keys that this thread inserted, and how many of them, the oldest first, it took away.
    inserted: u64,
    deleted: u64,
    /// The key that the next operation changes, because this one read it.
    to_change: Option<Key>,
    value_size: u32,
    scan_length: u32,
    /// Operations that are emitted at once.
    batch: u64,
    operations_max: u64,
    runtime: Nanos,
    random: Xoshiro256PlusPlus,
    /// `None` in a closed loop.
    arrivals: Option<Arrivals>,
    /// The operations in flight: their kind, and when they were due.
    kind: KvKind,
    intended: Nanos,
    started: u64,
    completed: u64,
    entries_scanned: u64,
    unexpected: u64,
}

impl KvPhase {
    /// Thread number `thread` in a phase, below [`Parameters::threads_of`]. The same seed gives the same operations;
    /// each thread and phase of one seed draws from its own stream.
    pub fn new(parameters: &Parameters, phase: Phase, thread: u32, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(mix(seed ^ mix(phase as u64 + 1)));
        for _ in 0..thread {
            random.long_jump();
        }
        let mut arrivals = random.clone();
        arrivals.jump();
        let is_writer = phase == Phase::ReadWhileWriting && thread >= parameters.threads;
        // A writer loads and inserts nothing: it needs no share of its own.
        let stripe = parameters.stripe(thread % parameters.threads);
        let (operations_max, runtime, rate) = if phase.is_limited() {
            let is_counted = parameters.reads > 0 && phase.ends_by_reads();
            let reads = if is_counted { stripe.count(parameters.reads) } else { u64::MAX };
            let rate = if is_writer { parameters.writer_rate_ops } else { parameters.rate_ops };
            (reads, parameters.phase_runtime, rate)
        } else {
            (stripe.count(parameters.keys), Nanos::ZERO, None)
        };
        Self {
            phase,
            is_writer,
            keys: parameters.key_stream(seed),
            values: parameters.value_ranges(),
            stripe,
            loaded: parameters.keys,
            ranks: Ranks::new(parameters.popularity, parameters.zipf_theta, parameters.keys),
            mix: Mix::new(&parameters.mix, Step::from_name),
            inserted: 0,
            deleted: 0,
            to_change: None,
            value_size: parameters.value_size,
            scan_length: parameters.scan_length,
            batch: if phase.reads_single_keys() { u64::from(parameters.iodepth) } else { 1 },
            operations_max,
            runtime,
            random,
            arrivals: rate.map(|rate| Arrivals::new(rate as f64, arrivals)),
            kind: KvKind::Get,
            intended: Nanos::ZERO,
            started: 0,
            completed: 0,
            entries_scanned: 0,
            unexpected: 0,
        }
    }

    /// Which phase it is.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    pub fn operations(&self) -> u64 {
        self.completed
    }

    /// The parameter that sets the rate of its operations.
    pub fn rate_parameter(&self) -> &'static str {
        if self.is_writer { PARAMETERS.writer_rate_ops.name() } else { PARAMETERS.rate_ops.name() }
    }

    /// Entries that scans have read.
    pub fn entries_scanned(&self) -> u64 {
        self.entries_scanned
    }

    /// Operations whose result contradicts the load: a loaded key that was not found, another key that was found, a
    /// scan that missed the key at its start.
    pub fn unexpected(&self) -> u64 {
        self.unexpected
    }

    /// For an open loop, the number of operations that were due when the runtime ended and had not started, because the
    /// engine did not keep up with the rate. The first of them is known, the others are expected. 0 for a closed loop.
    pub fn unserved(&self, runtime: Nanos) -> u64 {
        Arrivals::unserved(self.arrivals.as_ref(), runtime, self.operations_max - self.started)
    }

    fn is_over(&self, now: Nanos) -> bool {
        self.started >= self.operations_max || (self.runtime > Nanos::ZERO && now >= self.runtime)
    }

    /// A key that is there.
    #[inline]
    fn present_key(&mut self) -> Key {
        match self.ranks.choose(self.inserted - self.deleted, &mut self.random) {
            Chosen::Loaded(index) => self.keys.key(index),
            Chosen::Inserted(newer) => self.inserted_key(self.inserted - 1 - newer),
        }
    }

    /// A key that was loaded: nothing takes one away.
    #[inline]
    fn loaded_key(&mut self) -> Key {
        match self.ranks.choose(0, &mut self.random) {
            Chosen::Loaded(index) | Chosen::Inserted(index) => self.keys.key(index),
        }
    }

    /// The key that this thread inserted as its `number`-th. Indices from [`Self::loaded`] to twice that are those of
    /// keys that are never there.
    #[inline]
    fn inserted_key(&self, number: u64) -> Key {
        self.keys.key(2 * self.loaded + self.stripe.index(number))
    }

    #[inline]
    fn next_operation(&mut self) -> KvOp {
        match self.phase {
            Phase::Load => {
                let index = self.stripe.index(self.started);
                KvOp::put(0, self.keys.key(index), self.values.range(index))
            }
            Phase::ReadWhileWriting if self.is_writer => {
                let key = self.loaded_key();
                self.put(key)
            }
            Phase::ReadHit | Phase::ReadWhileWriting => KvOp::get(0, self.loaded_key(), self.value_size),
            Phase::ReadMiss => {
                let index = self.loaded + below(self.loaded, &mut self.random);
                KvOp::get(0, self.keys.key(index), ANY_LENGTH)
            }
            Phase::Mixed => match self.to_change.take() {
                Some(key) => self.put(key),
                None => self.next_of_mix(),
            },
            Phase::Scan => KvOp::scan(0, self.loaded_key(), self.scan_length),
        }
    }

    #[inline]
    fn next_of_mix(&mut self) -> KvOp {
        match self.mix.draw(&mut self.random) {
            Step::Get => KvOp::get(0, self.present_key(), self.value_size),
            Step::Put => {
                let key = self.loaded_key();
                self.put(key)
            }
            Step::ReadModifyWrite => {
                let key = self.loaded_key();
                self.to_change = Some(key);
                KvOp::get(0, key, self.value_size)
            }
            Step::Delete if self.deleted < self.inserted => {
                self.deleted += 1;
                KvOp::delete(0, self.inserted_key(self.deleted - 1))
            }
            // The first deletes have nothing to take away.
            Step::Insert | Step::Delete => {
                self.inserted += 1;
                self.put(self.inserted_key(self.inserted - 1))
            }
            Step::Scan => KvOp::scan(0, self.loaded_key(), self.scan_length),
        }
    }

    #[inline]
    fn put(&self, key: Key) -> KvOp {
        KvOp::put(0, key, self.values.range(self.started))
    }

    /// Whether a result agrees with the load.
    #[inline]
    fn is_expected(&self, result: i32) -> bool {
        match (self.kind, self.phase) {
            (KvKind::Get, Phase::ReadMiss) => result == NOT_FOUND,
            (KvKind::Get, _) => result != NOT_FOUND,
            (KvKind::Scan, _) => result > 0,
            (KvKind::Put | KvKind::Delete | KvKind::Sync, _) => true,
        }
    }
}

impl Workload for KvPhase {
    type Op = KvOp;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<KvOp>) -> Next {
        if self.started > self.completed {
            return Next::Wait;
        }
        if self.is_over(now) {
            return Next::Done;
        }
        self.intended = match &mut self.arrivals {
            None => now,
            Some(arrivals) if arrivals.next() <= now => arrivals.take(),
            Some(arrivals) => {
                let end = if self.runtime > Nanos::ZERO { self.runtime } else { Nanos(u64::MAX) };
                return Next::At(arrivals.next().min(end));
            }
        };
        for id in 0..self.batch.min(self.operations_max - self.started) {
            let operation = KvOp { id: id as u32, ..self.next_operation() };
            self.kind = operation.kind;
            self.started += 1;
            out.push(operation);
        }
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let began = if self.arrivals.is_some() { self.intended } else { completion.began() };
        recorder.latency(usize::from(self.is_writer), began, completion.ended());
        self.completed += 1;
        self.unexpected += u64::from(!self.is_expected(completion.result));
        if self.kind == KvKind::Scan {
            self.entries_scanned += completion.result.max(0) as u64;
        }
    }

    fn in_flight_max(&self) -> usize {
        self.batch as usize
    }

    fn families(&self) -> &'static [&'static str] {
        self.phase.families()
    }
}
