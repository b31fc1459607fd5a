//! The state machines against subjects that complete operations in any order.

mod metrics;
mod parameters;

use super::*;
use driver::{Next, Recorder};
use model::{BlockKind, BlockOp, Completion, Nanos, Stamps};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

fn configuration(changes: &[(&str, &str)]) -> model::Configuration {
    crate::configured::configured(&SCHEMA, &[&[("entries", "50")][..], changes].concat())
}

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    let configuration = configuration(changes);
    (SCHEMA.check)(&configuration).unwrap();
    Parameters::read(&configuration).unwrap()
}

/// What a writer did; every invariant was checked meanwhile.
struct Observed {
    operations: Vec<BlockOp>,
    raw: Raw,
    recorder: Recorder,
    /// The file's content when all writes have completed.
    file: Vec<u8>,
}

impl Observed {
    fn kinds(&self) -> Vec<BlockKind> {
        self.operations.iter().map(|operation| operation.kind).collect()
    }

    fn count(&self, family: &str) -> u64 {
        self.recorder.histogram(family).unwrap().len()
    }
}

fn payload(p: &Parameters) -> Vec<u8> {
    let mut payload = vec![0; p.payload_bytes()];
    p.fill(1, &mut payload);
    payload
}

/// The number of correct entries at the start of the file.
fn intact(p: &Parameters, payload: &[u8], file: &[u8]) -> u64 {
    (0..u64::MAX)
        .take_while(|index| {
            let (offset, range) = p.file_entry(*index);
            let end = offset as usize + range.len();
            file.get(offset as usize..end) == Some(&payload[range])
        })
        .count() as u64
}

/// The writer of a configuration for a file.
fn raw_of(p: &Parameters) -> Raw {
    Raw::new(p.clone(), p.file().expect("a file"))
}

/// Runs a writer to its end, one operation a microsecond; `order` chooses which operation in flight completes next.
fn observe(p: &Parameters, mut order: impl FnMut(usize) -> usize) -> Observed {
    let (acknowledged, written_bytes) = (AtomicU64::new(9), AtomicU64::new(9));
    let progress = Progress { acknowledged: &acknowledged, written_bytes: &written_bytes };
    let mut writer = Published::new(raw_of(p), progress);
    let mut recorder = Recorder::new(writer.families());
    let payload = payload(p);
    let (mut now, mut operations, mut file) = (0, Vec::new(), Vec::new());
    let mut in_flight: Vec<BlockOp> = Vec::new();
    let mut written = 0;
    loop {
        let before = in_flight.len();
        let next = writer.poll(Nanos(now), &mut in_flight);
        let ids: BTreeSet<u32> = in_flight.iter().map(|operation| operation.id).collect();
        assert!(ids.len() == in_flight.len() && ids.iter().all(|id| (*id as usize) < p.in_flight_max()));
        let syncs = in_flight.iter().filter(|operation| !operation.kind.moves_data()).count();
        assert!(syncs == 0 || in_flight.len() == 1, "a write beside a sync");
        let time_left = p.runtime == Nanos::ZERO || Nanos(now) < p.runtime;
        assert!(time_left || in_flight[before..].iter().all(|operation| !operation.kind.moves_data()));
        operations.extend_from_slice(&in_flight[before..]);
        assert_eq!(acknowledged.load(Ordering::Relaxed), writer.acknowledged());
        if in_flight.is_empty() {
            assert_eq!(next, Next::Done, "nothing in flight and not done: stuck");
            break;
        }
        now += 1000;
        let done = in_flight.remove(order(in_flight.len()));
        if done.kind.moves_data() {
            let (begin, length) = (done.offset as usize, done.length as usize);
            file.resize(file.len().max(begin + length), 0);
            file[begin..begin + length].copy_from_slice(&payload[done.buffer as usize..][..length]);
            written += u64::from(done.length);
        }
        let stamps = Some(Stamps { began: Nanos(now - 1000), ended: Nanos(now) });
        writer.complete(&Completion { id: done.id, result: done.length as i32, stamps }, &mut recorder);
        assert_eq!(written_bytes.load(Ordering::Relaxed), writer.written_bytes());
        assert!(writer.written_bytes() <= written, "told as written before it was");
        if p.buffer_size == 0 {
            assert!(writer.acknowledged_bytes() <= writer.written_bytes());
            assert!(writer.acknowledged() <= intact(p, &payload, &file), "acknowledged and not there");
        }
    }
    let raw = writer.into_workload();
    Observed { operations, raw, recorder, file }
}

fn observe_in_order(changes: &[(&str, &str)]) -> (Parameters, Observed) {
    let p = parameters(changes);
    let seen = observe(&p, |_| 0);
    (p, seen)
}

#[test]
fn every_entry_is_a_write_behind_the_one_before() {
    let (p, seen) = observe_in_order(&[]);
    let expected: Vec<(u64, u32)> = (0..50).map(|entry| (entry * 116, 116)).collect();
    let moved: Vec<(u64, u32)> = seen.operations.iter().map(|write| (write.offset, write.length)).collect();
    assert_eq!(moved, expected);
    assert_eq!(
        (seen.raw.acknowledged(), seen.raw.written_bytes(), seen.count("append_latency")),
        (50, 5800, 50)
    );
    assert_eq!(intact(&p, &payload(&p), &seen.file), 50);
    assert_eq!((seen.count("write_latency"), seen.count("sync_latency")), (0, 0));
}

#[test]
fn an_entry_is_its_key_and_its_value() {
    let (p, seen) = observe_in_order(&[("key_order", "random"), ("key_size", "24")]);
    let keys = p.keys(1);
    for (index, entry) in (0..).zip(seen.file.chunks_exact(124)) {
        assert_eq!(&entry[..24], keys.key(index).as_bytes());
    }
    assert_ne!(seen.file[24..124], seen.file[124 + 24..248]);
}

#[test]
fn two_writes_an_entry_leave_the_same_file() {
    let (p, seen) = observe_in_order(&[("writes_per_entry", "2")]);
    let lengths: Vec<u32> = seen.operations.iter().map(|write| write.length).collect();
    assert_eq!(lengths, [16, 100].repeat(50));
    assert_eq!(intact(&p, &payload(&p), &seen.file), 50);
    assert_eq!(seen.count("append_latency"), 50);
}

#[test]
fn a_buffer_acknowledges_what_is_not_written_yet() {
    // 4 KiB hold 35 entries of 116 bytes.
    let p = parameters(&[("buffer_size", "4KiB")]);
    let mut raw = raw_of(&p);
    let (mut out, mut recorder) = (Vec::new(), Recorder::new(raw.families()));
    assert_eq!(raw.poll(Nanos(0), &mut out), Next::Wait);
    assert_eq!((raw.acknowledged(), raw.acknowledged_bytes(), raw.written_bytes()), (35, 4060, 0));
    let stamps = Some(Stamps { began: Nanos(0), ended: Nanos(1000) });
    raw.complete(&Completion { id: out[0].id, result: 4060, stamps }, &mut recorder);
    assert_eq!((raw.acknowledged(), raw.written_bytes()), (35, 4060));

    let seen = observe(&p, |_| 0);
    let lengths: Vec<u32> = seen.operations.iter().map(|write| write.length).collect();
    assert_eq!(lengths, [35 * 116, 15 * 116]);
    assert_eq!(intact(&p, &payload(&p), &seen.file), 50);
    assert_eq!((seen.count("append_latency"), seen.count("write_latency")), (0, 2));
}

/// A buffer that was never filled made the reference of class `none` cheaper than any log can be.
#[test]
fn what_a_buffer_acknowledges_has_been_copied_there() {
    let p = parameters(&[("buffer_size", "4KiB")]);
    let mut raw = raw_of(&p).gathering(1);
    let (mut out, mut recorder) = (Vec::new(), Recorder::new(raw.families()));
    for write in 0..2 {
        raw.poll(Nanos(0), &mut out);
        let operation: BlockOp = out.pop().unwrap();
        let written = &payload(&p)[operation.buffer as usize..][..operation.length as usize];
        assert!(raw.buffered().starts_with(written), "write {write}");
        let stamps = Some(Stamps { began: Nanos(0), ended: Nanos(1000) });
        raw.complete(
            &Completion { id: operation.id, result: operation.length as i32, stamps },
            &mut recorder,
        );
    }
    assert_eq!(raw.acknowledged(), 50);
}

#[test]
fn each_level_writes_and_syncs_in_its_own_way() {
    use BlockKind::{DataSync, FullSync, Write, WriteDsync, WriteSync};
    for (level, sync_every, expected) in [
        ("none", "1", vec![Write; 4]),
        ("default", "1", vec![Write; 4]),
        ("o_dsync", "1", vec![WriteDsync; 4]),
        ("o_sync", "1", vec![WriteSync; 4]),
        ("sync_at_end", "1", vec![Write, Write, Write, Write, FullSync]),
        ("fdatasync", "1", [Write, DataSync].repeat(4)),
        ("fdatasync", "3", vec![Write, Write, Write, DataSync, Write]),
    ] {
        let changes = [("durability", level), ("sync_every", sync_every), ("entries", "4")];
        let (_, seen) = observe_in_order(&changes);
        assert_eq!(seen.kinds(), expected, "{level} {sync_every}");
        assert_eq!((seen.raw.acknowledged(), seen.count("append_latency")), (4, 4));
        let syncs = expected.iter().filter(|kind| !kind.moves_data()).count() as u64;
        assert_eq!(seen.count("sync_latency"), syncs);
    }
}

/// With a sync for every entry, an append takes as long as its write and its sync together, and no acknowledgement
/// comes between.
#[test]
fn an_entry_waits_for_the_sync_that_comes_due_with_it() {
    let mut raw = raw_of(&parameters(&[("durability", "fdatasync"), ("sync_every", "2")]));
    let (mut out, mut recorder) = (Vec::new(), Recorder::new(raw.families()));
    let mut step = |raw: &mut Raw, micros: u64| {
        raw.poll(Nanos(micros * 1000), &mut out);
        let operation: BlockOp = out.pop().unwrap();
        let stamps = Some(Stamps { began: Nanos(micros * 1000), ended: Nanos((micros + 10) * 1000) });
        let result = operation.length as i32;
        raw.complete(&Completion { id: operation.id, result, stamps }, &mut recorder);
        (operation.kind, raw.acknowledged(), raw.written_bytes() / 116)
    };
    assert_eq!(step(&mut raw, 0), (BlockKind::Write, 1, 1));
    assert_eq!(step(&mut raw, 10), (BlockKind::Write, 1, 2));
    assert_eq!(step(&mut raw, 20), (BlockKind::DataSync, 2, 2));
    let append = recorder.histogram("append_latency").unwrap();
    assert!((append.max() as f64 / 20_000.0 - 1.0).abs() < 0.01 && append.min() < 10_100, "{append:?}");
}

#[test]
fn a_limit_in_time_or_space_ends_it() {
    let (_, seen) = observe_in_order(&[("entries", "0"), ("runtime", "1ms")]);
    assert_eq!(seen.raw.acknowledged(), 1000);
    let (_, seen) = observe_in_order(&[("entries", "0"), ("runtime", "1h"), ("size", "1KiB")]);
    assert_eq!((seen.raw.acknowledged(), seen.file.len()), (8, 928));
}

#[test]
fn threads_of_an_engine_share_the_entries_out() {
    let p =
        parameters(&[("engine", "fjall"), ("threads", "3"), ("key_order", "random"), ("value_size", "0")]);
    let mut keys = BTreeSet::new();
    for thread in 0..3 {
        let mut keyed = Keyed::new(&p, thread, 9);
        let (mut out, mut recorder) = (Vec::new(), Recorder::new(keyed.families()));
        while keyed.poll(Nanos(0), &mut out) == Next::Wait {
            assert_eq!(keyed.poll(Nanos(0), &mut out), Next::Wait);
            assert_eq!(out.len(), 1, "one in flight");
            let put = out.remove(0);
            assert_eq!(put, keyed.put(keyed.acknowledged()));
            let index = p.stripe(thread).index(keyed.acknowledged());
            assert_eq!((put.key, put.value), (p.keys(9).key(index), p.value_ranges().range(index)));
            keys.insert(put.key);
            keyed.complete(&Completion { id: 0, result: 0, stamps: None }, &mut recorder);
        }
        assert_eq!(keyed.acknowledged_bytes(), keyed.acknowledged() * 16);
    }
    assert_eq!(keys, (0..50).map(|index| p.keys(9).key(index)).collect());
}

proptest! {
    /// In any order of completions, the acknowledged entries are a prefix that the file holds, and the counts are
    /// exact.
    #[test]
    fn acknowledged_entries_are_there_in_any_order(
        choices in prop::collection::vec(any::<prop::sample::Index>(), 64),
        level in prop::sample::select(FileDurability::NAMES),
        iodepth in 1_u64..20,
        more in 0_u64..20,
        writes_per_entry in 1_u64..3,
        entries in 1_u64..120,
        buffered: bool,
        value_size in 1_u64..3000,
    ) {
        let buffered = buffered && level != "fdatasync" && writes_per_entry == 1;
        let sync_every = if level == "fdatasync" { iodepth + more } else { 1 };
        let p = parameters(&[
            ("durability", level),
            ("ioengine", "uring"),
            ("iodepth", &iodepth.to_string()),
            ("sync_every", &sync_every.to_string()),
            ("writes_per_entry", &writes_per_entry.to_string()),
            ("entries", &entries.to_string()),
            ("value_size", &value_size.to_string()),
            ("buffer_size", if buffered { "4KiB" } else { "0" }),
        ]);
        let mut turn = 0;
        let seen = observe(&p, |in_flight| {
            turn += 1;
            choices[turn % choices.len()].index(in_flight)
        });
        prop_assert_eq!(seen.raw.acknowledged(), entries);
        prop_assert_eq!(seen.raw.written_bytes(), entries * u64::from(p.entry_bytes()));
        prop_assert_eq!(intact(&p, &payload(&p), &seen.file), entries);
        let syncs = match level {
            "fdatasync" => entries / sync_every,
            "sync_at_end" => 1,
            _ => 0,
        };
        prop_assert_eq!(seen.count("sync_latency"), syncs);
    }
}
