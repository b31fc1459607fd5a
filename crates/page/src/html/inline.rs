//! Text and badges in HTML.

use crate::text::{Badge, Span, Text, Tone};
use crate::unbreakable::joined;
use maud::{Markup, PreEscaped, html as markup};
use model::printable;

/// A thin space that does not break; the other one does in a browser.
const THIN_SPACE: &str = "\u{202f}";

pub fn badge(Badge { tone, symbol, word }: &Badge) -> Markup {
    sign(*tone, symbol, word)
}

/// A symbol and words in a tone, never a colour alone.
pub fn sign(tone: Tone, symbol: &str, words: &str) -> Markup {
    let class = match tone {
        Tone::Good => "pass",
        Tone::Warn => "warn",
        Tone::Bad => "fail",
        Tone::Faint => "unknown",
        Tone::Plain | Tone::Strong => "accent",
    };
    markup! {
        span class={ "badge " (class) } { span.symbol aria-hidden="true" { (symbol) } " " (shown(words)) }
    }
}

pub(super) fn spans(text: &Text) -> Markup {
    let span = |span: &Span| match span {
        Span::Plain(text) => markup! { (shown(text)) },
        Span::Strong(text) => markup! { strong { (shown(text)) } },
        Span::Code(text) => markup! { code { (shown(text)) } },
        Span::Hinted { text, hint } => markup! { abbr title=(shown(hint)) { (shown(text)) } },
        Span::Link { text, target } => markup! { a href=(printable(target)) { (shown(text)) } },
    };
    PreEscaped(text.spans().iter().map(|it| span(it).into_string()).collect())
}

/// Text without characters that reorder a line, and without breaks inside of its numbers. Markup in it is escaped where
/// it is written.
pub fn shown(text: &str) -> String {
    joined(&printable(text)).replace('\u{2009}', THIN_SPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_numbers_stay_whole() {
        let text = Text::from("<b> 9\u{2009}375 µs\u{202e}")
            .strong("a&b")
            .and(Span::Link { text: "x".to_owned(), target: "\"><script>".to_owned() });
        let expected = "&lt;b&gt; 9\u{202f}375\u{a0}µs\\u{202e}<strong>a&amp;b</strong>\
                        <a href=\"&quot;&gt;&lt;script&gt;\">x</a>";
        assert_eq!(spans(&text).into_string(), expected);
    }
}
