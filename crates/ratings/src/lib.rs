//! How good a disk is, by limits that others publish, and the figures that files for schedulers state of it. Pure: a
//! run and its verdict in, grades and text out.
//!
//! - **A rating is good, fair or poor for one question** ([`ratings`]). Each limit is published by somebody else and
//!   names its source (`scale.rs`). There is no score over several questions.
//! - **`devices.toml` holds the figures that others publish of devices**, each with its source.
//! - **A figure that a run does not have is never made up** (`device_files.rs`).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod capacity;
mod choice;
mod device;
mod device_files;
mod rating;
mod scale;

pub use choice::are_random_reads;
pub use device::{DeviceKind, ReferenceDevice, devices};
pub use device_files::{ceph_mclock, io_cost, io_properties};
pub use rating::{Rating, RatingOutcome, ratings};
pub use scale::{Grade, Limits, Question, Reference, Source};
