//! The names of all settings of PostgreSQL, as the servers have them.
//!
//! Security releases add settings to every version on one day, so the list is of releases of one day, which its header
//! has.

use crate::names::Names;
use std::sync::LazyLock;

static NAMES: LazyLock<Names> = LazyLock::new(|| Names::parse(include_str!("settings.txt")));

pub(super) fn names() -> &'static Names {
    &NAMES
}
