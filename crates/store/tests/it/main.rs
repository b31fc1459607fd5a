//! The store as a program sees it: against a model, under concurrency, over crashes, in every I/O mode.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod concurrent;
mod crash;
mod crash_lives;
mod crash_random;
mod damage;
mod drain;
mod examples;
mod forked;
mod full;
mod gated;
mod group_commit;
mod kill;
mod large_values;
mod linearizable;
mod model;
mod modes;
mod open;
mod other_files;
mod read_only;
mod removal;
mod scans;
mod separated_values;
mod support;
