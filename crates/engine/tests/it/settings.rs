//! An engine's own settings by name: taken and checked, or refused with the name.

use engine::{Engine, EngineError, EngineKind, Options};
use model::Settings;

fn open(kind: EngineKind, settings: &str) -> Result<tempfile::TempDir, EngineError> {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings::parse(settings).unwrap();
    let engine = kind.open(&Options { settings, ..Options::new(directory.path().join("store")) })?;
    engine.put(b"key", b"value").unwrap();
    let mut value = Vec::new();
    assert!(engine.get(b"key", &mut value).unwrap());
    engine.close().unwrap();
    Ok(directory)
}

fn refused(kind: EngineKind, settings: &str) -> (String, String) {
    match open(kind, settings).unwrap_err() {
        EngineError::NativeLevel { setting, why, .. } => (setting, why),
        other => panic!("{other}"),
    }
}

#[test]
fn an_engine_without_settings_says_so() {
    for kind in [EngineKind::Fjall, EngineKind::Lmdb, EngineKind::Redb, EngineKind::Memory] {
        let error = open(kind, "anything = 1").unwrap_err();
        assert!(error.unsupported().is_some(), "{error}");
    }
}

#[test]
fn the_store_takes_its_options_and_refuses_the_others() {
    open(EngineKind::Store, "log.layout = append; data.page_bytes = 8KiB; compaction.policy = leveled")
        .unwrap();
    open(EngineKind::Store, "data.io = mmap; partitions = 1; memtables_max = 2").unwrap();
    let (setting, why) = refused(EngineKind::Store, "log.layuot = append");
    assert!(setting == "log.layuot" && why.contains("log.layout"), "{why}");
    assert_eq!(refused(EngineKind::Store, "data.page_bytes = 5000").0, "data.page_bytes");
    assert!(refused(EngineKind::Store, "durability = none").1.contains("another parameter"));
}

#[test]
fn sqlite_takes_pragmas_that_it_has_and_refuses_the_others() {
    open(EngineKind::Sqlite, "page_size = 8192; cache_size = -8000; mmap_size = 268435456; temp_store = 2")
        .unwrap();
    open(EngineKind::Sqlite, "checkpoint_fullfsync = on").unwrap();
    // SQLite itself ignores what it does not know.
    assert_eq!(refused(EngineKind::Sqlite, "cash_size = 8").0, "cash_size");
    let (setting, why) = refused(EngineKind::Sqlite, "page_size = 5000");
    assert!(setting == "page_size" && why.contains("4096"), "{setting}: {why}");
    for decided in ["synchronous = OFF", "journal_mode = MEMORY"] {
        assert!(refused(EngineKind::Sqlite, decided).1.contains("durability"), "{decided}");
    }
}

#[cfg(feature = "rocksdb")]
#[test]
fn rocksdb_takes_options_of_every_section_and_refuses_what_it_has_not() {
    let settings = "bytes_per_sync = 1048576; wal_bytes_per_sync = 512K; max_background_jobs = 4; \
                    compaction_readahead_size = 4194304; target_file_size_base = 8M; block_size = 16384";
    open(EngineKind::RocksDb, settings).unwrap();
    assert_eq!(refused(EngineKind::RocksDb, "bytes_per_sink = 1").0, "bytes_per_sink");
    assert_eq!(refused(EngineKind::RocksDb, "max_background_jobs = many").0, "max_background_jobs");
    assert!(refused(EngineKind::RocksDb, "manual_wal_flush = true").1.contains("another parameter"));
    assert!(Settings::parse("wal_dir = /nowhere").is_err(), "it names files");
}

#[cfg(feature = "rocksdb")]
#[test]
fn a_setting_contradicts_no_option_of_the_study() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings::parse("write_buffer_size = 1048576").unwrap();
    let write_buffer_bytes = Some(1 << 22);
    let options = Options { settings, write_buffer_bytes, ..Options::new(directory.path().join("store")) };
    let error = EngineKind::RocksDb.open(&options).unwrap_err();
    assert!(
        matches!(&error, EngineError::NativeLevel { setting, .. } if setting == "write_buffer_size"),
        "{error}"
    );
}

/// The store's own options come from the same file as the settings, which must not change what is not set.
#[cfg(feature = "rocksdb")]
#[test]
fn a_setting_changes_nothing_else() {
    let lines = |settings: &str| {
        let directory = open(EngineKind::RocksDb, settings).unwrap();
        let files = std::fs::read_dir(directory.path().join("store/data")).unwrap();
        let files = files.map(|entry| entry.unwrap().path());
        let newest = files.filter(|path| path.to_string_lossy().contains("/OPTIONS-")).max().unwrap();
        let text = std::fs::read_to_string(newest).unwrap();
        text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let (without, with) = (lines("none"), lines("bytes_per_sync = 1048576"));
    let changed: Vec<_> = with.iter().filter(|line| !without.contains(line)).collect();
    assert_eq!(changed, ["bytes_per_sync=1048576"]);
    for line in ["compression=kNoCompression", "filter_policy=bloomfilter:10:false", "create_if_missing=true"]
    {
        assert!(without.iter().any(|other| other == line), "{line}: {without:#?}");
    }
}
