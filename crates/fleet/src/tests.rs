//! Fleets whose every disk is known.

mod checked;
mod digested;
mod later;
mod made_up;
mod named;
mod remeasured;
mod simulated;
