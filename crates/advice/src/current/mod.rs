//! An advice against what is set now: what to change, what to leave, what cannot be said.
//!
//! Files are text here: which file an include means, and what stands in it, the caller tells.

mod entry;
mod include;
mod mysql_options;
mod postgresql_conf;
mod review;
mod rocksdb_options;
mod sqlite_pragmas;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

pub use entry::{Entry, Include, Place, Unreadable};
pub use include::{Fetch, Included, read_with_includes};
pub use review::{Change, Kept, Review, Trade, Unadvised, UnknownSetting, review};
pub use syntax::syntax_of;

use crate::setting::Syntax;

/// The settings of a file that takes in no other, in its order; of one that is set twice the database takes the last.
///
/// # Errors
/// [`Unreadable`] with the line, where the database would refuse the file or where it takes in another one.
pub fn read(syntax: Syntax, text: &str) -> Result<Vec<Entry>, Unreadable> {
    read_with_includes(syntax, text, &mut |_, _| Err("it takes in another file".to_owned()))
}
