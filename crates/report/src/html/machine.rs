//! The machine, the device and file system of the files, every parameter, and how the time was spent.

use super::part::folded;
use crate::facts as told;
use crate::{records, wording};
use maud::{Markup, html as markup};
use model::mechanism::Measured;
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::FileFacts;
use model::units::{format_bytes, format_bytes_approximate, format_elapsed};
use std::collections::BTreeMap;
use verdict::{TimeShare, Verdict};

/// A longer fact, in characters, has its own line.
const LONG_FACT: usize = 44;

/// Facts about the machine and the run.
pub(super) fn section(run: &Run, verdict: &Verdict) -> Markup {
    markup! {
        section aria-labelledby="machine" {
            h2 #machine { "Machine" }
            @let host = &run.host;
            (folded(None, "Host", &format!("{}, Linux {}", host.distribution, host.kernel), &facts(&told::host(run))))
            @for placement in told::placements(run) {
                @let heading = format!("Files on {}, {}", placement.filesystem, told::known(&placement.device));
                (folded(None, &heading, "", &facts(&told::placement(placement))))
            }
        }
        section aria-labelledby="parameters" {
            h2 #parameters { "Parameters" }
            @for study in &run.plan.studies { (parameters(study)) }
        }
        section aria-labelledby="time" {
            h2 #time { "How the time was spent" }
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

/// Every parameter of a study: the factors with their levels, then the fixed ones.
fn parameters(study: &StudyPlan) -> Markup {
    let told::Parameters { design, varied, fixed } = told::parameters(study);
    let content = markup! {
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
    };
    folded(None, &study.name, "", &content)
}

/// The files of a study as they were verified before its trials, over all trials.
pub(super) fn files(run: &Run, plan: Option<&StudyPlan>) -> Markup {
    let mut groups: BTreeMap<(&str, &str, u64), Vec<&FileFacts>> = BTreeMap::new();
    let records = plan.into_iter().flat_map(|plan| records::of_study(run, plan));
    for file in records.filter_map(|record| record.measurement.as_ref()).flat_map(|found| &found.files) {
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
                        @for heading in ["File", "Configured layout", "Size"] { th scope="col" { (heading) } }
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

/// Smallest and largest of a fact over files, or the reason why it is unknown.
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
        table.time {
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
