//! Pins of pages that are in the pool, at random, so that the table and the frames are not simply next in line.

use buffer::policy::{ClockSweep, Lru, Sieve};
use buffer::{Geometry, Policy, Pool, PoolError};
use disk::arena::Arena;
use disk::backend::{BlockBackend, Null, Setup};
use disk::file_table::FileTable;
use disk::kernel::scheduling::pin_current_thread;
use driver::MonotonicClock;
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier};
use std::thread;

const PAGE_SIZE: u32 = 8192;
const FRAMES: u32 = 2048;
const PINS: u32 = 1_000_000;
const REPETITIONS: usize = 25;

/// One policy's figures.
pub(crate) struct Hits {
    pub(crate) policy: &'static str,
    /// Nanoseconds of a pin, a look at the page and an unpin.
    pub(crate) alone_nanos: f64,
    /// The same for each of two readers.
    pub(crate) beside_nanos: f64,
    /// Whether hits are told in order.
    pub(crate) in_order: bool,
}

pub(crate) fn all() -> Result<Vec<Hits>, Box<dyn Error>> {
    Ok(vec![of::<ClockSweep>("clock_sweep")?, of::<Lru>("lru")?, of::<Sieve>("sieve")?])
}

fn of<P: Policy>(policy: &'static str) -> Result<Hits, Box<dyn Error>> {
    let pool = pool::<P>()?;
    let session = pool.session();
    for page in 0..FRAMES {
        drop(session.pin(page)?);
    }
    // Other programs only ever add: the fastest of many short turns is what it takes.
    let (mut alone_nanos, mut beside_nanos) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPETITIONS {
        alone_nanos = alone_nanos.min(readers(&pool, 1)?);
        beside_nanos = beside_nanos.min(readers(&pool, 2)?);
    }
    Ok(Hits { policy, alone_nanos, beside_nanos, in_order: P::IN_ORDER })
}

fn pool<P: Policy>() -> Result<Pool<P, Null>, Box<dyn Error>> {
    let geometry = Geometry { frames: FRAMES, page_size: PAGE_SIZE, pages: FRAMES, file: 0 };
    let arena = Arc::new(Arena::new(geometry.bytes())?);
    let files = Arc::new(FileTable::new());
    let setup = Setup { files, arena: Arc::clone(&arena), clock: MonotonicClock::start(), in_flight_max: 1 };
    Ok(Pool::new(geometry, arena, Null::build(&setup)?, 1)?)
}

/// Nanoseconds of CPU time per pin of each reader, the slowest one's: what a reader waits for a CPU that others have is not
/// the pool's, and what it waits for a cache line that the other reader has is.
fn readers<P: Policy>(pool: &Pool<P, Null>, readers: usize) -> Result<f64, Box<dyn Error>> {
    let barrier = Barrier::new(readers);
    let times = thread::scope(|scope| {
        let reader = |cpu: usize| {
            let barrier = &barrier;
            move || {
                // Where there is no such CPU the reader goes where the scheduler puts it.
                let _ = pin_current_thread(cpu);
                barrier.wait();
                read(pool, cpu as u64)
            }
        };
        let handles: Vec<_> = (0..readers).map(|cpu| scope.spawn(reader(cpu))).collect();
        handles.into_iter().map(|handle| handle.join().map_err(|_| "a reader panicked")).collect::<Vec<_>>()
    });
    let mut slowest = 0.0_f64;
    for time in times {
        slowest = slowest.max(time??);
    }
    Ok(slowest)
}

fn read<P: Policy>(pool: &Pool<P, Null>, seed: u64) -> Result<f64, PoolError> {
    let session = pool.session();
    let mut random = seed;
    let began = clock_gettime(ClockId::ThreadCPUTime);
    for _ in 0..PINS {
        // Knuth's MMIX generator: two cycles, where a better one would be part of what is measured.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pinned = session.pin((random >> 53) as u32)?;
        black_box(pinned.words()[0].load(Ordering::Relaxed));
    }
    let ended = clock_gettime(ClockId::ThreadCPUTime);
    let nanos = (ended.tv_sec - began.tv_sec) as f64 * 1e9 + (ended.tv_nsec - began.tv_nsec) as f64;
    Ok(nanos / f64::from(PINS))
}
