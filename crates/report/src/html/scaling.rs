//! The section of a shared run: what the volume gives to more and more ranks.

use crate::wording::scaling as words;
use fleet::scaling::{Scaling, ScalingOf};
use maud::{Markup, html as markup};

pub(super) fn section(found: &[ScalingOf]) -> Markup {
    markup! {
        @if !found.is_empty() {
            section.study #shared aria-label="Shared storage" {
                p.kicker { "All ranks together" }
                @for one in found {
                    h2 { (words::title(one)) }
                    @for rate in &one.rates {
                        (table(one, rate))
                        (paragraphs(words::of_rate(rate)))
                    }
                    (paragraphs(words::of_turns(one)))
                }
            }
        }
    }
}

fn paragraphs(sentences: Vec<(&'static str, String)>) -> Markup {
    markup! { @for (label, sentence) in sentences { p { b { (label) } " " (sentence) } } }
}

fn table(one: &ScalingOf, rate: &Scaling) -> Markup {
    let headings = words::headings(rate);
    let name = format!("{}: {}", words::title(one), headings[1]);
    markup! {
        div.scroll role="group" aria-label=(name) tabindex="0" {
            table {
                thead { tr { @for heading in headings { th.number scope="col" { (heading) } } } }
                tbody {
                    @for row in words::rows(rate) {
                        @let [ranks, rest @ ..] = row;
                        tr {
                            th.number scope="row" { (ranks) }
                            @for cell in rest { td.number { (cell) } }
                        }
                    }
                }
            }
        }
    }
}
