//! The result of a study in words.

mod answer;
mod extent;
mod in_numbers;
mod precision;

pub use extent::extent;
pub use in_numbers::{audits_in_numbers, audits_passed, findings_in_numbers};
pub use precision::{dependences, noise_floors};

use crate::promise::Promise;
use crate::verdict::Group;

/// The heading of arms that promise the same: `Durability class process: no acknowledged entry lost in 42 kills`.
pub fn class_heading(group: &Group<'_>) -> String {
    let known = group.promise.map(Promise::text).filter(|known| !known.is_empty());
    match (group.class, known) {
        ("", _) => "Durability class unknown: no trial succeeded".to_owned(),
        (class, None) => format!("Durability class {class}"),
        (class, Some(known)) => format!("Durability class {class}: {known}"),
    }
}
