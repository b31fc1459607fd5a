//! The tests of this crate's public API: one program, so that they are linked once. A test that needs its own process
//! is a separate program beside this directory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accessibility;
mod advice;
mod advised;
mod browser;
mod chromium;
mod compared;
mod comparison;
mod conditions;
mod dependence;
mod device_files;
mod downloads;
mod first_screen;
mod fixture;
mod fleet;
mod folding;
mod installed;
mod markdown;
mod marks;
mod observed;
mod outline;
mod page;
mod proof;
mod published;
mod scaling;
mod spoilt;
mod text;
mod traced;
mod tracker;
mod turns;
mod units;
mod wording;
