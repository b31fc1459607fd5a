//! The machine, the device and file system of the files, and how the time was spent.

use super::part::folded;
use crate::facts as told;
use crate::wording;
use maud::{Markup, html as markup};
use model::run::Run;
use model::units::format_elapsed;
use page::html::shown;
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
                div.wide[value.chars().count() > LONG_FACT] { dt { (shown(name)) } dd { (shown(value)) } }
            }
        }
    }
}

fn time(time: &TimeShare) -> Markup {
    let parts = wording::time_parts(time);
    let total: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    if total <= 0.0 {
        return markup! { p { "Nothing is recorded yet." } };
    }
    markup! {
        p { (shown(&format_elapsed(total))) " in all." }
        table.time {
            thead {
                tr { th scope="col" { "Spent on" } th.number scope="col" { "Time" } th.number scope="col" { "Share" } td.bar aria-hidden="true" {} }
            }
            tbody {
                @for (what, seconds) in parts {
                    tr {
                        th scope="row" { (what) }
                        td.number { (shown(&format_elapsed(seconds))) }
                        td.number { (shown(&format!("{:.1} %", 100.0 * seconds / total))) }
                        td.bar aria-hidden="true" { span style={ "width:" (format!("{:.1}%", 100.0 * seconds / total)) } {} }
                    }
                }
            }
        }
    }
}
