//! Text with spans, and badges.

/// The meaning of a badge or a label. A colour only repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// No special meaning.
    Plain,
    /// To be seen first.
    Strong,
    /// A good result.
    Good,
    /// Must be read with care.
    Warn,
    /// Must not be believed, or is worse.
    Bad,
    /// Secondary, or unknown.
    Faint,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Plain text.
    Plain(String),
    /// Emphasised.
    Strong(String),
    /// As it is typed: a command, a setting.
    Code(String),
    /// Text with more for a reader who points at it on a page.
    Hinted { text: String, hint: String },
    /// Text that leads to a place: `#machine` on the page itself, or a file beside it.
    Link {
        text: String,
        /// Where it leads to.
        target: String,
    },
}

impl Span {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Plain(text)
            | Self::Strong(text)
            | Self::Code(text)
            | Self::Hinted { text, hint: _ }
            | Self::Link { text, target: _ } => text,
        }
    }
}

/// A line or a paragraph. Spans follow each other without a space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Span>);

impl Text {
    /// Nothing.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// The spans, in order.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Whether there is nothing to print.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.as_str().is_empty())
    }

    #[must_use]
    pub fn and(mut self, span: Span) -> Self {
        self.0.push(span);
        self
    }

    #[must_use]
    pub fn plain(self, text: impl Into<String>) -> Self {
        self.and(Span::Plain(text.into()))
    }

    #[must_use]
    pub fn strong(self, text: impl Into<String>) -> Self {
        self.and(Span::Strong(text.into()))
    }

    /// Adds text as it is typed.
    #[must_use]
    pub fn code(self, text: impl Into<String>) -> Self {
        self.and(Span::Code(text.into()))
    }

    /// The text without its spans.
    pub fn words(&self) -> String {
        self.0.iter().map(Span::as_str).collect()
    }
}

impl From<Span> for Text {
    fn from(span: Span) -> Self {
        Self(vec![span])
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Span::Plain(text).into()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A word or two with a tone: an outcome, a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    pub tone: Tone,
    /// A sign before the word on a page.
    pub symbol: &'static str,
    pub word: &'static str,
}

impl Badge {
    /// A badge with the sign of its tone.
    pub const fn new(tone: Tone, word: &'static str) -> Self {
        let symbol = match tone {
            Tone::Plain | Tone::Strong => "=",
            Tone::Good => "✓",
            Tone::Warn => "!",
            Tone::Bad => "✕",
            Tone::Faint => "?",
        };
        Self { tone, symbol, word }
    }

    /// The same with another sign.
    #[must_use]
    pub const fn with_symbol(self, symbol: &'static str) -> Self {
        Self { symbol, ..self }
    }
}
