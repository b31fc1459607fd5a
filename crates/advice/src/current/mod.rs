//! Compares an advice with the current settings: what to change, what to keep, and what cannot be judged.

mod document;
mod names;
mod review;
#[cfg(test)]
mod tests;

pub use names::{Lacking, UnknownSetting};
pub use review::{Change, Hazardous, Kept, Review, Trade, Unadvised, against, review};
