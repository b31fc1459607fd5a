//! Which dataset a trial reads, found out before the first trial and again in each.

use crate::failure::Failure;
use crate::requirements::in_memory;
use crate::subject::Refusal;
use crate::subject::site::Site;
use disk::kernel::block_device::BlockDevice;
use model::mechanism::Measured;
use model::plan::{Factor, StudyPlan};
use model::units::format_bytes;
use model::{Configuration, Value};
use object::directory::Directory;
use object::{Dataset, Object, ObjectError, Target};
use std::collections::BTreeMap;
use std::path::Path;
use workload::scan::Parameters;

#[cfg(not(feature = "object-store"))]
const NO_S3: &str = "this syncline was built without S3: build it with --features object-store";

/// A dataset and, where it is known already, what is read of it.
pub(super) enum Place {
    /// Files of this machine.
    Directory {
        /// Where they are.
        directory: Directory,
        /// Those that the trial reads.
        objects: Vec<Object>,
    },
    /// Objects.
    #[cfg(feature = "object-store")]
    Bucket(object::bucket::Bucket),
}

/// The trial's dataset.
pub(super) fn place(site: &Site, parameters: &Parameters) -> Result<Place, Refusal> {
    let Some(target) = &parameters.target else {
        let files = site.files().iter();
        let objects = files.map(|file| Object { name: file.name.clone(), bytes: file.size_bytes }).collect();
        return Ok(Place::Directory { directory: Directory::at(site.directory()), objects });
    };
    match Target::parse(target)? {
        Target::Directory(root) => {
            let directory = Directory::at(root);
            let objects = settled(directory.list()?, parameters)?;
            Ok(Place::Directory { directory, objects })
        }
        #[cfg(feature = "object-store")]
        Target::Bucket { bucket, prefix } => {
            Ok(Place::Bucket(object::bucket::Bucket::connect(&bucket, &prefix)?))
        }
        #[cfg(not(feature = "object-store"))]
        Target::Bucket { .. } => Err(Refusal::Unsupported(NO_S3.to_owned())),
    }
}

/// What of a dataset is to be read, if that is what was there when the plan was settled: trials of different datasets are
/// no sample of anything.
pub(super) fn settled(objects: Vec<Object>, parameters: &Parameters) -> Result<Vec<Object>, Refusal> {
    let objects = first(objects, parameters);
    let files = objects.len() as u64;
    let mean_bytes = mean_bytes(&objects);
    if (files, mean_bytes) == (parameters.files, parameters.file_size) {
        return Ok(objects);
    }
    Err(Refusal::Failed(format!(
        "{}: the dataset has changed since the plan was made: {} files of {} on average then, {files} of {} now",
        parameters.target.as_deref().unwrap_or_default(),
        parameters.files,
        format_bytes(parameters.file_size),
        format_bytes(mean_bytes)
    )))
}

fn mean_bytes(objects: &[Object]) -> u64 {
    let bytes: u64 = objects.iter().map(|object| object.bytes).sum();
    bytes.div_ceil((objects.len() as u64).max(1))
}

/// As many of a dataset as are to be read.
fn first(mut objects: Vec<Object>, parameters: &Parameters) -> Vec<Object> {
    objects.truncate(usize::try_from(parameters.files).unwrap_or(usize::MAX));
    objects
}

/// The device below a dataset.
pub(super) fn device(directory: &Directory) -> Measured<BlockDevice> {
    BlockDevice::below(directory.root())
}

/// Looks at every dataset that the plan names, so that one that is missing, empty or closed to us is said before the
/// first trial, and puts into the plan what is there: how many files are read and how large they are on average.
pub(crate) fn settle(plan: &mut StudyPlan) -> Result<(), Failure> {
    if plan.workload != workload::scan::SCHEMA.workload {
        return Ok(());
    }
    let mut listed: BTreeMap<String, Vec<Object>> = BTreeMap::new();
    let StudyPlan { name: study, factors, configurations, .. } = plan;
    for values in configurations {
        let parameters = Parameters::read(values).map_err(Failure::usage)?;
        let Some(target) = parameters.target.clone() else { continue };
        if !listed.contains_key(&target) {
            let objects = look(&target, parameters.prepare)
                .map_err(|error| Failure::Usage(format!("study {study}: {error}")))?;
            require_no_memory(&target)?;
            listed.insert(target.clone(), objects);
        }
        if !parameters.prepare {
            let asked = values.clone();
            describe(values, &first(listed[&target].clone(), &parameters));
            // Two levels would be one, and none of them what the plan says.
            let changed = factors.iter().find(|factor| asked.get(&factor.name) != values.get(&factor.name));
            if let Some(Factor { name, .. }) = changed {
                let level = |of: &Configuration| of.get(name).map(ToString::to_string).unwrap_or_default();
                return Err(Failure::Usage(format!(
                    "study {study}: {target}: {name} = {} is asked for, and this dataset gives {}: leave {name} out of \
                     --vary, or take levels that it has",
                    level(&asked),
                    level(values)
                )));
            }
        }
        (workload::scan::SCHEMA.check)(values)
            .map_err(|why| Failure::Usage(format!("study {study}: {target}: {why}")))?;
    }
    Ok(())
}

/// Puts what a dataset holds in the place of what would have been prepared.
fn describe(values: &mut Configuration, objects: &[Object]) {
    let mut put = |name: &str, value: Value| drop(values.0.insert(name.to_owned(), value));
    put("files", Value::Count(objects.len() as u64));
    put("file_size", Value::Bytes(mean_bytes(objects)));
}

/// A dataset in memory is read from no device.
fn require_no_memory(target: &str) -> Result<(), Failure> {
    let Ok(Target::Directory(root)) = Target::parse(target) else { return Ok(()) };
    let memory = disk::medium::memory_below(Path::new(&root));
    memory.map_or(Ok(()), |what| Err(in_memory("target", target, &what)))
}

/// Everything in a dataset; where objects are still to be made, only whether that can be.
fn look(target: &str, prepare: bool) -> Result<Vec<Object>, ObjectError> {
    match Target::parse(target)? {
        Target::Directory(root) => Directory::at(root).list(),
        #[cfg(feature = "object-store")]
        Target::Bucket { bucket, prefix } => {
            let bucket = object::bucket::Bucket::connect(&bucket, &prefix)?;
            if prepare { bucket.check().map(|()| Vec::new()) } else { bucket.list() }
        }
        #[cfg(not(feature = "object-store"))]
        Target::Bucket { .. } => {
            let _ = prepare;
            Err(ObjectError::Target { target: target.to_owned(), why: NO_S3.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies;
    use lab::plan::{Overrides, resolve};
    use std::collections::BTreeSet;
    use std::fs;

    /// What settling says of these levels of a factor, on a directory of three files of a megabyte.
    fn settled_with(factor: &str, levels: &[&str]) -> Result<StudyPlan, Failure> {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(directory.path().join(name), vec![0; 1 << 20]).unwrap();
        }
        let levels = levels.iter().map(|level| (*level).to_owned()).collect();
        let overrides = Overrides {
            vary: vec![(factor.to_owned(), levels)],
            fix: vec![("target".to_owned(), directory.path().display().to_string())],
            ..Overrides::default()
        };
        let mut plan = resolve(&studies::find("scan").unwrap(), &workload::scan::SCHEMA, &overrides).unwrap();
        settle(&mut plan).map(|()| plan)
    }

    /// Their figures used to be recorded as those of other levels than the plan's, which no ask then found.
    #[test]
    fn levels_that_a_dataset_does_not_have_are_refused() {
        for (factor, levels, said) in [
            ("files", ["2", "64"], "files = 64 is asked for, and this dataset gives 3"),
            ("file_size", ["1MiB", "2MiB"], "file_size = 2MiB is asked for, and this dataset gives 1MiB"),
        ] {
            let Err(Failure::Usage(why)) = settled_with(factor, &levels) else { panic!("{factor} is taken") };
            assert!(why.contains(said), "{why}");
        }
        let plan = settled_with("files", &["1", "3"]).unwrap();
        let files: BTreeSet<u64> =
            plan.configurations.iter().map(|values| values.count("files").unwrap()).collect();
        assert_eq!(files, BTreeSet::from([1, 3]));
    }
}
