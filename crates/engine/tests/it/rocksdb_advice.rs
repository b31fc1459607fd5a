//! RocksDB opens with the options that an advice or a proof is written as: the files that the report's tests hold against what is
//! rendered.

#![cfg(feature = "rocksdb")]

use rocksdb::{Cache, DB, Env, Options};
use std::fs;
use std::path::{Path, PathBuf};

/// What RocksDB says its options are: the newest file that it wrote beside the data.
fn written(directory: &Path) -> String {
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_options = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("OPTIONS-");
    fs::read_to_string(files.filter(is_options).max().unwrap()).unwrap()
}

#[test]
fn rocksdb_opens_with_the_settings_of_an_advice_and_of_a_proof() {
    assert_eq!(settings_taken_from("advice"), 3);
    assert!(settings_taken_from("proven") >= 8);
}

/// Settings that a file of the report's sets. RocksDB has each of them when it has loaded the file.
fn settings_taken_from(directory: &str) -> usize {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests").join(directory);
    let fragment = fs::read_to_string(golden.join("rocksdb-options.ini")).unwrap();
    // With its candidates, which stand as comments.
    let is_candidate = |line: &&str| {
        line.strip_prefix("# ")
            .is_some_and(|set| set.split_once('=').is_some_and(|(name, _)| !name.contains(' ')))
    };
    let line = |line: &str| match Some(line).filter(is_candidate) {
        Some(line) => format!("  {}\n", &line[2..]),
        None => format!("{line}\n"),
    };
    let fragment: String = fragment.lines().map(line).collect();
    // tmpfs has no O_DIRECT, and /tmp may be one.
    let site = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (given, data) = (site.path().join("given"), site.path().join("data"));
    fs::create_dir(&given).unwrap();
    fs::write(given.join("OPTIONS-000001"), &fragment).unwrap();
    let cache = Cache::new_lru_cache(1 << 20);
    let (mut options, _) = Options::load_latest(&given, Env::new().unwrap(), false, cache).unwrap();
    options.create_if_missing(true);
    let database = DB::open(&options, &data).unwrap();
    database.put(b"key", b"value").unwrap();
    database.flush().unwrap();
    assert_eq!(database.get(b"key").unwrap().unwrap(), b"value");
    drop(database);
    let taken = written(&data);
    let settings =
        fragment.lines().skip_while(|line| *line != "[DBOptions]").filter(|line| line.starts_with("  "));
    let settings: Vec<&str> = settings.map(str::trim).collect();
    for setting in &settings {
        assert!(taken.lines().any(|line| line.trim() == *setting), "{setting}: {taken}");
    }
    settings.len()
}
