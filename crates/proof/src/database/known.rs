//! A setting that a description of a database knows.

use crate::load::Load;

/// A storage setting.
pub(crate) struct Known {
    pub(crate) name: &'static str,
    /// The loads that can show what it does; none if no load can.
    pub(crate) loads: &'static [Load],
    /// Its value if nothing sets it.
    pub(crate) default: &'static str,
    /// Other values that a race tries.
    pub(crate) worth_trying: &'static [&'static str],
}

pub(crate) const fn known(
    name: &'static str,
    loads: &'static [Load],
    default: &'static str,
    worth_trying: &'static [&'static str],
) -> Known {
    Known { name, loads, default, worth_trying }
}
