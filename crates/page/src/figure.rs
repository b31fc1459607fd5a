//! Drawings.

use crate::text::Text;
use maud::PreEscaped;
use model::printable_lines;

/// A drawing, as HTML or SVG that its maker has escaped. It names its content for readers that do not see it.
#[derive(Clone, Debug)]
pub struct Figure {
    pub(crate) markup: PreEscaped<String>,
    /// What the drawing shows, for forms without drawings; `None` if the text beside it has the same content.
    pub(crate) alternative: Option<Text>,
    /// How to read the drawing.
    pub(crate) caption: Option<Text>,
}

impl Figure {
    /// A drawing beside text of the same content.
    pub fn beside_text(markup: &PreEscaped<String>) -> Self {
        let markup = PreEscaped(printable_lines(&markup.0).into_owned());
        Self { markup, alternative: None, caption: None }
    }

    /// The drawing with words for the forms that have no drawings.
    #[must_use]
    pub fn with_alternative(self, alternative: impl Into<Text>) -> Self {
        Self { alternative: Some(alternative.into()), ..self }
    }

    /// The drawing with words on how to read it.
    #[must_use]
    pub fn with_caption(self, caption: impl Into<Text>) -> Self {
        Self { caption: Some(caption.into()), ..self }
    }
}
