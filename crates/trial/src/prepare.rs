//! Creates what a trial starts from, in a separate process.

use crate::canary;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::subject::Subject;
use disk::files;
use model::trial::{TrialSpec, WorkerReply};
use std::time::Instant;

/// Creates the files that the trial needs, unless they exist already.
pub(crate) fn prepare(spec: &TrialSpec) -> Result<WorkerReply, Refusal> {
    let started = Instant::now();
    let site = Site::prepare(spec)?;
    for file in site.files() {
        let path = site.path(file);
        let seed = spec.seed ^ file.size_bytes;
        let made = files::ensure(&path, file.layout, file.size_bytes, seed).map_err(Refusal::failed)?;
        if made == files::Prepared::Reused && !file.layout.is_reusable() {
            files::recreate(&path, file.layout, file.size_bytes).map_err(Refusal::failed)?;
        }
    }
    let canary = canary::once(&site, spec)?;
    (Subject::of_workload(&spec.workload)?.condition)(&site, spec)?;
    Ok(WorkerReply::Prepared { seconds: started.elapsed().as_secs_f64(), canary })
}
