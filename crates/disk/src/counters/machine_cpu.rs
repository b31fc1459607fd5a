//! The `cpu` line of `/proc/stat` (`proc_stat(5)`): how the whole machine spent its CPU time. Steal, field 8, is what a
//! hypervisor fills in, or leaves 0.

use super::text::CounterFile;
use model::mechanism::Measured;
use procfs::KernelStats;
use procfs::prelude::FromBufReadSI;

/// CPU time since boot, seconds summed over CPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MachineCpu {
    /// In user mode, of all processes, whatever their priority. Kernel threads have none.
    pub(super) user_s: f64,
    /// Kept from this machine by a hypervisor.
    pub(super) steal_s: f64,
}

pub(super) const PATH: &str = "/proc/stat";

pub(super) fn totals(stat: &CounterFile) -> Measured<MachineCpu> {
    let statistics = match stat.text() {
        Ok(text) => KernelStats::from_buf_read(text.as_bytes(), procfs::current_system_info()),
        Err(failure) => return Measured::unsupported(failure.to_string()),
    };
    match statistics {
        Ok(statistics) => match statistics.total.steal_ms() {
            Some(steal_ms) => {
                let user_ms = statistics.total.user_ms() + statistics.total.nice_ms();
                Measured::Value(MachineCpu { user_s: user_ms as f64 / 1e3, steal_s: steal_ms as f64 / 1e3 })
            }
            None => Measured::unsupported("/proc/stat has no steal column"),
        },
        Err(error) => Measured::unsupported(format!("/proc/stat: {error}")),
    }
}
