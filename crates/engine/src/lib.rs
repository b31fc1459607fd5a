//! Key-value engines behind one contract: one adapter file, one feature and one registry line each.
//!
//! An [`Engine`] is opened from [`Options`] by its [`EngineKind`] and driven by [`Blocking`], the one
//! [`driver::Backend`] of all engines, so that every engine runs under the same loop, clock and histograms.
//!
//! To add an engine: write its file in `adapter/`, give it a feature, and add its line to the list in
//! `adapter/mod.rs`. Names, parsing, opening and the conformance tests follow from that line.

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
