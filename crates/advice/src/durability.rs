//! Values that give up durability, and values with which another setting is ignored.

use crate::rule::{Database, Hazard};
use crate::value::is_among;

/// What a database loses with this value of a setting, as a clause, if the value gives up durability: acknowledged
/// commits, or the database itself after a power loss. The database is named as `--for` names it. `None` for every
/// other value.
pub fn gives_up_durability(database: &str, name: &str, value: &str) -> Option<&'static str> {
    let database = Database::named(database)?;
    let is_found = |hazard: &&Hazard| is_among(hazard.values, value);
    let mut of_setting = database.hazards.iter().filter(|hazard| hazard.setting.eq_ignore_ascii_case(name));
    of_setting.find(is_found).map(|hazard| hazard.loses)
}

/// Whether a database ignores a setting if another one has this value. The database is named as `--for` names it.
pub fn is_overridden(database: &str, name: &str, (other, value): (&str, &str)) -> bool {
    let mut rules = Database::named(database).into_iter().flat_map(Database::rules);
    let rule = rules.find(|rule| rule.facts.name == name);
    rule.is_some_and(|rule| {
        let mut overrides = rule.facts.overridden_by.iter().filter(|over| over.setting == other);
        overrides.any(|over| is_among(over.values, value))
    })
}
