//! Where the time of operations went, drawn: a bar of segments for the mean operation, and one for the slowest. The
//! text beside it has the same content.
//!
//! Positions are shares of the width, so that the letters have one size on a phone and on a wide screen.

use crate::figure::Figure;
use crate::html::shown;
use maud::{Markup, html as markup};
use model::figure::round_figure;
use model::metric::Unit;
use model::traced::{Segment, Stage};

const CAPTION: &str = "Each bar is the time of one operation, from its beginning to its end. The bars of a pair have one \
    scale each: the first is the mean operation, the second the mean of the slowest 1 %. Hatched: spent on the file \
    system's journal or other metadata.";

/// Height of a bar, in pixels.
const HEIGHT: u32 = 22;
/// A segment with less of the time has no room for its share, on a phone.
const LABELLED_MIN: f64 = 0.09;

/// A kind of operations: the mean one, and the slowest.
#[derive(Clone, Debug)]
pub struct Pair {
    pub title: String,
    pub bars: [Bar; 2],
}

/// The time of one operation.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is the time of, with its length: `mean of 500: 98.1 µs each`.
    pub name: String,
    pub parts: Vec<Part>,
}

/// A part of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub segment: Segment,
    /// Its share of the whole time, 0 to 1.
    pub share: f64,
    /// Its length, microseconds.
    pub mean_us: f64,
}

/// Draws pairs of bars; `None` without any. The anchor is unique on the page; the label says what the drawing shows.
pub fn draw(pairs: &[Pair], anchor: &str, label: &str) -> Option<Figure> {
    if pairs.is_empty() {
        return None;
    }
    let parts = || pairs.iter().flat_map(|pair| &pair.bars).flat_map(|bar| &bar.parts);
    let stages = Stage::ALL.into_iter().filter(|stage| parts().any(|part| part.segment.stage == *stage));
    let hatch = format!("journal-{anchor}");
    let drawn = markup! {
        div.waterfall role="img" aria-label=(shown(label)) {
            div.legend {
                @for stage in stages {
                    @let (fill, opacity) = colour(stage);
                    span.key {
                        svg width="11" height="11" { rect width="11" height="11" fill=(fill) fill-opacity=(opacity) {} }
                        (stage.name())
                    }
                }
                svg width="0" height="0" {
                    defs {
                        pattern id=(hatch) width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                            line x1="0" y1="0" x2="0" y2="6" stroke="var(--paper)" stroke-width="2" {}
                        }
                    }
                }
            }
            div.pairs {
                @for pair in pairs {
                    div {
                        p.label { (shown(&pair.title)) }
                        @for bar in &pair.bars { (self::bar(bar, &hatch)) }
                    }
                }
            }
        }
    };
    Some(Figure::beside_text(&drawn).with_caption(CAPTION))
}

/// The segments in the order in which an operation passes them.
fn bar(bar: &Bar, hatch: &str) -> Markup {
    let mut parts: Vec<&Part> = bar.parts.iter().collect();
    parts.sort_by_key(|part| part.segment);
    let mut from = 0.0;
    let placed: Vec<(f64, &Part)> = parts
        .into_iter()
        .map(|part| {
            let begin = from;
            from += part.share;
            (begin, part)
        })
        .collect();
    markup! {
        svg width="100%" height=(HEIGHT) {
            @for (begin, part) in placed {
                @let Part { segment, share, .. } = part;
                @let (fill, opacity) = colour(segment.stage);
                g {
                    title { (said(part)) }
                    rect x=(percent(begin)) width=(percent(*share)) height=(HEIGHT) fill=(fill) fill-opacity=(opacity) {}
                    @if segment.journal {
                        rect x=(percent(begin)) width=(percent(*share)) height=(HEIGHT) fill={ "url(#" (hatch) ")" } {}
                    }
                    @if *share >= LABELLED_MIN {
                        text x=(percent(begin + share / 2.0)) y="15" text-anchor="middle" fill=(ink(segment.stage)) {
                            (format!("{:.0} %", share * 100.0))
                        }
                    }
                }
            }
        }
        p.caption { (shown(&bar.name)) }
    }
}

fn said(Part { segment, share, mean_us }: &Part) -> String {
    let length = round_figure(*mean_us, Unit::Microseconds);
    format!("{}: {:.1} %, {length}", segment.name(), share * 100.0)
}

/// A share of the width.
fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// Colour and opacity: the device's transfers are blue and its flushes green, waiting for a CPU is orange, the
/// program's own work is grey and the kernel's brown.
const fn colour(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Program => ("var(--series-6)", "1"),
        Stage::FileSystem => ("var(--series-7)", "1"),
        Stage::Queue => ("var(--series-4)", "1"),
        Stage::Device => ("var(--series-0)", "1"),
        Stage::DeviceToRun => ("var(--series-0)", "0.55"),
        Stage::FlushBehindFlush => ("var(--series-2)", "0.55"),
        Stage::FlushHandOver => ("var(--series-3)", "1"),
        Stage::Flush => ("var(--series-2)", "1"),
        Stage::FlushToRun => ("var(--series-3)", "0.55"),
        Stage::Completion => ("var(--series-5)", "1"),
        Stage::RunQueue => ("var(--series-1)", "1"),
        Stage::Worker => ("var(--series-7)", "0.55"),
        Stage::OtherProgram => ("var(--series-5)", "0.55"),
        Stage::Return => ("var(--series-6)", "0.55"),
        Stage::Unknown => ("var(--line)", "1"),
    }
}

/// What can be read on it.
const fn ink(stage: Stage) -> &'static str {
    match stage {
        Stage::Unknown
        | Stage::DeviceToRun
        | Stage::FlushToRun
        | Stage::FlushBehindFlush
        | Stage::Worker
        | Stage::OtherProgram
        | Stage::Return => "var(--ink)",
        Stage::Program
        | Stage::FileSystem
        | Stage::Queue
        | Stage::Device
        | Stage::FlushHandOver
        | Stage::Flush
        | Stage::Completion
        | Stage::RunQueue => "var(--paper)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_stage_looks_different() {
        let looks: BTreeSet<_> = Stage::ALL.into_iter().map(colour).collect();
        assert_eq!(looks.len(), Stage::ALL.len());
    }

    #[test]
    fn a_bar_is_as_wide_as_its_operation_is_long() {
        let part = |(stage, share): (Stage, f64)| {
            let segment = Segment { stage, journal: stage == Stage::Device };
            Part { segment, share, mean_us: share }
        };
        let parts = [(Stage::RunQueue, 0.5), (Stage::Device, 0.3), (Stage::Program, 0.2)].map(part).to_vec();
        let drawn = bar(&Bar { name: "mean".to_owned(), parts }, "hatch").into_string();
        let plain = drawn.split("<rect ").skip(1).filter(|rect| !rect.contains("url(#hatch)"));
        let number = |rect: &str, name: &str| -> f64 {
            let (_, rest) = rect.split_once(&format!(" {name}=\"")).unwrap();
            rest.split_once("%\"").unwrap().0.parse().unwrap()
        };
        let placed: Vec<(f64, f64)> = plain
            .map(|rect| format!(" {rect}"))
            .map(|rect| (number(&rect, "x"), number(&rect, "width")))
            .collect();
        assert_eq!(placed, [(0.0, 20.0), (20.0, 30.0), (50.0, 50.0)], "in the order of an operation");
        assert_eq!(drawn.matches("url(#hatch)").count(), 1);
    }

    #[test]
    fn nothing_is_drawn_without_operations_and_names_stay_text() {
        assert!(draw(&[], "commit", "").is_none());
        let bar = || Bar { name: String::new(), parts: Vec::new() };
        let pair = Pair { title: "<script>\u{202e}".to_owned(), bars: [bar(), bar()] };
        let drawn = draw(&[pair], "commit", "\"><script>").unwrap().markup.into_string();
        assert!(!drawn.contains("<script>") && !drawn.contains('\u{202e}'), "{drawn}");
    }
}
