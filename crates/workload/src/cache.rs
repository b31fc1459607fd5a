//! State of the page cache before the measurement: the parameter `cache`.

/// What of the data file is in the page cache when the measurement starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Nothing, proven.
    Cold,
    /// All of it, proven.
    Warm,
    /// Whatever the trial before left there: recorded, not changed.
    AsIs,
}

impl Cache {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["cold", "warm", "as_is"];
    /// Those that fix the state.
    pub const PROVEN_NAMES: &'static [&'static str] = &["cold", "warm"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "cold" => Some(Self::Cold),
            "warm" => Some(Self::Warm),
            "as_is" => Some(Self::AsIs),
            _ => None,
        }
    }
}
