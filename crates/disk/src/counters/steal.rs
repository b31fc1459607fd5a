//! Stolen time: field 8 of the `cpu` line of `/proc/stat` (`proc_stat(5)`), which a hypervisor fills in, or leaves 0.

use model::mechanism::Measured;
use procfs::{CurrentSI, KernelStats};

/// Time since boot that a hypervisor gave to others, seconds, summed over CPUs.
pub fn total_s() -> Measured<f64> {
    match KernelStats::current() {
        Ok(statistics) => match statistics.total.steal_ms() {
            Some(milliseconds) => Measured::Value(milliseconds as f64 / 1e3),
            None => Measured::unsupported("/proc/stat has no steal column"),
        },
        Err(error) => Measured::unsupported(format!("/proc/stat: {error}")),
    }
}
