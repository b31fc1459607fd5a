//! A page as lines, for a snapshot whose difference shows what changed: an element a line, a table's row a line,
//! drawings by their names.

use scraper::{ElementRef, Html, Node, Selector};

/// The text of each element that a selector finds.
pub(crate) fn texts(page: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).unwrap();
    page.select(&selector).map(|found| found.text().collect()).collect()
}

/// The paragraph of a text that begins like this, without marks and on one line: a terminal breaks it.
pub(crate) fn paragraph(text: &str, beginning: &str) -> Option<String> {
    let plain = text.lines().map(|line| line.trim().replace(['\\', '*'], ""));
    let mut lines = plain.skip_while(|line| !line.starts_with(beginning));
    let mut paragraph = lines.next()?;
    while !paragraph.ends_with('.') {
        paragraph = format!("{paragraph} {}", lines.next()?);
    }
    Some(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The contents and the text of a page.
pub(crate) fn outline(page: &str) -> String {
    outline_of(page, "nav, .text")
}

/// The parts of a page that a selector finds.
pub(crate) fn outline_of(page: &str, parts: &str) -> String {
    let page = Html::parse_document(page);
    let mut lines = Vec::new();
    for part in page.select(&Selector::parse(parts).unwrap()) {
        element(part, 0, &mut lines);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn element(found: ElementRef<'_>, depth: usize, lines: &mut Vec<String>) {
    let name = found.value().name();
    if name == "svg" {
        return;
    }
    let before = format!("{}{name}{}:", "  ".repeat(depth), marks(found));
    if name == "tr" {
        let cells: Vec<String> = found.child_elements().map(cell).collect();
        lines.push(format!("{before} {}", cells.join(" | ")));
    } else if found.descendent_elements().skip(1).all(|below| is_inline(&below)) {
        lines.push(format!("{before} {}", words(found)));
    } else {
        lines.push(before);
        for child in found.children() {
            match (ElementRef::wrap(child), child.value()) {
                (Some(child), _) => element(child, depth + 1, lines),
                (None, Node::Text(text)) if !text.trim().is_empty() => {
                    lines.push(format!("{}{}", "  ".repeat(depth + 1), text.trim()));
                }
                (None, _) => {}
            }
        }
    }
}

fn cell(cell: ElementRef<'_>) -> String {
    format!("{}{}", words(cell), marks(cell))
}

/// The element's classes, id and other attributes that carry a meaning.
fn marks(found: ElementRef<'_>) -> String {
    let classes: String = found.value().classes().flat_map(|class| [".", class]).collect();
    let shown = ["id", "href", "aria-labelledby", "aria-label", "data-value", "title"];
    let shown = shown.iter().filter_map(|name| Some(format!(" {name}={:?}", found.value().attr(name)?)));
    classes + &shown.collect::<Vec<_>>().concat()
}

fn words(found: ElementRef<'_>) -> String {
    let text = found.text().collect::<String>();
    text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn is_inline(element: &ElementRef<'_>) -> bool {
    matches!(element.value().name(), "a" | "b" | "strong" | "code" | "span")
}
