//! Which page leaves the pool for another.
//!
//! A policy decides and acts on nothing: it sees frames through [`Marks`] and answers with one of them. What a hit leaves
//! behind is a mark of four bits in the frame's own state, set by the pin itself, and written only if it changes; a policy
//! that needs the order of hits says so, and can ask when a frame was touched.
//!
//! To add a policy: write its file beside these, and add its line to the list at the end of this file.

mod clock_sweep;
mod heap;
mod lru;
mod queue;
mod sieve;

pub use clock_sweep::ClockSweep;
pub use lru::Lru;
pub use sieve::Sieve;

use std::fmt;

/// Largest mark: it has four bits.
pub const MARK_MAX: u8 = 15;

/// The frames as a policy sees them.
pub trait Marks {
    /// Whether the frame cannot be given to another page now: pinned, or its read is in flight.
    fn is_pinned(&self, frame: u32) -> bool;

    /// The frame's mark.
    fn mark(&self, frame: u32) -> u8;

    /// Changes the frame's mark; one that a pin sets at the same moment may win.
    fn set_mark(&self, frame: u32, mark: u8);

    /// When a page in the frame was last asked for; 0 if never, and where times are not kept ([`Policy::TIMED`]). It may
    /// have been the page before, earlier than the time of admission.
    fn touched_at(&self, frame: u32) -> u64;
}

/// A replacement policy for a fixed number of frames. A new pool has given none of them to a page.
pub trait Policy: fmt::Debug + Send {
    /// The mark of a frame whose page has just been admitted.
    const ADMITTED: u8;

    /// Whether [`Marks::touched_at`] is needed.
    const TIMED: bool;

    /// A policy for so many frames.
    fn new(frames: u32) -> Self;

    /// The mark after a hit; `first` if the session had the page not pinned already.
    fn touched(mark: u8, first: bool) -> u8;

    /// A page has been given the frame, later than every touch and admission before; the time is 0 unless
    /// [`Policy::TIMED`].
    fn admitted(&mut self, frame: u32, now: u64);

    /// The frame whose page should leave; `None` when every frame is pinned. It has not left yet: if somebody pins it
    /// now, the pool asks again.
    fn victim(&mut self, marks: &impl Marks) -> Option<u32>;

    /// The page that was in the frame has left.
    fn evicted(&mut self, frame: u32);
}

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
