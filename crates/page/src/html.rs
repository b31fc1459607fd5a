//! A document as the text of an HTML page. The page around it, its style sheet and its scripts belong to the caller;
//! the classes are those of that style sheet.

mod table;

use crate::block::{Answer, Block, Details, Figure, Item, List, Role};
use crate::document::{Document, Section};
use crate::text::{Badge, Span, Text, Tone};
use crate::unbreakable::joined;
use maud::{Markup, PreEscaped, html as markup};
use model::printable;

/// A thin space that does not break; the other one does in a browser.
const THIN_SPACE: &str = "\u{202f}";

/// Title, text and end of a page: what a reader scrolls through.
pub fn text_of(document: &Document) -> Markup {
    markup! {
        header.page {
            h1 { (spans(&document.title)) }
            @for lead in &document.lead { p.lead { (spans(lead)) } }
        }
        main #main { (sections(&document.conclusion)) (sections(&document.sections)) }
        @if !document.footer.is_empty() { footer { p { (spans(&document.footer)) } } }
    }
}

/// The contents: beside the text, or folded into a menu at the top of a narrow page. Chapters and the parts of a
/// section have a heading.
pub fn contents(document: &Document) -> Markup {
    let sections: Vec<&Section> = document.conclusion.iter().chain(&document.sections).collect();
    let has_parts = |section: &Section| !section.sections.is_empty() && !is_chapter(section);
    let is_one_group = |one: &&Section, other: &&Section| {
        !has_parts(one) && !has_parts(other) && is_chapter(one) == is_chapter(other)
    };
    markup! {
        @for (place, group) in sections.chunk_by(is_one_group).enumerate() {
            @match group {
                [whole] if has_parts(whole) => {
                    p.label { (spans(name(whole))) }
                    (entries(whole.sections.iter()))
                }
                [first, ..] if is_chapter(first) => {
                    p.label { (spans(&document.chapters)) }
                    (entries(group.iter().copied()))
                }
                _ => {
                    @if place > 0 { hr; }
                    (entries(group.iter().copied()))
                }
            }
        }
    }
}

fn is_chapter(section: &Section) -> bool {
    section.kicker.is_some()
}

fn name(section: &Section) -> &Text {
    section.short.as_ref().unwrap_or(&section.heading)
}

fn entries<'a>(sections: impl Iterator<Item = &'a Section>) -> Markup {
    markup! {
        ul { @for section in sections { li { a href={ "#" (section.anchor) } { (spans(name(section))) } } } }
    }
}

/// Renders sections that stand among other ones.
pub fn sections(sections: &[Section]) -> Markup {
    markup! {
        @for found in sections {
            @let title = format!("title-{}", found.anchor);
            section.study[is_chapter(found)].answers[has_answers(found)] id=(found.anchor) aria-labelledby=(title) {
                @if let Some(kicker) = &found.kicker {
                    p.kicker { (spans(kicker)) " · " a href="#contents" { "contents" } }
                }
                h2 id=(title) { (spans(&found.heading)) }
                (blocks(&found.blocks))
                @for part in &found.sections { (self::part(part)) }
            }
        }
    }
}

fn has_answers(section: &Section) -> bool {
    section.blocks.iter().any(|block| matches!(block, Block::Answers(_)))
}

fn part(part: &Section) -> Markup {
    markup! {
        h3 id=[Some(&part.anchor).filter(|anchor| !anchor.is_empty())] { (spans(&part.heading)) }
        (blocks(&part.blocks))
    }
}

fn blocks(blocks: &[Block]) -> Markup {
    markup! { @for block in blocks { (self::block(block)) } }
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Paragraph(Role::Plain, text) => markup! { p { (spans(text)) } },
        Block::Paragraph(Role::Note, text) => markup! { p.note { (spans(text)) } },
        Block::Paragraph(Role::Remark, text) => markup! { p.remark { (spans(text)) } },
        Block::List(list) => self::list(list),
        Block::Facts(facts) => markup! {
            dl.facts { @for (name, value) in facts { div.wide { dt { (spans(name)) } dd { (spans(value)) } } } }
        },
        Block::Table(table) => table::table(table),
        Block::Details(Details { summary, blocks }) => markup! {
            details { summary { (spans(summary)) } (self::blocks(blocks)) }
        },
        Block::Figure(figure) => self::figure(figure),
        Block::Answers(answers) => markup! { @for answer in answers { (self::answer(answer)) } },
    }
}

fn figure(figure: &Figure) -> Markup {
    markup! {
        (figure.markup)
        @if let Some(caption) = &figure.caption { p.caption { (spans(caption)) } }
    }
}

/// Items with badges have them in a column of their own.
fn list(list: &List) -> Markup {
    let has_badges = list.items.iter().any(|item| item.badge.is_some());
    let items = markup! {
        @for item in &list.items {
            li {
                @if has_badges {
                    @if let Some(badge) = &item.badge { (self::badge(badge)) } @else { span {} }
                    div { (content(item)) }
                } @else {
                    (content(item))
                }
            }
        }
    };
    match (list.is_numbered, has_badges) {
        (true, _) => markup! { ol { (items) } },
        (false, true) => markup! { ul.audits { (items) } },
        (false, false) => markup! { ul.lines { (items) } },
    }
}

fn content(item: &Item) -> Markup {
    let words = markup! {
        @if let Some(label) = &item.label { strong { (spans(label)) } " " }
        (spans(&item.text))
    };
    markup! {
        @if item.below.is_empty() { (words) } @else { p { (words) } (blocks(&item.below)) }
    }
}

fn answer(answer: &Answer) -> Markup {
    markup! {
        article.answer-row {
            div.number {
                @if let Some(number) = &answer.number {
                    p.point { (shown(&number.point)) }
                    p.interval { (shown(&number.interval)) }
                    p.what { (shown(&number.what)) }
                }
            }
            div.said {
                h3 {
                    a href={ "#" (answer.anchor) } { (spans(&answer.name)) }
                    @if let Some(badge) = &answer.badge { " " (self::badge(badge)) }
                }
                p { (spans(&answer.text)) }
            }
            @if let Some(figure) = &answer.figure { (self::figure(figure)) }
        }
    }
}

/// A badge.
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

fn spans(text: &Text) -> Markup {
    let span = |span: &Span| match span {
        Span::Plain(text) => markup! { (shown(text)) },
        Span::Strong(text) => markup! { strong { (shown(text)) } },
        Span::Code(text) => markup! { code { (shown(text)) } },
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
