//! A scan of a cold file through the pool, and the device workload's reads of it, turn by turn: same file, mode,
//! backend, size of a read and reads in flight.
//!
//! The device workload reads into as many buffers as it has reads in flight, which stay in the processor's cache. A
//! pool's frames do not, and a copy into memory that is in no cache takes longer, be it the kernel's or a virtual
//! disk's. So a large scan goes through a ring of frames; what it is without one is shown beside it, and so is what the
//! backend alone does with as much memory.

use crate::{median, quantile};
use buffer::policy::ClockSweep;
use buffer::{Geometry, Pool};
use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::FileTable;
use disk::files::{Layout, create};
use disk::page_cache;
use disk::work_directory::WorkDirectory;
use driver::{Backend, Driver, MonotonicClock};
use model::{BlockKind, BlockOp, IoMode, Value};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use workload::device::{Device, Parameters, SCHEMA};

const PAGE_SIZE: u32 = 8192;
/// Short turns: what other programs do to one of them is not in the median.
const PAGES: u32 = 4 << 10;
const FRAMES: u32 = 1024;
const FILE_BYTES: u64 = PAGE_SIZE as u64 * PAGES as u64;
const MIB: f64 = (1 << 20) as f64;
const TURNS: usize = 48;

/// A backend and how deep it reads.
struct Case {
    name: &'static str,
    kind: BackendKind,
    mode: IoMode,
    depth: u32,
}

const CASES: &[Case] = &[
    Case { name: "direct, psync, depth 1", kind: BackendKind::Psync, mode: IoMode::Direct, depth: 1 },
    Case { name: "direct, uring, depth 16", kind: BackendKind::Uring, mode: IoMode::Direct, depth: 16 },
    Case { name: "buffered, psync, depth 1", kind: BackendKind::Psync, mode: IoMode::Buffered, depth: 1 },
];

/// How the file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The pool, as large scans go through it. This is what the target is about.
    Ring,
    /// The pool, through every frame: what it reads is copied into memory that is in no cache any more.
    AllFrames,
    /// No pool: the backend alone, into as much memory as all frames have. What the row above loses to the memory.
    NoPool,
}

impl Way {
    const ALL: [Self; 3] = [Self::Ring, Self::AllFrames, Self::NoPool];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ring => "pool, a ring of frames",
            Self::AllFrames => "pool, all frames",
            Self::NoPool => "no pool, as much memory",
        }
    }
}

/// One case's figures: medians over turns.
pub(crate) struct Scan {
    pub(crate) name: &'static str,
    pub(crate) device_mib_per_s: f64,
    pub(crate) ways: Vec<Measured>,
}

/// One way's.
pub(crate) struct Measured {
    pub(crate) way: Way,
    pub(crate) mib_per_s: f64,
    /// To the device, turn by turn.
    pub(crate) ratio: f64,
    pub(crate) quartiles: (f64, f64),
}

pub(crate) fn all() -> Result<Vec<Scan>, Box<dyn Error>> {
    // Beside the build, as the temporary directory is memory on some machines.
    let directory = WorkDirectory::create(Path::new(env!("CARGO_TARGET_TMPDIR")))?;
    let path = directory.path().join("pages");
    create(&path, Layout::Prefilled, FILE_BYTES, 1)?;
    CASES.iter().filter(|case| case.kind.supported().is_ok()).map(|case| case.run(&path)).collect()
}

impl Case {
    fn run(&self, path: &Path) -> Result<Scan, Box<dyn Error>> {
        let mut device = Vec::new();
        let mut rates: [Vec<f64>; 3] = Default::default();
        for turn in 0..TURNS {
            // The order and the neighbours change from turn to turn.
            let mut turn_rates = [0.0; 4];
            for step in 0..4 {
                let index = if turn % 2 == 0 { (turn / 2 + step) % 4 } else { (turn / 2 + 7 - step) % 4 };
                turn_rates[index] = match Way::ALL.get(index) {
                    Some(Way::Ring) => self.pool(path, true)?,
                    Some(Way::AllFrames) => self.pool(path, false)?,
                    Some(Way::NoPool) => self.no_pool(path)?,
                    None => self.device(path)?,
                };
            }
            device.push(turn_rates[3]);
            rates.iter_mut().zip(turn_rates).for_each(|(rates, rate)| rates.push(rate));
        }
        let measured = |(way, rates): (Way, Vec<f64>)| {
            let ratios: Vec<f64> = rates.iter().zip(&device).map(|(rate, device)| rate / device).collect();
            Measured {
                way,
                mib_per_s: median(rates),
                ratio: median(ratios.clone()),
                quartiles: (quantile(ratios.clone(), 0.25), quantile(ratios, 0.75)),
            }
        };
        let ways = Way::ALL.into_iter().zip(rates).map(measured).collect();
        Ok(Scan { name: self.name, device_mib_per_s: median(device), ways })
    }

    fn setup(&self, path: &Path, arena: &Arc<Arena>, in_flight_max: usize) -> Result<Setup, Box<dyn Error>> {
        page_cache::evict(path)?;
        let mut files = FileTable::new();
        files.open(path, self.mode, false)?;
        let arena = Arc::clone(arena);
        Ok(Setup {
            files: Arc::new(files),
            arena,
            clock: MonotonicClock::start(),
            in_flight_max,
            registered: true,
        })
    }

    /// MiB per second of the device workload.
    fn device(&self, path: &Path) -> Result<f64, Box<dyn Error>> {
        let mut values = SCHEMA.defaults();
        let name = |text: &str| Value::Name(text.to_owned());
        for (parameter, value) in [
            ("rw", name("read")),
            ("bs", Value::Bytes(u64::from(PAGE_SIZE))),
            ("iodepth", Value::Count(u64::from(self.depth))),
            ("ioengine", name(self.kind.name())),
            ("mode", name(self.mode.name())),
            ("size", Value::Bytes(FILE_BYTES)),
            ("number_ios", Value::Count(u64::from(PAGES))),
        ] {
            values.0.insert(parameter.to_owned(), value);
        }
        let parameters = Parameters::read(&values)?;
        let arena = Arc::new(Arena::new(parameters.arena_bytes())?);
        let setup = self.setup(path, &arena, parameters.in_flight_max())?;
        let backend = self.kind.build(&setup)?;
        let driven = Driver::new(Device::new(parameters, 0, 1), backend, setup.clock).run()?;
        Ok(driven.operations as f64 * f64::from(PAGE_SIZE) / MIB / driven.elapsed().seconds())
    }

    /// MiB per second of a scan through the pool, every page pinned and looked at.
    fn pool(&self, path: &Path, in_ring: bool) -> Result<f64, Box<dyn Error>> {
        let geometry = Geometry { frames: FRAMES, page_size: PAGE_SIZE, pages: PAGES, file: 0 };
        let arena = Arc::new(Arena::new(geometry.bytes())?);
        let in_flight_max = self.depth as usize;
        let setup = self.setup(path, &arena, in_flight_max)?;
        let pool = Pool::<ClockSweep, _>::new(geometry, arena, self.kind.build(&setup)?, in_flight_max)?;
        let session = if in_ring { pool.session().in_ring() } else { pool.session() };
        let began = Instant::now();
        let mut ahead = 0;
        for page in 0..PAGES {
            // Reads need not end in their order: twice as far ahead as there are in flight.
            while self.depth > 1 && ahead < PAGES.min(page + 2 * self.depth) && session.read_ahead(ahead) {
                ahead += 1;
            }
            let pinned = session.pin(page)?;
            std::hint::black_box(&pinned.words()[0]);
        }
        let seconds = began.elapsed().as_secs_f64();
        assert_eq!(pool.counters().read, u64::from(PAGES));
        Ok(FILE_BYTES as f64 / MIB / seconds)
    }

    /// MiB per second of the backend alone, into as much memory as the pool has.
    fn no_pool(&self, path: &Path) -> Result<f64, Box<dyn Error>> {
        let arena = Arc::new(Arena::new((FRAMES * PAGE_SIZE) as usize)?);
        let setup = self.setup(path, &arena, self.depth as usize)?;
        let mut backend = self.kind.build(&setup)?;
        let mut idle: Vec<u32> = (0..self.depth).collect();
        let (mut operations, mut completions) = (Vec::new(), Vec::new());
        let (mut begun, mut ended) = (0, 0);
        let began = Instant::now();
        while ended < PAGES {
            while begun < PAGES
                && let Some(id) = idle.pop()
            {
                let offset = u64::from(begun) * u64::from(PAGE_SIZE);
                let buffer = begun % FRAMES * PAGE_SIZE;
                operations.push(BlockOp {
                    id,
                    kind: BlockKind::Read,
                    file: 0,
                    offset,
                    length: PAGE_SIZE,
                    buffer,
                });
                begun += 1;
            }
            assert_eq!(backend.submit(&operations)?, operations.len());
            operations.clear();
            backend.reap(1, None, &mut completions)?;
            for completion in completions.drain(..) {
                assert_eq!(completion.result, PAGE_SIZE as i32);
                idle.push(completion.id);
                ended += 1;
            }
        }
        Ok(FILE_BYTES as f64 / MIB / began.elapsed().as_secs_f64())
    }
}
