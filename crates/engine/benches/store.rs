//! The store beside RocksDB, in turns: load, and load until nothing is left to flush or to merge, in one durability
//! class with memtables of one size, two background threads and no compression.
//!
//! `cargo bench -p syncline-engine --features rocksdb --bench store -- [name=value …]`, for example `keys=5000000
//! threads=2 rounds=5 durability=power io=direct`. Target: twice RocksDB's rate in each class.

use engine::adapter::{RocksDb, open};
use engine::{Engine, Options};
use model::{DurabilityClass, IoMode};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::{LogLayout, Store};

const MEMTABLE_BYTES: u64 = 64 << 20;
/// As RocksDB ships it (`max_write_buffer_number`).
const MEMTABLES_MAX: usize = 2;

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Settings {
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

fn settings() -> Result<Settings, Failure> {
    let mut settings = Settings {
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

fn load(
    settings: &Settings,
    put: impl Fn(&[u8], &[u8]) -> Result<(), Failure> + Sync,
    drain: impl FnOnce() -> Result<(), Failure>,
) -> Result<Times, Failure> {
    let began = Instant::now();
    let share = settings.keys.div_ceil(settings.threads);
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let put = &put;
        let writers: Vec<_> = (0..settings.threads)
            .map(|thread| {
                let mut numbers = thread * share..((thread + 1) * share).min(settings.keys);
                scope.spawn(move || {
                    numbers.try_for_each(|number| put(&bytes::<24>(number), &bytes::<100>(!number)))
                })
            })
            .collect();
        writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    for outcome in outcomes {
        outcome.map_err(|_| "a thread panicked")??;
    }
    let loaded = began.elapsed();
    drain()?;
    Ok([loaded, began.elapsed()])
}

fn load_store(settings: &Settings, directory: &Path) -> Result<Times, Failure> {
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
    store.close()?;
    Ok(times)
}

fn load_rocksdb(settings: &Settings, directory: &Path) -> Result<Times, Failure> {
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
    engine.close()?;
    Ok(times)
}

fn main() -> Result<(), Failure> {
    let settings = settings()?;
    let rate = |time: Duration| settings.keys as f64 / time.as_secs_f64();
    let mut ratios = [Vec::new(), Vec::new()];
    for round in 0..settings.rounds {
        let mut times = [[Duration::ZERO; 2]; 2];
        // The one that goes first changes from round to round.
        for turn in 0..2 {
            let directory = tempfile::tempdir_in(&settings.directory)?;
            let path = directory.path().join("store");
            if (round + turn).is_multiple_of(2) {
                times[0] = load_store(&settings, &path)?;
            } else {
                times[1] = load_rocksdb(&settings, &path)?;
            }
        }
        let [store, rocksdb] = times;
        for (at, what) in ["load", "load and drain"].into_iter().enumerate() {
            let ratio = rocksdb[at].as_secs_f64() / store[at].as_secs_f64();
            ratios[at].push(ratio);
            println!(
                "{what:15} store {:9.0} /s   RocksDB {:9.0} /s   ratio {ratio:.2}",
                rate(store[at]),
                rate(rocksdb[at])
            );
        }
    }
    for (what, ratios) in ["load", "load and drain"].into_iter().zip(&mut ratios) {
        ratios.sort_by(f64::total_cmp);
        println!(
            "{what}: the store has {:.2} times RocksDB's rate ({:.2} to {:.2} in {} rounds)",
            ratios[ratios.len() / 2],
            ratios[0],
            ratios[ratios.len() - 1],
            ratios.len()
        );
    }
    Ok(())
}
