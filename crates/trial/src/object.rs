//! The object workload on files in the run's directory, or on objects of S3 below a prefix of the run.

use crate::dataset_pages::{self, Pages};
use crate::line::TurnChannel;
use crate::operation_log::{self, read_operation_log};
use crate::outcome::SubjectMeasurement;
#[cfg(feature = "object-store")]
use crate::prepared_objects;
use crate::prepared_objects::UPLOADS;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::team::{Ran, Team};
use crate::{block_team::ONLY_PHASE, cache};
use dataset::directory::Directory;
use dataset::{Clients, Contents, Dataset, Faults, Null, Object, ObjectError, OperationFailed, Working};
use driver::{DriveError, Driver, MonotonicClock};
#[cfg(feature = "object-store")]
use model::Endpoints;
use model::mechanism::{Measured, PageCache};
use model::object::{DATASET, WRITTEN};
use model::trial::{FileFacts, OperationLogFile, Phase, TrialSpec};
use model::units::MIB;
use model::{Cache, Layout, Nanos};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use workload::Evidence;
use workload::object::log::{LogWriter, Replay};
use workload::object::{
    Fill, ObjectLoad, ObjectMeasurement, ObjectSizes, Parameters, metrics, restore_metrics, size_classes,
};

/// The overhead measurement performs this number of operations.
const OVERHEAD_OPERATIONS: u64 = 20_000;
/// The phase that reads what the puts have left.
const RESTORE: &str = "restore";
#[cfg(feature = "object-store")]
const NO_PAGES: &str = "the cache of an object store cannot be seen from here";
/// Puts in flight while a dataset is made in a store.
const FILLING_IN_FLIGHT: u32 = 16;
/// Memory of those puts, bytes.
const FILLING_BYTES_MAX: u64 = 256 * MIB;

/// Makes the objects that are not there, and removes what a killed trial wrote.
pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let objects = Objects::of(&parameters)?;
    match place(site, spec, &parameters)? {
        Place::Directory(directory) => {
            fs::create_dir_all(directory.root()).map_err(|error| {
                Refusal::Failed(format!("{}: cannot make the directory: {error}", directory.root().display()))
            })?;
            fill(&directory, spec, &parameters, &objects)?;
            site.write_out()
        }
        #[cfg(feature = "object-store")]
        Place::Bucket(bucket) => {
            let (target, addresses) = (parameters.target.as_deref(), addresses(&parameters)?);
            prepared_objects::note(spec, target, &owner(spec, &parameters), addresses.as_ref())?;
            bucket.mark()?;
            bucket.abort_uploads(&spec.work_directory.join(UPLOADS))?;
            fill(&bucket, spec, &parameters, &objects)
        }
    }
}

/// What the objects of a trial are: those of its parameters, or of the log that it repeats.
struct Objects {
    replay: Option<Arc<Replay>>,
    /// The sizes of the dataset's objects.
    sizes: ObjectSizes,
    /// The largest one, also of those that are put.
    bytes_max: u64,
}

impl Objects {
    fn of(parameters: &Parameters) -> Result<Self, Refusal> {
        let Some(path) = &parameters.replay else {
            let sizes = parameters.sizes();
            return Ok(Self { replay: None, bytes_max: sizes.max(), sizes });
        };
        let replay = read_operation_log(Path::new(path)).map_err(Refusal::Failed)?;
        if replay.objects() != parameters.objects {
            return Err(Refusal::Failed(format!(
                "{path}: the log begins with {} objects and the plan with {}: it has changed since the run began",
                replay.objects(),
                parameters.objects
            )));
        }
        let (sizes, bytes_max) = (replay.sizes(), replay.bytes_max());
        Ok(Self { replay: Some(Arc::new(replay)), sizes, bytes_max })
    }
}

/// Where the objects are.
enum Place {
    Directory(Directory),
    #[cfg(feature = "object-store")]
    Bucket(dataset::bucket::Bucket),
}

fn place(site: &Site, spec: &TrialSpec, parameters: &Parameters) -> Result<Place, Refusal> {
    let Some(target) = &parameters.target else {
        return Ok(Place::Directory(Directory::at(site.directory().join(parameters.dataset_name()))));
    };
    #[cfg(feature = "object-store")]
    match dataset::Target::parse(target)? {
        dataset::Target::Bucket { bucket, prefix } => {
            let addresses = addresses(parameters)?;
            let bucket = dataset::bucket::Bucket::connect(&bucket, &prefix, addresses.as_ref())?;
            Ok(Place::Bucket(bucket.own(&owner(spec, parameters))))
        }
        dataset::Target::Directory(root) => {
            Err(Refusal::Failed(format!("{}: objects are written to s3 targets only", root.display())))
        }
    }
    #[cfg(not(feature = "object-store"))]
    {
        let _ = (spec, target);
        Err(Refusal::Unsupported(crate::scan::NO_S3.to_owned()))
    }
}

#[cfg(feature = "object-store")]
fn addresses(parameters: &Parameters) -> Result<Option<Endpoints>, Refusal> {
    parameters.addresses().map_err(Refusal::Failed)
}

/// What the prefix of a dataset is called: by the run, and by what distinguishes the dataset.
#[cfg(feature = "object-store")]
fn owner(spec: &TrialSpec, parameters: &Parameters) -> String {
    let run = disk::work_directory::id(&spec.work_directory);
    format!("{run}-{}", parameters.dataset_name())
}

/// What the objects hold: the same in all trials of a run, and in no other run.
fn contents(spec: &TrialSpec, parameters: &Parameters) -> Contents {
    let run = disk::work_directory::id(&spec.work_directory);
    // FNV-1a.
    let seed = run.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Contents { seed, compressible: parameters.compressible, duplicates: parameters.duplicates }
}

fn working(spec: &TrialSpec, parameters: &Parameters, objects: &Objects) -> Working {
    Working {
        tree: parameters.tree(),
        contents: contents(spec, parameters),
        verifies: parameters.verify,
        mode: parameters.io,
        syncs: parameters.sync_puts,
        renames: parameters.rename_puts,
        syncs_deletes: parameters.sync_deletes,
        clients: parameters.clients,
        client_first: spec.rank as usize * parameters.clients as usize,
        in_flight_max: parameters.iodepth,
        object_bytes_max: objects.bytes_max,
        read_bytes: parameters.read_size,
        part_bytes: parameters.part_size,
        parts_in_flight: parameters.parts_in_flight,
        failures_max: parameters.failures_max,
        uploads: spec.work_directory.join(UPLOADS),
    }
}

/// The objects of the dataset, or of what trials write.
fn objects_in<D: Dataset>(dataset: &D, folder: &str) -> Result<Vec<Object>, Refusal> {
    match dataset.list() {
        Ok(objects) => Ok(objects.into_iter().filter(|object| object.name.starts_with(folder)).collect()),
        Err(ObjectError::Empty { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Puts the objects that are not there, or that have another size.
fn fill<D: Dataset>(
    dataset: &D,
    spec: &TrialSpec,
    parameters: &Parameters,
    objects: &Objects,
) -> Result<(), Refusal> {
    dataset.empty(WRITTEN)?;
    let there: BTreeMap<String, u64> =
        objects_in(dataset, DATASET)?.into_iter().map(|object| (object.name, object.bytes)).collect();
    let (tree, sizes) = (parameters.tree(), &objects.sizes);
    let is_missing = |object: &u64| there.get(&tree.name(*object)) != Some(&sizes.of(*object));
    let missing: Vec<u64> = (0..parameters.objects).filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let in_flight = if parameters.is_remote() {
        (FILLING_BYTES_MAX / sizes.max()).clamp(1, u64::from(FILLING_IN_FLIGHT)) as u32
    } else {
        1
    };
    let working = Working {
        clients: 1,
        client_first: 0,
        in_flight_max: in_flight,
        syncs: false,
        failures_max: 0,
        ..working(spec, parameters, objects)
    };
    let clock = MonotonicClock::start();
    let backend = dataset.clients(working)?.backend(0, clock).map_err(Refusal::failed)?;
    let fill = Fill::new(parameters, sizes.clone(), missing, in_flight);
    Driver::new(fill, backend, clock).run().map(drop).map_err(|error| explain(&error))
}

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let objects = Objects::of(&parameters)?;
    let measuring = Measuring { site, spec, parameters: &parameters, objects: &objects, line };
    match place(site, spec, &parameters)? {
        Place::Directory(directory) => {
            let files = objects_in(&directory, DATASET)?;
            let pages = dataset_pages::of_files(&directory, &files);
            let before = condition_pages(&pages, parameters.cache)?;
            let root = directory.root().to_owned();
            let written = || {
                let written = objects_in(&directory, WRITTEN)?;
                condition_pages(&dataset_pages::of_files(&directory, &written), parameters.cache)
            };
            let mut measured = measuring.run(&directory, || cache::pages_below(&root), written)?;
            measured.other_files.push(facts(&files, &pages, before));
            Ok(measured)
        }
        #[cfg(feature = "object-store")]
        Place::Bucket(bucket) => {
            measuring.run(&bucket, || Measured::unsupported(NO_PAGES), || Ok(Measured::unsupported(NO_PAGES)))
        }
    }
}

/// Brings the files' pages into the state from which they are read. Returns the share that is cached then, 0…1.
fn condition_pages(pages: &Pages, cache: Cache) -> Result<Measured<f64>, Refusal> {
    match cache {
        Cache::Cold => pages.evict()?,
        Cache::Warm => pages.warm()?,
        Cache::AsIs => {}
    }
    Ok(pages.cached_share())
}

/// All files of the dataset as one.
fn facts(objects: &[Object], pages: &Pages, cached_share_before: Measured<f64>) -> FileFacts {
    FileFacts {
        role: "data".to_owned(),
        size_bytes: objects.iter().map(|object| object.bytes).sum(),
        layout: Layout::Prefilled.name().to_owned(),
        extents: Measured::unsupported("the dataset has many files"),
        age_s: None,
        cached_share_before,
        cached_share_after_ramp: None,
        cached_share_after: pages.cached_share(),
    }
}

struct Measuring<'a> {
    site: &'a Site,
    spec: &'a TrialSpec,
    parameters: &'a Parameters,
    objects: &'a Objects,
    line: Option<&'a TurnChannel>,
}

impl Measuring<'_> {
    /// `condition_written` brings the pages of what the puts have left into the state from which they are restored.
    fn run<D: Dataset>(
        &self,
        dataset: &D,
        pages: impl Fn() -> Measured<PageCache> + Sync,
        condition_written: impl FnOnce() -> Result<Measured<f64>, Refusal>,
    ) -> Result<SubjectMeasurement, Refusal> {
        let (spec, parameters) = (self.spec, self.parameters);
        let clients = dataset.clients(working(spec, parameters, self.objects))?;
        let began = SystemTime::now();
        let ran = self.drive(&clients, &pages)?;
        let unexpected: u64 = ran.team.workload.iter().map(ObjectLoad::unexpected).sum();
        if unexpected > 0 {
            return Err(Refusal::Failed(format!("{unexpected} lists do not have the names of their folder")));
        }
        let faults = clients.faults();
        let evidence = Evidence { mechanism: &ran.mechanism, instrument_overhead_ns: overhead(parameters) };
        let figures = metrics(
            parameters,
            &ObjectMeasurement {
                team: &ran.team,
                evidence: &evidence,
                retries: faults.retries,
                overloads: faults.overloads,
                requests: clients.requests(),
            },
        );
        let operations = ran.team.recorder.completed("object_latency");
        let size_classes = size_classes(&ran.team);
        let mut phases = vec![Phase { size_classes, ..ran.phase(ONLY_PHASE, operations, figures) }];
        let mut sidecar = ran.sidecar(ONLY_PHASE)?;
        let mut notes = ran.notes.clone();
        notes.extend(remarks(&faults));
        notes.extend(divided(&clients.requests_by_endpoint()));
        notes.extend(self.unserved(&ran));
        if parameters.restores() {
            let cached = condition_written()?;
            let restoring = ran.team.workload.iter().map(|client| client.restoring(parameters)).collect();
            let restored = self.drive_phase(RESTORE, restoring, &clients, &pages)?;
            let figures = restore_metrics(parameters, &restored.team, cached);
            phases.push(restored.phase(RESTORE, restored.team.recorder.completed("object_latency"), figures));
            sidecar.slices.extend(restored.turns.map(|(_, slices)| (RESTORE.to_owned(), slices)));
            notes.extend(restored.notes);
        }
        let operation_log = self.log(&ran, began)?;
        let removed = dataset.empty(WRITTEN)?;
        if removed > 0 && !parameters.is_remote() {
            // What was removed is not to be written back in the next trial.
            self.site.write_out()?;
        }
        Ok(SubjectMeasurement {
            notes,
            operation_log,
            ..SubjectMeasurement::new(phases, parameters.durability(), sidecar)
        })
    }

    fn drive<C: Clients>(
        &self,
        clients: &C,
        pages: &(impl Fn() -> Measured<PageCache> + Sync),
    ) -> Result<Ran<ObjectLoad>, Refusal> {
        let runtime = if self.takes_slices() { Nanos::ZERO } else { self.parameters.runtime };
        let parameters = Parameters { runtime, ..self.parameters.clone() };
        let workloads = (0..parameters.clients).map(|client| {
            let load = ObjectLoad::new(&parameters, client, self.spec.seed);
            match &self.objects.replay {
                Some(replay) => load.of_log(replay, &parameters, client),
                None => load,
            }
        });
        self.drive_phase(ONLY_PHASE, workloads.collect(), clients, pages)
    }

    fn drive_phase<C: Clients>(
        &self,
        phase: &str,
        workloads: Vec<ObjectLoad>,
        clients: &C,
        pages: &(impl Fn() -> Measured<PageCache> + Sync),
    ) -> Result<Ran<ObjectLoad>, Refusal> {
        let clock = MonotonicClock::start();
        let pinned = self.site.every_trial().first_cpu();
        let team = Team {
            site: self.site,
            device: self.site.device(),
            // Clients that move between CPUs measure the scheduler.
            first_cpu: pinned.or((workloads.len() > 1).then_some(0)),
            clock,
            pages,
            server: None,
            turns: self.line.map(|line| (line, phase)),
        };
        let ran = team.run(workloads, |client| Ok((clients.backend(client, clock)?, Vec::new())));
        ran.map_err(|error| explain(&error))
    }

    /// Writes what the clients did, if the parameters have a log.
    fn log(&self, ran: &Ran<ObjectLoad>, began: SystemTime) -> Result<Option<OperationLogFile>, Refusal> {
        if self.parameters.log_operations == 0 {
            return Ok(None);
        }
        let writer = LogWriter {
            format: self.parameters.log_format,
            tree: self.parameters.tree(),
            began,
            endpoint: if self.parameters.is_remote() { "s3://" } else { "file://" },
        };
        let journals: Vec<_> = ran.team.workload.iter().map(ObjectLoad::journal).collect();
        operation_log::write(&self.spec.work_directory, &writer, &journals).map(Some)
    }

    /// Whether the lab decides how long turns go on. A trial that takes no turns with others has one whole turn if
    /// ranks begin together, and ends it by itself.
    fn takes_slices(&self) -> bool {
        let turns = &self.site.description().turns;
        self.line.is_some() && turns.interleavable && !self.spec.has_whole_turns
    }

    /// The note about an open loop that fell behind.
    fn unserved(&self, ran: &Ran<ObjectLoad>) -> Option<String> {
        let runtime = if self.takes_slices() { ran.team.worked } else { self.parameters.runtime };
        let unserved: u64 = ran.team.workload.iter().map(|client| client.unserved(runtime)).sum();
        (unserved > 0).then(|| {
            let rate = if self.parameters.is_replay() { "the log" } else { "rate_ops" };
            format!(
                "the target could not keep up with {rate}: {unserved} arrivals were due and had not been started \
                 when the runtime was over"
            )
        })
    }
}

/// What went wrong and did not end the trial, as sentences.
fn remarks(faults: &Faults) -> Vec<String> {
    let listed = |causes: &BTreeMap<String, u64>| {
        causes.iter().map(|(cause, times)| format!("{cause} ({times} times)")).collect::<Vec<_>>().join(", ")
    };
    let retries = faults.retries.filter(|retries| *retries > 0);
    let retried = retries.map(|times| format!("{times} requests were retried: {}", listed(&faults.causes)));
    let failed: u64 = faults.failures.values().sum();
    let failures =
        (failed > 0).then(|| format!("{failed} operations failed in the end: {}", listed(&faults.failures)));
    retried.into_iter().chain(failures).collect()
}

/// The note about the requests to each endpoint, if the parameters name any.
fn divided(requests: &BTreeMap<String, u64>) -> Option<String> {
    let each: Vec<String> =
        requests.iter().map(|(endpoint, requests)| format!("{endpoint} {requests}")).collect();
    (!each.is_empty()).then(|| format!("requests to each endpoint: {}", each.join(", ")))
}

/// The overhead in nanoseconds per operation of workload, driver and histograms, on a backend that does nothing.
fn overhead(parameters: &Parameters) -> Measured<f64> {
    let alone = Parameters {
        clients: 1,
        operations_max: OVERHEAD_OPERATIONS,
        log_operations: parameters.log_operations.min(OVERHEAD_OPERATIONS),
        runtime: Nanos::ZERO,
        rate_ops: None,
        ..parameters.clone()
    };
    let driven = Driver::new(ObjectLoad::new(&alone, 0, 0), Null::default(), MonotonicClock::start()).run();
    driven.map(|driven| driven.ns_per_operation()).into()
}

/// The object, the operation and the reason of a failure.
fn explain(error: &DriveError) -> Refusal {
    let (DriveError::Operation { source, .. } | DriveError::Backend(source)) = error;
    match OperationFailed::of(source) {
        Some(failed) if failed.is_unsupported => Refusal::Unsupported(failed.to_string()),
        Some(failed) => Refusal::Failed(failed.to_string()),
        None => Refusal::Failed(error.to_string()),
    }
}
