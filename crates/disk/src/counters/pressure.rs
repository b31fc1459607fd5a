//! Pressure stall information: `/proc/pressure/*`, totals in microseconds since boot (kernel
//! `Documentation/accounting/psi.rst`). Absent if the kernel was built without it or started with `psi=0`.

use model::mechanism::{Measured, Pressure};
use procfs::{CpuPressure, Current, IoPressure, MemoryPressure, ProcResult};

/// Stall times of the whole machine since boot.
pub fn totals() -> Measured<Pressure> {
    read().map_err(|error| format!("/proc/pressure: {error}")).into()
}

fn read() -> ProcResult<Pressure> {
    let seconds = |microseconds: u64| microseconds as f64 / 1e6;
    let io = IoPressure::current()?;
    Ok(Pressure {
        cpu_some_s: seconds(CpuPressure::current()?.some.total),
        io_some_s: seconds(io.some.total),
        io_full_s: seconds(io.full.total),
        memory_some_s: seconds(MemoryPressure::current()?.some.total),
    })
}

pub(super) fn delta(before: &Pressure, after: &Pressure) -> Pressure {
    Pressure {
        cpu_some_s: (after.cpu_some_s - before.cpu_some_s).max(0.0),
        io_some_s: (after.io_some_s - before.io_some_s).max(0.0),
        io_full_s: (after.io_full_s - before.io_full_s).max(0.0),
        memory_some_s: (after.memory_some_s - before.memory_some_s).max(0.0),
    }
}
