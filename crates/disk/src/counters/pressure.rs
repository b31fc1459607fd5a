//! Pressure stall information: `/proc/pressure/*`, totals in microseconds since boot (kernel
//! `Documentation/accounting/psi.rst`). Absent if the kernel was built without it or started with `psi=0`.

use super::text::CounterFile;
use model::mechanism::{Measured, Pressure};
use procfs::prelude::FromBufRead;
use procfs::{CpuPressure, IoPressure, MemoryPressure};

/// The files of the three resources.
#[derive(Debug)]
pub(super) struct PressureFiles {
    cpu: CounterFile,
    io: CounterFile,
    memory: CounterFile,
}

impl PressureFiles {
    pub(super) fn open() -> Self {
        let open = |resource| CounterFile::open(format!("/proc/pressure/{resource}"));
        Self { cpu: open("cpu"), io: open("io"), memory: open("memory") }
    }

    /// Stall times of the whole machine since boot.
    pub(super) fn totals(&self) -> Measured<Pressure> {
        self.read().into()
    }

    fn read(&self) -> Result<Pressure, String> {
        let seconds = |microseconds: u64| microseconds as f64 / 1e6;
        let io: IoPressure = parsed(&self.io)?;
        Ok(Pressure {
            cpu_some_s: seconds(parsed::<CpuPressure>(&self.cpu)?.some.total),
            io_some_s: seconds(io.some.total),
            io_full_s: seconds(io.full.total),
            memory_some_s: seconds(parsed::<MemoryPressure>(&self.memory)?.some.total),
        })
    }
}

fn parsed<T: FromBufRead>(file: &CounterFile) -> Result<T, String> {
    let text = file.text().map_err(|failure| failure.to_string())?;
    T::from_buf_read(text.as_bytes()).map_err(|error| format!("{}: {error}", file.path().display()))
}

pub(super) fn delta(before: &Pressure, after: &Pressure) -> Pressure {
    Pressure {
        cpu_some_s: (after.cpu_some_s - before.cpu_some_s).max(0.0),
        io_some_s: (after.io_some_s - before.io_some_s).max(0.0),
        io_full_s: (after.io_full_s - before.io_full_s).max(0.0),
        memory_some_s: (after.memory_some_s - before.memory_some_s).max(0.0),
    }
}
