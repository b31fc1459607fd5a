//! What to change, what to prove first, what to keep and what needs more time, a line for each setting, grouped by database: the same lines on the
//! terminal and on the page.

use crate::wording::{self, counted};
use advice::{Advice, Cause, Decision, Needs, Now, Setting, Why};
use page::plural;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Set another value.
    Change,
    /// Prove another value on the database: the disk predicts that it is better.
    Candidate,
    /// Leave the value in use.
    Keep,
    /// Not a setting.
    Result,
    /// Nothing is decided yet.
    Needs,
    /// An audit withholds it.
    Withheld,
    /// The question does not arise here.
    DoesNotApply,
}

impl Verb {
    /// What a decision asks for.
    pub(crate) const fn of(decision: &Decision) -> Self {
        match decision {
            Decision::ChangeTo(_) => Self::Change,
            Decision::Candidate(_) => Self::Candidate,
            Decision::Keep(_) => Self::Keep,
            Decision::Judged(_) => Self::Result,
            Decision::NeedsTime(_) => Self::Needs,
            Decision::DoesNotApply(_) => Self::DoesNotApply,
            Decision::Withheld(_) => Self::Withheld,
        }
    }

    /// In a word or two.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Candidate => "candidate",
            Self::Keep => "keep",
            Self::Result => "result",
            Self::Needs => "needs time",
            Self::Withheld => "withheld",
            Self::DoesNotApply => "n/a",
        }
    }

    /// Whether it decides nothing.
    pub(crate) const fn is_open(self) -> bool {
        match self {
            Self::Change | Self::Candidate | Self::Keep | Self::Result => false,
            Self::Needs | Self::Withheld | Self::DoesNotApply => true,
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) verb: Verb,
    /// `wal_sync_method = open_datasync`; the settings alone if nothing is decided.
    pub(crate) setting: String,
    /// How many settings it is about.
    pub(crate) settings: usize,
    /// The gain with its interval, or why nothing was decided and what would decide it.
    pub(crate) why: String,
}

/// The lines of one database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) database: String,
    pub(crate) lines: Vec<Line>,
}

/// Every database of which the run measured something, and the names of the others.
pub(crate) fn groups(advice: &[Advice]) -> (Vec<Group>, Vec<&str>) {
    let (measured, others): (Vec<&Advice>, Vec<&Advice>) = advice
        .iter()
        .partition(|advice| advice.settings.iter().any(is_measured) || advice.settings.is_empty());
    let group = |advice: &&Advice| Group { database: advice.database.clone(), lines: lines(advice) };
    let groups = measured.iter().map(group).filter(|group| !group.lines.is_empty()).collect();
    (groups, others.into_iter().map(|advice| advice.database.as_str()).collect())
}

/// The answer in a sentence: `Change 1 setting, keep 5; 3 need more time.`
pub(crate) fn summary(groups: &[Group]) -> String {
    let of = |verb: Verb| {
        let lines = groups.iter().flat_map(|group| &group.lines);
        lines.filter(|line| line.verb == verb).map(|line| line.settings).sum::<usize>()
    };
    let open = [
        match of(Verb::Candidate) {
            0 => String::new(),
            candidates => format!("; {} to prove", counted(candidates, "candidate")),
        },
        match of(Verb::Needs) {
            0 => String::new(),
            needs => format!("; {}", plural(needs, "needs more time", "need more time")),
        },
        match of(Verb::Withheld) {
            0 => String::new(),
            withheld => format!("; audits withhold {withheld}"),
        },
        match of(Verb::DoesNotApply) {
            0 => String::new(),
            others => format!("; {}", plural(others, "does not apply here", "do not apply here")),
        },
    ]
    .concat();
    match (of(Verb::Change), of(Verb::Keep)) {
        (0, 0) => format!("No setting was decided{open}."),
        (0, kept) => format!("Change nothing: keep {}{open}.", counted(kept, "setting")),
        (changes, 0) => format!("Change {}{open}.", counted(changes, "setting")),
        (changes, kept) => format!("Change {}, keep {kept}{open}.", counted(changes, "setting")),
    }
}

/// Whether the run has what the rule needs.
fn is_measured(setting: &Setting) -> bool {
    setting.decision.open().is_none_or(|none| none.why != Why::NotMeasured)
}

/// Changes first, then candidates, then what is kept, then what is open; settings that the same command would decide share a line.
fn lines(advice: &Advice) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut unseen: Vec<&str> = Vec::new();
    for setting in &advice.settings {
        match setting.decision.open() {
            Some(none) if none.why == Why::NotMeasured && none.needs.is_some() => {}
            Some(none) if *none.cause == Cause::OnlyTheDatabase => unseen.push(&setting.name),
            Some(_) | None => lines.push(line(setting)),
        }
    }
    lines.extend(unmeasured(advice).into_iter().map(|(needs, settings)| Line {
        verb: Verb::Needs,
        setting: settings.join(", "),
        settings: settings.len(),
        why: format!("not measured in this run; {}", wording::needed(&needs)),
    }));
    if !unseen.is_empty() {
        lines.push(Line {
            verb: Verb::Needs,
            setting: unseen.join(", "),
            settings: unseen.len(),
            why: format!(
                "{}; try their candidates with your own load",
                wording::cause(&Cause::OnlyTheDatabase)
            ),
        });
    }
    lines.sort_by_key(|line| match line.verb {
        Verb::Change => 0,
        Verb::Candidate => 1,
        Verb::Keep | Verb::Result => 2,
        Verb::Needs => 3,
        Verb::Withheld => 4,
        Verb::DoesNotApply => 5,
    });
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
                names.push(wording::with_versions(setting));
            }
            None => by_command.push((needs.clone(), vec![wording::with_versions(setting)])),
        }
    }
    by_command
}

fn line(setting: &Setting) -> Line {
    let verb = Verb::of(&setting.decision);
    let named = match (verb, setting.decision.recommended()) {
        (Verb::Result, Some(found)) => found.value.clone(),
        (Verb::Keep, Some(found)) => format!("{} = {} ({})", setting.name, found.value, held(setting)),
        (_, Some(found)) => {
            format!("{} = {} ({})", setting.name, found.value, wording::default(setting.default))
        }
        (_, None) => setting.name.clone(),
    };
    Line { verb, setting: named, settings: 1, why: wording::reason(setting) }
}

/// What the value in use is.
fn held(setting: &Setting) -> String {
    match (&setting.in_use, setting.default.only()) {
        (Now::Set(_), _) => "in use".to_owned(),
        (Now::Default(_), Some(_)) => "the default".to_owned(),
        (Now::Default(default), None) => wording::default(*default),
    }
}
