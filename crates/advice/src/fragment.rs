//! An advice as the file that its database loads: every setting follows comments with its basis; for the others,
//! comments give the reason. Computed values come last.

use crate::computed_values;
use crate::decision::Recommendation;
use crate::setting::{Advice, Setting};
use crate::verb::Verb;
use model::printable;
use model::run::Run;
use settings::{Syntax, Writer};

/// What a file has of the computed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputedValues {
    /// Comments, in a file that something measured is advised in.
    Comments,
    /// Lines that set them.
    Active,
}

/// Whether there is a file: something is advised, or a computed value is active.
pub(crate) fn is_written(advice: &Advice, computed: ComputedValues) -> bool {
    let is_active = computed == ComputedValues::Active;
    advice.advised().next().is_some() || is_active && advice.computed().any(|it| it.value().is_some())
}

/// The file's text; `None` if nothing is advised and no computed value is active.
///
/// Text from the records is in comments of one line each, without control characters, so it cannot end them.
pub fn fragment(run: &Run, advice: &Advice, computed: ComputedValues) -> Option<String> {
    if !is_written(advice, computed) {
        return None;
    }
    let is_active = computed == ComputedValues::Active;
    let mut file = Writer::new(advice.syntax);
    file.comment(&format!(
        "{}: settings that follow from Syncline's run of {} on {}.",
        advice.database, run.plan.created_at, run.host.name
    ));
    file.comment(
        "The measurement behind a value is in the comment above it. No value gives up durability. A candidate is \
         predicted from the disk and stands as a comment.",
    );
    let shared = Shared::of(advice);
    if !shared.audits.is_empty() {
        file.comment(&format!("Audits that passed for every value: {}.", shared.audits.join(", ")));
    }
    if let Some(holds) = &shared.holds {
        file.comment(&format!("Every value holds for {holds}."));
    }
    file.opening();
    for (setting, found) in advice.advised() {
        file.gap();
        self::setting(&mut file, advice.syntax, run, setting, found, &shared);
    }
    if advice.without().next().is_some() {
        file.gap();
    }
    for (setting, _) in advice.without() {
        let verb = setting.decision.verb().name();
        file.comment(&format!("{verb} {}: {}.", setting.name, setting.reason()));
    }
    computed_values::comments(&mut file, advice, is_active);
    Some(file.closed())
}

/// What holds of every value of a file, which says it once.
struct Shared<'a> {
    /// Audits that passed.
    audits: Vec<&'a str>,
    /// What all of them hold for, if it is the same.
    holds: Option<String>,
}

impl<'a> Shared<'a> {
    fn of(advice: &'a Advice) -> Self {
        let found: Vec<&Recommendation> = advice.advised().map(|(_, found)| found).collect();
        let Some((first, others)) = found.split_first() else {
            return Self { audits: Vec::new(), holds: None };
        };
        let passed = |name: &&String| others.iter().all(|other| other.audits.contains(name));
        let holds = first.expires.text();
        Self {
            audits: first.audits.iter().filter(passed).map(String::as_str).collect(),
            holds: others.iter().all(|other| other.expires.text() == holds).then_some(holds),
        }
    }

    /// The audits of one value beyond those of every value; empty if there are none.
    fn audits_beyond(&self, found: &Recommendation) -> String {
        let further = found.audits.iter().map(String::as_str).filter(|name| !self.audits.contains(name));
        let further = further.collect::<Vec<_>>().join(", ");
        let passed = if further.is_empty() { further } else { format!("{further} passed") };
        let open = match found.unchecked.as_slice() {
            [] => String::new(),
            unchecked => format!("not carried out, and not required: {}", unchecked.join(", ")),
        };
        [passed, open].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

fn setting(
    file: &mut Writer,
    syntax: Syntax,
    run: &Run,
    setting: &Setting,
    found: &Recommendation,
    shared: &Shared<'_>,
) {
    let value = printable(&found.value);
    let verb = setting.decision.verb();
    file.comment(&format!("{} {} = {value}: {}.", verb.name(), setting.name, setting.reason()));
    if let Some(measured) = setting.measured() {
        file.comment(&format!("Measured: {measured}."));
    }
    file.comment(&format!("From the run of {}, {}.", run.plan.created_at, found.grounds()));
    let audits = shared.audits_beyond(found);
    if !audits.is_empty() {
        file.comment(&format!("Audits: {audits}."));
    }
    if shared.holds.is_none() {
        file.comment(&format!("Holds for {}.", found.expires.text()));
    }
    for clause in setting.risks.iter().filter(|_| matches!(verb, Verb::Change | Verb::Candidate)) {
        file.comment(&format!("Risk: {clause}."));
    }
    if let Some(needs) = setting.needs() {
        file.comment(&format!("{needs}."));
    }
    for caveat in &found.caveats {
        file.comment(&format!("But: {}", caveat.text()));
    }
    for other in &found.alternatives {
        file.comment(&format!("Not advised: {}.", other.text(&setting.name)));
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
