//! The device workload against fio and against the barest loop, interleaved on one core, on one file.
//!
//! Targets. Cached 4 KiB random reads: `uring` at depth 32 at least 1.1 × fio's io_uring (fixed and registered
//! everything, batches of 32, with latencies), or within 5 % of a bare ring loop that keeps no latency: that loop's
//! ratio to fio, printed from the same rounds, is the limit of any program on equal memory, where the kernel's copy is
//! most of a read. `psync` at least 1.1 × fio's psync. Direct random reads, which the device bounds: at least 0.95 ×
//! fio's IOPS at depths 32 and 128. For every direct pattern IOPS and p50 within 10 % of fio's, p99 within what fio
//! against itself shows in the same run.
//!
//! All of them read into memory of 4 KiB pages: of huge pages on one side alone, that side would have a third more of
//! the cached reads.
//!
//! Every arm runs once a round, next to the others, and is compared within the round: a slow minute of the machine
//! slows both sides of a ratio. Run it on a quiet machine.

#[path = "../../examples/backend_speed/bare_ring.rs"]
mod bare_ring;
mod fio;
mod ours;

use fio::Fio;
use ours::Ours;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

const FILE_BYTES: u64 = 256 << 20;
const BLOCK: u32 = 4096;
const DEPTH: usize = 32;
const CACHED_ROUNDS: usize = 12;
const CACHED_TURN: Duration = Duration::from_secs(1);
const DIRECT_ROUNDS: usize = 8;
const DIRECT_TURN: Duration = Duration::from_secs(2);
const SCALING_ROUNDS: usize = 6;

/// The next block of a 64-bit linear congruential generator (Knuth's MMIX): cheap, and the same in every arm.
fn next_offset(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 32) % (FILE_BYTES / u64::from(BLOCK)) * u64::from(BLOCK)
}

/// What one run gave; latencies in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    iops: f64,
    p50: f64,
    p99: f64,
}

/// A job that both programs can run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    rw: &'static str,
    uring: bool,
    direct: bool,
    depth: u32,
    jobs: u32,
    turn: Duration,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// Prints a ratio beside its target and says whether it was reached.
fn target(what: &str, ratio: f64, reached: bool, wanted: &str) -> bool {
    println!("  {what:<58} {ratio:6.3}  ({wanted}: {})", if reached { "ok" } else { "MISSED" });
    reached
}

fn cached(fio: &Fio, ours: &Ours, file: &File) -> Result<bool, Box<dyn Error>> {
    let ring = Job { rw: "randread", uring: true, direct: false, depth: 32, jobs: 1, turn: CACHED_TURN };
    let calls = Job { uring: false, depth: 1, ..ring };
    let mut rounds = Vec::new();
    for round in 0..=CACHED_ROUNDS {
        let fio_ring = fio.run(&ring)?.iops;
        let our_ring = ours.run(&ring)?.iops;
        let began = Instant::now();
        let operations = bare_ring::random_reads(file, began + CACHED_TURN)?;
        let bare_ring = operations as f64 / began.elapsed().as_secs_f64();
        let fio_calls = fio.run(&calls)?.iops;
        let our_calls = ours.run(&calls)?.iops;
        // The first round warms up.
        if round > 0 {
            rounds.push([fio_ring, our_ring, bare_ring, fio_calls, our_calls]);
        }
    }
    let column = |arm: usize| median(rounds.iter().map(|round| round[arm]).collect());
    let ratio =
        |over: usize, under: usize| median(rounds.iter().map(|round| round[over] / round[under]).collect());
    println!(
        "cached 4 KiB random reads, one core, every latency kept: median IOPS of {CACHED_ROUNDS} rounds of {CACHED_TURN:?}"
    );
    for (arm, name) in
        ["fio io_uring 32", "syncline uring 32", "bare ring 32, no latencies", "fio psync", "syncline psync"]
            .iter()
            .enumerate()
    {
        println!("  {name:<30} {:10.0}", column(arm));
    }
    println!("median of the rounds' ratios:");
    let limit = ratio(2, 0);
    println!("  {:<58} {limit:6.3}  (the limit)", "bare ring ÷ fio io_uring");
    let reached = [
        ("syncline uring ÷ fio io_uring", ratio(1, 0), 1.1_f64.min(0.95 * limit)),
        ("syncline uring ÷ bare ring", ratio(1, 2), 0.95),
        ("syncline psync ÷ fio psync", ratio(4, 3), 1.1),
    ]
    .map(|(what, ratio, least)| target(what, ratio, ratio >= least, &format!("at least {least:.3}")));
    Ok(reached.iter().all(|reached| *reached))
}

/// One direct pattern: fio, Syncline, fio again in every round.
fn agreement(fio: &Fio, ours: &Ours, job: &Job, iops_at_least: f64) -> Result<bool, Box<dyn Error>> {
    fio.run(job)?;
    ours.run(job)?;
    let (mut iops, mut p50, mut p99, mut itself) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..DIRECT_ROUNDS {
        let (first, mine, second) = (fio.run(job)?, ours.run(job)?, fio.run(job)?);
        // Against the mean of the fio runs on both sides, so that a drift within the round cancels.
        iops.push(mine.iops / (first.iops * second.iops).sqrt());
        p50.push(mine.p50 / (first.p50 * second.p50).sqrt());
        p99.push(mine.p99 / (first.p99 * second.p99).sqrt());
        itself.push((first.p99, second.p99));
    }
    let margin = stats::noise::noise_floor(&itself, 0.95).map_or(1.1, |floor| floor.ratio);
    let name = format!("direct {} depth {}", job.rw, job.depth);
    let within = |ratio: f64, limit: f64| ratio.max(1.0 / ratio) <= limit;
    let (iops, p50, p99) = (geometric_mean(&iops), geometric_mean(&p50), geometric_mean(&p99));
    let reached = [
        target(
            &format!("{name}: IOPS"),
            iops,
            iops >= iops_at_least && within(iops, 1.10),
            &format!("at least {iops_at_least}, within 10 %"),
        ),
        target(&format!("{name}: p50"), p50, within(p50, 1.10), "within 10 %"),
        target(
            &format!("{name}: p99"),
            p99,
            within(p99, margin),
            &format!("fio against itself {margin:.3}×"),
        ),
    ];
    Ok(reached.iter().all(|reached| *reached))
}

/// How IOPS grow from one job to two, for both programs.
fn scaling(fio: &Fio, ours: &Ours) -> Result<bool, Box<dyn Error>> {
    let one = Job { rw: "randread", uring: true, direct: false, depth: 32, jobs: 1, turn: CACHED_TURN };
    let two = Job { jobs: 2, ..one };
    let (mut theirs, mut mine) = (Vec::new(), Vec::new());
    for _ in 0..SCALING_ROUNDS {
        theirs.push(fio.run(&two)?.iops / fio.run(&one)?.iops);
        mine.push(ours.run(&two)?.iops / ours.run(&one)?.iops);
    }
    let (theirs, mine) = (median(theirs), median(mine));
    println!("numjobs = 2 ÷ numjobs = 1, cached: fio {theirs:.3}, syncline {mine:.3}");
    Ok(target("syncline's scaling ÷ fio's", mine / theirs, mine / theirs >= 0.95, "at least 0.95"))
}

fn prefilled(directory: &Path) -> Result<tempfile::NamedTempFile, Box<dyn Error>> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    let mut arena = disk::arena::Arena::new(1 << 20)?;
    for megabyte in 0..FILE_BYTES >> 20 {
        arena.fill_random(megabyte);
        file.write_all(arena.bytes(0, 1 << 20))?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}

fn main() -> Result<(), Box<dyn Error>> {
    // Programs that this one starts inherit it: every arm reads into 4 KiB pages, whatever the kernel's setting.
    disk::memory::forbid_huge_pages()?;
    let file = prefilled(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let (fio, ours) = (Fio::new(file.path()), Ours::new(file.path()));
    disk::kernel::scheduling::pin_current_thread(0)?;
    let mut reached = vec![cached(&fio, &ours, file.as_file())?];
    println!("direct, syncline ÷ fio: geometric mean of {DIRECT_ROUNDS} rounds of {DIRECT_TURN:?}");
    let randread = Job { rw: "randread", uring: true, direct: true, depth: 32, jobs: 1, turn: DIRECT_TURN };
    for (job, iops_at_least) in [
        (randread, 0.95),
        (Job { depth: 128, ..randread }, 0.95),
        (Job { rw: "randwrite", ..randread }, 0.90),
        (Job { rw: "write", uring: false, depth: 1, ..randread }, 0.90),
    ] {
        reached.push(agreement(&fio, &ours, &job, iops_at_least)?);
    }
    reached.push(scaling(&fio, &ours)?);
    println!(
        "the instrument's own cost (device workload on the null backend): {:.1} ns per operation",
        ours.overhead_ns()?
    );
    assert!(reached.iter().all(|reached| *reached), "a target was missed");
    Ok(())
}
