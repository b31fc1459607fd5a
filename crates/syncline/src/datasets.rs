//! The datasets that a plan names: looked at before the first trial, so that the plan says what is there.

use crate::failure::Failure;
use crate::requirements::in_memory;
use dataset::Target;
use model::plan::{Factor, StudyPlan};
use model::{Configuration, Value};
use std::collections::BTreeMap;
use std::path::Path;
use trial::{Extent, Listing};
use workload::scan::Parameters;

/// Lists every dataset that the plan names and puts its extent into the plan: how many files a trial reads, and their
/// mean size. A dataset that is missing, empty or closed to us is an error before the first trial.
pub(crate) fn fill_in(plan: &mut StudyPlan) -> Result<(), Failure> {
    if plan.workload != workload::scan::SCHEMA.workload() {
        return Ok(());
    }
    let mut listed: BTreeMap<String, Listing> = BTreeMap::new();
    let StudyPlan { factors, configurations, .. } = &*plan;
    let mut configurations = configurations.clone();
    for values in &mut configurations {
        let parameters = Parameters::read(values).map_err(Failure::usage)?;
        let Some(target) = parameters.target.clone() else { continue };
        if !listed.contains_key(&target) {
            let listing = Listing::of_target(&target, parameters.prepare).map_err(Failure::usage)?;
            require_no_memory(&target)?;
            listed.insert(target.clone(), listing);
        }
        if !parameters.prepare {
            let asked = values.clone();
            describe(values, listed[&target].extent(parameters.files));
            // Two levels would be one, and none of them what the plan says.
            let changed = factors.iter().find(|factor| asked.get(&factor.name) != values.get(&factor.name));
            if let Some(Factor { name, .. }) = changed {
                let level = |of: &Configuration| of.get(name).map(ToString::to_string).unwrap_or_default();
                return Err(Failure::Usage(format!(
                    "{target}: {name} = {} is configured, but this dataset has {}: leave {name} out of \
                     --vary, or take levels that it has",
                    level(&asked),
                    level(values)
                )));
            }
        }
        (workload::scan::SCHEMA.check)(values).map_err(|why| Failure::Usage(format!("{target}: {why}")))?;
    }
    lab::plan::replace(plan, &workload::scan::SCHEMA, configurations).map_err(Failure::usage)
}

/// Puts what a dataset holds in the place of what would have been prepared.
fn describe(values: &mut Configuration, Extent { files, file_bytes_mean }: Extent) {
    let mut put = |name: &str, value: Value| drop(values.0.insert(name.to_owned(), value));
    put("files", Value::Count(files));
    put("file_size", Value::Bytes(file_bytes_mean));
}

/// A dataset in memory is read from no device.
fn require_no_memory(target: &str) -> Result<(), Failure> {
    let Ok(Target::Directory(root)) = Target::parse(target) else { return Ok(()) };
    let memory = disk::medium::memory_below(Path::new(&root));
    memory.map_or(Ok(()), |what| Err(in_memory("target", target, &what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies;
    use lab::plan::{Overrides, resolve};
    use std::collections::BTreeSet;
    use std::fs;

    /// The plan with these levels of a factor, filled in from a directory of three files of a megabyte.
    fn filled_with(factor: &str, levels: &[&str]) -> Result<StudyPlan, Failure> {
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
        fill_in(&mut plan).map(|()| plan)
    }

    /// Their figures used to be recorded as those of other levels than the plan's, which no ask then found.
    #[test]
    fn levels_that_a_dataset_does_not_have_are_refused() {
        for (factor, levels, said) in [
            ("files", ["2", "64"], "files = 64 is configured, but this dataset has 3"),
            ("file_size", ["1MiB", "2MiB"], "file_size = 2MiB is configured, but this dataset has 1MiB"),
        ] {
            let Err(Failure::Usage(why)) = filled_with(factor, &levels) else { panic!("{factor} is taken") };
            assert_eq!(why, format!("study scan: {said}"));
        }
        let plan = filled_with("files", &["1", "3"]).unwrap();
        let files: BTreeSet<u64> =
            plan.configurations.iter().map(|values| values.count("files").unwrap()).collect();
        assert_eq!(files, BTreeSet::from([1, 3]));
    }
}
