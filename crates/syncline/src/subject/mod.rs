//! The registry that wires workloads to subjects, and what every trial goes through whatever its workload.

mod age;
mod append;
mod block_team;
mod cache;
mod canary;
mod commit;
mod device;
mod direct;
mod engine_team;
mod exposure;
mod kill;
mod kv;
pub(crate) mod pool;
pub(crate) mod scan;
mod site;
mod steady;
mod store;
mod team;

pub(crate) use kill::{acknowledge, recover};

use disk::kernel::block_device::BlockDevice;
use disk::kernel::scheduling::run_real_time;
use disk::quiesce::Quiescence;
use model::mechanism::Measured;
use model::trial::{FileFacts, Measurement, TrialSpec, WorkerReply};
use model::{BufferMemory, Layout, suggestion};
use site::Site;
use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

/// How a workload is run on a subject.
struct Subject {
    workload: &'static str,
    /// The parameters that say how much room a trial takes.
    sizes: &'static [&'static str],
    /// Puts the files into the state that a trial starts from, after they have been made; not measured.
    condition: fn(&Site, &TrialSpec) -> Result<(), Refusal>,
    /// Prepares nothing, cleans nothing, only measures.
    measure: fn(&Site, &TrialSpec) -> Result<Outcome, Refusal>,
}

/// Every workload with its subject.
const REGISTRY: &[Subject] = &[
    Subject {
        workload: "commit",
        sizes: &["data_size", "wal_size"],
        condition: |_, _| Ok(()),
        measure: commit::measure,
    },
    Subject { workload: "device", sizes: &["size"], condition: device::condition, measure: device::measure },
    Subject { workload: "append", sizes: &["entries"], condition: empty_store, measure: append::measure },
    Subject {
        workload: "scan",
        sizes: &["files", "file_size"],
        condition: scan::condition,
        measure: scan::measure,
    },
    Subject { workload: "kv", sizes: &["keys"], condition: empty_store, measure: kv::measure },
    Subject { workload: "pool", sizes: &["blocks"], condition: pool::condition, measure: pool::measure },
];

impl Subject {
    fn of(workload: &str) -> Result<&'static Self, Refusal> {
        let known = || REGISTRY.iter().map(|subject| subject.workload);
        REGISTRY
            .iter()
            .find(|subject| subject.workload == workload)
            .ok_or_else(|| Refusal::Failed(suggestion::unknown("workload", workload, known())))
    }
}

/// The parameters to lower where a workload finds no room.
pub(crate) fn size_parameters(workload: &str) -> &'static [&'static str] {
    REGISTRY.iter().find(|subject| subject.workload == workload).map_or(&[], |subject| subject.sizes)
}

/// Why a worker cannot answer with figures.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Something went wrong: one sentence with path and what to do.
    Failed(String),
    /// This machine or file system cannot do it.
    Unsupported(String),
}

impl Refusal {
    /// Something went wrong.
    pub(crate) fn failed(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

/// What a subject adds to a measurement.
pub(crate) struct Outcome {
    phases: Vec<model::trial::Phase>,
    durability: model::DurabilityClass,
    sidecar: model::sidecar::Sidecar,
    notes: Vec<String>,
    steady_ramp: Option<model::trial::SteadyRamp>,
    /// Seconds of what was measured after the phases.
    aftermath_s: f64,
    /// The memory of Syncline's own buffers after the last phase; `None` where there are none.
    buffers: Option<Measured<BufferMemory>>,
    /// By file, where the workload ran before it was measured.
    cached_shares_after_ramp: Option<Vec<Measured<f64>>>,
}

/// The device has this long to go quiet before a trial, unless the trial says otherwise. On a disk with other tenants it never does: the record says so,
/// and the run goes on.
const QUIESCE_LIMIT: Duration = Duration::from_secs(3);

/// Makes the files that the trial needs, unless they are there already.
pub(crate) fn prepare(spec: &TrialSpec) -> Result<WorkerReply, Refusal> {
    let started = Instant::now();
    let site = Site::prepare(spec)?;
    for file in site.files() {
        let path = site.path(file);
        let seed = spec.seed ^ file.size_bytes;
        let made = disk::files::ensure(&path, file.layout, file.size_bytes, seed).map_err(Refusal::failed)?;
        if made == disk::files::Prepared::Reused && !file.layout.is_reusable() {
            disk::files::recreate(&path, file.layout, file.size_bytes).map_err(Refusal::failed)?;
        }
    }
    let canary = canary::once(&site, spec)?;
    (Subject::of(&spec.workload)?.condition)(&site, spec)?;
    Ok(WorkerReply::Prepared { seconds: started.elapsed().as_secs_f64(), canary })
}

/// Clears away the store of a worker that was killed: its space is needed, and its removal is not to be measured.
fn empty_store(site: &Site, _: &TrialSpec) -> Result<(), Refusal> {
    store::Store::fresh(site).map(drop)
}

/// Waits until the device has nothing to do: of a loop image first the disk below it. Returns seconds.
fn quiesce(site: &Site, spec: &TrialSpec, notes: &mut Vec<String>) -> Result<f64, Refusal> {
    let host = (!spec.configuration.is("filesystem", "host")).then_some(spec.work_directory.as_path());
    let asked = spec.quiesce_max_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let limit = asked.unwrap_or(QUIESCE_LIMIT);
    let mut waited_s = 0.0;
    for directory in host.into_iter().chain([site.directory()]) {
        let device = BlockDevice::below(directory);
        let quiescence = disk::quiesce::quiesce(directory, &device, limit).map_err(Refusal::failed)?;
        if let Quiescence::Busy { why, .. } = &quiescence {
            notes.push(format!("the device did not go quiet before the trial: {why}"));
        }
        waited_s += quiescence.elapsed().as_secs_f64();
    }
    Ok(waited_s)
}

/// Runs the trial: quiesce, prove the caches, verify the files, measure.
pub(crate) fn measure(spec: &TrialSpec) -> Result<WorkerReply, Refusal> {
    let subject = Subject::of(&spec.workload)?;
    let site = Site::find(spec)?;
    if spec.configuration.flag("realtime").unwrap_or(false) {
        run_real_time().map_err(Refusal::failed)?;
    }
    let mut notes = Vec::new();
    let quiesce_s = quiesce(&site, spec, &mut notes)?;
    thread::sleep(spec.configuration.duration("cooldown").map_or(Duration::ZERO, Duration::from));
    let ages = age::reached(&site, spec)?;

    let started = Instant::now();
    let cached_before = cache::prove(&site, spec)?;
    let extents: Vec<_> =
        site.files().iter().map(|file| disk::files::extent_facts(&site.path(file))).collect();
    let cache_s = started.elapsed().as_secs_f64();

    let outcome = (subject.measure)(&site, spec)?;
    let mut after_ramp = outcome.cached_shares_after_ramp.into_iter().flatten();
    let files = site.files().iter().zip(extents).zip(cached_before).zip(ages).map(
        |(((file, extents), cached_share_before), age_s)| {
            let extents = extents.unwrap_or_else(|error| Measured::unsupported(error.to_string()));
            FileFacts {
                role: file.role.to_owned(),
                // An append log starts empty, whatever it has grown to.
                size_bytes: if file.layout == Layout::Append { 0 } else { file.size_bytes },
                layout: file.layout.name().to_owned(),
                extents,
                age_s: Some(age_s),
                cached_share_before,
                cached_share_after_ramp: after_ramp.next(),
                cached_share_after: cache::share(&site.path(file)),
            }
        },
    );
    let files = files.collect();
    notes.extend(outcome.notes);
    Ok(WorkerReply::Measured(Box::new(Measurement {
        phases: outcome.phases,
        durability: outcome.durability,
        files,
        placement: site.placement(),
        quiesce_s,
        cache_s,
        aftermath_s: outcome.aftermath_s,
        buffers: outcome.buffers,
        steady_ramp: outcome.steady_ramp,
        notes,
        sidecar: Some(outcome.sidecar),
    })))
}
