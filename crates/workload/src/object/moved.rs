//! What a client moved.

use model::Nanos;

/// Bytes and names that operations moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Names of lists.
    pub names: u64,
    /// Time in operations that read: between two of them a client of files checks and makes bytes.
    pub reading: Nanos,
    /// Time in operations that write.
    pub writing: Nanos,
}

impl Moved {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            read_bytes: self.read_bytes + other.read_bytes,
            written_bytes: self.written_bytes + other.written_bytes,
            names: self.names + other.names,
            reading: self.reading + other.reading,
            writing: self.writing + other.writing,
        }
    }

    /// Bytes in both directions.
    pub fn bytes(self) -> u64 {
        self.read_bytes + self.written_bytes
    }
}
