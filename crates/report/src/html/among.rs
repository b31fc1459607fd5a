//! This disk's random reads beside published figures.

use crate::among::among;
use maud::{Markup, html as markup};
use model::run::Run;
use model::units::format_significant;
use page::html::shown;
use verdict::Verdict;

/// The section; empty if no such reads were measured.
pub(super) fn section(run: &Run, verdict: &Verdict) -> Markup {
    let Some(among) = among(run, verdict) else { return markup! {} };
    markup! {
        section aria-labelledby="among" {
            h2 #among { "Random reads beside published figures" }
            p {
                (shown("Direct reads of 4 KiB per second"))
                @if !among.label.is_empty() { ", here with " (shown(&among.label)) }
                ". Syncline measured this disk only."
            }
            div.scroll role="group" aria-label="Published random reads" tabindex="0" { table.published {
                thead { tr { th scope="col" { "reads/s" } th scope="col" { "device" } th scope="col" { "source" } } }
                tbody {
                    @for line in among.lines() {
                        @match line {
                            Some((_, device)) => tr {
                                td { (shown(&format_significant(device.random_reads_per_s))) }
                                td { (shown(&device.words())) }
                                // Nothing on this page links to another site.
                                td { (shown(device.source.trim_start_matches("https://"))) ", " (shown(&device.read_on)) }
                            },
                            None => tr {
                                td { strong { (shown(&format_significant(among.ours))) } }
                                td { strong { (shown(&among.this_disk())) } }
                                td { "this run, mean over trials" }
                            },
                        }
                    }
                }
            } }
        }
    }
}
