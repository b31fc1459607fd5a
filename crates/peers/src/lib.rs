//! The ranks of one launch: they meet, start together and compare their clocks.
//!
//! - **Everything is built on one primitive**, [`Peers::meet`]: each rank sends what it has to rank 0, rank 0 decides,
//!   and each rank gets the decision. A barrier, a broadcast and a gather are meetings with an empty side.
//! - **A rank that does not come is named.** A collective call of MPI hangs until every rank is there and does not
//!   report who is missing. So ranks arrive by messages, which rank 0 collects until a deadline, and the collective
//!   release follows only when all have arrived.
//! - **Nobody hangs.** Every wait has a deadline, from the first meeting to the last. What starts the ranks and what
//!   ends them belong to the launcher, so the last thing that ranks do is to meet. Rank 0 tells those that came who is
//!   missing, and every rank returns [`Lost`].
//! - **A rank that lost another one takes part in nothing further.** The launch ends, and nothing of the incomplete
//!   round is recorded.
//! - **[`Transport`] is all that MPI does here**: a message, a release, a clock. [`simulated`] is the same in virtual
//!   time, in which a dead rank, a straggler or a wrong clock costs no time and no luck.

// In a test a panic is the report.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clocks;
mod lost;
mod meeting;
pub mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod simulated;
#[cfg(test)]
mod tests;
mod transport;

pub use lost::Lost;
pub use meeting::{Peers, Wait};
pub use transport::{Channel, ROOT, Transport};
