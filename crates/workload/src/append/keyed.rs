//! Entries into a key-value engine.

use super::parameters::Parameters;
use super::{APPEND_LATENCY, Appender, FAMILIES};
use crate::kv::keys::{Keys, Stripe};
use crate::kv::values::Values;
use driver::{Next, Recorder, Workload};
use model::{Completion, KvOp, Nanos};

/// One thread that puts entries into an engine; each put starts when the previous one has returned.
#[derive(Clone, Debug)]
pub struct Keyed {
    keys: Keys,
    values: Values,
    stripe: Stripe,
    entry_bytes: u64,
    runtime: Nanos,
    entries_max: u64,
    started: u64,
    acknowledged: u64,
}

impl Keyed {
    /// Thread number `thread` of this configuration. Its entry number `n` has index [`Parameters::stripe`]`.index(n)`.
    /// The index determines the key and the value.
    pub fn new(parameters: &Parameters, thread: u32, seed: u64) -> Self {
        let stripe = parameters.stripe(thread);
        Self {
            keys: parameters.keys(seed),
            values: parameters.value_ranges(),
            stripe,
            entry_bytes: u64::from(parameters.entry_bytes()),
            runtime: parameters.runtime,
            entries_max: stripe.count(parameters.entries_max()),
            started: 0,
            acknowledged: 0,
        }
    }

    /// The put that writes entry number `number` of this thread.
    #[inline]
    pub fn put(&self, number: u64) -> KvOp {
        let index = self.stripe.index(number);
        KvOp::put(0, self.keys.key(index), self.values.range(index))
    }
}

impl Workload for Keyed {
    type Op = KvOp;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<KvOp>) -> Next {
        if self.started > self.acknowledged {
            return Next::Wait;
        }
        if self.started >= self.entries_max || (self.runtime > Nanos::ZERO && now >= self.runtime) {
            return Next::Done;
        }
        out.push(self.put(self.started));
        self.started += 1;
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(APPEND_LATENCY, completion.began(), completion.ended());
        self.acknowledged += 1;
    }

    fn in_flight_max(&self) -> usize {
        1
    }

    fn families(&self) -> &'static [&'static str] {
        &FAMILIES[..1]
    }
}

impl Appender for Keyed {
    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    fn acknowledged_bytes(&self) -> u64 {
        self.acknowledged * self.entry_bytes
    }

    /// The bytes given to the engine. Only the engine knows how many of them it has written.
    fn written_bytes(&self) -> u64 {
        self.acknowledged_bytes()
    }
}
