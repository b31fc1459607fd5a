//! The durability levels keep what they declare. A killed process is imitated by a copy of the store's files while it
//! is open: the copy has what is in the page cache, and nothing of what is in the process.

use engine::{AnyEngine, DurabilityLevel, Engine, EngineKind, Options};
use model::DurabilityClass;
use std::fs;
use std::path::Path;

const ENTRIES: u32 = 40;

fn persistent() -> impl Iterator<Item = EngineKind> {
    EngineKind::BUILT_IN.iter().copied().filter(|kind| kind.is_persistent().unwrap())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn fill(engine: &AnyEngine, prefix: u8) {
    for index in 0..ENTRIES {
        engine.put(&[[prefix].as_slice(), &index.to_be_bytes()].concat(), &[prefix; 100]).unwrap();
    }
}

/// How many entries a process finds that opens the store after the one that has it open was killed now.
fn left_after_kill(kind: EngineKind, level: &DurabilityLevel, directory: &Path, name: &str) -> usize {
    copy(&directory.join("store"), &directory.join(name));
    let engine = kind.open(&Options::new(directory.join(name)).durability(level.name)).unwrap();
    let entries = engine.scan(&[0], 10_000, |_, value| assert_eq!(value.len(), 100)).unwrap();
    engine.close().unwrap();
    entries
}

#[test]
fn what_is_acknowledged_survives_a_kill_exactly_where_the_class_says_so() {
    for kind in persistent() {
        for level in kind.levels().unwrap() {
            let context = format!("{} at {}", kind.name(), level.name);
            let directory = tempfile::tempdir().unwrap();
            let options = Options::new(directory.path().join("store")).durability(level.name);
            let engine = kind.open(&options).unwrap();
            fill(&engine, 1);
            let left = left_after_kill(kind, level, directory.path(), "killed");
            match level.class {
                // Were nothing lost, the class would be understated.
                DurabilityClass::None => assert!(left < ENTRIES as usize, "{context}: all {left} survived"),
                DurabilityClass::Process | DurabilityClass::Power => {
                    assert_eq!(left, ENTRIES as usize, "{context}");
                }
            }
            engine.close().unwrap();
        }
    }
}

#[test]
fn what_was_synced_survives_a_kill_at_every_level() {
    for kind in persistent() {
        for level in kind.levels().unwrap() {
            let directory = tempfile::tempdir().unwrap();
            let options = Options::new(directory.path().join("store")).durability(level.name);
            let engine = kind.open(&options).unwrap();
            fill(&engine, 1);
            engine.sync().unwrap();
            fill(&engine, 2);
            engine.sync().unwrap();
            let left = left_after_kill(kind, level, directory.path(), "killed");
            assert_eq!(left, 2 * ENTRIES as usize, "{} at {}", kind.name(), level.name);
            engine.close().unwrap();
        }
    }
}

#[test]
fn levels_are_listed_from_weak_to_strong_and_told_apart() {
    for kind in EngineKind::BUILT_IN {
        let levels = kind.levels().unwrap();
        assert!(!levels.is_empty(), "{}", kind.name());
        assert!(levels.is_sorted_by_key(|level| level.class), "{}", kind.name());
        for level in &levels {
            assert!(level.meaning.ends_with('.'), "{}: {}", kind.name(), level.meaning);
            assert_eq!(levels.iter().filter(|other| other.name == level.name).count(), 1, "{}", level.name);
        }
    }
}

#[test]
fn every_persistent_engine_can_survive_power_loss() {
    for kind in persistent() {
        let strongest = kind.levels().unwrap().last().map(|level| level.class);
        assert_eq!(strongest, Some(DurabilityClass::Power), "{}", kind.name());
    }
}
