//! A buffer pool: pages of a file in a fixed number of frames, over any block backend and I/O mode.
//!
//! A [`Session`] pins pages. A page that is in the pool is pinned without a lock: its frame is found in a dense table, and
//! the pin is written where no other thread writes, so a hit takes no cache line from another reader. A page that is not is
//! read under the pool's lock, after the [`Policy`] has chosen
//! which page leaves; so readers of what is in memory do not wait for each other, and misses are one at a time, each
//! with as many reads ahead as the backend keeps in flight.
//!
//! [`Pages`] makes a backend of a session, so that a workload of page operations runs on the one driver.

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
