//! What must hold before the first trial: the machine, its CPUs, io_uring, direct I/O. Said in one line, not trial by trial.

use crate::failure::Failure;
use crate::output::tell;
use disk::backend::BackendKind;
use disk::files::Alignment;
use disk::memory::huge_pages_supported;
use engine::{DurabilityLevel, EngineKind};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::host::Placement;
use model::parameter::{Schema, Transfer};
use model::plan::StudyPlan;
use model::run::Run;
use model::units::format_bytes;
use model::{Configuration, IoMode, Value, suggestion};
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// A loop device has blocks of this size by default.
const LOOP_ALIGNMENT_BYTES: u64 = 512;

/// Trials of two disks are not replicates of each other.
pub(crate) fn require_same_disk(run: &Run, directory: &Path) -> Result<(), Failure> {
    let mut measured = run.records.iter().filter(|record| record.values.is("filesystem", "host"));
    let Some(there) = measured.find_map(|record| record.measurement.as_ref()).map(|m| &m.placement) else {
        return Ok(());
    };
    let here = disk::placement::placement(directory);
    if here.filesystem == there.filesystem && here.device == there.device {
        return Ok(());
    }
    let device =
        |placement: &Placement| placement.device.value().cloned().unwrap_or_else(|| "no device".to_owned());
    Err(Failure::Runtime(format!(
        "this run began on {} ({}), but this directory is on {} ({}): use the --dir with which it began, or start a \
         new run",
        device(there),
        there.filesystem,
        device(&here),
        here.filesystem
    )))
}

/// A file system that only describes the kernel's state holds no data (`proc(5)`, `sysfs(5)`), and a device is not a directory:
/// said before anything is made there.
pub(crate) fn require_place(directory: &Path) -> Result<(), Failure> {
    // What is not there, or cannot be looked at, is reported by its user.
    let Ok(facts) = fs::metadata(directory) else { return Ok(()) };
    let shown = directory.display();
    if !facts.is_dir() {
        let kind = facts.file_type();
        let what =
            if kind.is_block_device() || kind.is_char_device() { "a device" } else { "not a directory" };
        return Err(Failure::Usage(format!(
            "--dir {shown}: it is {what}, but Syncline measures a disk through files that it creates: name a \
             directory on a file system of that disk"
        )));
    }
    let Ok(mount) = disk::kernel::mounts::mount_of(directory) else { return Ok(()) };
    if !HOLDS_NO_FILES.contains(&mount.filesystem.as_str()) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--dir {shown}: {} is a view of the kernel's state, not a file system for data: name a directory on a disk",
        mount.filesystem
    )))
}

/// The kernel's own file systems in which no file of a user's can be made. Those that hold files in memory are another matter.
const HOLDS_NO_FILES: &[&str] = &[
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "efivarfs",
    "fusectl",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "sysfs",
    "tracefs",
];

/// Real-time scheduling that is not permitted is refused once, not in every trial. The scheduling class is a thread's own, so
/// a thread tries it.
pub(crate) fn require_real_time(plan: &StudyPlan) -> Result<(), Failure> {
    if !plan.configurations.iter().any(|values| values.flag("realtime").unwrap_or(false)) {
        return Ok(());
    }
    let tried = std::thread::spawn(disk::kernel::scheduling::run_real_time).join();
    match tried {
        Ok(Err(why)) => Err(Failure::Runtime(format!(
            "study {}: realtime = true: {why}, or leave it out with --fix realtime=false",
            plan.name
        ))),
        Ok(Ok(())) | Err(_) => Ok(()),
    }
}

/// Memory is not storage: what a commit costs there, and what survives, says nothing of any device. Only a scan of a
/// dataset elsewhere needs nothing of the directory; its target is looked at where it is listed.
pub(crate) fn require_storage(directory: &Path, plans: &[StudyPlan]) -> Result<(), Failure> {
    let is_elsewhere = |values: &Configuration| values.text("target").is_ok_and(|target| target != "none");
    let uses_directory = |plan: &StudyPlan| !plan.configurations.iter().all(is_elsewhere);
    if !plans.is_empty() && !plans.iter().any(uses_directory) {
        return Ok(());
    }
    match disk::medium::memory_below(directory) {
        None => Ok(()),
        Some(what) => Err(in_memory("--dir", &directory.display().to_string(), &what)),
    }
}

/// That a place is memory, and what to do.
pub(crate) fn in_memory(parameter: &str, place: &str, what: &str) -> Failure {
    Failure::Memory(format!(
        "{parameter} {place} is in memory ({what}): data there does not survive a power loss and is not read from a \
         device; choose a directory on a disk"
    ))
}

/// A CPU that the program may not use is a mistake in the command, not in every trial.
pub(crate) fn require_cpus(plan: &StudyPlan) -> Result<(), Failure> {
    let allowed = rustix::thread::sched_getaffinity(None).map_err(Failure::runtime)?;
    for cpu in plan.configurations.iter().filter_map(|values| values.count("cpu").ok()) {
        let cpu = cpu as usize;
        if cpu >= rustix::thread::CpuSet::MAX_CPU || !allowed.is_set(cpu) {
            return Err(Failure::Usage(format!("study {}: this program may not use cpu = {cpu}", plan.name)));
        }
    }
    Ok(())
}

/// An engine that is not built in and a durability level that an engine does not have are mistakes in the command, unless
/// they are one engine of many.
pub(crate) fn require_engines(plan: &StudyPlan) -> Result<(), Failure> {
    let mut absent = Vec::new();
    for values in &plan.configurations {
        let named = values.text("engine").ok().as_deref().and_then(EngineKind::from_name);
        // A file is not an engine, and its levels are checked with the other parameters.
        let Some(kind) = named else { continue };
        match kind.levels() {
            Ok(levels) => check_level(plan, kind, &levels, values)?,
            Err(why) => absent.push(why.to_string()),
        }
    }
    match absent.first() {
        Some(why) if absent.len() == plan.configurations.len() => {
            Err(Failure::Usage(format!("study {}: {why}", plan.name)))
        }
        Some(why) => {
            tell(format!(
                "study {}: {why}; {} of {} configurations are recorded as unsupported",
                plan.name,
                absent.len(),
                plan.configurations.len()
            ));
            Ok(())
        }
        None => Ok(()),
    }
}

fn check_level(
    plan: &StudyPlan,
    kind: EngineKind,
    levels: &[&DurabilityLevel],
    values: &Configuration,
) -> Result<(), Failure> {
    let level = values.text("durability").unwrap_or_default();
    let known = || levels.iter().map(|level| level.name).chain(["default"]);
    if known().any(|name| name == level) {
        return Ok(());
    }
    let names: Vec<&str> = known().collect();
    let what = format!("durability of engine = {}", kind.name());
    let why = suggestion::unknown(&what, &level, names);
    Err(Failure::Usage(format!("study {}: {why}", plan.name)))
}

/// Without `io_uring` a study still runs where one operation is in flight at a time anyway; it says so. Where psync cannot
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
            plan.configurations = replaced;
            Ok(())
        }
        Some(objection) if rings == plan.configurations.len() => Err(Failure::Runtime(format!(
            "study {} needs io_uring, which this machine lacks: {why}; psync cannot replace it: {objection}",
            plan.name
        ))),
        Some(_) => {
            tell(format!(
                "study {}: no io_uring here ({why}); {rings} of {} configurations are recorded as unsupported",
                plan.name,
                plan.configurations.len()
            ));
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
        Err(why) if asked == plan.configurations.len() => {
            Err(Failure::Runtime(format!("study {}: {why}", plan.name)))
        }
        Err(why) => {
            tell(format!(
                "study {}: {why}; {asked} of {} configurations are recorded as unsupported",
                plan.name,
                plan.configurations.len()
            ));
            Ok(())
        }
    }
}

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
