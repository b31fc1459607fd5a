//! The settings of databases that follow.

use crate::settings::Verb;
use crate::{advised, wording};
use advice::Advice;
use page::markdown::Lines;
use page::markdown::text;

/// Writes the section; empty if nothing is advised.
pub(super) fn section(page: &mut Lines, advice: &[Advice]) {
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
                &format!(
                    "{} **{}**: {}",
                    Verb::of(&setting.decision).name(),
                    text(&assignment),
                    text(&wording::reason(setting))
                ),
            );
            if let Some(measured) = advised::measured(setting, found) {
                page.item(1, &text(&measured));
            }
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
            let needs =
                none.needs.as_ref().map_or_else(String::new, |needs| format!("; {}", wording::needed(needs)));
            let verb = Verb::of(&setting.decision).name();
            let said = format!("{verb} {}: {}{needs}", setting.name, wording::cause(&none.cause));
            page.item(0, &text(&said));
        }
    }
    page.gap();
}
