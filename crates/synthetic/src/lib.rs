//! Runs made up for tests: studies whose every figure is known, and the means to spoil one.

mod append;
mod bare;
mod device;
mod run;
mod study;
mod trial;
mod turns;

pub use study::{Synthetic, ask, name};
pub use trial::{normal, sidecar, sidecar_with};
pub use turns::Slices;
