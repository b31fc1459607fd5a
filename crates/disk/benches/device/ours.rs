//! Syncline's side: the device workload through the driver, as a worker runs it.

use super::{BLOCK, DEPTH, FILE_BYTES, Figures, Job};
use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::FileTable;
use disk::kernel::scheduling::pin_team_member;
use driver::{Driver, MonotonicClock, run_team};
use model::{IoMode, Nanos, Value};
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use workload::device::{Device, Parameters, SCHEMA};

/// Syncline on one file.
pub(crate) struct Ours {
    file: PathBuf,
}

fn parameters(job: &Job) -> Result<Parameters, String> {
    let mut values = SCHEMA.defaults();
    let name = |text: &str| Value::Name(text.to_owned());
    for (parameter, value) in [
        ("rw", name(job.rw)),
        ("bs", Value::Bytes(u64::from(BLOCK))),
        ("iodepth", Value::Count(u64::from(job.depth))),
        ("numjobs", Value::Count(u64::from(job.jobs))),
        ("ioengine", name(if job.uring { "uring" } else { "psync" })),
        ("mode", name(if job.direct { "direct" } else { "buffered" })),
        ("size", Value::Bytes(FILE_BYTES)),
        ("runtime", Value::Duration(Nanos::from_millis(job.turn.as_millis() as u64))),
    ] {
        values.0.insert(parameter.to_owned(), value);
    }
    Parameters::read(&values).map_err(|error| error.to_string())
}

impl Ours {
    pub(crate) fn new(file: &Path) -> Self {
        Self { file: file.to_owned() }
    }

    fn setup(&self, parameters: &Parameters, clock: MonotonicClock) -> Result<Setup, Box<dyn Error>> {
        let mut files = FileTable::new();
        files.open(&self.file, parameters.mode, parameters.writes())?;
        let mut arena = Arena::new(parameters.arena_bytes())?;
        arena.fill_random(1);
        let in_flight_max = parameters.in_flight_max();
        Ok(Setup { files: Arc::new(files), arena: Arc::new(arena), clock, in_flight_max, registered: true })
    }

    /// Runs the job's team.
    pub(crate) fn run(&self, job: &Job) -> Result<Figures, Box<dyn Error>> {
        let parameters = parameters(job)?;
        let clock = MonotonicClock::start();
        let kind = if job.uring { BackendKind::Uring } else { BackendKind::Psync };
        let setups = (0..job.jobs).map(|_| self.setup(&parameters, clock)).collect::<Result<Vec<_>, _>>()?;
        let devices = (0..job.jobs).map(|member| Device::new(parameters.clone(), member, 1)).collect();
        let begin = |member: usize, _: &Device| {
            pin_team_member(0, member).map_err(io::Error::other)?;
            Ok((kind.build(&setups[member])?, ()))
        };
        let (team, _) = run_team(devices, &clock, begin, |()| (), None)?;
        let histogram = team.recorder.histogram("completion_latency").ok_or("no latencies")?;
        let microseconds = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1e3;
        Ok(Figures {
            iops: team.operations as f64 / team.elapsed().seconds(),
            p50: microseconds(0.50),
            p99: microseconds(0.99),
        })
    }

    /// Nanoseconds per operation of driver, workload and histograms.
    pub(crate) fn overhead_ns(&self) -> Result<f64, Box<dyn Error>> {
        let turn = Duration::from_millis(500);
        let job = Job { rw: "randread", uring: true, direct: false, depth: DEPTH as u32, jobs: 1, turn };
        let parameters = Parameters { mode: IoMode::Buffered, ..parameters(&job)? };
        let clock = MonotonicClock::start();
        let backend = BackendKind::Null.build(&self.setup(&parameters, clock)?)?;
        let driven = Driver::new(Device::new(parameters, 0, 1), backend, clock).run()?;
        Ok(driven.ns_per_operation())
    }
}
