//! This disk in two sentences: what the system reports about it, and whether its flushes were seen.

use crate::quantity;
use model::durability::DurabilityClass;
use model::host::{HostFacts, Placement};
use model::medium::{Medium, Veil, WriteCache};
use model::metric::Unit;
use model::run::Run;
use model::units::format_bytes_approximate;
use verdict::{Audit, Status, StudyVerdict, Verdict};

/// Longer mount options, in characters, are listed with the machine.
const OPTIONS_LENGTH: usize = 60;
const FLUSHES: &str = "device_flushes_per_commit";

/// The sentences, which also state what is unknown.
pub(crate) fn sentences(run: &Run, verdict: &Verdict) -> Vec<String> {
    match run.placement() {
        Some(placement) => match placement.medium() {
            Medium::Memory(_) | Medium::Unseen { .. } => vec![what(placement, &run.host)],
            Medium::Device => vec![what(placement, &run.host), flushes(placement, verdict)],
        },
        None => {
            let what = if run.records.is_empty() {
                "No trial has ended yet"
            } else {
                "No trial has measured anything"
            };
            vec![format!("{what}, so nothing is known about the disk below the files.")]
        }
    }
}

/// `vda is a virtual disk of 256 GiB, formatted ext4 and mounted rw,relatime.`
fn what(placement: &Placement, host: &HostFacts) -> String {
    match placement.medium() {
        Medium::Memory(what) => {
            return format!("The files were in memory ({what}): there was no disk, and nothing was durable.");
        }
        Medium::Unseen { veil: veil @ Veil::ObjectStore, .. } => {
            return format!("The data was in an object store. Unknown: {}.", veil.unknown());
        }
        Medium::Unseen { veil, what } => {
            return format!(
                "No device is seen below the files: {what}. The file system is {}, mounted {}. Unknown: {}.",
                placement.filesystem,
                options(&placement.mount_options),
                veil.unknown()
            );
        }
        Medium::Device => {}
    }
    let name = placement.device.value().map_or("The device", |name| name.trim());
    let size = placement.device_bytes.value();
    let size =
        size.map_or_else(String::new, |bytes| format!(" of {}", format_bytes_approximate(*bytes as f64)));
    format!(
        "{name} is a {}{size}, formatted {} and mounted {}.",
        kind(placement, host),
        placement.filesystem,
        options(&placement.mount_options)
    )
}

/// On a virtual machine, a disk without a model is the hypervisor's, even if it reports rotating platters.
fn kind(placement: &Placement, host: &HostFacts) -> &'static str {
    let named = placement.model.value().is_some_and(|model| !model.trim().is_empty());
    let is_virtual = host.virtualisation != "none" && !host.virtualisation.is_empty();
    match (named, is_virtual, placement.rotational.value()) {
        (false, true, _) => "virtual disk",
        (_, _, Some(true)) => "spinning disk",
        (_, _, Some(false)) => "solid-state disk",
        (_, _, None) => "disk",
    }
}

fn options(options: &str) -> String {
    if options.chars().count() <= OPTIONS_LENGTH {
        return options.to_owned();
    }
    let mut shown: Vec<&str> = Vec::new();
    let mut length = 0;
    for option in options.split(',') {
        length += option.chars().count() + 1;
        if length > OPTIONS_LENGTH {
            break;
        }
        shown.push(option);
    }
    format!("{} …", shown.join(","))
}

/// Whether it has a volatile write cache, and its counted flushes.
fn flushes(placement: &Placement, verdict: &Verdict) -> String {
    match placement.volatile_cache() {
        WriteCache::Absent(why) => return format!("A commit needs no flush: {why}."),
        WriteCache::Unproven(why) => {
            return format!("It is unknown whether it has a volatile write cache: {why}.");
        }
        WriteCache::Hidden(why) => {
            return format!("A power loss loses commits, because no flush is sent: {why}.");
        }
        WriteCache::Volatile(_) => {}
    }
    let audits = || verdict.studies.iter().filter_map(|study| Some((study, volatile_cache(study)?)));
    let ended = |status| audits().find(|(_, audit)| audit.status == status);
    if let Some((study, audit)) = ended(Status::Fail) {
        return format!(
            "Its write cache is volatile, and flushes did not reach it in {}: {}",
            study.name, audit.summary
        );
    }
    match ended(Status::Pass) {
        Some((study, _)) => {
            let seen = seen(study).map_or_else(String::new, |seen| format!(": {seen}"));
            format!("Its write cache is volatile, and the flushes of durable commits reach it{seen}.")
        }
        None => "Its write cache is volatile; this run does not show whether flushes reach it.".to_owned(),
    }
}

fn volatile_cache(study: &StudyVerdict) -> Option<&Audit> {
    study.audits.iter().find(|audit| audit.name == "volatile-cache")
}

/// `1.00 counted for each commit (0.98–1.02, 95 %)`, from the first configuration of durable commits that has a figure.
fn seen(study: &StudyVerdict) -> Option<String> {
    let mut durable = study.cells.iter().filter(|cell| cell.durability.is(DurabilityClass::Power));
    let mean = durable.find_map(|cell| cell.figures.get(FLUSHES)).map(|figure| &figure.mean)?;
    let (point, interval) = (mean.point?, quantity::interval_text(mean, Unit::Count));
    let foreign = study
        .audits
        .iter()
        .any(|audit| audit.name == "foreign-io" && matches!(audit.status, Status::Fail | Status::Warn));
    let others = if foreign { ", those of other programs among them" } else { "" };
    Some(format!("{} counted for each commit ({interval}){others}", quantity::figure(point, Unit::Count)))
}
