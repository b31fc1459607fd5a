//! What an acknowledged write survives on a real database, and what that costs.
//!
//! A [`Subject`] is a server with one of its promises. [`Subject::base`] makes a database on a disk that forgets.
//! [`Subject::crash`] starts it, lets writers insert and update rows while checkpoints run, and at a random moment
//! kills the server or cuts the power. Then the server recovers, sometimes through more cuts, and every acknowledged
//! transaction is looked for ([`Crash`]).
//! A [`Series`] is the crashes of a promise; [`Recorded`] is the file where one that was stopped goes on.
//! [`tally`] counts outcomes of one promise. [`price`] measures commits of all promises in turns on the real disk. A
//! [`Report`] puts both side by side.
//!
//! - **An acknowledgement counts if the writer had it before the moment.** A transaction that was
//!   requested and not acknowledged may be there or not, as a whole.
//! - **A row is missing, old, damaged, or strange**: not there; in a version before the acknowledged one; with a text
//!   that was never its own; or one that nobody requested.
//! - **None in N is a bound, not never**: the largest true share of crashes with a loss that none in N still allows at
//!   95 % confidence (Clopper and Pearson).
//! - **Every crash has a seed.** It decides the moment, what the disk keeps and how often the power fails again. The
//!   moment falls on other requests when it is repeated, since the server's threads are not repeatable; the record has
//!   what was seen.

mod crash;
mod document;
mod error;
mod fate;
mod load;
mod price;
mod record;
mod report;
mod series;
mod subject;
mod tally;

pub use crash::{Crash, End};
pub use error::SurviveError;
pub use fate::{Fate, Loss};
pub use price::{CLIENTS, Price, PriceOf, price};
pub use record::{RecordError, Recorded, RecordedCrash, SeriesSettings};
pub use report::{Ended, Report, Standing, SubjectReport};
pub use series::Series;
pub use subject::{Base, Limits, Subject, unsupported};
pub use tally::{Tally, tally};
