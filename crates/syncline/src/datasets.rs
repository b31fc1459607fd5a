//! The datasets that a plan names: looked at before the first trial, so that the plan says what is there.

use crate::failure::Failure;
use crate::possible::{Left, Narrowed, left};
use crate::replays;
use crate::requirements::in_memory;
use dataset::Target;
use lab::plan::Overrides;
use model::figure::count;
use model::plan::{Factor, StudyPlan};
use model::study::Study;
use model::{Configuration, Endpoints, Schema, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use trial::{Extent, Listing};
use workload::scan::Parameters;

const SCAN: &str = workload::scan::SCHEMA.workload();
const OBJECT: &str = workload::object::SCHEMA.workload();

/// Lists every dataset that the plan names and puts its extent into the plan: how many files a trial reads, and their
/// mean size. A dataset that is missing, empty or closed to us is an error before the first trial.
pub(crate) fn fill_in(plan: &mut StudyPlan) -> Result<(), Failure> {
    if plan.workload == OBJECT {
        replays::fill_in(plan)?;
        return reach_stores(plan);
    }
    if plan.workload != SCAN {
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

/// Looks at every store that objects will be written to, through every endpoint that has to answer.
fn reach_stores(plan: &StudyPlan) -> Result<(), Failure> {
    let mut looked = BTreeSet::new();
    for values in &plan.configurations {
        let parameters = workload::object::Parameters::read(values).map_err(Failure::usage)?;
        let Some(target) = &parameters.target else { continue };
        let endpoints = parameters.addresses().map_err(Failure::Usage)?;
        let each: Vec<Option<Endpoints>> = match &endpoints {
            None => vec![None],
            // A trial that tolerates failures may be about an endpoint that is down.
            Some(endpoints) if parameters.failures_max > 0 => vec![Some(endpoints.first())],
            Some(endpoints) => endpoints.each().map(Some).collect(),
        };
        for endpoint in each {
            let place = endpoint.as_ref().map(ToString::to_string);
            if looked.insert((target.clone(), place.clone())) {
                let reached = trial::reach_store(target, endpoint.as_ref());
                reached.map_err(|why| match place {
                    None => Failure::usage(why),
                    Some(place) => Failure::Usage(format!("{place}: {why}")),
                })?;
            }
        }
    }
    Ok(())
}

/// Leaves out numbers of readers that a dataset has too few files for, unless the user gave them: each reader reads one
/// file at a time. Returns what is left out, with the reason.
pub(crate) fn narrow_readers(
    study: &Study,
    schema: &Schema,
    overrides: &mut Overrides,
) -> Result<Vec<String>, Failure> {
    let readers = workload::scan::PARAMETERS.concurrency;
    let is_typed = overrides.vary.iter().any(|(name, _)| name == readers.name());
    // What cannot be planned is reported when it is planned.
    let Ok(plan) = lab::plan::resolve(study, schema, overrides) else { return Ok(Vec::new()) };
    let first = plan.configurations.first().and_then(|values| Parameters::read(values).ok());
    let target = first.filter(|first| plan.workload == SCAN && !first.prepare && !is_typed);
    let Some((target, files)) = target.and_then(|first| Some((first.target?, first.files))) else {
        return Ok(Vec::new());
    };
    let files = Listing::of_target(&target, false).map_err(Failure::usage)?.extent(files).files;
    let is_lost =
        |values: &Configuration| readers.of(values).is_some_and(|readers| u64::from(readers) > files);
    let Left::Less(narrowed) = left(&plan, is_lost) else { return Ok(Vec::new()) };
    overrides.vary.extend(narrowed.iter().map(|of| (of.factor.clone(), of.kept.clone())));
    let text =
        |of: &Narrowed| format!("{}={}: the dataset has {}", of.factor, of.lost.join(","), count_text(files));
    Ok(narrowed.iter().map(text).collect())
}

/// `4 files`.
fn count_text(files: u64) -> String {
    count(usize::try_from(files).unwrap_or(usize::MAX), "file")
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
    use lab::plan::resolve;
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

    /// `run --for data-loader --target` refused a folder of four files, because its study has 16 readers.
    #[test]
    fn readers_that_have_no_file_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c", "d"] {
            fs::write(directory.path().join(name), vec![0; 1 << 20]).unwrap();
        }
        let study = studies::find("scan-grid").unwrap();
        let target = ("target".to_owned(), directory.path().display().to_string());
        let mut overrides = Overrides { fix: vec![target], ..Overrides::default() };
        let schema = &workload::scan::SCHEMA;
        let left_out = narrow_readers(&study, schema, &mut overrides).unwrap();
        assert_eq!(left_out, ["concurrency=16: the dataset has 4 files"]);
        let mut plan = resolve(&study, schema, &overrides).unwrap();
        fill_in(&mut plan).unwrap();
        assert_eq!(plan.factor("concurrency").unwrap().levels, [1, 4].map(Value::Count));
        // Then none is too many, and what the user gives stands.
        assert_eq!(narrow_readers(&study, schema, &mut overrides).unwrap(), Vec::<String>::new());
    }

    /// Their figures used to be recorded as those of other levels than the plan's, which no ask then found.
    #[test]
    fn levels_that_a_dataset_does_not_have_are_refused() {
        for (factor, levels, said) in [
            (
                "files",
                ["2", "64"],
                "files = 64 is configured, but this dataset has 3: leave files out of --vary, or take levels that it has",
            ),
            (
                "file_size",
                ["1MiB", "2MiB"],
                "file_size = 2MiB is configured, but this dataset has 1MiB: leave file_size out of --vary, or take levels that it has",
            ),
        ] {
            let Err(Failure::Usage(why)) = filled_with(factor, &levels) else { panic!("{factor} is taken") };
            // The directory's name comes before it.
            assert_eq!(why.split_once(": ").map(|(_, why)| why), Some(said));
        }
        let plan = filled_with("files", &["1", "3"]).unwrap();
        let files: BTreeSet<u64> =
            plan.configurations.iter().map(|values| values.count("files").unwrap()).collect();
        assert_eq!(files, BTreeSet::from([1, 3]));
    }
}
