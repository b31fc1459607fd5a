//! The store beside RocksDB, in turns: load, and load until nothing is left to flush or to merge, in one durability
//! class with memtables of one size, two background threads and no compression. Each load is a process of its own, so
//! that its memory and its writes are those of one engine.
//!
//! `cargo bench -p syncline-engine --features rocksdb --bench store -- [name=value …]`, for example `keys=5000000
//! threads=2 rounds=5 durability=power io=direct order=zipf`. Targets: twice RocksDB's rate in each class, and at most
//! 1.2 times its memory.

use engine::adapter::{RocksDb, open};
use engine::{Engine, Options};
use model::{DurabilityClass, IoMode};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use store::{LogLayout, Store};

const MEMTABLE_BYTES: u64 = 64 << 20;
/// As RocksDB ships it (`max_write_buffer_number`).
const MEMTABLES_MAX: usize = 2;
const KEY_BYTES: usize = 24;
const VALUE_BYTES: usize = 100;
const SAMPLE_EVERY: Duration = Duration::from_millis(2);
/// As YCSB has it.
const ZIPF_EXPONENT: f64 = 0.99;

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Settings {
    /// The engine that this process loads; without one it starts a process for each load.
    engine: Option<String>,
    order: Order,
    keys: u64,
    threads: u64,
    rounds: usize,
    durability: DurabilityClass,
    /// The I/O mode for the data: RocksDB's log is always buffered.
    io: IoMode,
    /// The I/O mode for the store's log.
    log: IoMode,
    directory: PathBuf,
}

/// Which keys are put.
#[derive(Clone, Copy)]
enum Order {
    /// Each once, in no order.
    Uniform,
    /// Each once, in their order.
    Sequential,
    /// As many puts as there are keys, some of them to keys that were put before.
    Zipf {
        /// The sum of all keys' shares.
        zeta: f64,
    },
}

impl Order {
    /// The key that a put writes to (for zipf as Gray and others, "Quickly Generating Billion-Record Synthetic
    /// Databases", 1994).
    fn key(self, put: u64, keys: u64) -> [u8; KEY_BYTES] {
        let number = match self {
            Self::Uniform => put,
            Self::Sequential => {
                let mut key = [0; KEY_BYTES];
                key[..8].copy_from_slice(&put.to_be_bytes());
                return key;
            }
            Self::Zipf { zeta } => {
                let drawn = (mix(put) >> 11) as f64 / (1_u64 << 53) as f64 * zeta;
                let second = 0.5_f64.powf(ZIPF_EXPONENT);
                if drawn < 1.0 {
                    0
                } else if drawn < 1.0 + second {
                    1
                } else {
                    let eta =
                        (1.0 - (2.0 / keys as f64).powf(1.0 - ZIPF_EXPONENT)) / (1.0 - (1.0 + second) / zeta);
                    let rank =
                        keys as f64 * (eta * (drawn / zeta - 1.0) + 1.0).powf(1.0 / (1.0 - ZIPF_EXPONENT));
                    (rank as u64).min(keys - 1)
                }
            }
        };
        bytes(number)
    }
}

fn settings() -> Result<Settings, Failure> {
    let mut order = "uniform".to_owned();
    let mut settings = Settings {
        engine: None,
        order: Order::Uniform,
        keys: 1_000_000,
        threads: 2,
        rounds: 5,
        durability: DurabilityClass::Process,
        io: IoMode::Buffered,
        log: IoMode::Mmap,
        directory: PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    };
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let (name, value) = argument.split_once('=').ok_or("write name=value")?;
        match name {
            "engine" => settings.engine = Some(value.to_owned()),
            "order" => value.clone_into(&mut order),
            "keys" => settings.keys = value.parse()?,
            "threads" => settings.threads = value.parse()?,
            "rounds" => settings.rounds = value.parse()?,
            "durability" => {
                let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
                let found = classes.into_iter().find(|class| class.to_string() == value);
                settings.durability = found.ok_or("choose durability=none, process or power")?;
            }
            "io" => settings.io = IoMode::from_name(value).ok_or("choose io=buffered or direct")?,
            "log" => {
                settings.log =
                    IoMode::from_name(value).ok_or("choose log=mmap, buffered, direct or dontcache")?;
            }
            "directory" => settings.directory = value.into(),
            _ => return Err(format!("there is no setting {argument}").into()),
        }
    }
    settings.order = match order.as_str() {
        "uniform" => Order::Uniform,
        "sequential" => Order::Sequential,
        "zipf" => {
            let shares = (1..=settings.keys).map(|rank| (rank as f64).powf(-ZIPF_EXPONENT));
            Order::Zipf { zeta: shares.sum() }
        }
        _ => return Err("choose order=uniform, sequential or zipf".into()),
    };
    Ok(settings)
}

/// A bijection of numbers (splitmix64), so that keys come in no order and none comes twice.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Incompressible bytes.
fn bytes<const BYTES: usize>(number: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (word, seed) in bytes.chunks_mut(8).zip(0_u64..) {
        let mixed = mix(mix(number) ^ (seed << 48)).to_be_bytes();
        word.copy_from_slice(&mixed[..word.len()]);
    }
    bytes
}

/// How long the load took, and how long it took until nothing was left to do.
type Times = [Duration; 2];
/// The times of a load, and the memory of the engine then, in MB.
type Loaded = (Times, f64);

fn load(
    settings: &Settings,
    put: impl Fn(&[u8], &[u8]) -> Result<(), Failure> + Sync,
    drain: impl FnOnce() -> Result<(), Failure>,
) -> Result<Times, Failure> {
    let began = Instant::now();
    let share = settings.keys.div_ceil(settings.threads);
    let outcomes: Vec<_> = thread::scope(|scope| {
        let put = &put;
        let writers: Vec<_> = (0..settings.threads)
            .map(|thread| {
                let mut numbers = thread * share..((thread + 1) * share).min(settings.keys);
                scope.spawn(move || {
                    numbers.try_for_each(|number| {
                        put(&settings.order.key(number, settings.keys), &bytes::<VALUE_BYTES>(!number))
                    })
                })
            })
            .collect();
        writers.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    for outcome in outcomes {
        outcome.map_err(|_| "a thread panicked")??;
    }
    let loaded = began.elapsed();
    drain()?;
    Ok([loaded, began.elapsed()])
}

fn load_store(settings: &Settings, directory: &Path) -> Result<Loaded, Failure> {
    let mut options = store::Options {
        durability: settings.durability,
        memtable_bytes: MEMTABLE_BYTES,
        memtables_max: MEMTABLES_MAX,
        ..store::Options::default()
    };
    options.data.io = settings.io;
    (options.log.io, options.log.layout) = (settings.log, LogLayout::Recycled);
    let store = Store::open(directory, &options)?;
    let times = load(settings, |key, value| Ok(store.put(key, value)?), || Ok(store.drain()?))?;
    let loaded = (times, memory_mb()?);
    store.close()?;
    Ok(loaded)
}

fn load_rocksdb(settings: &Settings, directory: &Path) -> Result<Loaded, Failure> {
    let level = match settings.durability {
        DurabilityClass::None => "manual_wal_flush",
        DurabilityClass::Process => "wal",
        DurabilityClass::Power => "sync",
    };
    let mut options = Options::new(directory).durability(level);
    (options.io, options.write_buffer_bytes) = (settings.io, Some(MEMTABLE_BYTES));
    let engine: RocksDb = open(&options)?;
    let drain = || engine.drain().map(drop).map_err(Failure::from);
    let times = load(settings, |key, value| Ok(engine.put(key, value)?), drain)?;
    let loaded = (times, memory_mb()?);
    engine.close()?;
    Ok(loaded)
}

/// What one load took, in the order in which its process prints it.
#[derive(Clone, Copy)]
struct Load {
    puts_per_s: f64,
    puts_and_drain_per_s: f64,
    /// Most memory of no file, in MB; a mapped log belongs to files.
    memory_mb: f64,
    /// The same when everything is drained.
    drained_mb: f64,
    /// Bytes that the process wrote for each byte of keys and values.
    amplification: f64,
}

/// The name of a figure, and where it is in a load.
type Figure = (&'static str, fn(&Load) -> f64);

/// A number of a file of `/proc/self`.
fn own(file: &str, name: &str) -> Result<f64, Failure> {
    let text = std::fs::read_to_string(Path::new("/proc/self").join(file))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    Ok(line.and_then(|line| line.split_whitespace().next()).ok_or("the kernel does not print it")?.parse()?)
}

/// Memory of no file.
fn memory_mb() -> Result<f64, Failure> {
    Ok(own("status", "RssAnon")? * 1.024e-3)
}

/// Loads one engine in this process.
fn load_here(settings: &Settings, engine: &str, directory: &Path) -> Result<(), Failure> {
    let is_done = AtomicBool::new(false);
    let before_mb = memory_mb()?;
    let (outcome, most_mb) = thread::scope(|scope| {
        let sampler = scope.spawn(|| {
            let mut most: f64 = 0.0;
            while !is_done.load(Ordering::Relaxed) {
                most = most.max(memory_mb()?);
                thread::sleep(SAMPLE_EVERY);
            }
            Ok::<_, Failure>(most)
        });
        let load = if engine == "store" { load_store } else { load_rocksdb };
        let outcome = load(settings, directory);
        is_done.store(true, Ordering::Relaxed);
        (outcome, sampler.join())
    });
    let (times, drained_mb) = outcome?;
    let most_mb = most_mb.map_err(|_| "the thread that samples panicked")??;
    let user_bytes = settings.keys as f64 * (KEY_BYTES + VALUE_BYTES) as f64;
    let rate = |time: Duration| settings.keys as f64 / time.as_secs_f64();
    let amplification = own("io", "write_bytes")? / user_bytes;
    println!(
        "{} {} {} {} {amplification}",
        rate(times[0]),
        rate(times[1]),
        most_mb - before_mb,
        drained_mb - before_mb
    );
    Ok(())
}

/// Loads one engine in a process of its own.
fn load_apart(settings: &Settings, engine: &str) -> Result<Load, Failure> {
    let directory = tempfile::tempdir_in(&settings.directory)?;
    let mut loader = Command::new(std::env::current_exe()?);
    loader.args(std::env::args_os().skip(1)).arg(format!("engine={engine}"));
    loader.arg(format!("directory={}", directory.path().display()));
    let output = loader.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("the load of {engine} failed").into());
    }
    let text = String::from_utf8(output.stdout)?;
    let figures = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let [puts_per_s, puts_and_drain_per_s, memory_mb, drained_mb, amplification] = figures[..] else {
        return Err("the load did not print its figures".into());
    };
    Ok(Load { puts_per_s, puts_and_drain_per_s, memory_mb, drained_mb, amplification })
}

fn main() -> Result<(), Failure> {
    let settings = settings()?;
    if let Some(engine) = &settings.engine {
        return load_here(&settings, engine, &settings.directory.join("data"));
    }
    let mut rounds = Vec::new();
    for round in 0..settings.rounds {
        // The one that goes first changes from round to round.
        let (store, rocksdb) = if round.is_multiple_of(2) {
            let store = load_apart(&settings, "store")?;
            (store, load_apart(&settings, "rocksdb")?)
        } else {
            let rocksdb = load_apart(&settings, "rocksdb")?;
            (load_apart(&settings, "store")?, rocksdb)
        };
        for (engine, load) in [("store", store), ("RocksDB", rocksdb)] {
            println!(
                "{engine:8} load {:9.0} /s, with drain {:9.0} /s, memory {:5.0} MB, drained {:5.0} MB, \
                 writes {:.2} times what was put",
                load.puts_per_s,
                load.puts_and_drain_per_s,
                load.memory_mb,
                load.drained_mb,
                load.amplification
            );
        }
        rounds.push((store, rocksdb));
    }
    let figures: [Figure; 5] = [
        ("load rate", |load| load.puts_per_s),
        ("load and drain rate", |load| load.puts_and_drain_per_s),
        ("most memory", |load| load.memory_mb),
        ("memory when drained", |load| load.drained_mb),
        ("bytes written", |load| load.amplification),
    ];
    for (what, of) in figures {
        let mut ratios: Vec<f64> = rounds.iter().map(|(store, rocksdb)| of(store) / of(rocksdb)).collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "{what}: the store has {:.2} times RocksDB's ({:.2} to {:.2} in {} rounds)",
            ratios[ratios.len() / 2],
            ratios[0],
            ratios[ratios.len() - 1],
            ratios.len()
        );
    }
    Ok(())
}
