//! What must hold before the first trial: the machine, its CPUs, io_uring, engines, huge pages. Said in one line, not
//! trial by trial.

mod absent;
mod direct;
mod lack;
mod place;

pub(crate) use absent::without_absent;
pub(crate) use direct::require_direct;
pub(crate) use lack::Lack;
pub(crate) use place::{in_memory, require_place, require_same_disk, require_storage};

use crate::failure::Failure;
use crate::output::tell;
use disk::backend::BackendKind;
use disk::memory::huge_pages_supported;
use engine::{DurabilityLevel, EngineKind};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::plan::StudyPlan;
use model::{Configuration, Schema, Value, suggestion};

/// Real-time scheduling that is not permitted is refused once, not in every trial. The scheduling class is a thread's
/// own, so a thread tries it.
pub(crate) fn require_real_time(plan: &StudyPlan) -> Result<(), Failure> {
    if !plan.configurations.iter().any(|values| values.flag("realtime").unwrap_or(false)) {
        return Ok(());
    }
    let tried = std::thread::spawn(disk::kernel::scheduling::run_real_time).join();
    match tried {
        Ok(Err(why)) => Err(Failure::Runtime(format!(
            "realtime = true: {why}, or leave it out with --fix realtime=false"
        ))),
        Ok(Ok(())) | Err(_) => Ok(()),
    }
}

/// A CPU that the program may not use is a mistake in the command, not in every trial.
pub(crate) fn require_cpus(plan: &StudyPlan) -> Result<(), Failure> {
    let allowed = rustix::thread::sched_getaffinity(None).map_err(Failure::runtime)?;
    for cpu in plan.configurations.iter().filter_map(|values| values.count("cpu").ok()) {
        let cpu = cpu as usize;
        if cpu >= rustix::thread::CpuSet::MAX_CPU || !allowed.is_set(cpu) {
            return Err(Failure::Usage(format!("this program may not use cpu = {cpu}")));
        }
    }
    Ok(())
}

/// An engine that is not built in and a durability level that an engine does not have are mistakes in the command,
/// unless they are one engine of many.
pub(crate) fn require_engines(plan: &StudyPlan) -> Result<(), Failure> {
    let mut absent = Vec::new();
    for values in &plan.configurations {
        let named = values.text("engine").ok().as_deref().and_then(EngineKind::from_name);
        // A file is not an engine, and its levels are checked with the other parameters.
        let Some(kind) = named else { continue };
        match kind.levels() {
            Ok(levels) => check_level(kind, &levels, values)?,
            Err(why) => absent.push(why.to_string()),
        }
    }
    match absent.first() {
        Some(why) if absent.len() == plan.configurations.len() => Err(Failure::Usage(why.clone())),
        Some(why) => {
            partly_unsupported(plan, why, absent.len());
            Ok(())
        }
        None => Ok(()),
    }
}

/// Says that some configurations of a study are recorded as unsupported.
pub(crate) fn partly_unsupported(plan: &StudyPlan, why: &str, count: usize) {
    let all = plan.configurations.len();
    tell(format!("study {}: {why}; {count} of {all} configurations are recorded as unsupported", plan.name));
}

fn check_level(kind: EngineKind, levels: &[&DurabilityLevel], values: &Configuration) -> Result<(), Failure> {
    let level = values.text("durability").unwrap_or_default();
    if level == "default" || DurabilityLevel::place(levels.iter().copied(), &level).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = levels.iter().map(|level| level.name).chain(["default"]).collect();
    let what = format!("durability of engine = {}", kind.name());
    Err(Failure::Usage(suggestion::unknown(&what, &level, names)))
}

/// Without `io_uring` a study still runs if one operation is in flight at a time anyway; it says so. If psync cannot
/// take its place in every configuration it does in none, so that no two engines stand for one: those are recorded as
/// unsupported, unless nothing is left beside them.
pub(crate) fn without_io_uring(plan: &mut StudyPlan, schema: &Schema) -> Result<(), Failure> {
    let Err(why) = BackendKind::Uring.supported() else { return Ok(()) };
    let uses_ring = |values: &&mut Configuration| values.is("ioengine", "uring");
    let mut replaced = plan.configurations.clone();
    let mut rings = 0;
    for values in replaced.iter_mut().filter(uses_ring) {
        values.0.insert("ioengine".to_owned(), Value::Name("psync".to_owned()));
        rings += 1;
    }
    if rings == 0 {
        return Ok(());
    }
    let objection = replaced.iter().find_map(|values| (schema.check)(values).err());
    let objection =
        objection.or_else(|| plan.factor("ioengine").map(|_| "ioengine is a factor of it".to_owned()));
    match objection {
        None => {
            tell(format!("{}: no io_uring here ({why}); ioengine = psync instead", plan.name));
            lab::plan::replace(plan, schema, replaced).map_err(Failure::usage)
        }
        Some(objection) if rings == plan.configurations.len() => Err(Failure::Runtime(format!(
            "it needs io_uring, which this machine lacks: {why}; psync cannot replace it: {objection}"
        ))),
        Some(_) => {
            partly_unsupported(plan, &format!("no io_uring here ({why})"), rings);
            Ok(())
        }
    }
}

/// Huge pages that the kernel does not give are a mistake in the command, unless they are one kind of two.
pub(crate) fn require_huge_pages(plan: &StudyPlan) -> Result<(), Failure> {
    let asked = plan.configurations.iter().filter(|values| values.is(BUFFER_PAGES, BufferPages::Huge.name()));
    let asked = asked.count();
    if asked == 0 {
        return Ok(());
    }
    huge_pages_or_refusal(plan, asked, huge_pages_supported())
}

fn huge_pages_or_refusal(
    plan: &StudyPlan,
    asked: usize,
    supported: Result<(), String>,
) -> Result<(), Failure> {
    match supported {
        Ok(()) => Ok(()),
        Err(why) if asked == plan.configurations.len() => Err(Failure::Runtime(why)),
        Err(why) => {
            partly_unsupported(plan, &why, asked);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studies;
    use lab::plan::{Overrides, resolve};

    fn plan(vary: &str) -> StudyPlan {
        let vary = vary.split(',').map(str::to_owned).collect();
        let vary = vec![(BUFFER_PAGES.to_owned(), vary)];
        let overrides = Overrides { profile: Some("quick".to_owned()), vary, ..Overrides::default() };
        let study = studies::find("buffer-memory").unwrap();
        resolve(&study, workload::schema(&study.workload).unwrap(), &overrides).unwrap()
    }

    #[test]
    fn huge_pages_that_a_kernel_does_not_give_are_refused_in_one_line_unless_they_are_one_kind_of_two() {
        let none = || Err("this kernel provides no huge pages".to_owned());
        let (huge, both) = (plan("huge"), plan("small,huge"));
        let all = huge.configurations.len();
        let Err(Failure::Runtime(why)) = huge_pages_or_refusal(&huge, all, none()) else {
            panic!("nothing is left to measure")
        };
        assert_eq!(why.lines().count(), 1, "{why}");
        assert!(huge_pages_or_refusal(&both, all, none()).is_ok());
        assert!(huge_pages_or_refusal(&huge, all, Ok(())).is_ok());
        assert!(require_huge_pages(&plan("small")).is_ok());
    }
}
