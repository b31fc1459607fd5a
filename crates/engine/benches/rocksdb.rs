//! What Syncline adds to RocksDB: the load phase of the kv workload through driver, [`Blocking`] and histograms, beside
//! a bare loop over the same crate, options, keys and values. The two take turns; a round's ratio is of neighbours in
//! time.
//!
//! Target: within 5 %.

use driver::{Driver, MonotonicClock};
use engine::adapter::{RocksDb, open};
use engine::{Blocking, Engine, Options};
use rocksdb::{BlockBasedOptions, DB, DBCompressionType, WriteOptions};
use std::fs;
use std::path::Path;
use std::time::Instant;
use workload::kv::{KvPhase, Parameters, Phase, SCHEMA};

const RATIO_MAX: f64 = 1.05;
const ROUNDS: usize = 9;
const SEED: u64 = 1;
/// Fits into one memtable: a flush beside the loop would be noise, and the same in both.
const KEYS: u64 = 300_000;

fn parameters() -> Parameters {
    let defaults = Parameters::read(&SCHEMA.defaults()).expect("defaults are complete");
    Parameters { engine: "rocksdb", keys: KEYS, ..defaults }
}

/// Seconds of a load through Syncline.
fn through_syncline(directory: &Path, payload: &[u8]) -> f64 {
    let engine: RocksDb = open(&Options::new(directory)).expect("a fresh directory");
    let clock = MonotonicClock::start();
    let workload = KvPhase::new(&parameters(), Phase::Load, 0, SEED);
    let backend = Blocking::new(&engine, payload, clock, 1).expect("exact timers");
    let driven = Driver::new(workload, backend, clock).run().expect("there is room");
    assert_eq!(driven.operations, KEYS);
    engine.close().expect("there is room");
    driven.elapsed().seconds()
}

/// Seconds of the same load in a loop that does nothing else.
fn bare(directory: &Path, payload: &[u8]) -> f64 {
    let mut table = BlockBasedOptions::default();
    table.set_bloom_filter(10.0, false);
    let mut options = rocksdb::Options::default();
    options.create_if_missing(true);
    options.set_compression_type(DBCompressionType::None);
    options.set_block_based_table_factory(&table);
    let database = DB::open(&options, directory).expect("a fresh directory");
    let write = WriteOptions::default();
    let (keys, values) = (parameters().key_stream(SEED), parameters().value_ranges());
    let began = Instant::now();
    for index in 0..KEYS {
        let range = values.range(index);
        let value = &payload[range.offset as usize..][..range.length as usize];
        database.put_opt(keys.key(index).as_bytes(), value, &write).expect("there is room");
    }
    began.elapsed().as_secs_f64()
}

/// What RocksDB understood, without the names of places.
fn options_file(data: &Path) -> String {
    let mut entries = fs::read_dir(data).expect("made").flatten().map(|entry| entry.path());
    let is_options = |path: &Path| path.to_string_lossy().contains("/OPTIONS-");
    let file = entries.find(|path| is_options(path)).expect("RocksDB writes one");
    let text = fs::read_to_string(file).expect("readable");
    text.lines().filter(|line| !line.contains("_dir=")).collect::<Vec<_>>().join("\n")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let mut payload = vec![0; parameters().payload_bytes()];
    parameters().fill(SEED, &mut payload);
    let mut seconds = Vec::new();
    for round in 0..ROUNDS {
        let work = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("target is writable");
        let (ours, theirs) = (work.path().join("syncline"), work.path().join("bare"));
        seconds.push(if round % 2 == 0 {
            let first = through_syncline(&ours, &payload);
            (first, bare(&theirs, &payload))
        } else {
            let first = bare(&theirs, &payload);
            (through_syncline(&ours, &payload), first)
        });
        assert_eq!(options_file(&ours.join("data")), options_file(&theirs), "the same options");
    }
    let best = |of: fn(&(f64, f64)) -> f64| seconds.iter().map(of).fold(f64::INFINITY, f64::min);
    let (ours, theirs) = (best(|pair| pair.0), best(|pair| pair.1));
    let paired = median(seconds.iter().map(|(ours, theirs)| ours / theirs).collect());
    println!(
        "RocksDB, load of {KEYS} keys of 24 B with values of 100 B, WAL on, one thread, {ROUNDS} rounds"
    );
    println!("  bare loop:         {:8.1} k/s (best)", KEYS as f64 / theirs / 1e3);
    println!("  through Syncline:  {:8.1} k/s (best)", KEYS as f64 / ours / 1e3);
    println!(
        "  time, Syncline ÷ bare: {paired:.3} (median of rounds; ≤ {RATIO_MAX}: {}), {:.3} (best ÷ best)",
        if paired <= RATIO_MAX { "ok" } else { "MISSED" },
        ours / theirs
    );
    assert!(paired <= RATIO_MAX, "the target was missed");
}
