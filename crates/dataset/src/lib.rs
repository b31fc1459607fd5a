//! Datasets of files or objects that are read, written, listed and removed: a local directory, and S3.
//!
//! A [`Dataset`] lists, reads, and writes what a trial needs; its [`Readers`] create the [`driver::Backend`]s that a
//! scan measures, its [`Clients`] those that also write, list and remove objects. Those work only below a marker of
//! Syncline.
//!
//! - **A dataset that the user names is only read**: opened with `O_RDONLY`, regular files only, never through a
//!   symbolic link. Only `posix_fadvise` on these files drops their pages from the cache; other users of the files read
//!   them again.
//! - **Objects are written and deleted only below a prefix with Syncline's marker.**

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(feature = "object-store")]
pub mod bucket;
mod buffers;
mod clients;
mod content;
mod contents;
mod contract;
pub mod directory;
mod error;
mod name_room;
mod null;
mod target;

pub use buffers::Buffers;
pub use clients::{Clients, Faults, Working};
pub use content::Content;
pub use contents::Contents;
pub use contract::{Dataset, Object, Readers, Reading};
pub use error::{ObjectError, OperationFailed};
pub use null::Null;
pub use target::Target;
