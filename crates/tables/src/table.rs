//! What was published, in one form whatever it was read from.

use laws::Claim;

/// Rows that somebody published, and where they came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub source: String,
    /// Columns that were understood: the column's name and the role it plays.
    pub columns: Vec<(String, String)>,
    /// Columns that nothing was made of.
    pub unknown_columns: Vec<String>,
    /// What the reader has to say: sentences.
    pub remarks: Vec<String>,
    /// The rows, in the file's order.
    pub rows: Vec<Claim>,
    /// Figures of disks in files for a scheduler, which have laws of their own.
    pub disks: Vec<Claim>,
}
