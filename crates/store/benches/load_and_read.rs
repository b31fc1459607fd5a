//! Loads keys of 24 bytes with values of 100 incompressible bytes, drains, closes, reads cold.
//!
//! `cargo bench -p syncline-store --bench load_and_read -- [name=value …]`, for example `keys=5000000 threads=2
//! durability=process`. What the store counted is printed too. One run is one number: compare by several, in turns.

use model::{DurabilityClass, IoMode};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use store::{CompactionOptions, LeveledOptions, LogLayout, Options, ReadEngine, Store};

/// What is measured, by default what page 001 measured.
struct Settings {
    keys: u64,
    /// Threads that load and threads that read.
    threads: u64,
    /// Reads of each thread.
    reads: u64,
    /// Keys in one multi-get.
    batch: usize,
    directory: PathBuf,
    options: Options,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn settings() -> Result<Settings, Failure> {
    let mut settings = Settings {
        keys: 5_000_000,
        threads: 2,
        reads: 200_000,
        batch: 1024,
        directory: PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        options: Options { durability: DurabilityClass::Process, ..Options::default() },
    };
    // Small writes to the page cache took less time into a file that grows (README).
    (settings.options.log.io, settings.options.log.layout) = (IoMode::Buffered, LogLayout::Append);
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let (name, value) = argument.split_once('=').ok_or("write name=value")?;
        let quoted = format!("\"{value}\"");
        let options = &mut settings.options;
        match name {
            "keys" => settings.keys = value.parse()?,
            "threads" => settings.threads = value.parse()?,
            "reads" => settings.reads = value.parse()?,
            "batch" => settings.batch = value.parse()?,
            "directory" => settings.directory = value.into(),
            "durability" => options.durability = serde_json::from_str(&quoted)?,
            "log" => options.log.io = serde_json::from_str(&quoted)?,
            "layout" => options.log.layout = serde_json::from_str(&quoted)?,
            "packing" => options.log.packing = serde_json::from_str(&quoted)?,
            "sync" => options.log.sync = serde_json::from_str(&quoted)?,
            "data" => options.data.io = serde_json::from_str(&quoted)?,
            "page" => options.data.page_bytes = value.parse()?,
            "filter" => options.data.filter = serde_json::from_str(&quoted)?,
            "engine" => options.reads.engine = serde_json::from_str::<ReadEngine>(&quoted)?,
            "depth" => options.reads.depth = value.parse()?,
            "partitions" => options.partitions = value.parse()?,
            "memtable" => options.memtable_bytes = value.parse()?,
            "memtables" => options.memtables_max = value.parse()?,
            "cache" => options.cache_bytes = value.parse()?,
            "background" => options.background_threads = value.parse()?,
            "policy" if value == "leveled" => {
                options.compaction = CompactionOptions::Leveled(LeveledOptions::default());
            }
            "policy" if value == "off" => options.compaction = CompactionOptions::Off,
            "policy" if value == "size-tiered" => {}
            _ => return Err(format!("there is no setting {argument}").into()),
        }
    }
    Ok(settings)
}

/// A bijection of numbers (splitmix64), so that keys come in no order and none comes twice.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn key(number: u64) -> [u8; 24] {
    let mut key = [0; 24];
    for (word, seed) in key.chunks_exact_mut(8).zip([0, 1, 2]) {
        word.copy_from_slice(&mix(mix(number) ^ seed).to_be_bytes());
    }
    key
}

fn value(number: u64) -> [u8; 100] {
    let mut value = [0; 100];
    for (word, seed) in value.chunks_mut(8).zip(3_u64..) {
        let bytes = mix(number ^ (seed << 48)).to_be_bytes();
        word.copy_from_slice(&bytes[..word.len()]);
    }
    value
}

/// Runs `work` on each thread at once; the time until the last one is done.
fn together(
    threads: u64,
    work: impl Fn(u64) -> Result<(), store::StoreError> + Sync,
) -> Result<Duration, Failure> {
    let began = Instant::now();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    for outcome in outcomes {
        outcome.map_err(|_| "a thread panicked")??;
    }
    Ok(began.elapsed())
}

fn print(what: &str, count: u64, time: Duration) {
    println!(
        "{what:24} {:10.0} /s  ({count} in {:.2} s)",
        count as f64 / time.as_secs_f64(),
        time.as_secs_f64()
    );
}

fn read(store: &Store, settings: &Settings, what: &str, first: u64) -> Result<(), Failure> {
    let before = store.statistics().counts;
    let time = together(settings.threads, |thread| {
        let mut done = 0;
        while done < settings.reads {
            let batch = settings.batch.min((settings.reads - done) as usize);
            let numbers = (0..batch as u64).map(|at| first + mix(thread << 40 | (done + at)) % settings.keys);
            let keys: Vec<_> = numbers.map(key).collect();
            let found = store.multi_get(&keys)?.iter().filter(|value| value.is_some()).count();
            assert_eq!(found, if first == 0 { batch } else { 0 });
            done += batch as u64;
        }
        Ok(())
    })?;
    let reads = settings.threads * settings.reads;
    print(what, reads, time);
    let after = store.statistics().counts;
    println!(
        "  pages read for each key {:.4}, found in the cache {:.4}",
        (after.page_reads - before.page_reads) as f64 / reads as f64,
        (after.cache_hits - before.cache_hits) as f64 / reads as f64
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let settings = settings()?;
    let directory = tempfile::tempdir_in(&settings.directory)?;
    println!("{}", serde_json::to_string(&settings.options)?);
    let store = Store::open(directory.path(), &settings.options)?;
    let began = Instant::now();
    let share = settings.keys.div_ceil(settings.threads);
    let load = together(settings.threads, |thread| {
        let numbers = thread * share..((thread + 1) * share).min(settings.keys);
        numbers.into_iter().try_for_each(|number| store.put(&key(number), &value(number)))
    })?;
    print("load", settings.keys, load);
    store.drain()?;
    print("load and drain", settings.keys, began.elapsed());
    let statistics = store.statistics();
    println!("{}", serde_json::to_string(&statistics)?);
    println!(
        "  index {:.2} and filter {:.2} bytes a key",
        statistics.index_bytes_per_key().unwrap_or(f64::NAN),
        statistics.filter_bytes_per_key().unwrap_or(f64::NAN)
    );
    store.close()?;
    for entry in std::fs::read_dir(directory.path())? {
        let file = std::fs::File::open(entry?.path())?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    }
    let opening = Instant::now();
    let store = Store::open(directory.path(), &settings.options)?;
    println!("open                     {:.3} s", opening.elapsed().as_secs_f64());
    read(&store, &settings, "cold reads, hits", 0)?;
    read(&store, &settings, "cold reads, misses", 1 << 50)?;
    Ok(())
}
