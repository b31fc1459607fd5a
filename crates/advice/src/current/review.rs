//! A settings file compared with an advice.

use super::{Entry, Place, Unreadable};
use crate::cause::Cause;
use crate::database::DATABASES;
use crate::decision::{Alternative, Decision, Recommendation};
use crate::durability::gives_up_durability;
use crate::no_advice::{NoAdvice, Why};
use crate::rule::Hazard;
use crate::setting::{Advice, Kind, Now, Setting};
use crate::value::is_same;
use crate::weighed::{Choose, Weighed};
use model::suggestion;
use serde::Serialize;

/// The maximum difference in length between a misspelt name and the name that was meant, in letters.
const TYPO_LETTERS_MAX: usize = 2;

/// The result for a settings file.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// The database.
    pub database: String,
    /// What to change.
    pub changes: Vec<Change>,
    /// What the disk predicts to be better, and a proof on the database has yet to show.
    pub candidates: Vec<Change>,
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
    /// The new value with its basis.
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
    /// Its basis, and the most that it could lose.
    pub because: Recommendation,
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

/// The advice for a database that has these settings: each decision is against the value in use.
///
/// # Errors
/// [`Unreadable`] if a setting cannot have its value in the file.
pub fn against(advice: &Advice, entries: &[Entry]) -> Result<Advice, Unreadable> {
    let with = |setting: &Setting| match entry_of(entries, &setting.name) {
        Some(entry) => {
            is_readable(setting, entry)?;
            Ok(setting.with(&advice.id, Now::Set(entry.value.clone())))
        }
        None => Ok(setting.unset(&advice.id)),
    };
    let settings = advice.settings.iter().map(with).collect::<Result<_, _>>()?;
    Ok(Advice { settings, ..advice.clone() })
}

fn is_readable(setting: &Setting, entry: &Entry) -> Result<(), Unreadable> {
    let unreadable = |why| Unreadable { place: entry.place.clone(), why: format!("{} {why}", setting.name) };
    is_same(setting.kind, &entry.value, &entry.value).map(|_| ()).map_err(unreadable)
}

/// The database uses the last one.
fn entry_of<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    entries.iter().rfind(|entry| entry.name == name)
}

/// Compares a settings file with an advice.
///
/// # Errors
/// [`Unreadable`] if a setting cannot have its value in the file.
pub fn review(advice: &Advice, entries: &[Entry]) -> Result<Review, Unreadable> {
    let mut review = Review {
        database: advice.database.clone(),
        changes: Vec::new(),
        candidates: Vec::new(),
        trades: Vec::new(),
        kept: Vec::new(),
        unadvised: Vec::new(),
        hazards: hazards(advice, entries),
        unknown: unknown(advice, entries),
    };
    for setting in against(advice, entries)?.settings {
        let place = entry_of(entries, &setting.name).map(|entry| entry.place.clone());
        review.add(setting, place);
    }
    // A trade says the same, with what was measured.
    let Review { hazards, trades, .. } = &mut review;
    hazards.retain(|hazard| trades.iter().all(|trade| trade.setting != hazard.setting));
    Ok(review)
}

impl Review {
    fn add(&mut self, setting: Setting, place: Option<Place>) {
        if let (Some(of), Some(place)) = (traded(&setting), &place) {
            let safe = match &setting.weighed {
                Ok(Weighed { choose: Choose::Guaranteed(safe), .. }) => (*safe).to_owned(),
                Ok(_) | Err(_) => String::new(),
            };
            self.trades.push(Trade { setting: setting.name.clone(), place: place.clone(), of, safe });
            return;
        }
        let Setting { name, in_use, decision, kind, .. } = setting;
        let depends = |found: &Recommendation| {
            let cause = Cause::DependsOnData { setting: name.clone(), value: found.value.clone() };
            NoAdvice::because(Why::DoesNotApply, cause)
        };
        let because = match decision {
            Decision::ChangeTo(found) | Decision::Candidate(found) | Decision::Judged(found)
                if matches!(kind, Kind::Relative | Kind::Fitness) =>
            {
                depends(&found)
            }
            Decision::Judged(found) => depends(&found),
            Decision::ChangeTo(found) => {
                let because = *found;
                self.changes.push(Change { setting: name, place, from: in_use, because });
                return;
            }
            Decision::Candidate(found) => {
                let because = *found;
                self.candidates.push(Change { setting: name, place, from: in_use, because });
                return;
            }
            Decision::Keep(found) => {
                let because = *found;
                self.kept.push(Kept { setting: name, place, value: in_use, because });
                return;
            }
            Decision::NeedsTime(none) | Decision::DoesNotApply(none) | Decision::Withheld(none) => none,
        };
        let value = match in_use {
            Now::Set(value) => Some(value),
            Now::Default(_) => None,
        };
        self.unadvised.push(Unadvised { setting: name, value, because });
    }
}

/// The value in use, if it is one that guarantees less.
fn traded(setting: &Setting) -> Option<Alternative> {
    let (Ok(weighed), Now::Set(value)) = (&setting.weighed, &setting.in_use) else { return None };
    let is_in_use = |other: &&Alternative| {
        other.loses.is_some() && is_same(setting.kind, value, &other.value) == Ok(true)
    };
    weighed.alternatives.iter().find(is_in_use).cloned()
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
    let database = DATABASES.iter().find(|database| database.id == advice.id);
    database.map_or(&[], |database| database.hazards)
}

fn hazards(advice: &Advice, entries: &[Entry]) -> Vec<Hazardous> {
    let said = known_hazards(advice).iter().filter_map(|hazard| {
        let entry = entry_of(entries, hazard.setting)?;
        let loses = gives_up_durability(&advice.id, hazard.setting, &entry.value)?;
        Some(Hazardous {
            setting: entry.name.clone(),
            value: entry.value.clone(),
            place: entry.place.clone(),
            loses,
        })
    });
    let mut hazards: Vec<Hazardous> = Vec::new();
    // A setting may lose different things with different values: it has one of them.
    for hazard in said {
        if hazards.iter().all(|known| known.setting != hazard.setting) {
            hazards.push(hazard);
        }
    }
    hazards
}
