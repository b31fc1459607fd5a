//! The figures of files for a scheduler, found in a run.

mod capacity;

pub use capacity::{Ability, Capacity, NoCapacity, capacity};

#[cfg(test)]
mod tests;
