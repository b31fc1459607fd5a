//! What is promised of every error.

/// What an error says to its reader.
#[track_caller]
pub(super) fn says_something(error: impl std::fmt::Display) {
    assert!(!error.to_string().trim().is_empty(), "an error without words");
}
