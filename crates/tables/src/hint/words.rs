//! A text in small letters and English words, and cut into its words.

use crate::language::english;

/// The words of a text.
pub(super) struct Words {
    plain: String,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        Self { plain: english(text).trim().to_lowercase().replace(" = ", "=") }
    }

    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    /// One by one; `=`, `_` and `/` are parts of words.
    pub(super) fn list(&self) -> Vec<&str> {
        let words = self.plain.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '=' | '/')));
        words.filter(|word| !word.is_empty()).collect()
    }
}
