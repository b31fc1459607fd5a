//! State of the page cache before the measurement: the parameter `cache`.

use serde::{Deserialize, Serialize};

levels! {
    /// What of the data is in the page cache when it is measured.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Cache {
        /// Nothing, proven.
        Cold = "cold",
        /// All of it, proven.
        Warm = "warm",
        /// Whatever is there: recorded, not changed.
        #[default]
        AsIs = "as_is",
    }
}

impl Cache {
    /// Those that fix the state.
    pub const PROVEN_NAMES: &'static [&'static str] = &[Self::Cold.name(), Self::Warm.name()];

    /// What is asked of all of the data, if `percent` of it is to be warm: nothing warm is cold, and a part is recorded
    /// only.
    #[must_use]
    pub const fn of_share(self, percent: u64) -> Self {
        match (self, percent) {
            (Self::Warm, 0) => Self::Cold,
            (Self::Warm, 1..100) => Self::AsIs,
            (asked, _) => asked,
        }
    }
}
