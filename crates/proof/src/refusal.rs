//! What a proof refuses before anything runs.

use crate::database::Database;
use crate::design::{Asked, Design};
use model::{DurabilityClass, PromiseTable};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A setting of an arm that gives up durability: a proof compares arms that promise the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The arm, or the change.
    pub arm: String,
    pub name: String,
    pub value: String,
    /// What is lost: a clause.
    pub loses: Cow<'static, str>,
}

/// The settings that give up durability, in every arm of a design.
pub fn refused(design: &Design) -> Vec<Refusal> {
    let current = &design.current.settings;
    let mut refusals = of_arm(design.database, crate::CURRENT, current);
    match &design.asked {
        Asked::Changes(changes) | Asked::Race(changes) => {
            for change in changes {
                let alone = BTreeMap::from([(change.name.clone(), change.value.clone())]);
                refusals.extend(of_arm(design.database, "", &alone));
            }
        }
        Asked::Servers(servers) => {
            for named in servers {
                let settings = &named.server.settings;
                refusals.extend(of_arm(design.database, &named.name, settings));
            }
        }
    }
    refusals
}

type Settings = BTreeMap<String, String>;

/// Those among the settings of an arm. Each is judged alone: a weaker one beside it is refused by its own name.
fn of_arm(database: &Database, arm: &str, settings: &Settings) -> Vec<Refusal> {
    let loses = |name: &str, value: &str| match database.promises() {
        Some(table) => weakened(database, table, (name, value)).map(Cow::Owned),
        None => advice::gives_up_durability(database.id, name, value).map(Cow::Borrowed),
    };
    let refusal = |(name, value): (&String, &String)| {
        let loses = loses(name, value)?;
        Some(Refusal { arm: arm.to_owned(), name: name.clone(), value: value.clone(), loses })
    };
    settings.iter().filter_map(refusal).collect()
}

/// What an acknowledged write no longer survives with this value of a setting, by the server's table of promises.
fn weakened(database: &Database, table: &PromiseTable, (name, value): (&str, &str)) -> Option<String> {
    if !table.has(name) {
        return None;
    }
    let of_proof = |asked: &str| {
        let mut own = database.promised_with.iter();
        own.find(|(known, _)| *known == asked).map(|(_, value)| *value)
    };
    let set = |asked: &str| if asked == name { Some(value) } else { of_proof(asked) };
    match table.class(set) {
        Ok(DurabilityClass::Power) => None,
        Ok(DurabilityClass::Process) => {
            Some(format!("an acknowledged write does not survive a power loss{}", source(table, name, value)))
        }
        Ok(DurabilityClass::None) => Some(format!(
            "an acknowledged write survives neither a power loss nor a killed server{}",
            source(table, name, value)
        )),
        Err(_) => Some(
            "the table of promises does not have this value, so nothing states what an acknowledged write survives with it"
                .to_owned(),
        ),
    }
}

fn source(table: &PromiseTable, name: &str, value: &str) -> String {
    table.source(name, value).map_or_else(String::new, |source| format!(" ({source})"))
}
