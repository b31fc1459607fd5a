//! A setting that a description of a database knows.

use crate::load::Load;
use advice::DefaultValue;

/// A storage setting.
pub(crate) struct Known {
    pub(crate) name: &'static str,
    /// The loads that can show what it does; none if no load can.
    pub(crate) loads: &'static [Load],
    /// Its default and the other values that a race tries, if advice has no rule for it.
    pub(crate) values: Option<Values>,
}

/// What a setting can be.
pub(crate) struct Values {
    pub(crate) default: DefaultValue,
    pub(crate) worth_trying: &'static [&'static str],
}

/// A setting whose values are those of its rule of advice, or are not known.
pub(crate) const fn known(name: &'static str, loads: &'static [Load]) -> Known {
    Known { name, loads, values: None }
}

impl Known {
    /// The same with a default of every version, and the values that a race tries.
    pub(crate) const fn trying(self, default: &'static str, worth_trying: &'static [&'static str]) -> Self {
        self.trying_over(DefaultValue::Always(default), worth_trying)
    }

    /// The same with a default that changed in a version. One of the values may be the default of some version.
    pub(crate) const fn trying_over(
        self,
        default: DefaultValue,
        worth_trying: &'static [&'static str],
    ) -> Self {
        Self { values: Some(Values { default, worth_trying }), ..self }
    }
}
