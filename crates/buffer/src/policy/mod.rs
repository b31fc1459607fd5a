//! Which page is evicted to make room for another.
//!
//! A policy decides and changes nothing: it sees frames through [`Marks`] and returns one of them. A hit leaves a mark
//! of four bits in the frame's own state; the pin itself sets it, and writes only if it changes. A policy that needs
//! the order of hits declares so, and can read when a frame was last accessed.
//!
//! To add a policy, write its file beside these, and add its line to the list at the end of this file.

mod clock_sweep;
mod contract;
mod heap;
mod lru;
mod queue;
mod sieve;

pub use clock_sweep::ClockSweep;
pub use contract::{MARK_MAX, Marks, Policy};
pub use lru::Lru;
pub use sieve::Sieve;

/// Writes [`PolicyKind`] from the list of policies.
macro_rules! policies {
    ($($(#[doc = $doc:literal])+ $name:literal => $policy:ident,)+) => {
        /// The policies, by their names in a study.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyKind {
            $($(#[doc = $doc])+ $policy,)+
        }

        impl PolicyKind {
            /// Every policy, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$policy),+];

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$policy),)+
                    _ => None,
                }
            }

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$policy => $name,)+
                }
            }
        }
    };
}

policies! {
    /// PostgreSQL's: a hand goes round and lowers usage counts.
    "clock_sweep" => ClockSweep,
    /// Evicts the page that was pinned the longest ago.
    "lru" => Lru,
    /// A queue in order of arrival, and a hand that spares pages that were used since it last passed.
    "sieve" => Sieve,
}
