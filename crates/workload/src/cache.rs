//! State of the page cache before the measurement: the parameter `cache`.

use model::levels;

levels! {
    /// What of the data file is in the page cache when the measurement starts.
    pub enum Cache {
        /// Nothing, proven.
        Cold = "cold",
        /// All of it, proven.
        Warm = "warm",
        /// Whatever the trial before left there: recorded, not changed.
        AsIs = "as_is",
    }
}

impl Cache {
    /// Those that fix the state.
    pub const PROVEN_NAMES: &'static [&'static str] = &[Self::Cold.name(), Self::Warm.name()];
}
