//! Keys of 24 bytes with values of 100 incompressible bytes.
//!
//! `cargo bench -p syncline-store --bench load_and_read -- [name=value …]`, for example `keys=5000000 threads=2
//! durability=process`. One run is one number: compare by several, in turns.
//!
//! | `what` | what is measured |
//! |---|---|
//! | `load` (default) | load, drain, open, cold reads of keys that are there and of others; the store's counts, memory |
//! | `scan` | load and drain, then cold scans of `length` entries from loaded keys; the reads and bytes of each |
//! | `crash` | load into the log only, as if it had never been flushed; the time that the next open takes, for each GiB of the log |
//! | `compaction` | latency of single cold gets, without and with compactions beside them |
//! | `fio` | in turns: fio's random reads of the largest run, and cold gets of one thread, at the same depth; rates, latencies, processor time |
//! | `values` | in turns, without separated values and with them, their garbage collected never, at 25 % and at 50 %: load and twice overwrite `keys` values of `value_bytes`, drain; write and space amplification, rates, cold gets and scans. A few GB: choose `keys` |
//! | `commits` | in turns: writes and syncs of one block by one thread, and the groups that the log commits, of 1, 8 and 64 writes under way by threads that wait for each and by one to four that do not; what it costs to wake a thread |

mod commits;
mod fio;
mod memory;
mod scans;
mod settings;
mod values;

use disk::counters::run_queue::delay_of_this_thread_s;
use memory::{print_memory, with_peaks};
use model::IoMode;
use settings::{Settings, What};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::storage::{Access, Directory, Storage};
use store::{BLOCK_BYTES, CompactionOptions, Counts, Options, ReadEngine, Store};

type Failure = Box<dyn std::error::Error + Send + Sync>;

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

/// Time that passes and processor time of this process, from a moment on.
struct Stopwatch {
    began: Instant,
    processor: Duration,
}

impl Stopwatch {
    fn start() -> Self {
        Self { began: Instant::now(), processor: processor_time() }
    }

    fn print(&self, what: &str, count: u64) {
        let (time, processor) = (self.began.elapsed(), processor_time().saturating_sub(self.processor));
        println!(
            "{what:24} {:10.0} /s  ({count} in {:.3} s; processor time {:.3} s, {:.2} us each)",
            count as f64 / time.as_secs_f64(),
            time.as_secs_f64(),
            processor.as_secs_f64(),
            processor.as_secs_f64() * 1e6 / count as f64
        );
    }
}

/// The processor time of all threads, user and system. Other processes change it less than the time that passes.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Runs `work` on each thread at once.
fn together(threads: u64, work: impl Fn(u64) -> Result<(), store::StoreError> + Sync) -> Result<(), Failure> {
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    for outcome in outcomes {
        outcome.map_err(|_| "a thread panicked")??;
    }
    Ok(())
}

fn read(store: &Store, settings: &Settings, what: &str, first: u64) -> Result<(), Failure> {
    let before = store.statistics().counts;
    let stopwatch = Stopwatch::start();
    together(settings.threads, |thread| {
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
    stopwatch.print(what, reads);
    let after = store.statistics().counts;
    println!(
        "  pages read for each key {:.4}, found in the cache {:.4}",
        (after.page_reads - before.page_reads) as f64 / reads as f64,
        (after.cache_hits - before.cache_hits) as f64 / reads as f64
    );
    Ok(())
}

/// Puts all keys, each thread a share of them.
fn load(store: &Store, settings: &Settings) -> Result<(), Failure> {
    let share = settings.keys.div_ceil(settings.threads);
    together(settings.threads, |thread| {
        let begin = thread * share;
        (begin..(begin + share).min(settings.keys))
            .try_for_each(|number| store.put(&key(number), &value(number)))
    })
}

/// Takes the store's files out of the page cache.
fn make_cold(directory: &Path) -> Result<(), Failure> {
    for entry in std::fs::read_dir(directory)? {
        let file = std::fs::File::open(entry?.path())?;
        file.sync_all()?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    }
    Ok(())
}

fn load_and_read(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    let store = Store::open(directory, &settings.options)?;
    let stopwatch = Stopwatch::start();
    let mut load_s = 0.0;
    with_peaks(&store, || {
        load(&store, settings)?;
        load_s = stopwatch.began.elapsed().as_secs_f64();
        stopwatch.print("load", settings.keys);
        Ok(store.drain()?)
    })?;
    stopwatch.print("load and drain", settings.keys);
    let statistics = store.statistics();
    println!("{}", serde_json::to_string(&statistics)?);
    println!(
        "  index {:.2} and filter {:.2} bytes a key",
        statistics.index_bytes_per_key().unwrap_or(f64::NAN),
        statistics.filter_bytes_per_key().unwrap_or(f64::NAN)
    );
    let Counts { batches, log_groups, log_syncs, .. } = statistics.counts;
    println!(
        "  {:.2} writes in a group of the log, {:.0} syncs of the log a second",
        batches as f64 / log_groups as f64,
        log_syncs as f64 / load_s
    );
    print_memory()?;
    store.close()?;
    make_cold(directory)?;
    let opening = Stopwatch::start();
    let store = Store::open(directory, &settings.options)?;
    opening.print("open", 1);
    read(&store, settings, "cold reads, hits", 0)?;
    read(&store, settings, "cold reads, misses", 1 << 50)?;
    print_memory()
}

/// Reads all files past the page cache, as the store does with a direct log: each at once.
fn read_files(directory: &Path) -> Result<(), Failure> {
    let storage = Directory::open(directory, ReadEngine::Psync, IoMode::Direct, 1, BLOCK_BYTES)?;
    let mut memory = Vec::new();
    for name in storage.names()? {
        let file = storage.open(&name, IoMode::Direct, Access::Read)?;
        let bytes = file.bytes()? as usize / BLOCK_BYTES * BLOCK_BYTES;
        memory.resize(memory.len().max(bytes + BLOCK_BYTES), 0);
        let begin = memory.as_ptr().align_offset(BLOCK_BYTES);
        file.read_at(&mut memory[begin..begin + bytes], 0)?;
    }
    Ok(())
}

/// Loads into the log only, and ends without a close.
fn load_the_log(settings: &Settings) -> Result<(), Failure> {
    let never_flushed = Options { memtable_bytes: 1 << 40, ..settings.options.clone() };
    let store = Store::open(&settings.directory, &never_flushed)?;
    load(&store, settings)?;
    store.sync()?;
    println!("{}", store.statistics().counts.log_bytes);
    Ok(())
}

fn crash_and_open(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    // By another process, whose memory is gone.
    let mut loader = Command::new(std::env::current_exe()?);
    loader.args(std::env::args_os().skip(1)).arg("what=log");
    let mut path = OsString::from("directory=");
    path.push(directory);
    let loaded = loader.arg(path).stderr(Stdio::inherit()).output()?;
    let log_bytes: f64 = std::str::from_utf8(&loaded.stdout)?.trim().parse()?;
    let log_gib = log_bytes / (1_u64 << 30) as f64;
    make_cold(directory)?;
    let reading = Instant::now();
    read_files(directory)?;
    let read_s = reading.elapsed().as_secs_f64();
    make_cold(directory)?;
    let opening = Stopwatch::start();
    let store = Store::open(directory, &settings.options)?;
    let open_s = opening.began.elapsed().as_secs_f64();
    opening.print("open after a crash", settings.keys);
    println!(
        "  {log_gib:.2} GiB of log: {:.2} s a GiB; to read its files alone takes {:.2} s a GiB",
        open_s / log_gib,
        read_s / log_gib
    );
    print_memory()?;
    let flushing = Stopwatch::start();
    store.drain()?;
    flushing.print("its flush", settings.keys);
    Ok(())
}

/// A get, in microseconds.
#[derive(Clone, Copy, Default)]
struct Get {
    latency_us: f64,
    /// The part of it in which the thread could run and another one had the processor.
    run_queue_us: f64,
}

/// Single gets while `is_over` says that it is not, the fastest first.
fn gets(store: &Store, settings: &Settings, is_over: impl Fn() -> bool) -> Result<Vec<Get>, Failure> {
    let run_queue_us = || delay_of_this_thread_s().value().map_or(0.0, |delay_s| delay_s * 1e6);
    let (mut gets, mut value) = (Vec::new(), Vec::new());
    let mut waited_us = run_queue_us();
    for draw in 0.. {
        if is_over() {
            break;
        }
        let began = Instant::now();
        store.get_into(&key(mix(draw) % settings.keys), &mut value)?;
        let latency_us = began.elapsed().as_secs_f64() * 1e6;
        let now_us = run_queue_us();
        gets.push(Get { latency_us, run_queue_us: now_us - waited_us });
        waited_us = now_us;
    }
    gets.sort_by(|one, other| one.latency_us.total_cmp(&other.latency_us));
    Ok(gets)
}

fn read_beside_compactions(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    const QUIET: Duration = Duration::from_secs(3);
    let never_merged = Options { compaction: CompactionOptions::Off, ..settings.options.clone() };
    let store = Store::open(directory, &never_merged)?;
    load(&store, settings)?;
    store.drain()?;
    let began = Instant::now();
    let without = gets(&store, settings, || began.elapsed() >= QUIET)?;
    store.close()?;
    let store = Store::open(directory, &settings.options)?;
    let is_drained = AtomicBool::new(false);
    let (with, drain_s) = std::thread::scope(|scope| {
        let drain = scope.spawn(|| {
            let began = Instant::now();
            let drained = store.drain();
            is_drained.store(true, Ordering::Relaxed);
            drained.map(|()| began.elapsed().as_secs_f64())
        });
        let with = gets(&store, settings, || is_drained.load(Ordering::Relaxed));
        let drain_s = drain.join().map_err(|_| "the thread that drains panicked")??;
        Ok::<_, Failure>((with?, drain_s))
    })?;
    let at = |gets: &[Get], part: f64| gets[((gets.len() - 1) as f64 * part) as usize].latency_us;
    for (what, gets) in [("without compactions", &without), ("with compactions", &with)] {
        let slowest = &gets[gets.len() * 99 / 100..];
        let sum = |part: fn(&Get) -> f64| slowest.iter().map(part).sum::<f64>();
        println!(
            "{what:24} {} gets, p50 {:.0} us, p90 {:.0} us, p99 {:.0} us, p99.9 {:.0} us, longest {:.0} us; \
             {:.0} % of the time of the slowest hundredth was on a run queue",
            gets.len(),
            at(gets, 0.5),
            at(gets, 0.9),
            at(gets, 0.99),
            at(gets, 0.999),
            at(gets, 1.0),
            100.0 * sum(|get| get.run_queue_us) / sum(|get| get.latency_us)
        );
    }
    println!(
        "  p99 with compactions is {:.2} times that without; they took {drain_s:.2} s",
        at(&with, 0.99) / at(&without, 0.99)
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let settings = settings::settings()?;
    if settings.what == What::Log {
        return load_the_log(&settings);
    }
    let directory = tempfile::tempdir_in(&settings.directory)?;
    println!("{}", serde_json::to_string(&settings.options)?);
    match settings.what {
        What::Load => load_and_read(&settings, directory.path()),
        What::Scan => scans::load_and_scan(&settings, directory.path()),
        What::Crash | What::Log => crash_and_open(&settings, directory.path()),
        What::Compaction => read_beside_compactions(&settings, directory.path()),
        What::Fio => fio::compare(&settings, directory.path()),
        What::Commits => commits::compare(&settings, directory.path()),
        What::Values => values::compare(&settings, directory.path()),
    }
}
