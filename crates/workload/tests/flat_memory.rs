//! A load of many keys takes the memory of a load of few: keys are computed, latencies counted, and nothing is kept of
//! an operation that has ended. Alone in its process, whose memory it measures.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use driver::{Backend, Driver, MonotonicClock};
use model::kv::NOT_FOUND;
use model::{Completion, KvKind, KvOp, Nanos};
use std::{fs, io};
use workload::kv::{KvPhase, Parameters, Phase, SCHEMA};

const FEW: u64 = 100_000;
const MANY: u64 = 1_100_000;
/// Less than a byte for each key more.
const GROWTH_BYTES_MAX: u64 = 512 << 10;

/// An engine that forgets what it is given.
#[derive(Default)]
struct Forgetful {
    completed: Vec<Completion>,
}

impl Backend for Forgetful {
    type Op = KvOp;

    fn submit(&mut self, operations: &[KvOp]) -> io::Result<usize> {
        let completed = operations.iter().map(|operation| {
            let result = match operation.kind {
                KvKind::Put => operation.value.length as i32,
                KvKind::Get => NOT_FOUND,
                KvKind::Delete | KvKind::Scan | KvKind::Sync => 0,
            };
            Completion { id: operation.id, result, stamps: None }
        });
        self.completed.extend(completed);
        Ok(operations.len())
    }

    fn reap(&mut self, _: usize, _: Option<Nanos>, out: &mut Vec<Completion>) -> io::Result<()> {
        out.append(&mut self.completed);
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

/// Loads this many keys, then reads as many.
fn drive(keys: u64) {
    let mut configuration = SCHEMA.defaults();
    for (name, level) in [("keys", keys), ("reads", keys), ("phase_runtime", 0)] {
        let level = if name == "phase_runtime" { "0s".to_owned() } else { level.to_string() };
        let value = SCHEMA.parameter(name).unwrap().parse(&level).unwrap();
        configuration.0.insert(name.to_owned(), value);
    }
    let parameters = Parameters::read(&configuration).unwrap();
    for phase in [Phase::Load, Phase::ReadMiss] {
        let machine = KvPhase::new(&parameters, phase, 0, 7);
        let driven = Driver::new(machine, Forgetful::default(), MonotonicClock::start()).run().unwrap();
        assert_eq!((driven.operations, driven.workload.unexpected()), (keys, 0));
    }
}

/// The most that this process has had resident, proc(5).
fn resident_bytes_max() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kibibytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kibibytes << 10
}

#[test]
fn eleven_times_the_keys_take_the_same_memory() {
    drive(FEW);
    let few = resident_bytes_max();
    drive(MANY);
    let growth = resident_bytes_max() - few;
    assert!(growth < GROWTH_BYTES_MAX, "{growth} bytes more for {MANY} keys than for {FEW}");
}
