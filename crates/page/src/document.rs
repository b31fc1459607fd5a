//! A document and its sections.

use crate::block::Block;
use crate::forms::Forms;
use crate::text::Text;

/// A result, ready to be rendered.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What it is about.
    pub title: Text,
    /// The paragraphs below the title.
    pub lead: Vec<Text>,
    /// What it comes to, before the sections that it follows from.
    pub conclusion: Vec<Section>,
    /// The conclusion in a sentence, for the last line of a terminal.
    pub closing: Option<Text>,
    /// What the contents call its chapters, which are the sections with a kicker.
    pub chapters: Text,
    pub sections: Vec<Section>,
    /// The program that made it.
    pub footer: Text,
    /// Where the parts are that a terminal leaves out.
    pub elsewhere: Option<Text>,
}

#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its place on a page, without `#`.
    pub anchor: String,
    /// The line above its heading, if it is a chapter of its own.
    pub kicker: Option<Text>,
    /// What it is about.
    pub heading: Text,
    /// Its name in the contents, if that is not its heading.
    pub short: Option<Text>,
    pub blocks: Vec<Block>,
    pub sections: Vec<Self>,
    /// What a page shows of it while it is folded; `None` if it is not folded there. Only parts of a section are
    /// folded.
    pub folded: Option<Text>,
    /// The forms that have it.
    pub forms: Forms,
}

impl Section {
    pub fn new(anchor: impl Into<String>, heading: impl Into<Text>, blocks: Vec<Block>) -> Self {
        Self { anchor: anchor.into(), heading: heading.into(), blocks, ..Self::default() }
    }

    /// The section for a page only: a terminal leaves it out.
    #[must_use]
    pub fn on_a_page(self) -> Self {
        self.only(Forms::Pages)
    }

    /// The section for these forms.
    #[must_use]
    pub fn only(self, forms: Forms) -> Self {
        Self { forms, ..self }
    }

    /// The section folded on a page, behind its heading and these words on what is in it.
    #[must_use]
    pub fn folded(self, hint: impl Into<Text>) -> Self {
        Self { folded: Some(hint.into()), ..self }
    }

    /// The section with its parts.
    #[must_use]
    pub fn with_sections(self, sections: Vec<Self>) -> Self {
        Self { sections, ..self }
    }

    /// The section as a chapter, with the line above its heading.
    #[must_use]
    pub fn with_kicker(self, kicker: impl Into<Text>) -> Self {
        Self { kicker: Some(kicker.into()), ..self }
    }

    /// The section with another name in the contents.
    #[must_use]
    pub fn with_short(self, short: impl Into<Text>) -> Self {
        Self { short: Some(short.into()), ..self }
    }
}
