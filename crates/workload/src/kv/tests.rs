//! The phases against a sorted map.

mod metrics;

use super::values::PAYLOAD_BYTES_MIN;
use super::*;
use crate::Popularity;
use driver::{Next, Recorder, Workload};
use model::kv::NOT_FOUND;
use model::{Completion, IoMode, Key, KvKind, KvOp, Nanos, Stamps, ValueRange};
use std::collections::{BTreeMap, BTreeSet};

fn configuration(changes: &[(&str, &str)]) -> model::Configuration {
    crate::configured::configured(
        &SCHEMA,
        &[&[("keys", "100"), ("reads", "200"), ("phase_runtime", "0s")][..], changes].concat(),
    )
}

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    let configuration = configuration(changes);
    (SCHEMA.check)(&configuration).unwrap();
    Parameters::read(&configuration).unwrap()
}

type Map = BTreeMap<Key, ValueRange>;

fn perform(map: &mut Map, operation: &KvOp) -> i32 {
    match operation.kind {
        KvKind::Put => {
            map.insert(operation.key, operation.value);
            operation.value.length as i32
        }
        KvKind::Get => map.get(&operation.key).map_or(NOT_FOUND, |value| value.length as i32),
        KvKind::Scan => map.range(operation.key..).take(operation.limit as usize).count() as i32,
        KvKind::Delete => {
            assert!(map.remove(&operation.key).is_some(), "{operation} takes nothing away");
            0
        }
        KvKind::Sync => panic!("no phase has {operation}"),
    }
}

/// What a thread did.
struct Observed {
    operations: Vec<KvOp>,
    machine: KvPhase,
    recorder: Recorder,
    ended: Nanos,
}

/// Runs one thread of a phase to its end, one operation a microsecond.
fn observe(p: &Parameters, phase: Phase, thread: u32, map: &mut Map) -> Observed {
    let mut machine = KvPhase::new(p, phase, thread, 5);
    let (mut recorder, mut operations) = (Recorder::new(machine.families()), Vec::new());
    let (mut now, mut out) = (0, Vec::new());
    loop {
        match machine.poll(Nanos(now), &mut out) {
            Next::Done => break,
            Next::At(at) => {
                assert!(out.is_empty() && at.0 > now);
                now = at.0;
                continue;
            }
            Next::Wait => {}
        }
        let batch = out.len();
        assert!(batch > 0 && batch <= machine.in_flight_max());
        assert!(machine.poll(Nanos(now), &mut out) == Next::Wait && out.len() == batch);
        now += 1000;
        for (id, operation) in (0..).zip(out.drain(..)) {
            assert_eq!(operation.id, id);
            operations.push(operation);
            let stamps = Some(Stamps { began: Nanos(now - 1000), ended: Nanos(now) });
            machine.complete(&Completion { id, result: perform(map, &operation), stamps }, &mut recorder);
        }
    }
    Observed { operations, machine, recorder, ended: Nanos(now) }
}

fn loaded(p: &Parameters) -> Map {
    let mut map = Map::new();
    for thread in 0..p.threads {
        observe(p, Phase::Load, thread, &mut map);
    }
    map
}

#[test]
fn the_load_puts_every_key_once_whatever_the_threads() {
    for threads in ["1", "3", "7"] {
        let p = parameters(&[("threads", threads)]);
        let map = loaded(&p);
        let keys: BTreeSet<Key> = (0..100).map(|index| p.key_stream(5).key(index)).collect();
        assert_eq!(map.keys().copied().collect::<BTreeSet<_>>(), keys);
        let load = observe(&p, Phase::Load, 0, &mut Map::new());
        assert_eq!(load.operations.len() as u64, p.stripe(0).count(100));
        assert!(load.operations.iter().all(|put| put.kind == KvKind::Put && put.value.length == 100));
        assert!(!load.operations.is_sorted_by_key(|put| put.key), "keys come in random order");
    }
}

#[test]
fn hits_are_there_and_misses_are_not() {
    let p = parameters(&[("reads", "2000")]);
    let mut map = loaded(&p);
    for phase in [Phase::ReadHit, Phase::ReadMiss] {
        let seen = observe(&p, phase, 0, &mut map);
        assert_eq!((seen.machine.operations(), seen.machine.unexpected()), (2000, 0), "{phase:?}");
        let keys: BTreeSet<Key> = seen.operations.iter().map(|get| get.key).collect();
        assert_eq!(keys.len(), 100, "every key is as likely");
        assert!(seen.operations.iter().all(|get| get.kind == KvKind::Get));
        assert_eq!(seen.recorder.histogram(phase.families()[0]).unwrap().len(), 2000);
    }
    let mut half: Map = map.iter().step_by(2).map(|(key, value)| (*key, *value)).collect();
    let seen = observe(&p, Phase::ReadHit, 0, &mut half);
    assert!((800..1200).contains(&seen.machine.unexpected()));
    let misses = Parameters { keys: 50, ..p };
    assert!(observe(&misses, Phase::ReadMiss, 0, &mut map).machine.unexpected() > 0);
}

/// The gets of a batch are those that would have come one by one; the last batch is what is left.
#[test]
fn gets_of_single_keys_come_in_batches() {
    let (one, many) = (parameters(&[("reads", "205")]), parameters(&[("reads", "205"), ("iodepth", "8")]));
    let mut map = loaded(&many);
    for phase in [Phase::ReadHit, Phase::ReadMiss] {
        let keys = |p: &Parameters, map: &mut Map| {
            let seen = observe(p, phase, 0, map);
            assert_eq!(seen.machine.unexpected(), 0);
            (seen.operations.iter().map(|get| get.key).collect::<Vec<_>>(), seen.ended)
        };
        let ((alone, _), (together, ended)) = (keys(&one, &mut map), keys(&many, &mut map));
        assert_eq!(alone, together);
        assert_eq!(ended, Nanos(26_000), "25 batches of 8, then 5");
    }
    for phase in [Phase::Load, Phase::Mixed, Phase::Scan] {
        assert_eq!(KvPhase::new(&many, phase, 0, 5).in_flight_max(), 1, "{phase:?}");
    }
}

#[test]
fn a_mix_is_half_and_half_over_loaded_keys() {
    let p = parameters(&[("reads", "10000")]);
    let mut map = loaded(&p);
    let seen = observe(&p, Phase::Mixed, 0, &mut map);
    let puts = seen.operations.iter().filter(|operation| operation.kind == KvKind::Put).count();
    assert!((4800..5200).contains(&puts), "{puts}");
    assert_eq!((map.len(), seen.machine.unexpected()), (100, 0));
}

/// Two threads beside each other insert, read and take away; what was loaded stays.
#[test]
fn a_mix_of_everything_finds_what_is_there() {
    for popularity in Popularity::NAMES {
        let p = parameters(&[
            ("threads", "2"),
            ("reads", "20000"),
            ("popularity", popularity),
            ("mix", "get/40:put/10:insert/15:read_modify_write/10:delete/15:scan/10"),
        ]);
        let mut map = loaded(&p);
        let before: BTreeSet<Key> = map.keys().copied().collect();
        for thread in [0, 1] {
            let seen = observe(&p, Phase::Mixed, thread, &mut map);
            assert_eq!((seen.machine.operations(), seen.machine.unexpected()), (10_000, 0), "{popularity}");
            let count = |kind: KvKind| seen.operations.iter().filter(|of| of.kind == kind).count();
            let of_new = |put: &&KvOp| put.kind == KvKind::Put && !before.contains(&put.key);
            let inserts = seen.operations.iter().filter(of_new).count();
            assert!((1200..1550).contains(&inserts) && (1200..1550).contains(&count(KvKind::Delete)));
            assert!((800..1050).contains(&count(KvKind::Scan)));
            assert!(seen.machine.entries_scanned() > 0);
        }
        assert!(before.iter().all(|key| map.contains_key(key)), "{popularity}");
        assert!(map.len() > before.len() && map.len() < before.len() + 400, "{popularity}: {}", map.len());
    }
}

#[test]
fn a_read_modify_write_is_a_get_and_a_put_of_its_key() {
    let p = parameters(&[("reads", "1000"), ("mix", "read_modify_write/100")]);
    let seen = observe(&p, Phase::Mixed, 0, &mut loaded(&p));
    for pair in seen.operations.chunks(2) {
        assert_eq!((pair[0].kind, pair[1].kind, pair[0].key), (KvKind::Get, KvKind::Put, pair[1].key));
    }
    assert_eq!(seen.recorder.histogram("mixed_latency").unwrap().len(), 1000);
}

#[test]
fn scans_begin_at_a_key_that_is_there() {
    let p = parameters(&[("scan_length", "7")]);
    let seen = observe(&p, Phase::Scan, 0, &mut loaded(&p));
    assert_eq!((seen.machine.operations(), seen.machine.unexpected()), (200, 0));
    // Scans that start among the last keys reach the end.
    assert!((1200..=1400).contains(&seen.machine.entries_scanned()));
    assert_eq!(observe(&p, Phase::Scan, 0, &mut Map::new()).machine.unexpected(), 200);
}

/// Two readers and two writers: each loaded key keeps a value, and puts do not count as reads.
#[test]
fn writers_put_beside_readers_and_have_figures_of_their_own() {
    let p = parameters(&[
        ("phases", "db_bench"),
        ("threads", "2"),
        ("writers", "2"),
        ("reads", "10"),
        ("phase_runtime", "300us"),
    ]);
    let mut map = loaded(&p);
    assert_eq!((p.threads_of(Phase::ReadHit), p.threads_of(Phase::ReadWhileWriting)), (2, 4));
    let families = Phase::ReadWhileWriting.families();
    let mut keys_of_writers = Vec::new();
    for thread in 0..p.threads_of(Phase::ReadWhileWriting) {
        let is_writer = thread >= 2;
        let seen = observe(&p, Phase::ReadWhileWriting, thread, &mut map);
        let kind = if is_writer { KvKind::Put } else { KvKind::Get };
        assert!(seen.operations.iter().all(|operation| operation.kind == kind), "{thread}");
        assert_eq!((seen.machine.operations(), seen.machine.unexpected()), (300, 0), "the clock ends them");
        let counts = families.iter().map(|family| seen.recorder.completed(family)).collect::<Vec<_>>();
        assert_eq!(counts, if is_writer { [0, 300] } else { [300, 0] });
        if is_writer {
            keys_of_writers.push(seen.operations.iter().map(|put| put.key).collect::<Vec<_>>());
        }
    }
    assert_ne!(keys_of_writers[0], keys_of_writers[1]);
    assert_eq!(map.len(), 100, "nothing is inserted");
}

#[test]
fn writers_have_a_rate_of_their_own() {
    let p = parameters(&[
        ("phases", "db_bench"),
        ("reads", "0"),
        ("phase_runtime", "100ms"),
        ("writer_rate_ops", "20000"),
    ]);
    let mut map = loaded(&p);
    let mut of = |thread| observe(&p, Phase::ReadWhileWriting, thread, &mut map).machine;
    let (reader, writer) = (of(0), of(1));
    assert_eq!((reader.operations(), reader.rate_parameter()), (100_000, "rate_ops"));
    // 2000 arrivals: a standard deviation is 2.2 %.
    assert!((1750..2250).contains(&writer.operations()), "{}", writer.operations());
    assert_eq!(writer.rate_parameter(), "writer_rate_ops");
}

#[test]
fn threads_and_phases_have_streams_of_their_own() {
    let p = parameters(&[("threads", "2")]);
    let mut map = loaded(&p);
    let mut of = |phase, thread| observe(&p, phase, thread, &mut map).operations;
    assert_eq!(of(Phase::ReadHit, 0), of(Phase::ReadHit, 0));
    assert_ne!(of(Phase::ReadHit, 0), of(Phase::ReadHit, 1));
    assert_ne!(
        of(Phase::ReadHit, 0).iter().map(|get| get.key).collect::<Vec<_>>(),
        of(Phase::Scan, 0).iter().map(|scan| scan.key).collect::<Vec<_>>()
    );
    assert_eq!(of(Phase::ReadHit, 0).len() + of(Phase::ReadHit, 1).len(), 200, "reads are of all threads");
}

#[test]
fn the_runtime_ends_a_phase_and_never_the_load() {
    let p = parameters(&[("reads", "0"), ("phase_runtime", "50us")]);
    let mut map = Map::new();
    assert_eq!(observe(&p, Phase::Load, 0, &mut map).machine.operations(), 100);
    assert_eq!(observe(&p, Phase::ReadHit, 0, &mut map).machine.operations(), 50);
}

/// An operation takes a microsecond. At half that rate few operations wait, at twice that rate all do, and the waiting
/// counts.
#[test]
fn an_open_loop_counts_from_the_intended_start() {
    let of = |rate: &str| {
        let p = parameters(&[("reads", "0"), ("phase_runtime", "100ms"), ("rate_ops", rate)]);
        let mut map = loaded(&p);
        observe(&p, Phase::ReadHit, 0, &mut map)
    };
    let mean = |seen: &Observed| seen.recorder.histogram("hit_latency").unwrap().mean();
    let calm = of("500000");
    let served = calm.machine.operations();
    assert!(
        (49_000..51_000).contains(&served) && calm.machine.unserved(Nanos::from_millis(100)) < 20,
        "{served}"
    );
    // M/D/1 at half its capacity: 1 µs of service and 0.5 µs of waiting.
    assert!((mean(&calm) / 1500.0 - 1.0).abs() < 0.05, "{}", mean(&calm));
    let crowded = of("2000000");
    assert!((99_900..=100_000).contains(&crowded.machine.operations()));
    assert!(
        (95_000..105_000).contains(&crowded.machine.unserved(Nanos::from_millis(100))),
        "{}",
        crowded.machine.unserved(Nanos::from_millis(100))
    );
    assert!(mean(&crowded) > 20e6, "{}", mean(&crowded));
    assert!(crowded.ended >= Nanos::from_millis(100));
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_out() {
    for parameter in SCHEMA.all() {
        assert!(parameter.parse(parameter.default).is_ok(), "{}", parameter.name);
    }
    (SCHEMA.check)(&SCHEMA.defaults()).unwrap();
    for (changes, expected) in [
        (&[("reads", "0")][..], "the phases after the load do not end: set phase_runtime or reads"),
        (&[("rate_ops", "0")], "rate_ops = 0 issues no operation: set a rate, or none for a closed loop"),
        (
            &[("phases", "db_bench")],
            "phases = db_bench: reads beside writers end with phase_runtime, so set it",
        ),
        (
            &[("writer_rate_ops", "0")],
            "writer_rate_ops = 0 issues no put: set a rate, or none for a closed loop",
        ),
        (
            &[("keys", "3"), ("threads", "4")],
            "keys = 3 is less than one for each of 4 threads: lower threads",
        ),
        (
            &[("reads", "3"), ("threads", "4")],
            "reads = 3 is less than one for each of 4 threads: lower threads",
        ),
        (
            &[("mix", "get/70:insert/10:delete/20")],
            "mix = get/70:insert/10:delete/20: a delete takes away what an insert put, so give insert at least the \
             share of delete",
        ),
        (
            &[("rate_ops", "5"), ("iodepth", "2")],
            "in an open loop gets arrive one by one: set iodepth = 1, or rate_ops = none",
        ),
    ] {
        let error = (SCHEMA.check)(&configuration(changes)).unwrap_err();
        assert_eq!(error, expected);
    }
}

#[test]
fn zero_is_the_engines_own_default() {
    let p = parameters(&[]);
    assert_eq!(
        (p.cache_bytes(), p.write_buffer_bytes(), p.durability(), p.rate_ops),
        (None, None, None, None)
    );
    assert_eq!((p.io, p.user_bytes()), (IoMode::Buffered, 12_400));
    assert!(p.payload_bytes() as u64 >= PAYLOAD_BYTES_MIN);
    let p = parameters(&[("cache_size", "8MiB"), ("io", "direct"), ("durability", "wal"), ("rate_ops", "7")]);
    assert_eq!((p.cache_bytes(), p.io, p.rate_ops), (Some(8 << 20), IoMode::Direct, Some(7)));
    assert_eq!(p.durability(), Some("wal"));
}
