//! What direct I/O must be able to do in the directory.

use crate::failure::Failure;
use crate::output::tell;
use disk::files::Alignment;
use model::parameter::{Schema, Transfer};
use model::plan::StudyPlan;
use model::units::format_bytes;
use model::{Configuration, IoMode};
use std::path::Path;

/// A loop device has blocks of this size by default.
const LOOP_ALIGNMENT_BYTES: u64 = 512;

/// Whether a configuration goes around the page cache of the directory's own file system.
pub(crate) fn needs_direct(schema: &Schema, values: &Configuration) -> bool {
    let transfers = (schema.transfers)(values);
    values.is("filesystem", "host") && transfers.iter().any(|transfer| transfer.mode == IoMode::Direct)
}

/// Says before the first trial, not after the last, that the directory has no direct I/O or that a size does not fit it.
pub(crate) fn require_direct(directory: &Path, plans: &[StudyPlan]) -> Result<(), Failure> {
    let direct = disk::files::direct_support(directory);
    for plan in plans {
        let schema = workload::schema(&plan.workload).map_err(Failure::usage)?;
        let mut misfits = Vec::new();
        for values in &plan.configurations {
            let on_host = values.is("filesystem", "host");
            let transfers = (schema.transfers)(values);
            let mut is_direct =
                transfers.iter().filter(|transfer| transfer.mode == IoMode::Direct).peekable();
            if is_direct.peek().is_none() {
                continue;
            }
            let alignment = if on_host { host_alignment(plan, &direct)? } else { LOOP_ALIGNMENT_BYTES };
            misfits.extend(
                is_direct.find_map(|transfer| Some((transfer.parameter, misfit(transfer, alignment)?))),
            );
        }
        // One level of many that this device cannot do is a result; a size that was fixed is a mistake.
        let varies = |name: &str| plan.factor(name).is_some_and(|factor| factor.levels.len() > 1);
        match misfits.first() {
            Some((name, why)) if !varies(name) || misfits.len() == plan.configurations.len() => {
                return Err(Failure::Usage(format!("study {}: {why}", plan.name)));
            }
            Some((_, why)) => tell(format!(
                "study {}: {why}; {} of {} configurations are recorded as unsupported",
                plan.name,
                misfits.len(),
                plan.configurations.len()
            )),
            None => {}
        }
    }
    Ok(())
}

fn host_alignment(plan: &StudyPlan, direct: &Result<Alignment, String>) -> Result<u64, Failure> {
    let alignment = direct.as_ref().map_err(|why| {
        Failure::Runtime(format!(
            "study {} needs direct I/O: {why}; choose a directory on a disk with --dir, or leave it out with --fix mode=buffered",
            plan.name
        ))
    })?;
    Ok(alignment.offset_bytes)
}

/// Why direct I/O cannot be done in this size, if it cannot.
fn misfit(transfer: &Transfer, alignment: u64) -> Option<String> {
    (!transfer.bytes.is_multiple_of(alignment)).then(|| {
        format!(
            "{} = {} is not a multiple of {}, which direct I/O needs on this device",
            transfer.parameter,
            format_bytes(transfer.bytes),
            format_bytes(alignment)
        )
    })
}
