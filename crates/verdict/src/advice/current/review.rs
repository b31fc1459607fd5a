//! A file of settings against an advice.

use super::value::is_same;
use super::{Entry, Unreadable};
use crate::advice::{Advice, Alternative, DATABASES, Effect, Kind, Recommendation, Ruling, Setting, Silence};
use serde::Serialize;

/// What is to be said of a file of settings.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// The database.
    pub database: String,
    /// What to change.
    pub changes: Vec<Change>,
    /// What promises less than is advised, and what that buys: the user's to decide.
    pub trades: Vec<Trade>,
    /// What to leave as it is.
    pub kept: Vec<Kept>,
    /// What cannot be said, and why.
    pub untold: Vec<Untold>,
    /// Settings that give up durability: what is said of the others does not hold with them.
    pub hazards: Vec<String>,
}

/// A setting that should have another value.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// The setting.
    pub setting: String,
    /// Its line, where it stands in the file.
    pub line: Option<usize>,
    /// Its value, or its default.
    pub from: String,
    /// The advised value.
    pub to: String,
    /// What that was measured to gain over just this value; `None` where the two were not compared.
    pub gain: Option<Effect>,
    /// What the advice rests on.
    pub because: Recommendation,
}

/// A setting whose value promises less.
#[derive(Clone, Debug, Serialize)]
pub struct Trade {
    /// The setting.
    pub setting: String,
    /// Its line.
    pub line: usize,
    /// What the value buys and loses.
    pub of: Alternative,
    /// The value that promises more.
    pub safe: String,
}

/// A setting that is right.
#[derive(Clone, Debug, Serialize)]
pub struct Kept {
    /// The setting.
    pub setting: String,
    /// Its line, where it stands in the file.
    pub line: Option<usize>,
    /// Its value, or its default.
    pub value: String,
    /// Why.
    pub statement: String,
}

/// A setting that nothing can be said about.
#[derive(Clone, Debug, Serialize)]
pub struct Untold {
    /// The setting.
    pub setting: String,
    /// Its value, where it stands in the file.
    pub value: Option<String>,
    /// Why.
    pub silence: Silence,
}

/// Compares what a file sets with an advice.
///
/// # Errors
/// [`Unreadable`] where a value is none that the setting can have.
pub fn review(advice: &Advice, entries: &[Entry]) -> Result<Review, Unreadable> {
    let mut review = Review {
        database: advice.database.clone(),
        changes: Vec::new(),
        trades: Vec::new(),
        kept: Vec::new(),
        untold: Vec::new(),
        hazards: hazards(advice, entries),
    };
    for setting in &advice.settings {
        // The database takes the last.
        let entry = entries.iter().rfind(|entry| entry.name == setting.name);
        match &setting.ruling {
            Ruling::Silent(silence) => review.untold.push(Untold {
                setting: setting.name.clone(),
                value: entry.map(|entry| entry.value.clone()),
                silence: silence.clone(),
            }),
            Ruling::Advised(advised) => review.advised(setting, advised, entry)?,
        }
    }
    Ok(review)
}

impl Review {
    fn advised(
        &mut self,
        setting: &Setting,
        advised: &Recommendation,
        entry: Option<&Entry>,
    ) -> Result<(), Unreadable> {
        let same = |value: &str, other: &str| is_same(setting.kind, value, other);
        let (is_right, from) = match entry {
            Some(entry) => {
                let checked = same(&entry.value, &advised.value);
                let is_right =
                    checked.map_err(|why| Unreadable::at(entry.line, format!("{} {why}", setting.name)))?;
                let is_stronger =
                    advised.stronger.iter().any(|value| value.eq_ignore_ascii_case(&entry.value));
                (is_right || is_stronger, entry.value.clone())
            }
            None => (
                setting.default.values().all(|value| same(value, &advised.value) == Ok(true)),
                format!("not set, so {}", setting.default),
            ),
        };
        let line = entry.map(|entry| entry.line);
        if is_right {
            let (setting, statement) = (setting.name.clone(), advised.statement.clone());
            self.kept.push(Kept { setting, line, value: from, statement });
            return Ok(());
        }
        let is_current = |value: &str| entry.is_some_and(|entry| same(&entry.value, value) == Ok(true));
        let traded =
            advised.alternatives.iter().find(|other| !other.loses.is_empty() && is_current(&other.value));
        if let Some((of, line)) = traded.zip(line) {
            let (setting, safe) = (setting.name.clone(), advised.value.clone());
            self.trades.push(Trade { setting, line, of: of.clone(), safe });
            return Ok(());
        }
        let current = entry.map(|entry| entry.value.as_str()).or_else(|| setting.default.only());
        let gain = |effect: &&Effect| current.is_some_and(|value| same(value, &effect.over) == Ok(true));
        self.changes.push(Change {
            setting: setting.name.clone(),
            line,
            from,
            to: advised.value.clone(),
            gain: advised.effects.iter().find(gain).cloned(),
            because: advised.clone(),
        });
        Ok(())
    }
}

fn hazards(advice: &Advice, entries: &[Entry]) -> Vec<String> {
    let database = DATABASES.iter().find(|database| database.name == advice.database);
    let known = database.map_or(&[][..], |database| database.hazards);
    let said = known.iter().filter_map(|hazard| {
        let entry = entries.iter().rfind(|entry| entry.name == hazard.setting)?;
        let is_one = |value: &&str| {
            entry.value.eq_ignore_ascii_case(value) || is_same(Kind::Flag, &entry.value, value) == Ok(true)
        };
        let found = hazard.values.iter().any(is_one);
        found.then(|| format!("{} = {} (line {}): {}", entry.name, entry.value, entry.line, hazard.loses))
    });
    said.collect()
}
