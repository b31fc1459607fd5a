//! What is refused, and how it is reported: unsupported settings and foreign directories.

use engine::{Engine, EngineError, EngineKind, Options, store};
use model::IoMode;
use std::fs;

fn persistent() -> impl Iterator<Item = EngineKind> {
    EngineKind::BUILT_IN.iter().copied().filter(|kind| kind.is_persistent().unwrap())
}

#[test]
fn names_are_read_back() {
    for (kind, name) in EngineKind::ALL.iter().zip(EngineKind::NAMES) {
        assert_eq!(kind.name(), *name);
        assert_eq!(EngineKind::from_name(name), Some(*kind));
    }
    assert_eq!(EngineKind::from_name("leveldb"), None);
}

#[test]
fn a_level_that_an_engine_does_not_have_is_refused_with_those_it_has() {
    for kind in EngineKind::BUILT_IN {
        let directory = tempfile::tempdir().unwrap();
        let options = Options::new(directory.path().join("store")).durability("someday");
        let error = kind.open(&options).unwrap_err();
        assert!(matches!(error, EngineError::UnknownLevel { .. }), "{error}");
        for level in kind.levels().unwrap() {
            assert!(error.to_string().contains(level.name), "{error}");
        }
        assert!(!options.directory.exists(), "{}: nothing is made for a mistake", kind.name());
    }
}

#[test]
fn a_class_is_the_first_level_of_that_class() {
    let level = |kind: EngineKind, name: &str| {
        kind.level(&Options::new("").durability(name)).map(|level| level.name).ok()
    };
    for (kind, process, power) in [
        (EngineKind::Store, Some("process"), Some("power")),
        (EngineKind::Fjall, Some("buffer"), Some("syncdata")),
        (EngineKind::Lmdb, Some("nosync"), Some("sync")),
        (EngineKind::Redb, None, Some("immediate")),
        (EngineKind::Sqlite, Some("off"), Some("full")),
    ] {
        assert_eq!((level(kind, "process"), level(kind, "power")), (process, power), "{}", kind.name());
    }
}

#[test]
fn direct_io_is_done_or_unsupported() {
    for kind in EngineKind::BUILT_IN {
        // tmpfs has no O_DIRECT, and /tmp may be one.
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut options = Options::new(directory.path().join("store"));
        options.io = IoMode::Direct;
        match kind.open(&options) {
            Ok(engine) => {
                engine.put(b"key", b"value").unwrap();
                engine.drain().unwrap();
                let mut value = Vec::new();
                assert!(engine.get(b"key", &mut value).unwrap());
                engine.close().unwrap();
            }
            Err(error) => assert!(error.unsupported().is_some(), "{}: {error}", kind.name()),
        }
    }
}

#[test]
fn a_directory_that_is_not_a_store_is_refused_and_left_alone() {
    for kind in persistent() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("holiday");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("beach.jpg"), "sand").unwrap();
        let error = kind.open(&Options::new(&path)).unwrap_err();
        assert!(matches!(error, EngineError::ForeignStore { .. }), "{error}");
        assert!(matches!(store::remove(&path).unwrap_err(), EngineError::ForeignStore { .. }));
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
    }
}

#[test]
fn a_marker_of_somebody_else_does_not_make_a_store() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(store::MARKER), "mine\n").unwrap();
    assert!(matches!(store::made_by(directory.path()), Err(EngineError::ForeignStore { .. })));
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(store::made_by(&file), Err(EngineError::ForeignStore { .. })));
}

#[test]
fn a_store_is_reopened_by_its_own_engine_at_its_own_level() {
    for kind in persistent() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let levels = kind.levels().unwrap();
        kind.open(&Options::new(&path).durability(levels[0].name)).unwrap().close().unwrap();
        let other = kind.open(&Options::new(&path).durability(levels[1].name)).unwrap_err();
        assert!(matches!(other, EngineError::OtherStore { .. }), "{other}");
        let made_by = store::made_by(&path).unwrap();
        assert_eq!(made_by, Some(format!("{} at {}", kind.name(), levels[0].name)));
    }
}

#[test]
fn removing_a_store_frees_its_space() {
    for kind in persistent() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let engine = kind.open(&Options::new(&path).durability(kind.levels().unwrap()[0].name)).unwrap();
        for index in 0..1000u32 {
            engine.put(&index.to_be_bytes(), &[7; 1000]).unwrap();
        }
        engine.close().unwrap();
        assert!(store::disk_bytes(&path).unwrap() > 100_000, "{}", kind.name());
        store::remove(&path).unwrap();
        assert!(!path.exists(), "{}", kind.name());
        store::remove(&path).unwrap();
    }
}

#[test]
fn a_store_in_use_is_not_opened_twice_or_says_why() {
    // SQLite lets several in; the others refuse, in their own words (LMDB only within a process).
    for kind in persistent().filter(|kind| kind.name() != "sqlite") {
        let directory = tempfile::tempdir().unwrap();
        let options = Options::new(directory.path().join("store"));
        let first = kind.open(&options).unwrap();
        let second = kind.open(&options).unwrap_err();
        assert!(matches!(second, EngineError::Failed { .. }), "{second}");
        assert!(second.to_string().starts_with(&format!("{}: open: ", kind.name())), "{second}");
        first.close().unwrap();
    }
}
