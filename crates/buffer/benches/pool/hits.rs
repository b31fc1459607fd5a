//! Pins of pages that are in the pool, at random, so that the table and the frames are not simply next in line: one
//! reader, two readers of one pool, and two readers of a pool each, who share nothing.

use buffer::policy::{ClockSweep, Lru, Sieve};
use buffer::{Geometry, Policy, Pool, PoolError};
use disk::arena::Arena;
use disk::backend::{BlockBackend, Null, Setup};
use disk::file_table::FileTable;
use disk::kernel::scheduling::pin_current_thread;
use driver::MonotonicClock;
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const PAGE_SIZE: u32 = 8192;
const FRAMES: u32 = 2048;
/// Some milliseconds: a turn that no other program interrupts comes soon even on a busy machine.
const PINS: u32 = 200_000;
const TURNS: usize = 41;
/// Attempts at a turn in which both readers run all the time.
const ATTEMPTS_MAX: usize = 40;
/// Below this number of turns the result of two readers is not reported.
const TURNS_MIN: usize = 9;
/// A turn counts if readers ran for this part of the time at least, and at the same time.
const TOGETHER_MIN: f64 = 0.9;

/// One policy's figures.
pub(crate) struct Hits {
    pub(crate) policy: &'static str,
    /// Nanoseconds of a pin, a look at the page and an unpin.
    pub(crate) alone_nanos: f64,
    /// `None` if other programs left no turn in which two readers ran together.
    pub(crate) beside: Option<Beside>,
}

/// Two readers: medians over turns, in times of what one does in the same turn.
pub(crate) struct Beside {
    pub(crate) turns: usize,
    pub(crate) shared: f64,
    /// A pool each: what the processor gives two threads.
    pub(crate) apart: f64,
    /// One to the other, turn by turn.
    pub(crate) share: f64,
}

pub(crate) fn all() -> Result<Vec<Hits>, Box<dyn Error>> {
    Ok(vec![measure::<ClockSweep>("clock_sweep")?, measure::<Lru>("lru")?, measure::<Sieve>("sieve")?])
}

fn measure<P: Policy>(policy: &'static str) -> Result<Hits, Box<dyn Error>> {
    let pools = [filled::<P>()?, filled::<P>()?];
    let (one, other) = (&pools[0], &pools[1]);
    let mut alone_nanos = f64::INFINITY;
    let (mut shared, mut apart, mut share) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let alone = together(&[one])?;
        // The first one changes from turn to turn.
        let (beside, private);
        if turn % 2 == 0 {
            beside = together(&[one, one])?;
            private = together(&[one, other])?;
        } else {
            private = together(&[one, other])?;
            beside = together(&[one, one])?;
        }
        // Other programs only ever add: the fastest of many short turns is what a hit takes.
        alone_nanos = alone_nanos.min(alone.unwrap_or(f64::INFINITY));
        if let (Some(alone), Some(beside), Some(private)) = (alone, beside, private) {
            shared.push(2.0 * alone / beside);
            apart.push(2.0 * alone / private);
            share.push(private / beside);
        }
    }
    let turns = share.len();
    let beside = (turns >= TURNS_MIN).then(|| Beside {
        turns,
        shared: crate::median(shared),
        apart: crate::median(apart),
        share: crate::median(share),
    });
    Ok(Hits { policy, alone_nanos, beside })
}

fn filled<P: Policy>() -> Result<Pool<P, Null>, Box<dyn Error>> {
    let geometry = Geometry { frames: FRAMES, page_size: PAGE_SIZE, pages: FRAMES, file: 0 };
    let arena = Arc::new(Arena::new(geometry.bytes())?);
    let files = Arc::new(FileTable::new());
    let setup = Setup {
        files,
        arena: Arc::clone(&arena),
        clock: MonotonicClock::start(),
        in_flight_max: 1,
        registered: true,
    };
    let pool = Pool::new(geometry, arena, Null::build(&setup)?, 1)?;
    let session = pool.session();
    for page in 0..FRAMES {
        drop(session.pin(page)?);
    }
    drop(session);
    Ok(pool)
}

/// Nanoseconds per pin of each reader, the slowest one's, in a turn in which they ran together.
fn together<P: Policy>(pools: &[&Pool<P, Null>]) -> Result<Option<f64>, Box<dyn Error>> {
    for _ in 0..ATTEMPTS_MAX {
        let runs = readers(pools)?;
        let began = |fold: fn(f64, f64) -> f64| runs.iter().map(|run| run.began).reduce(fold);
        let ended = |fold: fn(f64, f64) -> f64| runs.iter().map(|run| run.ended).reduce(fold);
        let all = ended(f64::max).zip(began(f64::min)).map_or(0.0, |(ended, began)| ended - began);
        let common = ended(f64::min).zip(began(f64::max)).map_or(0.0, |(ended, began)| ended - began);
        let ran = runs.iter().all(|run| run.cpu >= TOGETHER_MIN * (run.ended - run.began));
        if ran && common >= TOGETHER_MIN * all {
            return Ok(Some(runs.iter().map(|run| run.cpu).fold(0.0, f64::max) / f64::from(PINS)));
        }
    }
    Ok(None)
}

/// When a reader ran, and how long on a CPU, in nanoseconds.
struct Ran {
    began: f64,
    ended: f64,
    cpu: f64,
}

fn readers<P: Policy>(pools: &[&Pool<P, Null>]) -> Result<Vec<Ran>, Box<dyn Error>> {
    let ready = AtomicUsize::new(0);
    let results = thread::scope(|scope| {
        let handles: Vec<_> = pools
            .iter()
            .enumerate()
            .map(|(cpu, pool)| {
                let ready = &ready;
                scope.spawn(move || {
                    // If there is no such CPU the reader goes where the scheduler puts it.
                    let _ = pin_current_thread(cpu);
                    ready.fetch_add(1, Ordering::Relaxed);
                    while ready.load(Ordering::Relaxed) < pools.len() {
                        spin_loop();
                    }
                    read(pool, cpu as u64)
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().map_err(|_| "a reader panicked")).collect::<Vec<_>>()
    });
    results.into_iter().map(|result| Ok(result??)).collect()
}

fn read<P: Policy>(pool: &Pool<P, Null>, seed: u64) -> Result<Ran, PoolError> {
    let session = pool.session();
    let mut random = seed;
    let (began, cpu_began) = (nanos(ClockId::Monotonic), nanos(ClockId::ThreadCPUTime));
    for _ in 0..PINS {
        // Knuth's MMIX generator: two cycles, where a better one would be part of what is measured.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pinned = session.pin((random >> 53) as u32)?;
        black_box(pinned.words()[0].load(Ordering::Relaxed));
    }
    let cpu = nanos(ClockId::ThreadCPUTime) - cpu_began;
    Ok(Ran { began, ended: nanos(ClockId::Monotonic), cpu })
}

fn nanos(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
