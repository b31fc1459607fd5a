//! An advice as the file that its database loads: every setting follows comments with its basis; for the others, comments
//! give the reason.

use crate::settings::Verb;
use crate::settings_file::SettingsFile;
use crate::{advised, wording};
use advice::{Advice, Recommendation, Setting, Syntax};
use model::printable;
use model::run::Run;

/// The file's text; `None` if nothing is advised.
///
/// Text from the records is in comments of one line each, without control characters, so it cannot end them.
pub fn fragment(run: &Run, advice: &Advice) -> Option<String> {
    advice.advised().next()?;
    let mut file = SettingsFile::new(advice.syntax);
    file.comment(&format!(
        "{}: settings that follow from Syncline's run of {} on {}.",
        advice.database, run.plan.created_at, run.host.name
    ));
    file.comment(
        "The measurement behind a value is in the comment above it. No value gives up durability. A candidate is predicted from the \
         disk and stands as a comment.",
    );
    file.opening();
    for (setting, found) in advice.advised() {
        file.gap();
        self::setting(&mut file, advice.syntax, run, setting, found);
    }
    if advice.without().next().is_some() {
        file.gap();
    }
    for (setting, _) in advice.without() {
        let verb = Verb::of(&setting.decision).name();
        file.comment(&format!("{verb} {}: {}.", setting.name, wording::reason(setting)));
    }
    Some(file.closed())
}

fn setting(file: &mut SettingsFile, syntax: Syntax, run: &Run, setting: &Setting, found: &Recommendation) {
    let value = printable(&found.value);
    let verb = Verb::of(&setting.decision);
    file.comment(&format!("{} {} = {value}: {}.", verb.name(), setting.name, wording::reason(setting)));
    if let Some(measured) = advised::measured(setting, found) {
        file.comment(&format!("Measured: {measured}."));
    }
    file.comment(&format!("From the run of {}, {}.", run.plan.created_at, advised::grounds(found)));
    file.comment(&format!("Audits: {}.", advised::audits(found)));
    file.comment(&format!("Holds for {}.", advised::expiry(&found.expires)));
    for clause in setting.risks.iter().filter(|_| matches!(verb, Verb::Change | Verb::Candidate)) {
        file.comment(&format!("Risk: {clause}."));
    }
    if let Some(needs) = advised::needs(setting, found) {
        file.comment(&format!("{needs}."));
    }
    for caveat in &found.caveats {
        file.comment(&format!("But: {}", wording::caveat(caveat)));
    }
    for other in advised::alternatives(&setting.name, found) {
        file.comment(&format!("Not advised: {other}."));
    }
    // The line sets a candidate when a proof is there to remove its mark.
    if verb == Verb::Candidate && found.loadable && syntax != Syntax::Text {
        file.setting_as_comment(&setting.name, &found.value);
        return;
    }
    // A version may have another default, so a default that is kept is set only if it changed.
    let is_default = verb == Verb::Keep && setting.default.only().is_some();
    if (!found.loadable || is_default) && syntax != Syntax::Text {
        file.comment(&format!("{} = {value}", setting.name));
        return;
    }
    file.setting(&setting.name, &found.value);
}
