//! Limits that the figures of a disk have to keep, as `syncline preflight` judges a volume by them. Pure: a file of
//! limits, a run and its verdict in; rulings, an event and a document out.
//!
//! - **A limit holds for every configuration that has its metric** ([`judge`]). One configuration that breaks it breaks
//!   it, and one that cannot be judged keeps it from being kept.
//! - **A limit is kept or broken only if that is proven**: the whole interval of the mean over trials lies within the
//!   limit, or beyond it. All intervals hold together at 95 % (Bonferroni). What lies between is undecided.
//! - **A figure that rests on a failed audit is not judged**, and neither is one that requires an audit that could not
//!   be carried out.
//! - **Outcomes and their words are those of `compare`** ([`verdict::compare::LimitOutcome`]), and so is the way in
//!   which a metric is named.
//! - **The event is one line that fits a termination message** ([`Event::fitted`]).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod document;
mod event;
mod judge;
mod limit;
mod limits;

pub use document::document;
pub use event::{Event, EventLimit, EventOutcome, MESSAGE_BYTES_MAX};
pub use judge::{JudgedRow, Ruling, expected, judge, over_all, rows};
pub use limit::{Limit, Side};
pub use limits::{LIMITS_MAX, Limits, LimitsError};
