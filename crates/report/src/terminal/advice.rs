//! The settings of databases that follow, and a settings file compared with them.

use crate::settings::Verb;
use crate::{advised, wording};
use advice::current::{Change, Hazardous, Lacking, Place, Review, Unadvised};
use advice::{Advice, Recommendation, Setting, Why};
use page::Tone;
use page::terminal::Lines;

/// The maximum number of settings without a rule that are named.
const UNKNOWN_MAX: usize = 12;

/// All advice for every database.
pub(super) fn whole(page: &mut Lines, advice: &[Advice]) {
    page.heading("Advice: settings that follow from this run");
    for advice in advice {
        database(page, advice);
    }
}

fn database(page: &mut Lines, advice: &Advice) {
    let file = if advice.advised().next().is_some() {
        format!(" → advice/{}", advice.fragment)
    } else {
        String::new()
    };
    page.gap();
    page.line(&format!("{}{file}", advice.database));
    for setting in &advice.settings {
        if let Some(found) = setting.decision.recommended() {
            decided(page, setting, found);
        }
    }
    for (setting, none) in advised::measured_in_vain(advice) {
        let verb = Verb::of(&setting.decision);
        let tone = if none.why == Why::AuditFailed { Tone::Bad } else { Tone::Warn };
        page.item(tone, verb.name(), &format!("{}: {}", setting.name, wording::cause(&none.cause)));
        if let Some(needs) = &none.needs {
            page.under("decide", &wording::needed(needs));
        }
        for (name, fact) in advised::facts(setting) {
            page.under(name, &fact);
        }
    }
    for sentence in advised::not_measured(advice) {
        page.item(Tone::Faint, "not measured", &sentence);
    }
}

fn decided(page: &mut Lines, setting: &Setting, found: &Recommendation) {
    let verb = Verb::of(&setting.decision);
    let tone = if verb == Verb::Change { Tone::Good } else { Tone::Plain };
    page.item(tone, verb.name(), &format!("{} = {}", setting.name, found.value));
    page.under("", &wording::reason(setting));
    if let Some(needs) = advised::needs(setting, found) {
        page.under("decide", &needs);
    }
    if let Some(measured) = advised::measured(setting, found) {
        page.under("measured", &measured);
    }
    for other in advised::alternatives(&setting.name, found) {
        page.under("not advised", &other);
    }
    for (name, fact) in advised::facts(setting) {
        page.under(name, &fact);
    }
    page.under("rests on", &advised::grounds(found));
    page.under("audits", &advised::audits(found));
    page.under("holds for", &advised::expiry(&found.expires));
    for caveat in &found.caveats {
        page.under("but", &wording::caveat(caveat));
    }
}

/// What to change, what to keep, what cannot be judged.
pub(super) fn review(page: &mut Lines, review: &Review, file: &str) {
    page.heading(&format!("{} compared with {}", file, review.database));
    for hazard in &review.hazards {
        let Hazardous { setting, value, place, loses } = hazard;
        page.item(Tone::Bad, "gives up", &format!("{setting} = {value} ({place}): {loses}"));
    }
    for lacking in &review.lacking {
        let Lacking { setting, place, program, versions } = lacking;
        let of = wording::versions(*versions);
        page.item(Tone::Bad, "not there", &format!("{setting} ({place}): {program} {of}"));
    }
    page.gap();
    page.heading(if review.changes.is_empty() {
        "To change: none of the measured settings"
    } else {
        "To change"
    });
    for change in &review.changes {
        another(page, (Tone::Good, Verb::Change), change);
    }
    if !review.candidates.is_empty() {
        page.gap();
        page.heading("To prove first: predicted from the disk");
    }
    for candidate in &review.candidates {
        another(page, (Tone::Plain, Verb::Candidate), candidate);
        if let Some(needs) = &candidate.because.needs {
            page.under("", &wording::proving(needs));
        }
    }
    if !review.trades.is_empty() {
        page.gap();
        page.heading("Your decision: values that guarantee less");
    }
    for trade in &review.trades {
        let what = format!("{} = {} ({})", trade.setting, trade.of.value, trade.place);
        page.item(Tone::Warn, "price", &what);
        page.under("", &wording::measured(&trade.of.statement));
        if let Some(loses) = &trade.of.loses {
            page.under("loses", &wording::loss(loses));
        }
        page.under("instead", &format!("{} = {}", trade.setting, trade.safe));
    }
    page.gap();
    page.heading(if review.kept.is_empty() { "To keep: none of the measured settings" } else { "To keep" });
    for kept in &review.kept {
        let what = format!("{} = {}{}", kept.setting, wording::now(&kept.value), at(kept.place.as_ref()));
        page.item(Tone::Plain, "keep", &what);
        page.under("", &wording::measured(&kept.because.statement));
        if let Some(regret) = &kept.because.regret {
            page.under("loses", &wording::lost(regret));
        }
        if let Some(needs) = &kept.because.needs {
            page.under("decide", &wording::needed(needs));
        }
    }
    if !review.unadvised.is_empty() {
        page.gap();
        page.heading("Not judged");
    }
    for Unadvised { setting, value, because } in &review.unadvised {
        let value = value.as_ref().map_or_else(String::new, |value| format!(" = {value}"));
        let needs =
            because.needs.as_ref().map_or_else(String::new, |needs| format!("; {}", wording::needed(needs)));
        let said = format!("{setting}{value}: {}{needs}", wording::cause(&because.cause));
        page.item(Tone::Faint, advised::why(because.why), &said);
    }
    unknown(page, review);
}

/// Another value than the one in use, and its basis.
fn another(page: &mut Lines, (tone, verb): (Tone, Verb), change: &Change) {
    let Change { setting, place, from, because } = change;
    let from = format!("{}{}", wording::now(from), at(place.as_ref()));
    page.item(tone, verb.name(), &format!("{setting} = {from} → {}", because.value));
    for effect in &because.effects {
        page.under("gain", &wording::gain(effect));
    }
    page.under("measured", &wording::measured(&because.statement));
    page.under("rests on", &advised::grounds(because));
    page.under("holds for", &advised::expiry(&because.expires));
    for caveat in &because.caveats {
        page.under("but", &wording::caveat(caveat));
    }
}

/// Settings without a rule: those that look like typing errors one by one, the others by their number.
fn unknown(page: &mut Lines, review: &Review) {
    if review.unknown.is_empty() {
        return;
    }
    page.gap();
    page.heading("Without a rule");
    let (slips, others): (Vec<_>, Vec<_>) =
        review.unknown.iter().partition(|unknown| unknown.meant.is_some());
    for slip in slips {
        let meant = slip.meant.as_deref().unwrap_or_default();
        let said = format!("{} ({}): did you mean {meant}?", slip.setting, slip.place);
        page.item(Tone::Warn, "unknown", &said);
    }
    if !others.is_empty() {
        let names: Vec<&str> =
            others.iter().take(UNKNOWN_MAX).map(|unknown| unknown.setting.as_str()).collect();
        let more = others.len() - names.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        page.item(Tone::Faint, "not judged", &format!("{}{more}", names.join(", ")));
    }
}

fn at(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!(" ({place})"))
}
