//! Objects that Syncline writes to a store, below prefixes that belong to the run: noted in the work directory before
//! the first is written, deleted when the run ends. If the run is killed, the next start deletes them.

#[cfg(feature = "object-store")]
use crate::refusal::Refusal;
use dataset::ObjectError;
#[cfg(feature = "object-store")]
use dataset::{Dataset, Target, bucket::Bucket};
#[cfg(feature = "object-store")]
use model::Endpoints;
#[cfg(feature = "object-store")]
use model::trial::TrialSpec;
#[cfg(feature = "object-store")]
use std::fs::{self, OpenOptions};
#[cfg(feature = "object-store")]
use std::io::{self, Write};
use std::path::Path;

/// The file of the work directory that lists targets, what the prefixes below them are called, and the endpoint of the
/// store if the environment does not have it: one on each line, tabs between them.
#[cfg(feature = "object-store")]
const NOTE: &str = "prepared-objects";
/// The file of the work directory that lists puts in parts that are under way.
pub(crate) const UPLOADS: &str = "uploads";

/// Notes that a prefix below a target is the run's: before the first object is written, so that all can always be found
/// and deleted.
#[cfg(feature = "object-store")]
pub(crate) fn note(
    spec: &TrialSpec,
    target: Option<&str>,
    owner: &str,
    endpoints: Option<&Endpoints>,
) -> Result<(), Refusal> {
    let Some(target) = target else { return Ok(()) };
    let append = || -> io::Result<()> {
        let path = spec.work_directory.join(NOTE);
        let endpoint = endpoints.map_or_else(String::new, |endpoints| format!("\t{}", endpoints.first()));
        let line = format!("{target}\t{owner}{endpoint}");
        if fs::read_to_string(&path).unwrap_or_default().lines().any(|noted| noted == line) {
            return Ok(());
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "{line}")?;
        file.sync_all()
    };
    append().map_err(|error| {
        Refusal::Failed(format!("{}: cannot note a target: {error}", spec.work_directory.display()))
    })
}

/// Deletes the objects that were written for the run with this work directory, and aborts its puts in parts. It tries
/// all of them, and returns how many prefixes are gone, or the first failure.
///
/// # Errors
/// The object store's error.
#[cfg(feature = "object-store")]
pub fn remove_prepared_objects(work_directory: &Path) -> Result<usize, ObjectError> {
    let noted = fs::read_to_string(work_directory.join(NOTE)).unwrap_or_default();
    let targets = noted.lines().filter_map(|line| line.split_once('\t'));
    let removed: Vec<Result<bool, ObjectError>> =
        targets.map(|(target, rest)| remove(target, rest, &work_directory.join(UPLOADS))).collect();
    removed.into_iter().map(|removed| removed.map(usize::from)).sum()
}

#[cfg(feature = "object-store")]
fn remove(target: &str, rest: &str, uploads: &Path) -> Result<bool, ObjectError> {
    let Target::Bucket { bucket, prefix } = Target::parse(target)? else { return Ok(false) };
    let (owner, endpoint) = rest.split_once('\t').map_or((rest, None), |(owner, at)| (owner, Some(at)));
    let endpoint = endpoint.map(Endpoints::parse).transpose();
    let endpoint = endpoint.map_err(|why| ObjectError::Target { target: target.to_owned(), why })?;
    let bucket = Bucket::connect(&bucket, &prefix, endpoint.as_ref())?.own(owner);
    bucket.abort_uploads(uploads)?;
    match bucket.remove_written() {
        Ok(_) => Ok(true),
        // Nothing had been written, not even the marker.
        Err(ObjectError::NotOurs { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Without S3 nothing was written to a bucket.
///
/// # Errors
/// Never.
#[cfg(not(feature = "object-store"))]
pub fn remove_prepared_objects(_: &Path) -> Result<usize, ObjectError> {
    Ok(0)
}
