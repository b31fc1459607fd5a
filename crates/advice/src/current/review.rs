//! A settings file compared with an advice.

use super::value::is_same;
use super::{Entry, Place, Unreadable};
use crate::cause::Cause;
use crate::database::DATABASES;
use crate::rule::{Hazard, Values};
use crate::setting::{
    Advice, Alternative, Decision, DefaultValue, Effect, Kind, NoAdvice, Recommendation, Setting,
};
use crate::statement::Statement;
use model::suggestion;
use serde::Serialize;
use verdict::Answer;

/// The maximum difference in length between a misspelt name and the name that was meant, in letters.
const TYPO_LETTERS_MAX: usize = 2;

/// The result for a settings file.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// The database.
    pub database: String,
    /// What to change.
    pub changes: Vec<Change>,
    /// Values that guarantee less than the advised ones, with their gain: the user decides.
    pub trades: Vec<Trade>,
    /// What to keep.
    pub kept: Vec<Kept>,
    /// What cannot be judged, and why.
    pub unadvised: Vec<Unadvised>,
    /// Settings that give up durability: with them the other statements do not hold.
    pub hazards: Vec<Hazardous>,
    /// Settings of the file that have no rule; Syncline does not judge them.
    pub unknown: Vec<UnknownSetting>,
}

/// A setting whose value gives up durability.
#[derive(Clone, Debug, Serialize)]
pub struct Hazardous {
    /// The setting.
    pub setting: String,
    /// Its value in the file.
    pub value: String,
    /// Its place.
    pub place: Place,
    /// What it gives up, as the database's manual says: a clause, printed whole.
    pub loses: &'static str,
}

/// What a setting is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Now {
    /// This value of the file.
    Set(String),
    /// Its default, because the file does not set it.
    Default(DefaultValue),
}

/// A setting without a rule.
#[derive(Clone, Debug, Serialize)]
pub struct UnknownSetting {
    /// Its name in the file.
    pub setting: String,
    /// Its place.
    pub place: Place,
    /// The setting with a rule that the user may have meant, if the name is a typing error.
    pub meant: Option<String>,
}

/// A setting that should have another value.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// The setting.
    pub setting: String,
    /// Its place, if it is set.
    pub place: Option<Place>,
    /// What it is now.
    pub from: Now,
    /// The advised value.
    pub to: String,
    /// The measured gain over the current value; `None` if the two were not compared.
    pub gain: Option<Effect>,
    /// The basis of the advice.
    pub because: Recommendation,
}

/// A setting whose value guarantees less.
#[derive(Clone, Debug, Serialize)]
pub struct Trade {
    /// The setting.
    pub setting: String,
    /// Its place.
    pub place: Place,
    /// What the value gains and loses.
    pub of: Alternative,
    /// The value that guarantees more.
    pub safe: String,
}

/// A setting that is right.
#[derive(Clone, Debug, Serialize)]
pub struct Kept {
    /// The setting.
    pub setting: String,
    /// Its place, if it is set.
    pub place: Option<Place>,
    /// What it is now.
    pub value: Now,
    /// The advised value, if another one is kept because it is as good within 5 %.
    pub as_good_as: Option<String>,
    /// What was measured.
    pub statement: Statement,
}

/// A setting that cannot be judged.
#[derive(Clone, Debug, Serialize)]
pub struct Unadvised {
    /// The setting.
    pub setting: String,
    /// Its value in the file.
    pub value: Option<String>,
    /// Why.
    pub because: NoAdvice,
}

/// Compares a settings file with an advice.
///
/// # Errors
/// [`Unreadable`] if the setting cannot have a value of the file.
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
        // The database uses the last entry.
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
        if matches!(setting.kind, Kind::Relative | Kind::Fitness) {
            let cause = Cause::DependsOnData { setting: setting.name.clone(), value: advised.value.clone() };
            self.unadvised.push(Unadvised {
                setting: setting.name.clone(),
                value: entry.map(|entry| entry.value.clone()),
                because: NoAdvice::undecided(cause),
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
                (is_right || is_stronger, Now::Set(entry.value.clone()))
            }
            None => (
                setting.default.values().all(|value| same(value, &advised.value) == Ok(true)),
                Now::Default(setting.default),
            ),
        };
        let place = entry.map(|entry| entry.place.clone());
        let current = entry.map(|entry| entry.value.as_str()).or_else(|| setting.default.only());
        let is_over = |effect: &&Effect| current.is_some_and(|value| same(value, &effect.over) == Ok(true));
        let effect = advised.effects.iter().find(is_over);
        let is_as_good = effect.is_some_and(|effect| effect.answer == Answer::Equivalent);
        if is_right || is_as_good {
            self.kept.push(Kept {
                setting: setting.name.clone(),
                place,
                value: from,
                as_good_as: (!is_right).then(|| advised.value.clone()),
                statement: advised.statement.clone(),
            });
            return Ok(());
        }
        let is_current = |value: &str| entry.is_some_and(|entry| same(&entry.value, value) == Ok(true));
        let traded =
            advised.alternatives.iter().find(|other| other.loses.is_some() && is_current(&other.value));
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

/// Settings without a rule that are not hazards either, each once.
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

fn hazards(advice: &Advice, entries: &[Entry]) -> Vec<Hazardous> {
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
        found.then(|| Hazardous {
            setting: entry.name.clone(),
            value: entry.value.clone(),
            place: entry.place.clone(),
            loses: hazard.loses,
        })
    });
    said.collect()
}
