//! What differs around two runs: machines, kernels, disks, mount options, days. It is the subject of a comparison.

use super::comparison::{Difference, RunFacts, Side};
use super::reason::Machines;
use model::host::{HostFacts, Placement};
use model::mechanism::Measured;
use model::run::Run;
use model::units::format_bytes_approximate;
use std::collections::BTreeMap;
use std::fmt::Display;

/// The identity of a run.
pub(super) fn facts(side: Side<'_>) -> RunFacts {
    let Run { plan, host, .. } = side.run;
    RunFacts {
        name: side.name.to_owned(),
        host: host.name.clone(),
        kernel: host.kernel.clone(),
        disk: disk(side.run).unwrap_or_else(|| "nothing measured".to_owned()),
        created_at: plan.created_at.clone(),
        program_version: plan.program_version.clone(),
    }
}

/// Whether these are one machine and one disk: two runs compared by mistake show here.
pub(super) fn machines(a: &Run, b: &Run) -> Machines {
    let machine = |run: &Run| {
        let HostFacts { name, processor, cpus, memory_bytes, .. } = &run.host;
        format!("{name} ({processor}, {cpus} CPUs, {})", format_bytes_approximate(*memory_bytes as f64))
    };
    Machines { hosts: (machine(a), machine(b)), disks: (disk(a), disk(b)) }
}

/// The device and file system of the first trial that measured.
fn disk(run: &Run) -> Option<String> {
    let placement = run.records.iter().find_map(|record| Some(&record.measurement.as_ref()?.placement))?;
    let device = match (placement.model.value(), placement.device.value()) {
        (Some(model), Some(device)) => format!("{} ({device})", model.trim()),
        (Some(name), None) | (None, Some(name)) => name.trim().to_owned(),
        (None, None) => "an unknown device".to_owned(),
    };
    Some(format!("{device} with {}", placement.filesystem))
}

/// Everything that differs, the machine first.
pub(super) fn differences(a: &Run, b: &Run) -> Vec<Difference> {
    let (ours, theirs) = (all(a), all(b));
    let differing = ours.into_iter().zip(theirs).filter(|((_, one), (_, other))| one != other);
    differing.map(|((what, a), (_, b))| Difference { what: what.to_owned(), a, b }).collect()
}

/// Everything that is recorded around a run, by name, the same names for every run.
pub(crate) fn all(run: &Run) -> Vec<(&'static str, String)> {
    let mut facts = host(&run.host);
    facts.extend(placements(run));
    facts.extend([
        ("measured directory", run.plan.directory.display().to_string()),
        ("begun at", run.plan.created_at.clone()),
        ("syncline version", run.plan.program_version.clone()),
        ("profiles", of_studies(run, |study| study.profile.clone())),
        ("rounds", of_studies(run, |study| study.rounds.to_string())),
    ]);
    facts
}

fn of_studies(run: &Run, fact: impl Fn(&model::plan::StudyPlan) -> String) -> String {
    let facts: Vec<String> =
        run.plan.studies.iter().map(|study| format!("{} {}", study.name, fact(study))).collect();
    facts.join(", ")
}

fn host(host: &HostFacts) -> Vec<(&'static str, String)> {
    vec![
        ("host", host.name.clone()),
        ("processor", host.processor.clone()),
        ("CPUs", host.cpus.to_string()),
        ("memory", format_bytes_approximate(host.memory_bytes as f64)),
        ("virtualisation", host.virtualisation.clone()),
        ("distribution", host.distribution.clone()),
        ("kernel", host.kernel.clone()),
        ("kernel command line", host.kernel_command_line.clone()),
        ("frequency governor", known(&host.governor)),
        ("clock source", host.clock_source.clone()),
        ("writeback settings", host.dirty_settings.join(", ")),
        ("memory settings", recorded(&host.memory_settings)),
        ("run as root", if host.root { "yes" } else { "no" }.to_owned()),
    ]
}

/// The device and file system of the files; a run on several file systems has several of each.
fn placements(run: &Run) -> Vec<(&'static str, String)> {
    type Fact = (&'static str, fn(&Placement) -> String);
    const FACTS: [Fact; 12] = [
        ("file system", |it| it.filesystem.clone()),
        ("mount options", |it| it.mount_options.clone()),
        ("device", |it| known(&it.device)),
        ("device model", |it| known(&it.model)),
        ("device firmware", |it| it.firmware.as_ref().map_or_else(|| NOT_RECORDED.to_owned(), known)),
        ("device size", |it| known(&it.device_bytes.map(|bytes| format_bytes_approximate(*bytes as f64)))),
        ("write cache", |it| known(&it.write_cache)),
        ("takes FUA writes", |it| known(&it.fua)),
        ("I/O scheduler", |it| known(&it.scheduler)),
        ("rotational", |it| known(&it.rotational)),
        ("O_DIRECT alignment, bytes", |it| known(&it.direct_offset_alignment_bytes)),
        ("queue settings", |it| recorded(&it.queue_settings)),
    ];
    let mut values: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for placement in run.records.iter().filter_map(|record| Some(&record.measurement.as_ref()?.placement)) {
        for (index, (_, fact)) in FACTS.iter().enumerate() {
            let (known, value) = (values.entry(index).or_default(), fact(placement));
            if !known.contains(&value) {
                known.push(value);
            }
        }
    }
    let joined = |index: usize| {
        values.get(&index).map_or_else(
            || "nothing measured".to_owned(),
            |values| {
                let mut values = values.clone();
                values.sort();
                values.join("; ")
            },
        )
    };
    FACTS.iter().enumerate().map(|(index, (name, _))| (*name, joined(index))).collect()
}

const NOT_RECORDED: &str = "not recorded";

/// Older records do not have them.
fn recorded(settings: &[String]) -> String {
    if settings.is_empty() { NOT_RECORDED.to_owned() } else { settings.join(", ") }
}

fn known<T: Display>(fact: &Measured<T>) -> String {
    match fact {
        Measured::Value(value) => value.to_string(),
        Measured::Unsupported { unsupported } => format!("unknown: {unsupported}"),
    }
}
