//! A document as the text of an HTML page. The page around it, its style sheet and its scripts belong to the caller;
//! the classes are those of that style sheet.

mod block;
mod inline;

pub use inline::{badge, shown, sign};

use crate::block::Block;
use crate::document::{Document, Section};
use crate::text::Text;
use block::blocks;
use inline::spans;
use maud::{Markup, html as markup};

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
        @let id = Some(&part.anchor).filter(|anchor| !anchor.is_empty());
        @if let Some(hint) = &part.folded {
            details.part id=[id] {
                summary { h3 { (spans(&part.heading)) } @if !hint.is_empty() { span.hint { (spans(hint)) } } }
                (blocks(&part.blocks))
            }
        } @else {
            h3 id=[id] { (spans(&part.heading)) }
            (blocks(&part.blocks))
        }
    }
}
