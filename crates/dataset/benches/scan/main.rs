//! The scan of a dataset against fio, against its own memory, and against the client alone.
//!
//! Targets. A cold direct scan in blocks of 1 MiB: at least 0.95 × fio's sequential read of the same bytes, block size
//! and depth, interleaved. Pooled buffers: minor faults do not grow with the bytes that are read. Whole files: memory
//! grows with readers × file size and not with files. S3: within 5 % of `object_store`'s own ranged get in a bare loop.
//!
//! Every arm runs once a round, next to the others, and is compared within the round. Run it on a quiet machine.

#[cfg(feature = "object-store")]
#[path = "../../tests/it/gateway/mod.rs"]
mod gateway;
mod local;
#[cfg(feature = "object-store")]
mod remote;

use dataset::{Dataset, Object, Readers, Reading};
use driver::{Clock, Driven, MonotonicClock, run_team};
use std::error::Error;
use std::sync::Arc;
use workload::scan::{FileQueue, Parameters, Reader, SCHEMA};

const MIB: u64 = 1 << 20;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The schema's defaults with these changes.
fn parameters(changes: &[(&str, &str)]) -> Result<Parameters, Box<dyn Error>> {
    let mut configuration = SCHEMA.defaults();
    for (name, level) in changes {
        configuration.0.insert((*name).to_owned(), SCHEMA.parameter(name)?.parse(level)?);
    }
    Ok(Parameters::read(&configuration)?)
}

/// One pass over the objects; bytes per second.
fn pass<R: Reader, D: Dataset>(
    readers: &D::Readers,
    objects: &[Object],
    parameters: &Parameters,
) -> Result<f64, Box<dyn Error>> {
    let sizes: Arc<[u64]> = objects.iter().map(|object| object.bytes).collect();
    let queue = Arc::new(FileQueue::new(parameters, &sizes, 0, 1));
    let team = (0..parameters.concurrency).map(|_| R::new(parameters, &sizes, &queue)).collect();
    let clock = MonotonicClock::start();
    let _ = clock.now();
    let (driven, _): (Driven<Vec<R>>, Vec<()>) =
        run_team(team, &clock, |_, _: &R| Ok((readers.backend(clock)?, ())), |()| (), None)?;
    let bytes: u64 = driven.workload.iter().map(|reader| reader.tally().bytes).sum();
    Ok(bytes as f64 / driven.elapsed().seconds())
}

fn reading(parameters: &Parameters, file_bytes: u64, buffers: dataset::Buffers) -> Reading {
    Reading {
        mode: parameters.page_cache.mode(),
        buffers,
        buffer_pages: parameters.buffer_pages,
        readers: parameters.concurrency,
        in_flight_max: parameters.in_flight_max(),
        read_bytes_max: parameters.read_bytes(file_bytes),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Programs that this one starts inherit it: fio reads into the same kind of memory.
    disk::memory::forbid_huge_pages()?;
    local::against_fio()?;
    local::faults()?;
    local::memory()?;
    #[cfg(feature = "object-store")]
    remote::against_the_client()?;
    Ok(())
}
