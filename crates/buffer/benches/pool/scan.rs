//! A scan of a cold file through the pool, and the device workload's reads of it, turn by turn: same file, mode, backend,
//! size of a read and reads in flight.

use buffer::policy::ClockSweep;
use buffer::{Geometry, Pool};
use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::FileTable;
use disk::files::{Layout, create};
use disk::page_cache;
use disk::work_directory::WorkDirectory;
use driver::{Driver, MonotonicClock};
use model::{IoMode, Value};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use workload::device::{Device, Parameters, SCHEMA};

const PAGE_SIZE: u32 = 8192;
const PAGES: u32 = 16 << 10;
const FRAMES: u32 = 1024;
const FILE_BYTES: u64 = PAGE_SIZE as u64 * PAGES as u64;
const MIB: f64 = (1 << 20) as f64;
const TURNS: usize = 9;

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

/// One case's figures: medians over turns.
pub(crate) struct Scan {
    pub(crate) name: &'static str,
    pub(crate) device_mib_per_s: f64,
    pub(crate) pool_mib_per_s: f64,
    /// Of the turns' own ratios.
    pub(crate) ratio: f64,
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
        let (mut device, mut pool, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for turn in 0..TURNS {
            // Who goes first changes from turn to turn.
            let (first, second): (f64, f64);
            if turn % 2 == 0 {
                first = self.device(path)?;
                second = self.pool(path)?;
            } else {
                second = self.pool(path)?;
                first = self.device(path)?;
            }
            device.push(first);
            pool.push(second);
            ratios.push(second / first);
        }
        Ok(Scan {
            name: self.name,
            device_mib_per_s: median(device),
            pool_mib_per_s: median(pool),
            ratio: median(ratios),
        })
    }

    fn setup(&self, path: &Path, arena: &Arc<Arena>, in_flight_max: usize) -> Result<Setup, Box<dyn Error>> {
        page_cache::evict(path)?;
        let mut files = FileTable::new();
        files.open(path, self.mode, false)?;
        let arena = Arc::clone(arena);
        Ok(Setup { files: Arc::new(files), arena, clock: MonotonicClock::start(), in_flight_max })
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
    fn pool(&self, path: &Path) -> Result<f64, Box<dyn Error>> {
        let geometry = Geometry { frames: FRAMES, page_size: PAGE_SIZE, pages: PAGES, file: 0 };
        let arena = Arc::new(Arena::new(geometry.bytes())?);
        let in_flight_max = self.depth as usize;
        let setup = self.setup(path, &arena, in_flight_max)?;
        let pool = Pool::<ClockSweep, _>::new(geometry, arena, self.kind.build(&setup)?, in_flight_max)?;
        let session = pool.session();
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
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
