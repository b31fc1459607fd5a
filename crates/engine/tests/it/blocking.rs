//! The backend of all engines under the driver's loop.

use driver::{Backend, DriveError, Driver, MonotonicClock, Next, Recorder, Workload, run_team};
use engine::adapter::{Memory, Noop, open};
use engine::{Blocking, Engine, EngineError, OperationFailed, Options, Stats};
use model::kv::{ANY_LENGTH, NOT_FOUND};
use model::mechanism::Measured;
use model::{Completion, Key, KvOp, Nanos, ValueRange};
use std::error::Error as _;

/// Emits these operations `depth` at a time and keeps what became of them.
struct Script {
    operations: Vec<KvOp>,
    next: usize,
    depth: usize,
    in_flight: usize,
    completions: Vec<Completion>,
}

impl Script {
    fn new(depth: usize, operations: Vec<KvOp>) -> Self {
        Self { operations, next: 0, depth, in_flight: 0, completions: Vec::new() }
    }
}

impl Workload for Script {
    type Op = KvOp;

    fn poll(&mut self, _now: Nanos, out: &mut Vec<KvOp>) -> Next {
        // A batch at a time: ids are places in it.
        if self.in_flight == 0 {
            while self.next < self.operations.len() && self.in_flight < self.depth {
                out.push(KvOp { id: self.in_flight as u32, ..self.operations[self.next] });
                self.next += 1;
                self.in_flight += 1;
            }
        }
        if self.in_flight == 0 { Next::Done } else { Next::Wait }
    }

    fn complete(&mut self, completion: &Completion, _recorder: &mut Recorder) {
        self.in_flight -= 1;
        self.completions.push(*completion);
    }

    fn in_flight_max(&self) -> usize {
        self.depth
    }

    fn families(&self) -> &'static [&'static str] {
        &[]
    }
}

fn key(text: &str) -> Key {
    Key::new(text.as_bytes()).unwrap()
}

fn put(name: &str, offset: u32, length: u32) -> KvOp {
    KvOp::put(0, key(name), ValueRange { offset, length })
}

fn drive<E: Engine>(engine: &E, depth: usize, operations: Vec<KvOp>) -> Result<Script, DriveError> {
    let payload: Vec<u8> = (0..=255).collect();
    let clock = MonotonicClock::start();
    let backend = Blocking::new(engine, &payload, clock, depth).unwrap();
    Driver::new(Script::new(depth, operations), backend, clock).run().map(|driven| driven.workload)
}

#[test]
fn results_tell_hits_misses_and_entries() {
    for depth in [1, 3, 8] {
        let engine: Memory = open(&Options::new("")).unwrap();
        let operations = vec![
            put("a", 10, 100),
            put("b", 0, 0),
            KvOp::get(0, key("a"), 100),
            KvOp::get(0, key("b"), 0),
            KvOp::get(0, key("c"), 100),
            KvOp::scan(0, Key::first(), 10),
            KvOp::delete(0, key("a")),
            KvOp::sync(0),
            KvOp::get(0, key("a"), ANY_LENGTH),
            KvOp::scan(0, Key::first(), 10),
        ];
        let script = drive(&engine, depth, operations).unwrap();
        let results: Vec<i32> = script.completions.iter().map(|completion| completion.result).collect();
        assert_eq!(results, [100, 0, 100, 0, NOT_FOUND, 2, 0, 0, NOT_FOUND, 1], "depth {depth}");
    }
}

#[test]
fn a_put_writes_its_range_of_the_payload() {
    let engine: Memory = open(&Options::new("")).unwrap();
    drive(&engine, 1, vec![put("a", 10, 5)]).unwrap();
    let mut value = Vec::new();
    assert!(engine.get(b"a", &mut value).unwrap());
    assert_eq!(value, [10, 11, 12, 13, 14]);
}

#[test]
fn a_put_beyond_the_payload_ends_the_trial() {
    let engine: Memory = open(&Options::new("")).unwrap();
    for operation in [put("a", 250, 10), put("a", u32::MAX, u32::MAX)] {
        let error = drive(&engine, 1, vec![operation]).err().unwrap();
        assert!(error.to_string().contains("not inside the payload"), "{error}");
    }
}

#[test]
fn a_value_of_another_length_ends_the_trial() {
    let engine: Memory = open(&Options::new("")).unwrap();
    let error = drive(&engine, 1, vec![put("a", 0, 99), KvOp::get(0, key("a"), 100)]).err().unwrap();
    assert_eq!(error.to_string(), "get of key 0x61: moved 99 of 100 bytes");
}

#[test]
fn each_operation_of_a_batch_begins_where_the_one_before_it_ended() {
    let engine: Noop = open(&Options::new("")).unwrap();
    let script = drive(&engine, 5, vec![KvOp::sync(0); 5]).unwrap();
    let stamps: Vec<_> = script.completions.iter().map(|completion| completion.stamps.unwrap()).collect();
    assert!(stamps.windows(2).all(|pair| pair[0].ended == pair[1].began), "{stamps:?}");
}

/// Fails on every write.
struct Full;

impl Engine for Full {
    fn put(&self, _key: &[u8], _value: &[u8]) -> Result<(), EngineError> {
        let source = "No space left on device while appending to 000004.log".into();
        Err(EngineError::Failed { engine: "full", operation: "put", source })
    }
    fn get(&self, _key: &[u8], _value: &mut Vec<u8>) -> Result<bool, EngineError> {
        Ok(false)
    }
    fn delete(&self, _key: &[u8]) -> Result<(), EngineError> {
        Ok(())
    }
    fn scan(
        &self,
        _start: &[u8],
        _limit: usize,
        _sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        Ok(0)
    }
    fn sync(&self) -> Result<(), EngineError> {
        Ok(())
    }
    fn drain(&self) -> Result<Measured<f64>, EngineError> {
        Ok(Measured::Value(0.0))
    }
    fn stats(&self) -> Stats {
        unreachable!("nobody asks")
    }
    fn close(self) -> Result<(), EngineError> {
        Ok(())
    }
}

#[test]
fn an_engines_own_message_reaches_the_record() {
    let error = drive(&Full, 1, vec![put("a", 0, 16)]).err().unwrap();
    let expected = "backend: put of 16 bytes at key 0x61: full: put: No space left on device while appending to 000004.log";
    assert_eq!(error.to_string(), expected);
    let DriveError::Backend(error) = error else { unreachable!("{error}") };
    let failed = error.get_ref().unwrap().downcast_ref::<OperationFailed>().unwrap();
    assert_eq!(failed.operation.value.length, 16);
    assert!(failed.source().is_some());
}

#[test]
fn a_team_shares_one_engine() {
    let engine: Memory = open(&Options::new("")).unwrap();
    let clock = MonotonicClock::start();
    let scripts = (0..3).map(|member| {
        let operations = (0..100).map(|index| put(&format!("{member} {index}"), 0, 10)).collect();
        Script::new(4, operations)
    });
    let begin = |_: usize, _: &Script| Ok((Blocking::new(&engine, &[0; 10], clock, 4)?, ()));
    let (driven, _) = run_team(scripts.collect(), &clock, begin, |()| (), None).unwrap();
    assert_eq!(driven.operations, 300);
    assert_eq!(engine.scan(&[0], 1000, |_, _| ()).unwrap(), 300);
}

#[test]
fn what_a_deadline_leaves_is_performed_by_the_next_call() {
    let clock = MonotonicClock::start();
    let mut backend = Blocking::new(&Noop, &[], clock, 3).unwrap();
    let operations: Vec<KvOp> = (0..3).map(KvOp::sync).collect();
    assert_eq!(backend.submit(&operations).unwrap(), 3);
    assert_eq!(backend.submit(&operations).unwrap(), 0, "no more than are ever in flight");
    let mut out = Vec::new();
    backend.reap(1, Some(Nanos::ZERO), &mut out).unwrap();
    assert_eq!(out.len(), 1);
    assert_eq!(backend.submit(&[KvOp::sync(0)]).unwrap(), 1);
    backend.reap(1, None, &mut out).unwrap();
    assert_eq!(out.iter().map(|completion| completion.id).collect::<Vec<_>>(), [0, 1, 2, 0]);
    assert!(out.iter().all(|completion| completion.stamps.is_some()));
}

#[test]
fn waiting_for_nothing_is_an_error_and_waiting_for_a_deadline_is_not() {
    let clock = MonotonicClock::start();
    let mut backend = Blocking::new(&Noop, &[], clock, 1).unwrap();
    let mut out = Vec::new();
    assert!(backend.reap(1, None, &mut out).is_err());
    let deadline = driver::Clock::now(&clock) + Nanos::from_millis(2);
    backend.reap(0, Some(deadline), &mut out).unwrap();
    assert!(driver::Clock::now(&clock) >= deadline);
    assert!(out.is_empty());
}
