//! Which page leaves the pool for another.
//!
//! A policy decides and acts on nothing: it sees frames through [`Marks`] and answers with one of them. What a hit leaves
//! behind is a mark of four bits in the frame's own state, set by the pin itself, and written only if it changes; a policy
//! that needs the order of hits says so, and can ask when a frame was touched.
//!
//! To add a policy: write its file beside these, and add its line to the list at the end of this file.

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
        /// The policies, as a study names them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyKind {
            $($(#[doc = $doc])+ $policy,)+
        }

        impl PolicyKind {
            /// Every policy, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$policy),+];

            /// Reads a name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$policy),)+
                    _ => None,
                }
            }

            /// The name.
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
    /// The page that was pinned longest ago leaves.
    "lru" => Lru,
    /// A queue in order of arrival, and a hand that spares what was used since it came by.
    "sieve" => Sieve,
}
