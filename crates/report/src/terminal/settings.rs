//! What to change, what to keep, what needs more time: a line for each setting.

use crate::settings::{Verb, groups, summary};
use advice::Advice;
use page::Tone;
use page::terminal::Lines;

/// Writes the lines of every database of which something was measured, and names the others.
pub(super) fn section(page: &mut Lines, advice: &[Advice]) {
    if advice.is_empty() {
        return;
    }
    let (groups, others) = groups(advice);
    page.gap();
    page.heading("Settings: what to change, what to keep, what needs more time");
    if !groups.is_empty() {
        page.item(Tone::Plain, "", &summary(&groups));
    }
    for group in &groups {
        page.item(Tone::Strong, &group.database, "");
        for line in &group.lines {
            page.nested(tone(line.verb), line.verb.name(), &format!("{}: {}", line.setting, line.why));
        }
    }
    if !others.is_empty() {
        let others = others.join(", ");
        page.item(Tone::Faint, "not measured", &format!("{others} (syncline advise RUN names the studies)"));
    }
}

fn tone(verb: Verb) -> Tone {
    match verb {
        Verb::Change => Tone::Good,
        Verb::Candidate | Verb::Keep | Verb::Result => Tone::Plain,
        Verb::Needs | Verb::DoesNotApply => Tone::Faint,
        Verb::Withheld => Tone::Warn,
    }
}
