//! Facts about a run that both the page and Markdown list: the machine, the device and file system of the files.

use crate::records;
use model::host::Placement;
use model::mechanism::Measured;
use model::run::Run;
use model::units::format_bytes_approximate;
use std::fmt::Display;

/// A fact, or the reason why it is unknown.
pub(crate) fn known<T: Display>(fact: &Measured<T>) -> String {
    match fact {
        Measured::Value(value) => value.to_string(),
        Measured::Unsupported { unsupported } => format!("unknown: {unsupported}"),
    }
}

const NOT_RECORDED: &str = "not recorded";

/// Older records do not have them.
fn recorded(settings: &[String]) -> String {
    if settings.is_empty() { NOT_RECORDED.to_owned() } else { settings.join(", ") }
}

fn yes_or_no(flag: &Measured<bool>) -> String {
    known(&flag.map(|yes| if *yes { "yes" } else { "no" }))
}

/// The machine and the directory.
pub(crate) fn host(run: &Run) -> Vec<(&'static str, String)> {
    let host = &run.host;
    let rank = run.plan.rank.map(|rank| ("Launched as", rank.to_string()));
    let facts = [
        ("Host", host.name.clone()),
        ("Measured directory", run.plan.directory.display().to_string()),
        ("Distribution", host.distribution.clone()),
        ("Kernel", host.kernel.clone()),
        ("Processor", format!("{}, {} logical CPUs", host.processor, host.cpus)),
        ("Memory", format_bytes_approximate(host.memory_bytes as f64)),
        ("Virtualisation", host.virtualisation.clone()),
        ("Frequency governor", known(&host.governor)),
        ("Clock source", host.clock_source.clone()),
        ("Writeback settings", host.dirty_settings.join(", ")),
        ("Memory settings", recorded(&host.memory_settings)),
        ("Run as root", if host.root { "yes" } else { "no" }.to_owned()),
        ("Kernel command line", host.kernel_command_line.clone()),
    ];
    facts.into_iter().chain(rank).collect()
}

/// The distinct placements that trials found, in order of appearance.
pub(crate) fn placements(run: &Run) -> Vec<&Placement> {
    let mut distinct: Vec<&Placement> = Vec::new();
    for placement in records::of_plan(run).filter_map(|record| Some(&record.measurement.as_ref()?.placement))
    {
        if !distinct.contains(&placement) {
            distinct.push(placement);
        }
    }
    distinct
}

/// The device and file system of the files.
pub(crate) fn placement(placement: &Placement) -> Vec<(&'static str, String)> {
    let bytes = |size: &Measured<u64>| known(&size.map(|bytes| format_bytes_approximate(*bytes as f64)));
    vec![
        ("File system", placement.filesystem.clone()),
        ("Mount options", placement.mount_options.clone()),
        ("Device", known(&placement.device)),
        ("Model", known(&placement.model)),
        ("Firmware", placement.firmware.as_ref().map_or_else(|| NOT_RECORDED.to_owned(), known)),
        ("Size", bytes(&placement.device_bytes)),
        ("Write cache", known(&placement.write_cache)),
        ("Takes FUA writes", yes_or_no(&placement.fua)),
        ("I/O scheduler", known(&placement.scheduler)),
        ("Rotational", yes_or_no(&placement.rotational)),
        ("O_DIRECT offset alignment", bytes(&placement.direct_offset_alignment_bytes)),
        ("O_DIRECT memory alignment", bytes(&placement.direct_memory_alignment_bytes)),
        ("Queue settings", recorded(&placement.queue_settings)),
    ]
}
