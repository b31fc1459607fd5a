//! Tables that others published: readers, and the checks that say which numbers can be believed.
//!
//! A reader turns what was published into a [`Table`]; [`audit`] judges it. All of it is pure: bytes in, sentences out.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod audit;
mod cell;
mod checks;
mod latency;
mod mapping;
mod read;
mod role;
mod table;

pub use audit::{Belief, NumberReport, Report, RowReport, audit};
pub use latency::{Latency, Percentile};
pub use mapping::Mapping;
pub use read::{BYTES_MAX, LINES_MAX, ROWS_MAX, ReadError, csv, fio_json, read, run};
pub use role::role_help;
pub use table::{
    Arrivals, Cache, Direction, Estimate, Kind, Number, Row, Setting, Spread, SpreadKind, Table,
};
