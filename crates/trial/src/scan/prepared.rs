//! Objects that Syncline prepares for trials, below a prefix that belongs to the run: written once, noted in the work
//! directory, deleted when the run ends. A killed run leaves them below a prefix that names their owner.

use crate::refusal::Refusal;
use dataset::bucket::Bucket;
use dataset::{Dataset, Object, ObjectError, Target};
use model::trial::TrialSpec;
use model::units::format_bytes;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use workload::scan::Parameters;

/// The file of the work directory that lists the targets with prepared objects, one a line.
const NOTE: &str = "prepared-objects";

/// The prefix of this run below a target.
pub(super) fn own(bucket: Bucket, work_directory: &Path) -> Bucket {
    bucket.own(disk::work_directory::id(work_directory))
}

/// The objects of a trial that prepares them.
pub(super) fn objects(parameters: &Parameters) -> Vec<Object> {
    let size = format_bytes(parameters.file_size);
    let object = |index| Object { name: format!("scan-{size}-{index:06}"), bytes: parameters.file_size };
    (0..parameters.files).map(object).collect()
}

/// Writes the objects that do not exist yet.
pub(super) fn ensure(bucket: Bucket, parameters: &Parameters, spec: &TrialSpec) -> Result<(), Refusal> {
    let Some(target) = &parameters.target else { return Ok(()) };
    // Noted before the first object is written, so that they can always be found and deleted.
    note(&spec.work_directory, target).map_err(|error| {
        Refusal::Failed(format!("{}: cannot note a target: {error}", spec.work_directory.display()))
    })?;
    let bucket = own(bucket, &spec.work_directory);
    let there: BTreeSet<(String, u64)> = match bucket.list() {
        Ok(objects) => objects.into_iter().map(|object| (object.name, object.bytes)).collect(),
        Err(ObjectError::Empty { .. }) => BTreeSet::new(),
        Err(error) => return Err(error.into()),
    };
    for (index, object) in objects(parameters).into_iter().enumerate() {
        if !there.contains(&(object.name.clone(), object.bytes)) {
            bucket.write(&object, spec.seed ^ index as u64)?;
        }
    }
    Ok(())
}

fn note(work_directory: &Path, target: &str) -> io::Result<()> {
    let path = work_directory.join(NOTE);
    let noted = fs::read_to_string(&path).unwrap_or_default();
    if noted.lines().any(|line| line == target) {
        return Ok(());
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{target}")?;
    file.sync_all()
}

/// Deletes the objects that were written for the run with this work directory. It tries all of them, and returns the
/// first failure.
///
/// # Errors
/// The object store's error.
pub fn remove_prepared_objects(work_directory: &Path) -> Result<(), ObjectError> {
    let noted = fs::read_to_string(work_directory.join(NOTE)).unwrap_or_default();
    let removed = noted.lines().map(|target| remove_below(target, work_directory));
    removed.fold(Ok(()), Result::and)
}

fn remove_below(target: &str, work_directory: &Path) -> Result<(), ObjectError> {
    let Target::Bucket { bucket, prefix } = Target::parse(target)? else { return Ok(()) };
    match own(Bucket::connect(&bucket, &prefix)?, work_directory).remove_written() {
        // Nothing had been written, not even the marker.
        Ok(_) | Err(ObjectError::NotOurs { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
