//! What every engine promises, asked of every engine that is built in, at every durability level if that matters.

use engine::{AnyEngine, Engine, EngineKind, Knob, Options};
use model::mechanism::Measured;
use model::{DurabilityClass, Key};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Every built-in engine that keeps what it is given.
fn engines() -> impl Iterator<Item = EngineKind> {
    EngineKind::BUILT_IN.iter().copied().filter(|kind| *kind != EngineKind::Noop)
}

fn persistent() -> impl Iterator<Item = EngineKind> {
    engines().filter(|kind| kind.is_persistent().unwrap())
}

/// The engine's weakest level: these tests do not depend on it, and the tests are quick.
fn quick(kind: EngineKind, directory: &Path) -> Options {
    Options::new(directory.join("store")).durability(kind.levels().unwrap()[0].name)
}

/// Runs `check` on a fresh store of every engine.
fn each(check: impl Fn(EngineKind, &AnyEngine)) {
    for kind in engines() {
        let directory = tempfile::tempdir().unwrap();
        let engine = kind.open(&quick(kind, directory.path())).unwrap();
        check(kind, &engine);
        engine.close().unwrap();
    }
}

fn get(engine: &AnyEngine, key: &[u8]) -> Option<Vec<u8>> {
    let mut value = b"what was here before".to_vec();
    engine.get(key, &mut value).unwrap().then_some(value)
}

fn scan(engine: &AnyEngine, start: &[u8], limit: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    let entries = engine.scan(start, limit, |key, value| found.push((key.to_vec(), value.to_vec()))).unwrap();
    assert_eq!(entries, found.len());
    found
}

fn keys(engine: &AnyEngine, start: &[u8], limit: usize) -> Vec<Vec<u8>> {
    scan(engine, start, limit).into_iter().map(|(key, _)| key).collect()
}

#[test]
fn a_key_has_the_value_it_was_given_last() {
    each(|kind, engine| {
        assert_eq!(get(engine, b"key"), None, "{}", kind.name());
        engine.put(b"key", b"first, and longer").unwrap();
        assert_eq!(get(engine, b"key").unwrap(), b"first, and longer", "{}", kind.name());
        engine.put(b"key", b"second").unwrap();
        assert_eq!(get(engine, b"key").unwrap(), b"second", "{}", kind.name());
    });
}

#[test]
fn a_deleted_key_is_gone_and_may_come_back() {
    each(|kind, engine| {
        engine.delete(b"never there").unwrap();
        engine.put(b"key", b"value").unwrap();
        engine.delete(b"key").unwrap();
        assert_eq!(get(engine, b"key"), None, "{}", kind.name());
        assert!(scan(engine, b"\0", 10).is_empty(), "{}", kind.name());
        engine.put(b"key", b"again").unwrap();
        assert_eq!(get(engine, b"key").unwrap(), b"again", "{}", kind.name());
    });
}

#[test]
fn a_missing_key_is_not_its_neighbour() {
    each(|kind, engine| {
        engine.put(b"b", b"value").unwrap();
        for missing in [b"a".as_slice(), b"b\0", b"bb", b"c", &[0xff; 32]] {
            assert_eq!(get(engine, missing), None, "{}: {missing:?}", kind.name());
        }
    });
}

fn multi_get(engine: &AnyEngine, keys: &[Key]) -> Vec<Option<Vec<u8>>> {
    let mut values = vec![Some(b"what was here before".to_vec()); keys.len()];
    let mut places = Vec::new();
    engine
        .multi_get(keys, |place, value| {
            places.push(place);
            values[place] = value.map(<[u8]>::to_vec);
        })
        .unwrap();
    places.sort_unstable();
    assert_eq!(places, (0..keys.len()).collect::<Vec<_>>(), "each key once");
    values
}

#[test]
fn many_keys_at_once_have_the_values_that_each_has() {
    let key = |index: u32| Key::new(&index.to_be_bytes()).unwrap();
    // From memory and from tables, missing ones between them, one of them twice.
    let keys: Vec<Key> = (0..200).map(|index| key(index * 7 % 150)).collect();
    let check = |kind: EngineKind, engine: &AnyEngine| {
        for index in 0..100u32 {
            engine.put(&index.to_be_bytes(), &[index as u8; 300]).unwrap();
            if index == 70 {
                engine.drain().unwrap();
            }
        }
        let expected: Vec<_> = keys.iter().map(|key| get(engine, key.as_bytes())).collect();
        assert_eq!(multi_get(engine, &keys), expected, "{}", kind.name());
        assert!(multi_get(engine, &[]).is_empty(), "{}", kind.name());
    };
    each(check);
    for kind in engines().filter(|kind| kind.has(Knob::ReadsInFlight).unwrap()) {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { reads_in_flight: 16, ..quick(kind, directory.path()) };
        let engine = kind.open(&options).unwrap();
        check(kind, &engine);
        engine.close().unwrap();
    }
}

#[test]
fn an_empty_value_is_a_value() {
    each(|kind, engine| {
        engine.put(b"key", b"").unwrap();
        assert_eq!(get(engine, b"key").unwrap(), b"", "{}", kind.name());
        assert_eq!(scan(engine, b"\0", 10), [(b"key".to_vec(), Vec::new())], "{}", kind.name());
    });
}

#[test]
fn values_of_a_mebibyte_come_back_whole() {
    let value = |seed: u32| -> Vec<u8> {
        (0..1u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) ^ seed).to_le_bytes()[3]).collect()
    };
    each(|kind, engine| {
        for index in 0..24u32 {
            engine.put(&index.to_be_bytes(), &value(index)).unwrap();
        }
        for index in 0..24u32 {
            assert!(get(engine, &index.to_be_bytes()).unwrap() == value(index), "{}: {index}", kind.name());
        }
    });
}

#[test]
fn a_scan_is_in_the_order_of_the_bytes() {
    let mut sorted: Vec<Vec<u8>> =
        vec![vec![0], vec![0, 0], vec![0x7f], vec![0x80], vec![0xff], vec![0xff; 32], b"a".to_vec()];
    sorted.extend((0..300u16).map(|i| [b"n".as_slice(), &i.wrapping_mul(7919).to_be_bytes()].concat()));
    each(|kind, engine| {
        for key in &sorted {
            engine.put(key, key).unwrap();
        }
        let mut expected = sorted.clone();
        expected.sort_unstable();
        assert_eq!(keys(engine, &[0], 1000), expected, "{}", kind.name());
        assert!(scan(engine, &[0], 1000).iter().all(|(key, value)| key == value), "{}", kind.name());
    });
}

#[test]
fn a_scan_begins_at_its_start_and_ends_at_its_limit() {
    each(|kind, engine| {
        let name = kind.name();
        assert!(scan(engine, b"\0", 10).is_empty(), "{name}: nothing there yet");
        for key in [b"a".as_slice(), b"ab", b"ab\0", b"abc", b"ac", b"b"] {
            engine.put(key, b"value").unwrap();
        }
        assert_eq!(keys(engine, b"ab", 3), [b"ab".as_slice(), b"ab\0", b"abc"], "{name}: start included");
        assert_eq!(keys(engine, b"aa", 1), [b"ab"], "{name}: start not there");
        assert_eq!(keys(engine, b"abd", 9), [b"ac".as_slice(), b"b"], "{name}: limit beyond the end");
        assert!(scan(engine, b"a", 0).is_empty(), "{name}: limit 0");
        assert!(scan(engine, b"b\0", 9).is_empty(), "{name}: start beyond the end");
        assert!(scan(engine, &[0xff; 32], 9).is_empty(), "{name}: start far beyond the end");
    });
}

#[test]
fn a_store_that_was_closed_has_everything_at_every_level() {
    for kind in persistent() {
        for level in kind.levels().unwrap() {
            let directory = tempfile::tempdir().unwrap();
            let options = Options::new(directory.path().join("store")).durability(level.name);
            let context = format!("{} at {}", kind.name(), level.name);
            for round in 0..3u8 {
                let engine = kind.open(&options).unwrap();
                assert_eq!(
                    scan(&engine, &[0], 1000).len(),
                    usize::from(round) * 20,
                    "{context}, round {round}"
                );
                for index in 0..20 {
                    engine.put(&[b'k', round, index], &[index; 100]).unwrap();
                }
                engine.put(b"gone", b"value").unwrap();
                engine.delete(b"gone").unwrap();
                engine.close().unwrap();
            }
        }
    }
}

#[test]
fn readers_beside_a_writer_see_whole_values_and_all_that_was_acknowledged() {
    const KEYS: u32 = 64;
    const ROUNDS: u8 = 20;
    each(|kind, engine| {
        let done = AtomicBool::new(false);
        engine.put(&0u32.to_be_bytes(), &[0; 500]).unwrap();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut reads = 0;
                    while !done.load(Ordering::Relaxed) || reads == 0 {
                        for index in 0..KEYS {
                            let Some(value) = get(engine, &index.to_be_bytes()) else { continue };
                            assert!(value.len() == 500, "{}: {}", kind.name(), value.len());
                            assert!(
                                value.iter().all(|byte| *byte == value[0]),
                                "{}: a torn value",
                                kind.name()
                            );
                            reads += 1;
                        }
                        let found = keys(engine, &[0], 1000);
                        assert!(found.is_sorted(), "{}", kind.name());
                    }
                });
            }
            for round in 1..=ROUNDS {
                for index in 0..KEYS {
                    engine.put(&index.to_be_bytes(), &[round; 500]).unwrap();
                    assert_eq!(get(engine, &index.to_be_bytes()).unwrap()[0], round, "{}", kind.name());
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(scan(engine, &[0], 1000).len(), KEYS as usize);
    });
}

#[test]
fn writers_beside_each_other_lose_nothing() {
    each(|kind, engine| {
        thread::scope(|scope| {
            for writer in 0..4u8 {
                scope.spawn(move || {
                    for index in 0..50 {
                        engine.put(&[writer, index], &[index]).unwrap();
                    }
                });
            }
        });
        assert_eq!(scan(engine, &[0], 1000).len(), 200, "{}", kind.name());
    });
}

#[test]
fn draining_takes_time_or_says_why_it_does_not_and_changes_nothing() {
    each(|kind, engine| {
        for index in 0..2000u32 {
            engine.put(&(index % 500).to_be_bytes(), &[7; 100]).unwrap();
        }
        match engine.drain().unwrap() {
            Measured::Value(seconds) => assert!((0.0..60.0).contains(&seconds), "{}: {seconds}", kind.name()),
            Measured::Unsupported { unsupported } => assert!(unsupported.len() > 20, "{unsupported}"),
        }
        assert_eq!(scan(engine, &[0], 1000).len(), 500, "{}", kind.name());
    });
}

#[test]
fn the_store_of_a_persistent_engine_takes_space() {
    for kind in persistent() {
        let directory = tempfile::tempdir().unwrap();
        let engine = kind.open(&quick(kind, directory.path())).unwrap();
        for index in 0..2000u32 {
            engine.put(&index.to_be_bytes(), &[7; 1000]).unwrap();
        }
        engine.sync().unwrap();
        let disk_bytes = *engine.stats().disk_bytes.value().unwrap();
        assert!(disk_bytes >= 1_000_000, "{}: {disk_bytes} bytes", kind.name());
        engine.close().unwrap();
    }
}

/// What an engine says that it has it takes, and what it says that it has not it refuses.
#[test]
fn a_write_buffer_is_taken_where_there_is_one() {
    for kind in engines() {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { write_buffer_bytes: Some(1 << 16), ..quick(kind, directory.path()) };
        assert_eq!(kind.open(&options).is_ok(), kind.has(Knob::WriteBufferBytes).unwrap(), "{kind:?}");
    }
}

/// The chapter's table of levels: a row for each engine, a column for each class.
#[test]
fn the_chapter_has_every_level_in_the_column_of_its_class() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines.md");
    let chapter = std::fs::read_to_string(path).unwrap();
    for kind in persistent() {
        let row = chapter.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
        let row = row.filter(|cells| cells.len() == 6 && cells[1].eq_ignore_ascii_case(kind.name()));
        let row: Vec<&str> = row.flatten().collect();
        let columns = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
        for (cell, class) in row[2..5].iter().zip(columns) {
            let levels = kind.levels().unwrap().into_iter().filter(|level| level.class == class);
            let expected: Vec<String> = levels.map(|level| format!("`{}`", level.name)).collect();
            assert_eq!(*cell, expected.join(", "), "{} in class {class:?}", kind.name());
        }
    }
}
