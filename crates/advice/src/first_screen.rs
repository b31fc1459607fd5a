//! The settings of one database, of those that the run measured the one that was found on the machine, in lines that a
//! terminal shows at once; the others in a line each.

use crate::computed::{Computation, Missing};
use crate::fragment::{ComputedValues, is_written};
use crate::no_advice::{Command, Needs, Why};
use crate::setting::Advice;
use crate::to_do::{Line, is_measured, lines, summary};
use crate::verb::Verb;
use model::figure::count;
use model::host::HostFacts;
use page::{Badge, Block, Item, List, Section, Text, Tone};

/// What to do about the settings of a database; `None` if no rule was applied.
///
/// It is the one with the most certain trace of those that the run measured. If no database was found, the section
/// states that. If the run measured nothing that a setting of any database rests on, the section is one line.
pub fn first_screen(host: &HostFacts, advice: &[Advice]) -> Option<Section> {
    let shown = shown(advice)?;
    if concerns_no_setting(advice) {
        let text =
            format!("{NO_SETTING}: {} measures the disk for them.", Command::RunAnswer.text(&shown.run));
        return Some(Section::new("", "Settings", vec![Block::note(text)]));
    }
    let mut blocks = Vec::new();
    let is_found = advice.iter().any(|advice| advice.trace.is_some());
    if !is_found && advice.len() > 1 && host.databases.is_some() {
        blocks.push(Block::note(
            "No database was found on this machine by a process, a socket or a usual data directory. This one is the \
             first that the run measured.",
        ));
    }
    let lines = lines(shown);
    blocks.push(Block::paragraph(summary(&lines.iter().collect::<Vec<_>>())));
    let decided = lines.iter().filter(|line| !line.verb.is_open()).map(Line::item);
    let items = decided.chain(open(shown)).chain(computed(shown)).chain([more(shown)]);
    blocks.push(Block::List(List::of(items.collect())));
    let others: Vec<(Text, Text)> = advice.iter().filter(|other| other.id != shown.id).map(other).collect();
    if !others.is_empty() {
        blocks.push(Block::Facts(others));
    }
    Some(Section::new("", format!("Settings of {}", shown.database_and_trace()), blocks))
}

/// The same in a sentence: `PostgreSQL 15–18: change 1 setting, keep 5; 3 to measure.`; `None` if the run concerns no
/// setting.
pub fn in_a_sentence(advice: &[Advice]) -> Option<String> {
    let shown = shown(advice)?;
    if concerns_no_setting(advice) {
        return None;
    }
    Some(format!("{}: {}", shown.database, summary(&lines(shown).iter().collect::<Vec<_>>())))
}

const NO_SETTING: &str = "No setting of a database rests on the studies of this run";

/// Whether the run measured nothing of any database. If the user named one, its list says what is missing.
fn concerns_no_setting(advice: &[Advice]) -> bool {
    advice.len() > 1 && !advice.iter().any(is_measured)
}

/// The one that was found of those that were measured, else the first of them.
fn shown(advice: &[Advice]) -> Option<&Advice> {
    let measured = || advice.iter().filter(|advice| is_measured(advice));
    measured().find(|advice| advice.trace.is_some()).or_else(|| measured().next()).or_else(|| advice.first())
}

/// The settings without a value: a line for each verb, with the commands that decide them.
fn open(advice: &Advice) -> Vec<Item> {
    let text = |verb: Verb| match verb {
        Verb::Prove | Verb::Measure => commands(advice, verb),
        Verb::Unmeasurable | Verb::Withheld | Verb::DoesNotApply => reasons(advice, verb),
        Verb::Change | Verb::Candidate | Verb::Keep | Verb::Result => String::new(),
    };
    let verbs = [Verb::Prove, Verb::Measure, Verb::Unmeasurable, Verb::Withheld, Verb::DoesNotApply];
    let texts = verbs.into_iter().map(|verb| (verb, text(verb))).filter(|(_, text)| !text.is_empty());
    texts.map(|(verb, text)| Item::of(format!("{text}.")).with_badge(verb.badge())).collect()
}

/// Where the reasons are.
fn more(advice: &Advice) -> Item {
    let command = Command::Advise { database: advice.id.clone() }.text(&advice.run);
    let file =
        if is_written(advice, ComputedValues::Comments) { " and writes the settings file" } else { "" };
    let text = format!("{command} prints the reasons{file}.");
    Item::of(text).with_badge(Badge::new(Tone::Faint, "more"))
}

/// `a, b: why`; empty without names.
fn because(names: &str, why: &str) -> String {
    if names.is_empty() { String::new() } else { format!("{names}: {why}") }
}

/// `a, b: syncline prove RUN …; c: syncline run …`.
fn commands(advice: &Advice, verb: Verb) -> String {
    let mut by_command: Vec<(Needs, Vec<String>)> = Vec::new();
    for (setting, none) in advice.without() {
        let Some(needs) = none.needs.as_ref().filter(|needs| needs.verb() == verb) else { continue };
        if setting.decision.verb() != verb {
            continue;
        }
        let name = setting.name_with_versions();
        let known =
            by_command.iter_mut().find_map(|(known, names)| Some((known.together(needs)?, known, names)));
        match known {
            Some((together, known, names)) => {
                *known = together;
                names.push(name);
            }
            None => by_command.push((needs.clone(), vec![name])),
        }
    }
    let part =
        |(needs, names): &(Needs, Vec<String>)| format!("{}: {}", names.join(", "), needs.command_text());
    by_command.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// `a, b: audit foreign-io failed; c: …`: why the settings of a verb have no value.
fn reasons(advice: &Advice, verb: Verb) -> String {
    let mut by_reason: Vec<(String, Vec<String>)> = Vec::new();
    for (setting, none) in advice.without().filter(|(setting, _)| setting.decision.verb() == verb) {
        let reason = match &none.audit {
            Some(found) if none.why == Why::AuditFailed => format!("audit {} failed", found.audit),
            Some(found) => format!("audit {} could not be carried out", found.audit),
            None => none.cause.text().trim_end_matches('.').to_owned(),
        };
        let name = setting.name_with_versions();
        match by_reason.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((reason, vec![name])),
        }
    }
    let part = |(reason, names): &(String, Vec<String>)| because(&names.join(", "), reason);
    by_reason.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// The computed values, and what computes the others.
fn computed(advice: &Advice) -> Option<Item> {
    let values: Vec<String> = advice
        .computed()
        .filter_map(|computed| Some(format!("{} = {}", computed.name, computed.value()?)))
        .collect();
    let needs_server = advice
        .computed()
        .filter(|computed| matches!(computed.computation, Computation::Missing(Missing::Server)));
    let others: Vec<&str> = needs_server.map(|computed| computed.name).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("; {}: {}", others.join(", "), Command::ReadServer.text(&advice.run))
    };
    let text = Text::default().code(values.join(", ")).plain(format!(": arithmetic, not measured{others}."));
    let badge = || Badge::new(Tone::Plain, "computed").with_symbol("≈");
    (!values.is_empty()).then(|| Item::of(text).with_badge(badge()))
}

/// A database in a line, with the command that shows it.
fn other(advice: &Advice) -> (Text, Text) {
    let database = advice.id.clone();
    let text = if is_measured(advice) {
        because(&counts(advice), &Command::Advise { database }.text(&advice.run))
    } else {
        because("not measured", &Command::RunFor { database }.text(&advice.run))
    };
    (advice.database_and_trace().into(), text.into())
}

/// `change 1, 1 candidate, keep 2, 3 open`; the result if it has no settings.
fn counts(advice: &Advice) -> String {
    let lines = lines(advice);
    let of =
        |verb: Verb| lines.iter().filter(|line| line.verb == verb).map(|line| line.settings).sum::<usize>();
    let result = advice.advised().find(|(setting, _)| setting.decision.verb() == Verb::Result);
    let open: usize = lines.iter().filter(|line| line.verb.is_open()).map(|line| line.settings).sum();
    let known = |settings: usize, text: String| (settings > 0).then_some(text);
    let counts = [
        result.map(|(_, found)| found.value.clone()),
        known(of(Verb::Change), format!("change {}", of(Verb::Change))),
        known(of(Verb::Candidate), count(of(Verb::Candidate), "candidate")),
        known(of(Verb::Keep), format!("keep {}", of(Verb::Keep))),
        known(open, format!("{open} open")),
    ];
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
