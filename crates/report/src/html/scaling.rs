//! The section of a shared run: what the volume gives to more and more ranks.

use crate::wording::scaling as words;
use fleet::scaling::ScalingOf;
use maud::{Markup, html as markup};

pub(super) fn section(found: &[ScalingOf]) -> Markup {
    markup! {
        @if !found.is_empty() {
            section.study #shared aria-label="Shared storage" {
                p.kicker { "All ranks together" }
                @for one in found {
                    h2 { (words::title(one)) }
                    (table(one))
                    @for (label, sentence) in words::sentences(&one.scaling) {
                        p { b { (label) } " " (sentence) }
                    }
                }
            }
        }
    }
}

fn table(one: &ScalingOf) -> Markup {
    markup! {
        div.scroll role="group" aria-label=(words::title(one)) tabindex="0" {
            table {
                thead { tr { @for heading in words::HEADINGS { th.number scope="col" { (heading) } } } }
                tbody {
                    @for level in &one.scaling.levels {
                        @let [ranks, rest @ ..] = words::row(level);
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
