//! A disk that forgets: a block device in memory that loses, at a cut, what was not flushed.

mod cut;
mod image;
mod pages;

pub use cut::{Cut, Torn};
pub use image::{Image, PastTheEnd, Snapshot};
