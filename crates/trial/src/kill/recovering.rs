//! The process that runs after the kill: it opens what is left and looks for every entry that was acknowledged.

use super::acknowledgements::Acknowledgements;
use super::settings::{options, parameters};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::store::Store;
use engine::Engine;
use model::KvOp;
use model::trial::{TrialSpec, WorkerReply};
use std::fs::File;
use std::os::unix::fs::FileExt;
use workload::append::{self, Keyed, Parameters, SIZE_PARAMETER};

/// Counts the acknowledged entries that are missing.
pub(crate) fn recover(spec: &TrialSpec) -> Result<WorkerReply, Refusal> {
    let site = Site::find(spec)?;
    let parameters = parameters(spec)?;
    let counts: Vec<u64> = Acknowledgements::open(spec)?.by_thread().collect();
    let mut payload = vec![0; parameters.payload_bytes()];
    parameters.fill(spec.seed, &mut payload);
    let missing = match parameters.store() {
        append::Store::File(_) => missing_in_file(&site, &parameters, &payload, counts.iter().sum())?,
        append::Store::Engine { name, level } => {
            let store = Store::found(&site);
            let opened = store.open(name, &options(&store, name, level)?, SIZE_PARAMETER)?;
            let mut missing = 0;
            for (thread, count) in (0..).zip(&counts) {
                let keyed = Keyed::new(&parameters, thread, spec.seed);
                for number in 0..*count {
                    missing += u64::from(!holds(&opened.engine, &keyed.put(number), &payload)?);
                }
            }
            missing
        }
    };
    Ok(WorkerReply::Recovered { acknowledged: counts.iter().sum(), missing })
}

fn holds(engine: &impl Engine, put: &KvOp, payload: &[u8]) -> Result<bool, Refusal> {
    let mut value = Vec::new();
    let begin = put.value.offset as usize;
    let expected = payload.get(begin..begin + put.value.length as usize);
    Ok(engine.get(put.key.as_bytes(), &mut value)? && Some(value.as_slice()) == expected)
}

fn missing_in_file(
    site: &Site,
    parameters: &Parameters,
    payload: &[u8],
    acknowledged: u64,
) -> Result<u64, Refusal> {
    let need = site.files().first().ok_or_else(|| Refusal::Failed("the trial has no file".to_owned()))?;
    let file = File::open(site.path(need)).map_err(Refusal::failed)?;
    let mut found = vec![0; parameters.entry_bytes() as usize];
    let is_missing = |index: &u64| {
        let (offset, range) = parameters.file_entry(*index);
        file.read_exact_at(&mut found, offset).is_err() || payload.get(range) != Some(found.as_slice())
    };
    Ok((0..acknowledged).filter(is_missing).count() as u64)
}
