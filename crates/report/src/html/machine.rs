//! The machine, what the files stood on, every parameter, and where the time went.

use super::overview;
use crate::wording;
use maud::{Markup, html as markup};
use model::host::Placement;
use model::mechanism::Measured;
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::FileFacts;
use model::units::{format_bytes, format_bytes_approximate, format_elapsed};
use std::collections::BTreeMap;
use std::fmt::Display;
use verdict::{StudyVerdict, TimeShare, Verdict};

/// A fact longer than this, in characters, gets a line of its own.
const LONG_FACT: usize = 44;

/// Facts about the machine and the run.
pub(super) fn section(run: &Run, verdict: &Verdict) -> Markup {
    markup! {
        section aria-labelledby="machine" {
            h2 #machine { "Machine" }
            (facts(&host(run)))
            @for placement in overview::placements(run) {
                h3 { "Files on " (placement.filesystem) ", " (known(&placement.device)) }
                (facts(&placement_facts(placement)))
            }
        }
        section aria-labelledby="parameters" {
            h2 #parameters { "Parameters" }
            @for study in &run.plan.studies { (parameters(study)) }
        }
        section aria-labelledby="time" {
            h2 #time { "Where the time went" }
            (time(&verdict.time))
        }
    }
}

fn facts(facts: &[(&str, String)]) -> Markup {
    markup! {
        dl.facts {
            @for (name, value) in facts {
                div.wide[value.chars().count() > LONG_FACT] { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// A fact, or the reason why it is not known.
fn known<T: Display>(fact: &Measured<T>) -> String {
    match fact {
        Measured::Value(value) => value.to_string(),
        Measured::Unsupported { unsupported } => format!("unknown: {unsupported}"),
    }
}

fn yes_or_no(flag: &Measured<bool>) -> String {
    known(&flag.map(|yes| if *yes { "yes" } else { "no" }))
}

fn host(run: &Run) -> Vec<(&'static str, String)> {
    let host = &run.host;
    vec![
        ("Host", host.name.clone()),
        ("Measured directory", run.plan.directory.clone()),
        ("Distribution", host.distribution.clone()),
        ("Kernel", host.kernel.clone()),
        ("Processor", format!("{}, {} logical CPUs", host.processor, host.cpus)),
        ("Memory", format_bytes_approximate(host.memory_bytes as f64)),
        ("Virtualisation", host.virtualisation.clone()),
        ("Frequency governor", known(&host.governor)),
        ("Clock source", host.clock_source.clone()),
        ("Writeback settings", host.dirty_settings.join(", ")),
        ("Run as root", if host.root { "yes" } else { "no" }.to_owned()),
        ("Kernel command line", host.kernel_command_line.clone()),
    ]
}

fn placement_facts(placement: &Placement) -> Vec<(&'static str, String)> {
    let bytes = |size: &Measured<u64>| known(&size.map(|bytes| format_bytes_approximate(*bytes as f64)));
    vec![
        ("File system", placement.filesystem.clone()),
        ("Mount options", placement.mount_options.clone()),
        ("Device", known(&placement.device)),
        ("Model", known(&placement.model)),
        ("Size", bytes(&placement.device_bytes)),
        ("Write cache", known(&placement.write_cache)),
        ("Takes FUA writes", yes_or_no(&placement.fua)),
        ("I/O scheduler", known(&placement.scheduler)),
        ("Rotational", yes_or_no(&placement.rotational)),
        ("O_DIRECT offset alignment", bytes(&placement.direct_offset_alignment_bytes)),
        ("O_DIRECT memory alignment", bytes(&placement.direct_memory_alignment_bytes)),
    ]
}

/// Every parameter of a study: the factors with their levels, then what was fixed.
fn parameters(study: &StudyPlan) -> Markup {
    let mut levels: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, value) in study.configurations.iter().flat_map(|configuration| &configuration.0) {
        let known = levels.entry(name).or_default();
        let text = value.to_string();
        if !known.contains(&text) {
            known.push(text);
        }
    }
    let is_factor = |name: &str| study.factor(name).is_some();
    let (varied, fixed): (Vec<_>, Vec<_>) =
        levels.iter().partition(|(name, levels)| is_factor(name) || levels.len() > 1);
    let design = vec![
        ("Workload", study.workload.clone()),
        ("Profile", study.profile.clone()),
        ("Rounds", format!("{} analysed, {} warm-up", study.rounds, study.warmup_rounds)),
        ("Baseline", study.baseline.to_string()),
        ("A/A arm", study.label(study.duplicate)),
        (
            "Files",
            if study.fresh_placement { "made anew each round" } else { "made once, reused" }.to_owned(),
        ),
    ];
    markup! {
        h3 { (study.name) }
        (facts(&design))
        p.label { "Varied" }
        dl.facts {
            @for (name, levels) in varied { div { dt { code { (name) } } dd { (levels.join(", ")) } } }
        }
        p.label { "Fixed" }
        dl.facts.tight {
            @for (name, levels) in fixed { div { dt { code { (name) } } dd { (levels.join(", ")) } } }
        }
        @if !study.excluded.is_empty() {
            p.label { "Left out" }
            ul { @for reason in &study.excluded { li { (reason) } } }
        }
    }
}

/// The files of a study as they were verified before its trials, over all trials.
pub(super) fn files(run: &Run, study: &StudyVerdict) -> Markup {
    let mut groups: BTreeMap<(&str, &str, u64), Vec<&FileFacts>> = BTreeMap::new();
    let measurements = run.records.iter().filter(|record| record.key.study == study.name);
    for file in measurements.filter_map(|record| record.measurement.as_ref()).flat_map(|found| &found.files) {
        groups.entry((&file.role, &file.layout, file.size_bytes)).or_default().push(file);
    }
    if groups.is_empty() {
        return markup! {};
    }
    markup! {
        p.label { "Files as verified before the trials" }
        div.scroll role="group" aria-label="Files" tabindex="0" {
            table {
                thead {
                    tr {
                        @for heading in ["File", "Layout asked for", "Size"] { th scope="col" { (heading) } }
                        @for heading in ["Extents", "Unwritten", "Holes", "In page cache"] {
                            th.number scope="col" { (heading) }
                        }
                    }
                }
                tbody {
                    @for ((role, layout, size), files) in &groups {
                        tr {
                            th scope="row" { (role) }
                            td { (layout) }
                            td { (format_bytes(*size)) }
                            td.number { (span(files, |file| file.extents.map(|extents| extents.count as f64), |count| format!("{count:.0}"))) }
                            td.number { (span(files, |file| file.extents.map(|extents| extents.unwritten_bytes as f64), format_bytes_approximate)) }
                            td.number { (span(files, |file| file.extents.map(|extents| extents.hole_bytes as f64), format_bytes_approximate)) }
                            td.number { (span(files, |file| file.cached_share_before.clone(), |share| format!("{:.1} %", share * 100.0))) }
                        }
                    }
                }
            }
        }
    }
}

/// Smallest and largest of a fact over files, or the reason why it is not known.
fn span(
    files: &[&FileFacts],
    fact: impl Fn(&FileFacts) -> Measured<f64>,
    show: impl Fn(f64) -> String,
) -> String {
    let facts: Vec<Measured<f64>> = files.iter().map(|file| fact(file)).collect();
    let values: Vec<f64> = facts.iter().filter_map(|fact| fact.value().copied()).collect();
    let Some(low) = values.iter().copied().reduce(f64::min) else {
        return facts.first().and_then(Measured::reason).unwrap_or("unknown").to_owned();
    };
    let high = values.iter().copied().fold(low, f64::max);
    let (low, high) = (show(low), show(high));
    if low == high { low } else { format!("{low} … {high}") }
}

fn time(time: &TimeShare) -> Markup {
    let parts = wording::time_parts(time);
    let total: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    if total <= 0.0 {
        return markup! { p { "Nothing is recorded yet." } };
    }
    markup! {
        p { (format_elapsed(total)) " in all." }
        table {
            thead {
                tr { th scope="col" { "Spent on" } th.number scope="col" { "Time" } th.number scope="col" { "Share" } td.bar aria-hidden="true" {} }
            }
            tbody {
                @for (what, seconds) in parts {
                    tr {
                        th scope="row" { (what) }
                        td.number { (format_elapsed(seconds)) }
                        td.number { (format!("{:.1} %", 100.0 * seconds / total)) }
                        td.bar aria-hidden="true" { span style={ "width:" (format!("{:.1}%", 100.0 * seconds / total)) } {} }
                    }
                }
            }
        }
    }
}
