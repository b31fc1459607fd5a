//! What scans read.

use crate::settings::Settings;
use crate::{Failure, Stopwatch, key, load, make_cold, mix, together};
use std::ops::ControlFlow;
use std::path::Path;
use store::{Keys, Store};

/// Loads and drains, then scans from loaded keys. Prints the rate, and the reads and bytes of each scan.
pub(crate) fn load_and_scan(settings: &Settings, directory: &Path) -> Result<(), Failure> {
    let store = Store::open(directory, &settings.options)?;
    let stopwatch = Stopwatch::start();
    load(&store, settings)?;
    stopwatch.print("load", settings.keys);
    store.drain()?;
    stopwatch.print("load and drain", settings.keys);
    println!("  {} runs, {} deep", store.statistics().runs, store.statistics().runs_deep);
    store.close()?;
    make_cold(directory)?;
    let store = Store::open(directory, &settings.options)?;
    let stopwatch = Stopwatch::start();
    together(settings.threads, |thread| {
        (0..settings.scans).try_for_each(|draw| {
            let first = key(mix(thread << 40 | draw) % settings.keys);
            let mut visited = 0;
            store.scan(&Keys::range(&first[..]..).limit(settings.length), |found, _| {
                assert!(visited > 0 || found == first);
                visited += 1;
                ControlFlow::Continue(())
            })?;
            Ok(())
        })
    })?;
    let scans = settings.threads * settings.scans;
    stopwatch.print("cold scans", scans);
    let counts = store.statistics().counts;
    println!(
        "  {:.2} reads and {:.0} bytes for each scan",
        counts.scan_reads as f64 / scans as f64,
        counts.scan_read_bytes as f64 / scans as f64
    );
    Ok(())
}
