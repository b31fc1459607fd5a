//! `/proc/thread-self/schedstat` (kernel `Documentation/scheduler/sched-stats.rst`): the second number is the time
//! the thread was runnable and another one had the CPU. Each thread of a team reads its own, because
//! `/proc/self/schedstat` is the main thread's alone.

use model::mechanism::Measured;
use procfs::FromRead;
use procfs::process::Schedstat;

const PATH: &str = "/proc/thread-self/schedstat";

/// Time the calling thread has waited for a CPU since it was born, seconds. Its growth over a phase, summed over
/// the team's threads, is the phase's run-queue delay.
pub fn delay_of_this_thread_s() -> Measured<f64> {
    Schedstat::from_file(PATH)
        .map(|statistics| statistics.run_delay as f64 / 1e9)
        .map_err(|error| format!("{PATH}: {error}"))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_never_falls() {
        let (before, after) = (delay_of_this_thread_s(), delay_of_this_thread_s());
        match (before.value(), after.value()) {
            (Some(before), Some(after)) => assert!(after >= before),
            (None, _) | (_, None) => skip::because(before.reason().unwrap_or_default()),
        }
    }
}
