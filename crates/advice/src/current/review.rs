//! A settings file compared with an advice.

use super::names::{Lacking, UnknownSetting, lacking, unknown};
use crate::cause::Cause;
use crate::decision::{Alternative, Decision, Recommendation};
use crate::durability::gives_up_durability;
use crate::no_advice::{NoAdvice, Why};
use crate::not_here::overridden;
use crate::rule::{Database, Hazard};
use crate::setting::{Advice, Now, Setting, ValueKind};
use crate::value::{is_among, is_same};
use crate::weighed::{Choose, Weighed};
use serde::Serialize;
use settings::Release;
use settings::{Entry, Place, Unreadable};

/// The result for a settings file.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    pub database: String,
    /// The version that the file is of.
    pub release: Release,
    /// Settings of the file that this version lacks.
    pub lacking: Vec<Lacking>,
    pub changes: Vec<Change>,
    /// What the disk predicts to be better, and a proof on the database has yet to show.
    pub candidates: Vec<Change>,
    /// Values that guarantee less than the advised ones, with their gain: the user decides.
    pub trades: Vec<Trade>,
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
    pub setting: String,
    /// Its value in the file.
    pub value: String,
    pub place: Place,
    /// What it gives up, as the database's manual says: a clause, printed whole.
    pub loses: &'static str,
}

/// A setting that should have another value.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
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
    pub setting: String,
    pub place: Place,
    /// What the value gains and loses.
    pub of: Alternative,
    /// The value that guarantees more.
    pub safe: String,
}

/// A setting that is right.
#[derive(Clone, Debug, Serialize)]
pub struct Kept {
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
    pub setting: String,
    /// Its value in the file.
    pub value: Option<String>,
    pub because: NoAdvice,
}

/// The advice for a database of this release that has these settings: each decision is against the value in use.
///
/// # Errors
/// [`Unreadable`] if a setting cannot have its value in the file.
pub fn against(advice: &Advice, entries: &[Entry], release: &Release) -> Result<Advice, Unreadable> {
    let with = |setting: &Setting| match entry_of(entries, &setting.name) {
        Some(entry) => {
            is_readable(setting, entry)?;
            Ok(setting.with(&advice.id, release, Now::Set(entry.value.clone())))
        }
        None => Ok(setting.unset(&advice.id, release)),
    };
    let with_others = |setting: Setting| match overriding(&setting, entries) {
        Some(entry) if !matches!(setting.decision, Decision::DoesNotApply(_)) => {
            setting.inapplicable(overridden(&advice.id, (&entry.name, &entry.value)))
        }
        Some(_) | None => setting,
    };
    let settings = advice.settings.iter().map(|setting| Ok(with_others(with(setting)?)));
    Ok(Advice { settings: settings.collect::<Result<_, _>>()?, ..advice.clone() })
}

fn is_readable(setting: &Setting, entry: &Entry) -> Result<(), Unreadable> {
    let unreadable = |why| Unreadable { place: entry.place.clone(), why: format!("{} {why}", setting.name) };
    is_same(setting.kind, &entry.value, &entry.value).map(|_| ()).map_err(unreadable)
}

/// The entry with which the database ignores a setting.
fn overriding<'a>(setting: &Setting, entries: &'a [Entry]) -> Option<&'a Entry> {
    let overrides = setting.overridden_by.iter();
    let mut found = overrides.filter_map(|over| Some((over, entry_of(entries, over.setting)?)));
    found.find(|(over, entry)| is_among(over.values, &entry.value)).map(|(_, entry)| entry)
}

/// The database uses the last one.
fn entry_of<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    entries.iter().rfind(|entry| entry.name == name)
}

/// Compares the settings file of a database of this release with an advice.
///
/// # Errors
/// [`Unreadable`] if a setting cannot have its value in the file.
pub fn review(advice: &Advice, entries: &[Entry], release: &Release) -> Result<Review, Unreadable> {
    let mut review = Review {
        database: advice.database.clone(),
        release: release.clone(),
        lacking: lacking(advice, entries, release),
        changes: Vec::new(),
        candidates: Vec::new(),
        trades: Vec::new(),
        kept: Vec::new(),
        unadvised: Vec::new(),
        hazards: hazards(advice, entries),
        unknown: unknown(advice, entries, release),
    };
    for setting in against(advice, entries, release)?.settings {
        if review.lacking.iter().any(|lacking| lacking.setting == setting.name) {
            continue;
        }
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
                if matches!(kind, ValueKind::Relative | ValueKind::Fitness) =>
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
            Decision::Undecided(none) | Decision::DoesNotApply(none) | Decision::Withheld(none) => none,
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

fn known_hazards(advice: &Advice) -> &'static [Hazard] {
    Database::named(&advice.id).map_or(&[], |database| database.hazards)
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
