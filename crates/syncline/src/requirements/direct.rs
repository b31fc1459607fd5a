//! What direct I/O must be able to do in the directory.

use crate::failure::Failure;
use crate::requirements::partly_unsupported;
use disk::files::Alignment;
use model::description::Stream;
use model::plan::StudyPlan;
use model::units::format_bytes;
use model::{Configuration, Description, FileSystem, Schema};
use std::path::Path;

/// A loop device has blocks of this size by default.
const LOOP_ALIGNMENT_BYTES: u64 = 512;

/// Whether a configuration uses direct I/O on the directory's own file system.
pub(crate) fn needs_direct(schema: &Schema, values: &Configuration) -> bool {
    let goes_direct = |it: Description| it.filesystem == FileSystem::Host && it.needs_direct();
    (schema.describe)(values).is_ok_and(goes_direct)
}

/// Says before the first trial, not after the last, that the directory has no direct I/O or that a size does not fit
/// it.
pub(crate) fn require_direct(directory: &Path, plan: &StudyPlan) -> Result<(), Failure> {
    let needing: Vec<_> = plan.descriptions.iter().filter(|description| description.needs_direct()).collect();
    if needing.is_empty() {
        return Ok(());
    }
    let direct = disk::files::direct_support(directory);
    let mut misfits = Vec::new();
    for description in needing {
        let alignment = match description.filesystem {
            FileSystem::Host => host_alignment(&direct)?,
            FileSystem::Fresh(_) => LOOP_ALIGNMENT_BYTES,
        };
        misfits.extend(description.streams.iter().find_map(|stream| misfit(stream, alignment)));
    }
    // One level of many that this device cannot do is a result; a size that was fixed is a mistake.
    let varies = |name: &str| plan.factor(name).is_some_and(|factor| factor.levels.len() > 1);
    match misfits.first() {
        Some((name, why)) if !varies(name) || misfits.len() == plan.configurations.len() => {
            return Err(Failure::Usage(why.clone()));
        }
        Some((_, why)) => partly_unsupported(plan, why, misfits.len()),
        None => {}
    }
    Ok(())
}

fn host_alignment(direct: &Result<Alignment, String>) -> Result<u64, Failure> {
    let alignment = direct.as_ref().map_err(|why| {
        Failure::Runtime(format!(
            "it needs direct I/O: {why}; choose a directory on a disk with --dir, or leave it out with --fix \
             mode=buffered"
        ))
    })?;
    Ok(alignment.offset_bytes)
}

/// The parameter of a size in which direct I/O cannot be done, and why, if it cannot.
fn misfit(stream: &Stream, alignment: u64) -> Option<(&str, String)> {
    let parameter = stream.size_parameter.as_deref().filter(|_| stream.is_direct())?;
    let bytes = stream.block_bytes.filter(|bytes| !bytes.is_multiple_of(alignment))?;
    let why = format!(
        "{parameter} = {} is not a multiple of {}, which direct I/O needs on this device",
        format_bytes(bytes),
        format_bytes(alignment)
    );
    Some((parameter, why))
}
