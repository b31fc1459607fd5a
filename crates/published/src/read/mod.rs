//! Readers, one per format. Whatever bytes they are given, they answer with a table or one clear line.

mod configurations;
mod constants;
mod csv;
mod error;
mod fio;
mod limits;
mod lines;
mod long;
mod repetitions;

pub use self::csv::csv;
pub use self::error::ReadError;
pub use self::fio::fio_json;
pub use self::limits::{BYTES_MAX, LINES_MAX, ROWS_MAX};

use crate::mapping::Mapping;
use crate::table::Table;

/// What only fio's report holds.
const FIO_MARK: &[u8] = b"\"fio version\"";

/// Reads fio's JSON or a CSV table, depending on the first character.
///
/// # Errors
/// [`ReadError`]: a file too large, or what its format's reader found.
pub fn read(source: &str, bytes: &[u8], mapping: &Mapping) -> Result<Table, ReadError> {
    let first = bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    // fio prints its warnings before the JSON.
    let is_json = first == Some(b'{') || bytes.windows(FIO_MARK.len()).any(|window| window == FIO_MARK);
    if is_json {
        return fio_json(source, bytes, mapping);
    }
    csv(source, bytes, mapping)
}
