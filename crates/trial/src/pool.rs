//! The pool workload on a buffer pool: Syncline's, or PostgreSQL's.

mod memory;
mod ours;
mod page_cache;
#[cfg(feature = "postgresql")]
mod postgres;
mod results;
mod user_server;
#[cfg(not(feature = "postgresql"))]
mod without_postgres;

pub use user_server::beyond_a_session;
#[cfg(not(feature = "postgresql"))]
use without_postgres as postgres;
#[cfg(not(feature = "postgresql"))]
pub use without_postgres::NO_POSTGRESQL;

use crate::cache::Start;
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::site::Site;
use model::mechanism::Measured;
use model::sidecar::Sidecar;
use model::trial::{self, ServerSource, TrialSpec};
use std::collections::BTreeMap;
use workload::pool::{self, Parameters, Phase, Run, Subject, metrics};

/// Prepares what a trial starts from: nothing for Syncline's pool, a cluster for PostgreSQL.
pub(crate) fn condition(site: &Site, spec: &TrialSpec) -> Result<(), Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    // A server of the user needs no preparation.
    if !matches!(spec.server, Some(ServerSource::Dsn(_))) || parameters.subject == Subject::Ours {
        memory::require_room(&parameters)?;
    }
    match parameters.subject {
        Subject::Ours => Ok(()),
        Subject::Postgres => postgres::condition(site, spec),
    }
}

/// The file's pages when a trial starts.
pub(crate) fn cache(spec: &TrialSpec) -> Result<Start, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    Ok(Start::new(parameters.cache, parameters.cached_percentage, u64::from(parameters.page_size)))
}

pub(crate) fn measure(
    site: &Site,
    spec: &TrialSpec,
    line: Option<&TurnChannel>,
) -> Result<SubjectMeasurement, Refusal> {
    let parameters = Parameters::read(&spec.configuration).map_err(Refusal::failed)?;
    let results = match parameters.subject {
        Subject::Ours => ours::run(site, spec, &parameters, line),
        Subject::Postgres => postgres::run(site, spec, &parameters),
    }?;
    let figures = metrics(
        &parameters,
        &pool::PoolMeasurement {
            runs: &results.runs,
            change_s: results.change_s,
            wal_bytes: results.wal_bytes,
            full_page_images: results.full_page_images,
            cached_share: results.cached_share,
            map_pages: results.map_pages,
            instrument_overhead_ns: results.instrument_overhead_ns,
        },
    );
    let mut sidecar = Sidecar::default();
    for recorder in results.runs.iter().filter_map(|run| run.recorder.as_ref()) {
        sidecar.absorb(recorder.sidecar().map_err(Refusal::failed)?);
    }
    sidecar.slices = results.slices;
    Ok(SubjectMeasurement {
        notes: results.notes,
        buffers: results.buffers,
        cached_shares_after_ramp: results.cached_shares,
        ..SubjectMeasurement::new(phases(results.runs, figures), results.durability, sidecar)
    })
}

/// A record's phases; each metric is stored with its phase.
fn phases(runs: Vec<Run>, mut figures: BTreeMap<String, Measured<f64>>) -> Vec<trial::Phase> {
    let phase = |run: Run| {
        let metrics = figures.extract_if(.., |name, _| Phase::of_metric(name) == run.phase).collect();
        let name = run.phase.name().to_owned();
        let phase = trial::Phase::new(name, run.duration_s, run.operations, metrics, run.mechanism);
        trial::Phase { turns: run.turns, ..phase }
    };
    runs.into_iter().map(phase).collect()
}
