//! A buffer pool: pages of a file in a fixed number of frames, over any block backend and I/O mode.
//!
//! A [`Session`] pins pages. Pinning a page that is in the pool takes no lock: the session finds its frame in a dense
//! table and writes the pin where no other thread writes, so a hit takes no cache line from another reader. A missing
//! page is read under the pool's lock, after the [`Policy`] has chosen the page to evict. Readers of cached pages
//! therefore do not wait for each other. Misses are handled one at a time, each with as many reads ahead as the backend
//! keeps in flight.
//!
//! [`Pages`] is a backend made from a session, so that a workload of page operations runs on the one driver.
//!
//! - **Pinning a page that is in the pool costs its reader no memory barrier.** The pin is a store to the session's own
//!   slot. A thread that takes a frame from its page has the kernel run a barrier on all CPUs (`membarrier`) before it
//!   looks at the other sessions' slots. With pins counted in the frame, two readers of the same pages were hardly
//!   faster than one. With a barrier in the reader, a hit waited for every cache miss before it. A pool with one
//!   session needs neither.

mod core;
mod counters;
mod error;
mod frame;
mod pages;
pub mod policy;
mod pool;
mod reader;
mod ring;
mod session;
mod shared;
mod table;

pub use counters::Counters;
pub use error::PoolError;
pub use pages::Pages;
pub use policy::{Policy, PolicyKind};
pub use pool::{FlushOrder, Pool};
pub use session::{Pinned, Session};
pub use shared::Geometry;
