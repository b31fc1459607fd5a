//! What has no equal here.

/// A sentence about a line, before the file's name is put to it.
pub(super) struct Refusal {
    pub(super) line: usize,
    pub(super) what: String,
}

pub(super) type Answer<T> = Result<T, Refusal>;
