//! Memory of this process as the kernel counts it.

use crate::Failure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use store::{Statistics, Store};

const SAMPLE_EVERY: Duration = Duration::from_millis(5);

/// A line of `/proc/self/status`, in MB.
fn status_mb(name: &str) -> Result<f64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("the kernel does not print it")?;
    Ok(kib.parse::<f64>()? * 1.024e-3)
}

/// Prints it: at most so far, now, and of that what belongs to no file. A mapped log belongs to files.
pub(crate) fn print_memory() -> Result<(), Failure> {
    let (most, now, of_no_file) = (status_mb("VmHWM")?, status_mb("VmRSS")?, status_mb("RssAnon")?);
    println!("  memory: at most {most:.0} MB, now {now:.0} MB, of that {of_no_file:.0} MB of no file");
    Ok(())
}

/// Does the work, then prints the most memory of no file that there was meanwhile, with what the store had then.
pub(crate) fn with_peaks(store: &Store, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let is_done = AtomicBool::new(false);
    let (outcome, peak) = thread::scope(|scope| {
        let sampler = scope.spawn(|| {
            let mut peak: Option<(f64, Statistics)> = None;
            while !is_done.load(Ordering::Relaxed) {
                let now = status_mb("RssAnon")?;
                if peak.as_ref().is_none_or(|(most, _)| now > *most) {
                    peak = Some((now, store.statistics()));
                }
                thread::sleep(SAMPLE_EVERY);
            }
            Ok::<_, Failure>(peak)
        });
        let outcome = work();
        is_done.store(true, Ordering::Relaxed);
        (outcome, sampler.join())
    });
    outcome?;
    if let Some((most, statistics)) = peak.map_err(|_| "the thread that samples panicked")?? {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "  at most {most:.0} MB of no file, with {} memtables of {:.1} MB, page indexes of {:.1} MB, filters of {:.1} MB",
            statistics.memtables,
            mb(statistics.memtable_bytes),
            mb(statistics.index_bytes),
            mb(statistics.filter_bytes)
        );
    }
    Ok(())
}
