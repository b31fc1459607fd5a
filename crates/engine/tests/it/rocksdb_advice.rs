//! RocksDB opens with the options that an advice or a proof is written as: the files that the report's tests hold
//! against what is rendered.

#![cfg(feature = "rocksdb")]

use advice::current::review;
use advice::{is_overridden, unmeasured};
use rocksdb::{Cache, DB, Env, Options};
use settings::{Release, Syntax};
use settings::{read, version_said};
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
    let taken = options_after_open(&fragment);
    let settings =
        fragment.lines().skip_while(|line| *line != "[DBOptions]").filter(|line| line.starts_with("  "));
    let settings: Vec<&str> = settings.map(str::trim).collect();
    for setting in &settings {
        assert!(taken.lines().any(|line| line.trim() == *setting), "{setting}: {taken}");
    }
    settings.len()
}

/// The options of a store that RocksDB made with an OPTIONS file, as it writes them: the values in force.
fn options_after_open(file: &str) -> String {
    // tmpfs has no O_DIRECT, and /tmp may be one.
    let site = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (given, data) = (site.path().join("given"), site.path().join("data"));
    fs::create_dir(&given).unwrap();
    fs::write(given.join("OPTIONS-000001"), file).unwrap();
    let cache = Cache::new_lru_cache(1 << 20);
    let (mut options, _) = Options::load_latest(&given, Env::new().unwrap(), false, cache).unwrap();
    options.create_if_missing(true);
    let database = DB::open(&options, &data).unwrap();
    database.put(b"key", b"value").unwrap();
    database.flush().unwrap();
    assert_eq!(database.get(b"key").unwrap().unwrap(), b"value");
    drop(database);
    written(&data)
}

/// RocksDB resets `recycle_log_file_num` without a word under some values of other options: the rule of the advice has
/// exactly these.
#[test]
fn rocksdb_ignores_recycled_logs_where_the_rule_says_so() {
    const RECYCLED: &str = "recycle_log_file_num";
    for (option, value) in [
        ("wal_recovery_mode", "kPointInTimeRecovery"),
        ("wal_recovery_mode", "kTolerateCorruptedTailRecords"),
        ("wal_recovery_mode", "kAbsoluteConsistency"),
        ("wal_recovery_mode", "kSkipAnyCorruptedRecords"),
        ("WAL_ttl_seconds", "60"),
        ("WAL_size_limit_MB", "1"),
        ("bytes_per_sync", "1048576"),
        ("manual_wal_flush", "false"),
    ] {
        let file = format!(
            "[Version]\n  rocksdb_version=9.3.0\n  options_file_version=1.1\n[DBOptions]\n  {option}={value}\n  \
             {RECYCLED}=1\n[CFOptions \"default\"]\n"
        );
        let taken = options_after_open(&file);
        let is_reset = !taken.lines().any(|line| line.trim() == format!("{RECYCLED}=1"));
        assert_eq!(is_overridden("rocksdb", RECYCLED, (option, value)), is_reset, "{option} = {value}");
    }
}

/// RocksDB's own file has all of its options: none of them is a slip, and the file says its version.
#[test]
fn no_option_of_rocksdb_is_taken_for_a_slip() {
    let taken = options_after_open(
        "[Version]\n  rocksdb_version=9.3.0\n  options_file_version=1.1\n[DBOptions]\n[CFOptions \"default\"]\n",
    );
    let entries = read(Syntax::RocksdbOptions, &taken).unwrap();
    let version = version_said(Syntax::RocksdbOptions, &taken, &entries).unwrap();
    assert_eq!(version.major(), 10, "{version}");
    let found = review(&unmeasured("rocksdb").unwrap(), &entries, &Release::Of(version)).unwrap();
    assert!(found.unknown.len() > 50, "{:?}", found.unknown);
    let slips: Vec<_> = found.unknown.iter().filter(|unknown| unknown.meant.is_some()).collect();
    assert!(slips.is_empty() && found.lacking.is_empty(), "{slips:?}");
}
