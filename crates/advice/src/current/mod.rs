//! Compares an advice with the current settings: what to change, what to keep, and what cannot be judged.
//!
//! Files are text here; the caller resolves an include and supplies its content.

mod document;
mod entry;
mod include;
mod mysql_options;
mod names;
mod postgresql_conf;
mod review;
mod rocksdb_options;
mod said_version;
mod sqlite_pragmas;
mod syntax;
#[cfg(test)]
mod tests;

pub use entry::{Entry, Include, Place, Unreadable};
pub use include::{Fetch, Included, read_with_includes};
pub use names::{Lacking, UnknownSetting};
pub use review::{Change, Hazardous, Kept, Review, Trade, Unadvised, against, review};
pub use said_version::{data_directory, version_in_path, version_said};
pub use syntax::syntax_of;

use crate::setting::Syntax;

/// The settings of a file without includes, in order. If a setting occurs twice, the database uses the last.
///
/// # Errors
/// [`Unreadable`] with the line, if the database would refuse the file or if it includes another one.
pub fn read(syntax: Syntax, text: &str) -> Result<Vec<Entry>, Unreadable> {
    read_with_includes(syntax, text, &mut |_, _| Err("it is in another file".to_owned()))
}
