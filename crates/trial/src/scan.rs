//! The scan workload on a dataset: Syncline's files, a directory that the user names, or S3; pass by pass.

mod listing;
mod passes;
mod target;

#[cfg(not(feature = "object-store"))]
pub(crate) use listing::NO_S3;
pub use listing::{Extent, Listing, reach_store};

use crate::cache::Start;
use crate::dataset_pages;
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
#[cfg(feature = "object-store")]
use crate::prepared_objects;
use crate::refusal::Refusal;
use crate::site::Site;
use dataset::directory::Directory;
use dataset::{Buffers, Dataset, Null, Object, ObjectError, Readers, Reading};
use driver::{Driver, MonotonicClock};
use model::mechanism::Measured;
use model::trial::{Phase, TrialSpec};
use model::{BufferPages, DurabilityClass, IoMode, Nanos};
use passes::Passes;
#[cfg(feature = "object-store")]
use std::collections::BTreeSet;
use std::sync::Arc;
use target::Place;
use workload::scan::{BufferSource, FileQueue, FileScan, Parameters, PassCache, Reader, metrics};

/// The overhead measurement reads about this number of blocks.
const OVERHEAD_BLOCKS: u64 = 20_000;

/// Creates objects if the trial requires them; files are created like those of every workload.
pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    match target::place(site, &parameters)? {
        Place::Directory { .. } => Ok(()),
        #[cfg(feature = "object-store")]
        Place::Bucket(bucket) if parameters.prepare => {
            prepared_objects::note(spec, parameters.target.as_deref(), &own(spec), None)?;
            ensure(&bucket.own(&own(spec)), &parameters, spec)
        }
        #[cfg(feature = "object-store")]
        Place::Bucket(_) => Ok(()),
    }
}

/// What the prefix of prepared objects is called: by the run.
#[cfg(feature = "object-store")]
fn own(spec: &TrialSpec) -> String {
    disk::work_directory::id(&spec.work_directory).to_owned()
}

/// The objects of a trial that prepares them.
#[cfg(feature = "object-store")]
fn prepared(parameters: &Parameters) -> Vec<Object> {
    let size = model::units::format_bytes(parameters.file_size);
    let object = |index| Object { name: format!("scan-{size}-{index:06}"), bytes: parameters.file_size };
    (0..parameters.files).map(object).collect()
}

/// Writes the objects that do not exist yet.
#[cfg(feature = "object-store")]
fn ensure(
    bucket: &dataset::bucket::Bucket,
    parameters: &Parameters,
    spec: &TrialSpec,
) -> Result<(), Refusal> {
    let there: BTreeSet<(String, u64)> = match bucket.list() {
        Ok(objects) => objects.into_iter().map(|object| (object.name, object.bytes)).collect(),
        Err(ObjectError::Empty { .. }) => BTreeSet::new(),
        Err(error) => return Err(error.into()),
    };
    for (index, object) in prepared(parameters).into_iter().enumerate() {
        if !there.contains(&(object.name.clone(), object.bytes)) {
            bucket.write(&object, spec.seed ^ index as u64)?;
        }
    }
    Ok(())
}

/// The files' pages when a trial starts; each pass then sees to its own.
pub(crate) fn cache(spec: &TrialSpec) -> Result<Start, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    Ok(match parameters.cache {
        PassCache::ColdEachPass | PassCache::Cold => Start::Cold,
        PassCache::Warm => Start::Warm,
    })
}

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    if parameters.buffer_pages == BufferPages::Small {
        // This also covers the allocator's memory and the memory of a single read, which is too short-lived for a
        // setting of its own.
        disk::memory::forbid_huge_pages().map_err(Refusal::failed)?;
    }
    match target::place(site, &parameters)? {
        Place::Directory { directory, objects } => {
            let device = target::device(&directory);
            let pages = dataset_pages::of_files(&directory, &objects);
            let sparse = pages.sparse();
            let passes = Passes { site, spec, parameters: &parameters, device, pages: Some(pages), line };
            let mut outcome = scan::<FileScan, Directory>(&passes, &directory, &objects)?;
            outcome.notes.extend(sparse);
            Ok(outcome)
        }
        #[cfg(feature = "object-store")]
        Place::Bucket(bucket) => {
            let (bucket, objects) = if parameters.prepare {
                (bucket.own(&own(spec)), prepared(&parameters))
            } else {
                let objects = target::as_planned(bucket.list()?, &parameters)?;
                (bucket, objects)
            };
            let device = Measured::unsupported("the device of an object store cannot be measured from here");
            let passes = Passes { site, spec, parameters: &parameters, device, pages: None, line };
            scan::<workload::scan::ObjectScan, dataset::bucket::Bucket>(&passes, &bucket, &objects)
        }
    }
}

fn scan<R: Reader, D: Dataset>(
    passes: &Passes<'_>,
    dataset: &D,
    objects: &[Object],
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = passes.parameters;
    let sizes: Arc<[u64]> = objects.iter().map(|object| object.bytes).collect();
    let readers = dataset.readers(objects, reading(parameters, &sizes))?;
    let ran = passes.run::<R, _>(&readers, &sizes)?;
    let figures = metrics(&ran.passes, &ran.latencies, &overhead::<R>(parameters, &sizes));
    let mut sidecar = ran.latencies.sidecar().map_err(Refusal::failed)?;
    let mut phases = Vec::new();
    for (index, ((pass, metrics), taken)) in (0..).zip(ran.passes.iter().zip(figures).zip(ran.turns)) {
        let name = passes::name(index);
        let (turns, slices) = taken.unzip();
        sidecar.slices.extend(slices.map(|slices| (name.clone(), slices)));
        let phase = Phase::new(name, pass.seconds, pass.operations, metrics, pass.mechanism.clone());
        phases.push(Phase { turns, ..phase });
    }
    Ok(SubjectMeasurement {
        notes: ran.notes,
        buffers: readers.buffer_memory(),
        // Reads cannot lose anything.
        ..SubjectMeasurement::new(phases, DurabilityClass::Process, sidecar)
    })
}

fn reading(parameters: &Parameters, sizes: &[u64]) -> Reading {
    let largest = sizes.iter().map(|bytes| parameters.read_bytes(*bytes)).max();
    Reading {
        mode: if parameters.is_remote() { IoMode::Buffered } else { parameters.page_cache.mode() },
        buffers: match parameters.buffers {
            BufferSource::Pooled => Buffers::Pooled,
            BufferSource::Malloc => Buffers::Malloc,
            BufferSource::Fresh => Buffers::Fresh,
        },
        buffer_pages: parameters.buffer_pages,
        readers: parameters.concurrency,
        in_flight_max: parameters.in_flight_max(),
        read_bytes_max: largest.unwrap_or(1),
    }
}

/// The overhead in nanoseconds per operation of reader, driver and histograms, on a backend that reads nothing.
fn overhead<R: Reader>(parameters: &Parameters, sizes: &[u64]) -> Measured<f64> {
    let bytes = sizes.iter().copied().max().unwrap_or(1).max(1);
    let blocks = bytes.div_ceil(parameters.read_bytes(bytes).max(1));
    // An accelerator would be waited for.
    let alone = Parameters { step_time: Nanos::ZERO, ..parameters.clone() };
    let files = (OVERHEAD_BLOCKS / blocks).clamp(1, OVERHEAD_BLOCKS) as u32;
    let sizes: Arc<[u64]> = vec![bytes; files as usize].into();
    let queue = Arc::new(FileQueue::new(&alone, &sizes, 0, 0));
    let reader = R::new(&alone, &sizes, &queue);
    let driven = Driver::new(reader, Null::default(), MonotonicClock::start()).run();
    driven.map(|driven| driven.ns_per_operation()).into()
}

impl From<ObjectError> for Refusal {
    fn from(error: ObjectError) -> Self {
        Self::failed(error)
    }
}
