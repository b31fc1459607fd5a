//! The settings of databases that follow.

use super::escape::text;
use super::page::Page;
use crate::{advised, wording};
use advice::Advice;

/// Writes the section; empty if nothing is advised.
pub(super) fn section(page: &mut Page, advice: &[Advice]) {
    let advised: Vec<_> = advice.iter().filter(|advice| advice.advised().next().is_some()).collect();
    if advised.is_empty() {
        return;
    }
    page.heading(2, "Settings that follow");
    for advice in advised {
        page.heading(3, &advice.database);
        for (setting, found) in advice.advised() {
            let assignment = format!("{} = {}", setting.name, found.value);
            page.item(
                0,
                &format!("**{}**: {}", text(&assignment), text(&wording::measured(&found.statement))),
            );
            page.item(1, &text(&format!("rests on {}", advised::grounds(found))));
            for caveat in &found.caveats {
                page.item(1, &text(&format!("but: {}", wording::caveat(caveat))));
            }
            for other in advised::alternatives(&setting.name, found) {
                page.item(1, &text(&format!("not advised: {other}")));
            }
            page.item(1, &text(&format!("holds for {}", advised::expiry(&found.expires))));
        }
        for (setting, none) in advised::measured_in_vain(advice) {
            page.item(0, &text(&format!("{}: no advice: {}", setting.name, wording::cause(&none.cause))));
        }
    }
    page.gap();
}
