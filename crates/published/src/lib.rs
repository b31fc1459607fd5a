//! Tables that others published: readers, and the checks that decide which numbers can be believed.
//!
//! A reader turns a published result into a [`Table`]; [`audit`] judges it. A run of Syncline is not a published table: its own audits
//! judge it (`verdict`). All of it is pure: bytes in, sentences out.
//!
//! - **A published table has checks of its own.** It has no records, so each check works with the data in the table and names the
//!   data that it lacks.
//! - **A rating is good, fair or poor for one question** ([`ratings`]). Each limit is published by somebody else and names its source
//!   (`rating/scale.rs`). There is no score over several questions.
//! - **Figures of disks in files for a scheduler** ([`Disk`]) are judged by the arithmetic of their figures.
//! - **`devices.toml` holds the figures that others publish of devices**, each with its source.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod advice;
mod audit;
mod cell;
mod checks;
mod device;
mod device_file;
mod guess;
mod hint;
mod language;
mod latency;
mod mapping;
mod number;
mod rating;
mod read;
mod report;
mod role;
mod shared_text;
mod table;
mod unit;
mod unstated;

pub use audit::audit;
pub use checks::check_help;
pub use device::{DeviceKind, ReferenceDevice, devices};
pub use device_file::{Ability, Capacity, Disk, NoCapacity, capacity};
pub use latency::{Latency, Percentile};
pub use mapping::Mapping;
pub use rating::{Grade, Limits, Outcome, Question, Rating, Reference, Source, are_random_reads, ratings};
pub use read::{BYTES_MAX, LINES_MAX, ROWS_MAX, ReadError, csv, fio_json, read};
pub use report::{Applied, Belief, NumberReport, Report, RowReport};
pub use role::role_help;
pub use shared_text::SharedText;
pub use table::{
    Arrivals, Cache, Direction, Estimate, Kind, Median, Number, Row, Setting, Spread, SpreadKind, Sync,
    System, Table, Timed,
};
