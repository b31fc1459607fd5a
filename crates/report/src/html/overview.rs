//! The top of the page: the disk, the contents, and the answers in numbers.

use crate::headline::Headline;
use crate::{disk, doubt};
use maud::{Markup, PreEscaped, html as markup};
use model::figure::count;
use model::printable;
use model::run::Run;
use model::units::format_bytes_approximate;
use page::html::shown;
use verdict::Verdict;

/// Title, disk, machine and date, and the state of the answers.
pub(super) fn header(run: &Run, verdict: &Verdict, title: &str, headlines: &[Headline<'_>]) -> Markup {
    let host = &run.host;
    markup! {
        div.masthead {
            h1 { (shown(title)) }
            ul.tally aria-label="Summary" {
                @for (tone, words) in doubt::tally(run, verdict, headlines) {
                    li.(tone) { a href=(if matches!(tone, "pass") { "#answers" } else { "#trust" }) { (shown(&words)) } }
                }
            }
        }
        p.lead { (broken_at_commas(&disk::sentences(run, verdict).join(" "))) }
        p.machine {
            (shown(&format!(
                "{} · {}, {}, {} memory · Linux {} · ",
                host.name,
                host.processor,
                count(host.cpus, "CPU"),
                format_bytes_approximate(host.memory_bytes as f64),
                host.kernel
            )))
            time datetime=(printable(&run.plan.created_at)) { (shown(&run.plan.created_at.replace('T', " ").replace('Z', " UTC"))) }
        }
    }
}

/// Mount options are one word without a space: a narrow screen breaks them at a comma, and not inside a number.
fn broken_at_commas(text: &str) -> Markup {
    let escaped = markup! { (shown(text)) }.into_string();
    PreEscaped(escaped.replace(',', ",<wbr>"))
}
