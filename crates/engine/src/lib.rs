//! Key-value engines behind one contract: one adapter file, one feature and one registry line each.
//!
//! An [`EngineKind`] opens an [`Engine`] from [`Options`]. [`Blocking`] drives it: it is the one [`driver::Backend`] of
//! all engines, so every engine runs under the same loop, clock and histograms.
//!
//! To add an engine, write its file in `adapter/`, give it a feature, and add its line to the list in `adapter/mod.rs`.
//! Names, parsing, opening and the conformance tests follow from that line.
//!
//! - **One unsafe call is outside `disk`**: `heed` opens LMDB's memory map with an unsafe call, and `adapter/lmdb.rs`
//!   states why it is sound. A wrapper in another crate would only move the call away from the code that makes it
//!   sound. The workspace therefore denies unsafe code instead of forbidding it, and `architecture.rs` lists the files
//!   that may allow it.

pub mod adapter;
mod blocking;
mod contract;
mod error;
mod options;
pub mod store;

pub use adapter::{AnyEngine, EngineKind};
pub use blocking::{Blocking, OperationFailed};
pub use contract::{Adapter, DurabilityLevel, Engine, Knob, Stats};
pub use error::EngineError;
pub use options::Options;
