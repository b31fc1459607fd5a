//! A program with a store of its own: `cargo run -p syncline-store --example cities -- DIRECTORY`.

use std::error::Error;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use store::{Batch, IoMode, Keys, Options, Store};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).ok_or("usage: cities DIRECTORY")?;
    cities(Path::new(&directory), &mut io::stdout())
}

/// Counts the people of some cities, now and before.
pub(crate) fn cities(directory: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Direct I/O, the default, needs a file system that has it; the page cache is everywhere.
    let mut options = Options { memtable_bytes: 1 << 20, ..Options::default() };
    options.log.segment_bytes = 1 << 20;
    (options.log.io, options.data.io) = (IoMode::Buffered, IoMode::Buffered);

    let store = Store::open(directory, &options)?;
    store.put(b"city/Bern", b"134506")?;
    let before = store.snapshot();

    // Both or neither.
    let mut batch = Batch::new();
    batch.put(b"city/Basel", b"173552")?.put(b"city/Bern", b"137995")?;
    store.write(&batch)?;

    for (name, snapshot) in [("before", before), ("now", store.snapshot())] {
        snapshot.scan(&Keys::prefix(b"city/"), |city, people| {
            let (city, people) = (String::from_utf8_lossy(city), String::from_utf8_lossy(people));
            match writeln!(out, "{name}: {city} {people}") {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
    }
    writeln!(out, "syncs of the log: {}", store.statistics().counts.log_syncs)?;
    store.close()?;
    Ok(())
}
