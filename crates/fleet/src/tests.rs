//! Fleets whose every disk is known.

mod digested;
mod made_up;
mod named;
mod remeasured;
mod simulated;
