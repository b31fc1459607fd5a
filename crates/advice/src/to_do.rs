//! What to change, what to prove first, what to keep and what is open: a line for each setting, grouped by
//! database.

use crate::cause::Cause;
use crate::no_advice::{Needs, Why};
use crate::setting::{Advice, Now, Setting};
use crate::verb::Verb;
use model::figure::{count, counted};
use page::{Block, Details, Item, List, Section, Text};

pub(crate) struct Line {
    pub(crate) verb: Verb,
    /// `wal_sync_method = open_datasync`; the settings alone if nothing is decided.
    setting: String,
    /// How many settings it is about.
    pub(crate) settings: usize,
    /// The gain with its interval, and what the value needs and risks; or why nothing was decided and what would decide
    /// it.
    why: String,
}

impl Line {
    pub(crate) fn item(&self) -> Item {
        let text =
            Text::default().code(self.setting.as_str()).plain(format!(": {}", page::sentence(&self.why)));
        Item::of(text).with_badge(self.verb.badge())
    }
}

/// The lines of every database of which the run measured something, and the names of the others; `None` if no rule was
/// applied.
pub fn to_do(advice: &[Advice]) -> Option<Section> {
    let (measured, others): (Vec<&Advice>, Vec<&Advice>) =
        advice.iter().partition(|advice| is_measured(advice));
    let groups: Vec<(&Advice, Vec<Line>)> = measured
        .into_iter()
        .map(|advice| (advice, lines(advice)))
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let mut blocks = Vec::new();
    if !groups.is_empty() {
        let all: Vec<&Line> = groups.iter().flat_map(|(_, lines)| lines).collect();
        blocks.push(Block::paragraph(summary(&all)));
        blocks
            .push(Block::List(List::of(groups.iter().map(|(advice, lines)| group(advice, lines)).collect())));
    }
    if !others.is_empty() {
        let others: Vec<&str> = others.iter().map(|advice| advice.database.as_str()).collect();
        blocks.push(Block::note(format!(
            "Not measured: {} (syncline advise RUN names the studies).",
            others.join(", ")
        )));
    }
    let section = || Section::new("settings", "Settings: what to change, what to keep, what is open", blocks);
    (!advice.is_empty()).then(|| section().with_short("What to change, what to keep"))
}

/// Whether the run measured something of a database. What no study of a disk shows was not measured either.
pub(crate) fn is_measured(advice: &Advice) -> bool {
    let is_measured = |setting: &Setting| {
        let none = setting.decision.open();
        none.is_none_or(|none| none.why != Why::NotMeasured && *none.cause != Cause::OnlyTheDatabase)
    };
    advice.settings.iter().any(is_measured) || advice.settings.is_empty()
}

fn group(advice: &Advice, lines: &[Line]) -> Item {
    let (open, decided): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.verb.is_open());
    let list = |lines: &[&Line]| Block::List(List::of(lines.iter().map(|line| line.item()).collect()));
    let mut below = if decided.is_empty() { Vec::new() } else { vec![list(&decided)] };
    if !open.is_empty() {
        let settings: Vec<&str> = open.iter().map(|line| line.setting.as_str()).collect();
        let summary = format!("Not decided: {}", settings.join(", ")).into();
        below.push(Block::Folded(Details { summary, blocks: vec![list(&open)] }));
    }
    Item::labelled(advice.database_and_trace(), "").with_below(below)
}

/// The answer in a sentence: `Change 1 setting, keep 5; 3 to measure.`
pub(crate) fn summary(lines: &[&Line]) -> String {
    let of =
        |verb: Verb| lines.iter().filter(|line| line.verb == verb).map(|line| line.settings).sum::<usize>();
    let clause = |verb: Verb, text: &dyn Fn(usize) -> String| match of(verb) {
        0 => String::new(),
        settings => format!("; {}", text(settings)),
    };
    let open = [
        clause(Verb::Candidate, &|candidates| format!("{} to prove", count(candidates, "candidate"))),
        clause(Verb::Prove, &|settings| format!("{settings} to prove on the database")),
        clause(Verb::Measure, &|settings| format!("{settings} to measure")),
        clause(Verb::Unmeasurable, &|settings| format!("{settings} that Syncline cannot decide")),
        clause(Verb::Withheld, &|withheld| format!("audits withhold {withheld}")),
        clause(Verb::DoesNotApply, &|others| counted(others, "does not apply here", "do not apply here")),
    ]
    .concat();
    match (of(Verb::Change), of(Verb::Keep)) {
        (0, 0) => format!("No setting was decided{open}."),
        (0, kept) => format!("Change nothing: keep {}{open}.", count(kept, "setting")),
        (changes, 0) => format!("Change {}{open}.", count(changes, "setting")),
        (changes, kept) => format!("Change {}, keep {kept}{open}.", count(changes, "setting")),
    }
}

/// In the order of their verbs; settings that the same command would decide share a line.
pub(crate) fn lines(advice: &Advice) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut unseen: Vec<&str> = Vec::new();
    for setting in &advice.settings {
        match setting.decision.open() {
            Some(none) if none.why == Why::NotMeasured && none.needs.is_some() => {}
            Some(none) if *none.cause == Cause::OnlyTheDatabase => unseen.push(&setting.name),
            Some(_) | None => lines.push(line(setting)),
        }
    }
    let shared = |verb: Verb, settings: &[String], why: String| Line {
        verb,
        setting: settings.join(", "),
        settings: settings.len(),
        why,
    };
    lines.extend(unmeasured(advice).into_iter().map(|(needs, names)| {
        shared(needs.verb(), &names, format!("not measured in this run; {}", needs.text()))
    }));
    if !unseen.is_empty() {
        let names: Vec<String> = unseen.into_iter().map(str::to_owned).collect();
        let cause = Cause::OnlyTheDatabase.text();
        lines.push(shared(
            Verb::Unmeasurable,
            &names,
            format!("{cause}; try their values with your own load"),
        ));
    }
    lines.sort_by_key(|line| line.verb);
    lines
}

/// The settings that the run does not measure, by the command that does.
pub(crate) fn unmeasured(advice: &Advice) -> Vec<(Needs, Vec<String>)> {
    let mut by_command: Vec<(Needs, Vec<String>)> = Vec::new();
    for (setting, none) in advice.without() {
        let (Why::NotMeasured, Some(needs)) = (none.why, &none.needs) else { continue };
        let known =
            by_command.iter_mut().find_map(|(known, names)| Some((known.together(needs)?, known, names)));
        match known {
            Some((together, known, names)) => {
                *known = together;
                names.push(setting.name_with_versions());
            }
            None => by_command.push((needs.clone(), vec![setting.name_with_versions()])),
        }
    }
    by_command
}

fn line(setting: &Setting) -> Line {
    let verb = setting.decision.verb();
    let default = || setting.default.text();
    let named = match (verb, setting.decision.recommended()) {
        (Verb::Result, Some(found)) => found.value.clone(),
        (Verb::Keep, Some(found)) => format!("{} = {} ({})", setting.name, found.value, held(setting)),
        (_, Some(found)) => format!("{} = {} ({})", setting.name, found.value, default()),
        (_, None) => setting.name.clone(),
    };
    let why = match verb {
        Verb::Change | Verb::Candidate => {
            let reason = setting.reason();
            format!("{}; it {}", reason.strip_suffix('.').unwrap_or(&reason), setting.needs_and_risks())
        }
        _ => setting.reason(),
    };
    Line { verb, setting: named, settings: 1, why }
}

/// What the value in use is.
fn held(setting: &Setting) -> String {
    match (&setting.in_use, setting.default.only()) {
        (Now::Set(_), _) => "in use".to_owned(),
        (Now::Default(_), Some(_)) => "the default".to_owned(),
        (Now::Default(default), None) => default.text(),
    }
}
