//! A disk that forgets: a block device in memory that loses, at a cut, what was not flushed.

mod cut;
mod disk;
mod error;
mod file_system;
mod image;
mod pages;
mod server;

pub use crate::disk::{ForgettingDisk, unsupported};
pub use cut::{Cut, Torn};
pub use error::{ForgetError, Unsupported};
pub use file_system::Counts;
pub use image::{Image, PastTheEnd, Snapshot};
