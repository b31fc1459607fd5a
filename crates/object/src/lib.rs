//! Datasets that are read whole, file by file: a local directory in every I/O mode, and S3.
//!
//! A [`Dataset`] lists, reads, and writes what a trial needs; its [`Readers`] make the [`driver::Backend`]s that a scan is
//! measured on. What a user names is only read. What Syncline writes goes where its own marker is, and nothing else is
//! ever removed.

#[cfg(feature = "object-store")]
pub mod bucket;
mod buffers;
mod content;
mod dataset;
pub mod directory;
mod error;
mod null;
mod target;

pub use buffers::Buffers;
pub use content::Content;
pub use dataset::{Dataset, Object, Readers, Reading};
pub use error::{ObjectError, ReadFailed};
pub use null::Null;
pub use target::Target;
