//! A file of settings against an advice.

use super::value::is_same;
use super::{Entry, Place, Unreadable};
use crate::database::DATABASES;
use crate::rule::{Hazard, Values};
use crate::setting::{Advice, Alternative, Decision, Effect, Kind, NoAdvice, Recommendation, Setting};
use model::suggestion;
use serde::Serialize;
use verdict::Answer;

/// Letters by which a name may be longer or shorter than the one that was meant.
const TYPO_LETTERS_MAX: usize = 2;

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
    pub unadvised: Vec<Unadvised>,
    /// Settings that give up durability: what is said of the others does not hold with them.
    pub hazards: Vec<String>,
    /// Settings of the file that no rule is about: nothing is said of them.
    pub unknown: Vec<UnknownSetting>,
}

/// A setting that no rule is about.
#[derive(Clone, Debug, Serialize)]
pub struct UnknownSetting {
    /// Its name in the file.
    pub setting: String,
    /// Where it stands.
    pub place: Place,
    /// The setting with a rule that it may be meant for: a slip of the pen.
    pub meant: Option<String>,
}

/// A setting that should have another value.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// The setting.
    pub setting: String,
    /// Where it stands, if it is set.
    pub place: Option<Place>,
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
    /// Where it stands.
    pub place: Place,
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
    /// Where it stands, if it is set.
    pub place: Option<Place>,
    /// Its value, or its default.
    pub value: String,
    /// Why.
    pub statement: String,
}

/// A setting that nothing can be said about.
#[derive(Clone, Debug, Serialize)]
pub struct Unadvised {
    /// The setting.
    pub setting: String,
    /// Its value, where it stands in the file.
    pub value: Option<String>,
    /// Why.
    pub because: NoAdvice,
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
        unadvised: Vec::new(),
        hazards: hazards(advice, entries),
        unknown: unknown(advice, entries),
    };
    for setting in &advice.settings {
        // The database takes the last.
        let entry = entries.iter().rfind(|entry| entry.name == setting.name);
        match &setting.decision {
            Decision::NoAdvice(none) => review.unadvised.push(Unadvised {
                setting: setting.name.clone(),
                value: entry.map(|entry| entry.value.clone()),
                because: none.clone(),
            }),
            Decision::Advised(advised) => review.advised(setting, advised, entry)?,
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
        if setting.kind == Kind::Relative {
            let reason = format!("it depends on what is stored: {} = {}", setting.name, advised.value);
            self.unadvised.push(Unadvised {
                setting: setting.name.clone(),
                value: entry.map(|entry| entry.value.clone()),
                because: NoAdvice::undecided(reason),
            });
            return Ok(());
        }
        let same = |value: &str, other: &str| is_same(setting.kind, value, other);
        let (is_right, from) = match entry {
            Some(entry) => {
                let checked = same(&entry.value, &advised.value);
                let is_right = checked.map_err(|why| Unreadable {
                    place: entry.place.clone(),
                    why: format!("{} {why}", setting.name),
                })?;
                let is_stronger =
                    advised.stronger.iter().any(|value| value.eq_ignore_ascii_case(&entry.value));
                (is_right || is_stronger, entry.value.clone())
            }
            None => (
                setting.default.values().all(|value| same(value, &advised.value) == Ok(true)),
                format!("not set, so {}", setting.default),
            ),
        };
        let place = entry.map(|entry| entry.place.clone());
        let current = entry.map(|entry| entry.value.as_str()).or_else(|| setting.default.only());
        let is_over = |effect: &&Effect| current.is_some_and(|value| same(value, &effect.over) == Ok(true));
        let effect = advised.effects.iter().find(is_over);
        let is_as_good = effect.is_some_and(|effect| effect.answer == Answer::Equivalent);
        if is_right || is_as_good {
            let (setting, mut statement) = (setting.name.clone(), advised.statement.clone());
            if !is_right {
                statement = format!("as good as {}, within 5 %: {statement}", advised.value);
            }
            self.kept.push(Kept { setting, place, value: from, statement });
            return Ok(());
        }
        let is_current = |value: &str| entry.is_some_and(|entry| same(&entry.value, value) == Ok(true));
        let traded =
            advised.alternatives.iter().find(|other| !other.loses.is_empty() && is_current(&other.value));
        if let (Some(of), Some(place)) = (traded, &place) {
            let (setting, safe) = (setting.name.clone(), advised.value.clone());
            self.trades.push(Trade { setting, place: place.clone(), of: of.clone(), safe });
            return Ok(());
        }
        self.changes.push(Change {
            setting: setting.name.clone(),
            place,
            from,
            to: advised.value.clone(),
            gain: effect.cloned(),
            because: advised.clone(),
        });
        Ok(())
    }
}

/// Settings that no rule and no hazard is about, each once.
fn unknown(advice: &Advice, entries: &[Entry]) -> Vec<UnknownSetting> {
    let known: Vec<&str> = advice
        .settings
        .iter()
        .map(|setting| setting.name.as_str())
        .chain(known_hazards(advice).iter().map(|hazard| hazard.setting))
        .collect();
    let mut unknown: Vec<UnknownSetting> = Vec::new();
    for entry in entries {
        let is_told = unknown.iter().any(|setting| setting.setting == entry.name);
        if is_told || known.contains(&entry.name.as_str()) {
            continue;
        }
        let meant = suggestion::nearest(&entry.name, known.iter().copied());
        let meant = meant.filter(|meant| meant.len().abs_diff(entry.name.len()) <= TYPO_LETTERS_MAX);
        unknown.push(UnknownSetting {
            setting: entry.name.clone(),
            place: entry.place.clone(),
            meant: meant.map(str::to_owned),
        });
    }
    unknown
}

fn known_hazards(advice: &Advice) -> &'static [Hazard] {
    let database = DATABASES.iter().find(|database| database.name == advice.database);
    database.map_or(&[], |database| database.hazards)
}

fn hazards(advice: &Advice, entries: &[Entry]) -> Vec<String> {
    let known = known_hazards(advice);
    let said = known.iter().filter_map(|hazard| {
        let entry = entries.iter().rfind(|entry| entry.name == hazard.setting)?;
        let is_one = |value: &&str| {
            entry.value.eq_ignore_ascii_case(value) || is_same(Kind::Flag, &entry.value, value) == Ok(true)
        };
        let found = match hazard.values {
            Values::These(values) => values.iter().any(is_one),
            Values::AllBut(value) => !is_one(&value),
        };
        found.then(|| format!("{} = {} ({}): {}", entry.name, entry.value, entry.place, hazard.loses))
    });
    said.collect()
}
