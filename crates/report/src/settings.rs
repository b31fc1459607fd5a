//! What to change, what to keep and what is unknown, a line for each setting, grouped by database: the same lines on the
//! terminal and on the page.

use crate::quantity;
use crate::wording::{self, counted};
use advice::{Action, Advice, Cause, Effect, Effort, NoAdvice, Recommendation, Setting, Why, Withheld};
use model::metric::Unit;
use model::units::format_elapsed;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Set another value.
    Change,
    /// Leave the default.
    Keep,
    /// Measure with the own load: what it gains is unknown.
    Try,
    /// Not a setting.
    Result,
    /// Nothing was decided.
    Unknown,
}

impl Verb {
    /// In a word.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Keep => "keep",
            Self::Try => "try",
            Self::Result => "result",
            Self::Unknown => "unknown",
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) verb: Verb,
    /// `wal_sync_method = open_datasync`; the settings alone if nothing was decided.
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

/// The answer in a sentence: `Change 1 setting, keep 5; 3 are unknown.`
pub(crate) fn summary(groups: &[Group]) -> String {
    let of = |verbs: &[Verb]| {
        let lines = groups.iter().flat_map(|group| &group.lines);
        lines.filter(|line| verbs.contains(&line.verb)).map(|line| line.settings).sum::<usize>()
    };
    let (changes, kept) = (of(&[Verb::Change]), of(&[Verb::Keep]));
    let open = match of(&[Verb::Unknown, Verb::Try]) {
        0 => String::new(),
        1 => "; 1 is unknown".to_owned(),
        open => format!("; {open} are unknown"),
    };
    match (changes, kept) {
        (0, 0) => "No setting was decided.".to_owned(),
        (0, kept) => {
            format!("Defaults confirmed, change nothing: keep {}{open}.", counted(kept, "setting"))
        }
        (changes, 0) => format!("Change {}{open}.", counted(changes, "setting")),
        (changes, kept) => format!("Change {}, keep {kept}{open}.", counted(changes, "setting")),
    }
}

fn is_measured(setting: &Setting) -> bool {
    match setting.action() {
        Action::Unknown(none) => none.why != Why::NotMeasured,
        Action::Change(_) | Action::Keep(_) | Action::Try(_) | Action::Judged(_) => true,
    }
}

/// Changes first, then what is kept, then what is unknown; settings that the same study would measure share a line.
fn lines(advice: &Advice) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut unmeasured: Vec<(&str, Vec<&str>)> = Vec::new();
    for setting in &advice.settings {
        match setting.action() {
            Action::Change(found) => lines.push(decided(Verb::Change, setting, found)),
            Action::Keep(found) => lines.push(decided(Verb::Keep, setting, found)),
            Action::Try(found) => lines.push(decided(Verb::Try, setting, found)),
            Action::Judged(found) => lines.push(Line {
                verb: Verb::Result,
                setting: found.value.clone(),
                settings: 1,
                why: wording::measured(&found.statement),
            }),
            Action::Unknown(NoAdvice { why: Why::NotMeasured, study: Some(study), .. }) => {
                match unmeasured.iter_mut().find(|(known, _)| *known == study) {
                    Some((_, settings)) => settings.push(&setting.name),
                    None => unmeasured.push((study, vec![&setting.name])),
                }
            }
            Action::Unknown(none) => {
                let (setting, why) = (setting.name.clone(), open(none));
                lines.push(Line { verb: Verb::Unknown, setting, settings: 1, why });
            }
        }
    }
    lines.extend(unmeasured.into_iter().map(|(study, settings)| Line {
        verb: Verb::Unknown,
        setting: settings.join(", "),
        settings: settings.len(),
        why: format!("not measured in this run; syncline run {study} measures it"),
    }));
    lines.sort_by_key(|line| match line.verb {
        Verb::Change => 0,
        Verb::Try => 1,
        Verb::Keep | Verb::Result => 2,
        Verb::Unknown => 3,
    });
    lines
}

fn decided(verb: Verb, setting: &Setting, found: &Recommendation) -> Line {
    let (value, default) = match verb {
        // An estimate whose interval contains the default confirms it.
        Verb::Keep => match setting.default.only() {
            Some(default) => (default, "the default".to_owned()),
            None => (found.value.as_str(), wording::default(setting.default)),
        },
        Verb::Change | Verb::Try | Verb::Result | Verb::Unknown => {
            (found.value.as_str(), wording::default(setting.default))
        }
    };
    let why = match (setting.gain_over_default(found), &found.estimate, found.effects.first()) {
        (Some(effect), _, _) | (None, None, Some(effect)) => gain(effect),
        (None, Some(estimate), _) => format!("measured {}", quantity::with_interval(estimate, Unit::Count)),
        (None, None, None) => wording::measured(&found.statement),
    };
    Line { verb, setting: format!("{} = {value} ({default})", setting.name), settings: 1, why }
}

/// `1.30× the commits/s of fdatasync (99.29 % interval 1.24–1.37)`.
fn gain(effect: &Effect) -> String {
    wording::times_the_metric(&effect.metric, &effect.ratio, &effect.over)
}

/// Why nothing was decided, and what would decide it.
fn open(none: &NoAdvice) -> String {
    let effort = none.effort.as_ref().map_or_else(String::new, |effort| format!("; {}", longer(effort)));
    match (&*none.cause, none.audit.as_deref()) {
        (Cause::Spans { pair, .. }, _) if none.effort.is_none() => {
            format!("{}; no number of rounds is known to decide it", wording::times_that_of(pair))
        }
        (Cause::Spans { pair, .. }, _) => format!("{}{effort}", wording::times_that_of(pair)),
        (_, Some(Withheld { audit, study })) => {
            format!(
                "audit {audit} of study {study} {}",
                if none.why == Why::AuditFailed { "failed" } else { "could not be carried out" }
            )
        }
        (cause, None) => wording::cause(cause).trim_end_matches('.').to_owned() + &effort,
    }
}

/// `about 3 min more of study commit-modes would decide it`.
fn longer(effort: &Effort) -> String {
    let rounds = counted(effort.rounds, "round");
    match effort.more_s {
        Some(seconds) if seconds > 0.0 => {
            format!(
                "about {} more would decide it ({rounds} of study {})",
                format_elapsed(seconds),
                effort.study
            )
        }
        Some(_) | None => format!("about {rounds} of study {} would decide it", effort.study),
    }
}
