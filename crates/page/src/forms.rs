//! The forms of a document that have a part of it.

/// The forms that have a part of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forms {
    #[default]
    All,
    /// HTML and Markdown: a terminal shows less.
    Pages,
    /// HTML: what would be too long for a page to publish, and can be folded there.
    Html,
}
