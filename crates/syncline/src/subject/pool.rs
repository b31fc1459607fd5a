//! The pool workload on a buffer pool: ours, or PostgreSQL's.

mod memory;
mod ours;
mod postgres;

use super::site::Site;
use super::{Outcome, Refusal};
use disk::page_cache;
use model::mechanism::Measured;
use model::sidecar::Sidecar;
use model::trial::{self, ServerSource, TrialSpec};
use model::{BufferMemory, DurabilityClass, IoMode};
use std::collections::BTreeMap;
use std::path::Path;
use workload::Cache;
use workload::pool::{self, Parameters, Phase, Run, Subject, metrics};

/// What a subject's phases came to.
struct Trial {
    runs: Vec<Run>,
    change_s: Measured<f64>,
    wal_bytes: Measured<f64>,
    full_page_images: Measured<f64>,
    map_pages: Measured<f64>,
    instrument_overhead_ns: Measured<f64>,
    durability: DurabilityClass,
    notes: Vec<String>,
    /// The frames of our pool; `None` of a server's.
    buffers: Option<Measured<BufferMemory>>,
    /// Of the table, when the first pass began.
    cached_share: Measured<f64>,
    /// The same, where the table is the trial's one file.
    cached_shares: Option<Vec<Measured<f64>>>,
}

/// What a configuration needs of the user's server that no session can have, if anything.
pub(crate) fn beyond_a_session(parameters: &Parameters) -> Option<&'static str> {
    postgres::beyond_a_session(parameters)
}

/// Puts what a trial starts from where it belongs: of our pool nothing, of PostgreSQL a cluster.
pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    // What another's server has, it knows itself.
    if !matches!(spec.server, Some(ServerSource::Dsn(_))) || parameters.subject == Subject::Ours {
        memory::require_room(&parameters)?;
    }
    match parameters.subject {
        Subject::Ours => Ok(()),
        Subject::Postgres => postgres::condition(site, spec),
    }
}

/// Runs one trial.
pub(crate) fn measure(site: &Site, spec: &TrialSpec) -> Result<Outcome, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let trial = match parameters.subject {
        Subject::Ours => ours::run(site, spec, &parameters),
        Subject::Postgres => postgres::run(site, spec, &parameters),
    }?;
    let figures = metrics(
        &parameters,
        &pool::Outcome {
            runs: &trial.runs,
            change_s: trial.change_s,
            wal_bytes: trial.wal_bytes,
            full_page_images: trial.full_page_images,
            cached_share: trial.cached_share,
            map_pages: trial.map_pages,
            instrument_overhead_ns: trial.instrument_overhead_ns,
        },
    );
    let mut sidecar = Sidecar::default();
    for recorder in trial.runs.iter().filter_map(|run| run.recorder.as_ref()) {
        sidecar.absorb(recorder.sidecar().map_err(Refusal::failed)?);
    }
    Ok(Outcome {
        phases: phases(trial.runs, figures),
        durability: trial.durability,
        sidecar,
        notes: trial.notes,
        steady_ramp: None,
        aftermath_s: 0.0,
        buffers: trial.buffers,
        cached_shares_after_ramp: trial.cached_shares,
    })
}

/// Leaves in the kernel's cache what is asked for of a file. Returns the share that is there.
fn settle(path: &Path, parameters: &Parameters) -> Result<Measured<f64>, Refusal> {
    let percent = match parameters.cache {
        Cache::Warm if parameters.mode != IoMode::Direct => parameters.cached_percentage,
        Cache::Cold | Cache::Warm | Cache::AsIs => 0,
    };
    let settled = match percent {
        100.. => page_cache::warm(path),
        0 => page_cache::evict(path),
        _ => page_cache::evict(path)
            .and_then(|_| page_cache::warm_scattered(path, percent, u64::from(parameters.page_size))),
    };
    settled.map_err(Refusal::failed)
}

/// A record's phases; each metric stands with the phase that it is about.
fn phases(runs: Vec<Run>, mut figures: BTreeMap<String, Measured<f64>>) -> Vec<trial::Phase> {
    let phase = |run: Run| trial::Phase {
        name: run.phase.name().to_owned(),
        duration_s: run.duration_s,
        operations: run.operations,
        metrics: figures.extract_if(.., |name, _| Phase::of_metric(name) == run.phase).collect(),
        mechanism: run.mechanism,
    };
    runs.into_iter().map(phase).collect()
}
