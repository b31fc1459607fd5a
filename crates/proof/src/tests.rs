//! Whole proofs of made-up servers whose truth is known, and what they ask for before anything is measured.

mod asked;
pub(crate) mod made_up;
mod raced;
mod settled;
mod simulated;
mod tables;
