//! Values that give up durability.

use crate::database::DATABASES;
use crate::rule::{Hazard, Values};
use crate::setting::Kind;
use crate::value::is_same;

/// What a database loses with this value of a setting, as a clause, if the value gives up durability: acknowledged commits, or the
/// database itself after a power loss. The database is named as `--for` names it. `None` for every other value.
pub fn gives_up_durability(database: &str, name: &str, value: &str) -> Option<&'static str> {
    let database = DATABASES.iter().find(|known| known.id == database)?;
    let is_one =
        |known: &&str| value.eq_ignore_ascii_case(known) || is_same(Kind::Flag, value, known) == Ok(true);
    let is_found = |hazard: &&Hazard| match hazard.values {
        Values::These(values) => values.iter().any(is_one),
        Values::AllBut(safe) => !is_one(&safe),
    };
    let mut of_setting = database.hazards.iter().filter(|hazard| hazard.setting.eq_ignore_ascii_case(name));
    of_setting.find(is_found).map(|hazard| hazard.loses)
}
