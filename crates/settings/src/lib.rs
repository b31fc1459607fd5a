//! Settings files of databases: their syntax, their readers, and their one writer.
//!
//! Files are text here; the caller resolves an include and supplies its content. A name is not judged: `advice` knows
//! which settings a version has.
//!
//! - **A reader refuses what its database would refuse**, with the line ([`Unreadable`]).
//! - **Text from outside cannot end its comment or its value** ([`Writer`]).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod entry;
mod etcd_environment;
mod include;
mod mysql_options;
mod postgresql_conf;
mod rocksdb_options;
mod said_version;
mod sqlite_pragmas;
mod syntax;
#[cfg(test)]
mod tests;
mod version;
mod writer;

pub use entry::{Entry, Include, Place, Unreadable};
pub use include::{Fetch, Included, read_with_includes};
pub use said_version::{data_directory, version_in_path, version_said};
pub use syntax::{Syntax, syntaxes_of};
pub use version::{NotAVersion, Release, Version, Versions};
pub use writer::Writer;

/// The settings of a file without includes, in order. If a setting occurs twice, the database uses the last.
///
/// # Errors
/// [`Unreadable`] with the line, if the database would refuse the file or if it includes another one.
pub fn read(syntax: Syntax, text: &str) -> Result<Vec<Entry>, Unreadable> {
    read_with_includes(syntax, text, &mut |_, _| Err("it is in another file".to_owned()))
}
