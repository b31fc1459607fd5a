//! What a proof refuses before anything runs.

use crate::design::{Asked, Design};
use serde::Serialize;

/// A setting of an arm that gives up durability: a proof compares arms that promise the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The arm, or the change.
    pub arm: String,
    pub name: String,
    pub value: String,
    /// What is lost: a clause.
    pub loses: &'static str,
}

/// The settings that give up durability, in every arm of a design.
pub fn refused(design: &Design) -> Vec<Refusal> {
    let find = |arm: &str, name: &str, value: &str| {
        let loses = advice::gives_up_durability(design.database.id, name, value)?;
        Some(Refusal { arm: arm.to_owned(), name: name.to_owned(), value: value.to_owned(), loses })
    };
    let of_current =
        design.current.settings.iter().filter_map(|(name, value)| find(crate::CURRENT, name, value));
    let mut refusals: Vec<Refusal> = of_current.collect();
    match &design.asked {
        Asked::Changes(changes) | Asked::Race(changes) => {
            refusals.extend(changes.iter().filter_map(|change| find("", &change.name, &change.value)));
        }
        Asked::Servers(servers) => {
            for named in servers {
                let settings = named.server.settings.iter();
                refusals.extend(settings.filter_map(|(name, value)| find(&named.name, name, value)));
            }
        }
    }
    refusals
}
