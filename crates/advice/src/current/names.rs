//! Names in a settings file that its server does not take, and names that Syncline does not judge.

use crate::rule::Database;
use crate::setting::Advice;
use model::suggestion;
use serde::Serialize;
use settings::{Entry, Place};
use settings::{Release, Versions};

/// The maximum difference in length between a misspelt name and the name that was meant, in letters.
const TYPO_LETTERS_MAX: usize = 2;

/// A setting that the version lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lacking {
    /// Its name in the file.
    pub setting: String,
    pub place: Place,
    pub program: &'static str,
    /// The versions that have it.
    pub versions: Versions,
}

/// A setting without a rule.
#[derive(Clone, Debug, Serialize)]
pub struct UnknownSetting {
    /// Its name in the file.
    pub setting: String,
    pub place: Place,
    /// The setting that the user may have meant, if the name is a typing error.
    pub meant: Option<String>,
}

/// The settings of a file that the version lacks, each once.
pub(super) fn lacking(advice: &Advice, entries: &[Entry], release: &Release) -> Vec<Lacking> {
    let database = Database::named(&advice.id);
    let mut lacking: Vec<Lacking> = Vec::new();
    for entry in entries {
        let is_told = lacking.iter().any(|known| known.setting == entry.name);
        if let (Some((program, versions)), false) = (lacks(database, &entry.name, release), is_told) {
            lacking.push(Lacking {
                setting: entry.name.clone(),
                place: entry.place.clone(),
                program,
                versions,
            });
        }
    }
    lacking
}

/// Settings without a rule that are not hazards either and that the version may have, each once.
pub(super) fn unknown(advice: &Advice, entries: &[Entry], release: &Release) -> Vec<UnknownSetting> {
    let database = Database::named(&advice.id);
    let hazards = database.map_or(&[][..], |database| database.hazards);
    let judged: Vec<&str> = advice
        .settings
        .iter()
        .map(|setting| setting.name.as_str())
        .chain(hazards.iter().map(|hazard| hazard.setting))
        .collect();
    let listed = database.and_then(Database::names);
    // A version whose settings are not listed may have any name.
    let has_list = listed.zip(release.version()).is_none_or(|(names, version)| names.has_list_of(version));
    let names: Vec<&str> = match listed {
        Some(names) => names.of(release).collect(),
        None => judged.clone(),
    };
    let mut unknown: Vec<UnknownSetting> = Vec::new();
    for entry in entries {
        let name = entry.name.as_str();
        let is_told = unknown.iter().any(|setting| setting.setting == name);
        if is_told || judged.contains(&name) || lacks(database, name, release).is_some() {
            continue;
        }
        // A name with a point belongs to an extension.
        let is_odd = has_list && !name.contains('.') && !names.contains(&name);
        let meant = suggestion::nearest(name, names.iter().copied()).filter(|_| is_odd);
        let meant = meant.filter(|meant| meant.len().abs_diff(name.len()) <= TYPO_LETTERS_MAX);
        let (place, meant) = (entry.place.clone(), meant.map(str::to_owned));
        unknown.push(UnknownSetting { setting: entry.name.clone(), place, meant });
    }
    unknown
}

/// The versions that have a setting, if the list of settings says that this version lacks it.
fn lacks(
    database: Option<&'static Database>,
    name: &str,
    release: &Release,
) -> Option<(&'static str, Versions)> {
    let versions = database?.names()?.versions(name)?;
    let lacks = !versions.has(release.version()?);
    lacks.then_some((database?.program, versions))
}
