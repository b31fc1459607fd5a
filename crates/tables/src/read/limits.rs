//! How much is read of a file that anybody may have written.

use super::error::ReadError;

/// Largest file that is read, bytes.
pub const BYTES_MAX: usize = 256 << 20;
/// Largest page that is searched for tables and outputs of programs, bytes.
pub(super) const PAGE_BYTES_MAX: usize = 16 << 20;
/// Most lines of a CSV file.
pub const LINES_MAX: usize = 1_000_000;
/// Most rows of a table: a page that is read by people has hundreds.
pub const ROWS_MAX: usize = 100_000;
/// Most columns.
pub(super) const COLUMNS_MAX: usize = 1024;
/// Longest name of a column, bytes.
pub(super) const NAME_MAX: usize = 128;
/// Most cells that are kept: it bounds memory at some hundreds of MiB, whatever the file holds.
pub(super) const CELLS_MAX: usize = 1_000_000;
/// Longest line of a program's output or of a command, bytes. Options and names of such a line are part of many rows.
pub(super) const LINE_BYTES_MAX: usize = 8 << 10;
/// Longest field, bytes.
pub(super) const FIELD_MAX: usize = 4096;

/// How many cells of a page may still be kept.
pub(super) struct Room {
    cells: usize,
    is_exceeded: bool,
}

impl Default for Room {
    fn default() -> Self {
        Self { cells: CELLS_MAX, is_exceeded: false }
    }
}

impl Room {
    /// Takes room for this number of cells. It returns `false` if there is not enough, and from then on.
    pub(super) fn take(&mut self, cells: usize) -> bool {
        match self.cells.checked_sub(cells).filter(|_| !self.is_exceeded) {
            Some(left) => self.cells = left,
            None => self.is_exceeded = true,
        }
        !self.is_exceeded
    }

    /// Refuses a page that had more cells than are kept.
    pub(super) fn check(&self, source: &str) -> Result<(), ReadError> {
        if self.is_exceeded {
            return Err(ReadError::whole(source, format!("more than {CELLS_MAX} cells: audit a part of it")));
        }
        Ok(())
    }
}

/// Refuses what is too large to be read.
pub(super) fn check_size(source: &str, bytes: &[u8]) -> Result<(), ReadError> {
    if bytes.is_empty() {
        return Err(ReadError::whole(source, "the file is empty"));
    }
    if bytes.len() > BYTES_MAX {
        return Err(ReadError::whole(
            source,
            format!("larger than {} MiB: give a part of it", BYTES_MAX >> 20),
        ));
    }
    Ok(())
}
