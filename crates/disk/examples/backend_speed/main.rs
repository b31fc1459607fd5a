//! What the instrument costs: each backend through the driver, against the barest loop that does the same I/O.
//!
//! `cargo run --release -p syncline-disk --example backend_speed [DIRECTORY]`
//!
//! Random 4 KiB reads of a cached file. Arms are interleaved in rounds and compared within a round, so that a slow
//! minute of the machine slows both sides of a ratio. Single-threaded: give it an idle core.

mod bare;
mod bare_ring;

use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::FileTable;
use driver::{Driver, MonotonicClock, Next, Recorder, Workload};
use model::{BlockKind, BlockOp, Completion, IoMode, Nanos};
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FILE_BYTES: u64 = 256 << 20;
const BLOCK: u32 = 4096;
const DEPTH: usize = 32;
const ROUNDS: usize = 15;
const TURN: Duration = Duration::from_millis(200);

/// The next block of a 64-bit linear congruential generator (Knuth's MMIX): cheap, and the same in every arm.
fn next_offset(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 32) % (FILE_BYTES / u64::from(BLOCK)) * u64::from(BLOCK)
}

/// Keeps `depth` random reads in flight and records the latency of each.
struct RandomReads {
    free: Vec<u32>,
    depth: usize,
    random: u64,
    until: Nanos,
}

impl Workload for RandomReads {
    type Op = BlockOp;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<BlockOp>) -> Next {
        if now >= self.until {
            return Next::Done;
        }
        let random = &mut self.random;
        out.extend(self.free.drain(..).map(|id| BlockOp {
            id,
            kind: BlockKind::Read,
            file: 0,
            offset: next_offset(random),
            length: BLOCK,
            buffer: id * BLOCK,
        }));
        Next::Wait
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        recorder.latency(0, completion.began(), completion.ended());
        self.free.push(completion.id);
    }

    fn in_flight_max(&self) -> usize {
        self.depth
    }

    fn families(&self) -> &'static [&'static str] {
        &["read_latency"]
    }
}

/// Nanoseconds per operation through the driver.
fn through_driver(kind: BackendKind, depth: usize, setup: &Setup) -> Result<f64, Box<dyn Error>> {
    let setup = Setup { in_flight_max: depth, ..setup.clone() };
    let workload = RandomReads {
        free: (0..depth as u32).collect(),
        depth,
        random: 1,
        until: Nanos(TURN.as_nanos() as u64),
    };
    let driven = Driver::new(workload, kind.build(&setup)?, setup.clock).run()?;
    Ok(driven.ns_per_operation())
}

/// Nanoseconds per operation of a loop that is given its deadline and answers how many operations it did.
fn bare(run: impl FnOnce(Instant) -> std::io::Result<u64>) -> Result<f64, Box<dyn Error>> {
    let began = Instant::now();
    let operations = run(began + TURN)?;
    Ok(began.elapsed().as_nanos() as f64 / operations as f64)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn cached_file(directory: &Path) -> Result<tempfile::NamedTempFile, Box<dyn Error>> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    let mut arena = Arena::new(1 << 20)?;
    for megabyte in 0..FILE_BYTES >> 20 {
        arena.fill_random(megabyte);
        file.write_all(arena.bytes(0, 1 << 20))?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

fn setup(path: &Path, mode: IoMode) -> Result<Setup, Box<dyn Error>> {
    let mut files = FileTable::new();
    files.open(path, mode, false)?;
    let mut arena = Arena::new(DEPTH * BLOCK as usize)?;
    arena.fill_random(1);
    let clock = MonotonicClock::start();
    Ok(Setup {
        files: Arc::new(files),
        arena: Arc::new(arena),
        clock,
        in_flight_max: DEPTH,
        registered: true,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").to_owned());
    let file = cached_file(Path::new(&directory))?;
    let called = setup(file.path(), IoMode::Buffered)?;
    let mapped = setup(file.path(), IoMode::Mmap)?;
    BackendKind::Uring.supported()?;

    let names = [
        "null 1",
        "null 32",
        "psync 1",
        "psync 32",
        "bare pread",
        "uring 32",
        "bare uring 32",
        "mmap 1",
        "mmap 32",
        "bare copy",
        "timed copy",
    ];
    let mut rounds: Vec<[f64; 11]> = Vec::new();
    for round in 0..=ROUNDS {
        let turn = [
            through_driver(BackendKind::Null, 1, &called)?,
            through_driver(BackendKind::Null, DEPTH, &called)?,
            through_driver(BackendKind::Psync, 1, &called)?,
            through_driver(BackendKind::Psync, DEPTH, &called)?,
            bare(|until| bare::pread(file.as_file(), until))?,
            through_driver(BackendKind::Uring, DEPTH, &called)?,
            bare(|until| bare_ring::random_reads(file.as_file(), until))?,
            through_driver(BackendKind::Mmap, 1, &mapped)?,
            through_driver(BackendKind::Mmap, DEPTH, &mapped)?,
            bare(|until| bare::copy(file.as_file(), until, bare::CLOCK_EVERY))?,
            bare(|until| bare::copy(file.as_file(), until, 1))?,
        ];
        // The first round warms up.
        if round > 0 {
            rounds.push(turn);
        }
    }
    println!("ns per operation, median of {ROUNDS} rounds of {} ms:", TURN.as_millis());
    for (arm, name) in names.iter().enumerate() {
        println!("  {name:<14} {:8.1}", median(rounds.iter().map(|turn| turn[arm])));
    }
    println!("throughput through the driver ÷ bare loop, median of the rounds' ratios:");
    let ratios = [
        ("psync 1", 4, 2),
        ("psync 32", 4, 3),
        ("uring 32", 6, 5),
        ("mmap 1", 9, 7),
        ("mmap 1, timed", 10, 7),
    ];
    for (name, bare, driven) in ratios {
        println!("  {name:<14} {:8.3}", median(rounds.iter().map(|turn| turn[bare] / turn[driven])));
    }
    Ok(())
}
