//! What a job has read or written.

/// What a job moved in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) operations: u64,
    /// Bytes, and those of them that a rate counts; both are counted only if operations may differ in their bytes.
    pub(super) bytes: u64,
    pub(super) bytes_completed: u64,
}

impl Moved {
    /// Adds the bytes of an operation.
    #[inline]
    pub(super) fn add_bytes(&mut self, bytes: u32, is_counted: bool) {
        self.bytes += u64::from(bytes);
        self.bytes_completed += if is_counted { u64::from(bytes) } else { 0 };
    }

    /// Together with another job.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            operations: self.operations + other.operations,
            bytes: self.bytes + other.bytes,
            bytes_completed: self.bytes_completed + other.bytes_completed,
        }
    }
}
