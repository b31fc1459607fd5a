//! Where the time of operations went: a bar of segments for the mean operation, and one for the slowest. The text below
//! has the same content.

use maud::{Markup, html as markup};
use model::figure::elapsed;
use model::printable;
use model::traced::Stage;
use page::Figure;
use verdict::explanation::{ExplainedArm, ExplainedFamily, Explanation, Part, Shares};

const CAPTION: &str = "Each bar is the time of one operation, from its beginning to its end. The bars of a pair have one \
    scale each: the first is the mean operation, the second the mean of the slowest 1 %. Hatched: spent on the file \
    system's journal or other metadata.";

/// Width of a bar in its own units.
const WIDTH: f64 = 640.0;
const BAR: f64 = 22.0;
/// A pair of bars with its words.
const PAIR: f64 = 112.0;
const LEGEND_LINE: f64 = 18.0;
const LEGEND_COLUMNS: usize = 3;
/// A title has this size, or a smaller one that it fits into the width with.
const TITLE_SIZE: f64 = 12.0;
const TITLE_SIZE_MIN: f64 = 6.0;
/// Width of a bold letter of size 1.
const TITLE_ASPECT: f64 = 0.66;
/// A segment narrower than this has no room for its share.
const LABEL_WIDTH_MIN: f64 = 36.0;

/// Draws the arms of a study below each other.
pub(crate) fn draw(explanation: &Explanation) -> Option<Figure> {
    let pairs: Vec<(&ExplainedArm, &ExplainedFamily)> = explanation
        .arms
        .iter()
        .flat_map(|arm| arm.families.iter().map(move |family| (arm, family)))
        .collect();
    if pairs.is_empty() {
        return None;
    }
    let stages: Vec<Stage> = Stage::ALL.into_iter().filter(|stage| has(&pairs, *stage)).collect();
    let legend = LEGEND_LINE * stages.len().div_ceil(LEGEND_COLUMNS) as f64;
    let height = legend + 10.0 + PAIR * pairs.len() as f64;
    let label = format!("Where the time of {} went", explanation.study);
    let hatch = format!("journal-{}", explanation.study);
    Some(
        Figure::beside_text(&markup! {
            svg.waterfall viewBox={ "0 0 " (WIDTH) " " (height) } style="width: 100%; max-width: 52rem" role="img"
                aria-label=(printable(&label)) {
                defs {
                    pattern id=(hatch) width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                        line x1="0" y1="0" x2="0" y2="6" stroke="var(--paper)" stroke-width="2" {}
                    }
                }
                @for (place, stage) in stages.iter().enumerate() {
                    @let (column, line) = (place % LEGEND_COLUMNS, place / LEGEND_COLUMNS);
                    @let x = column as f64 * WIDTH / LEGEND_COLUMNS as f64;
                    @let y = line as f64 * LEGEND_LINE;
                    @let (fill, opacity) = colour(*stage);
                    rect x=(number(x)) y=(number(y + 3.0)) width="11" height="11" fill=(fill) fill-opacity=(opacity) {}
                    text x=(number(x + 16.0)) y=(number(y + 13.0)) font-size="11" fill="var(--ink)" { (stage.name()) }
                }
                @for (place, (arm, family)) in pairs.iter().enumerate() {
                    (pair(arm, family, legend + 10.0 + place as f64 * PAIR, &hatch))
                }
            }
        })
        .with_caption(CAPTION),
    )
}

fn has(pairs: &[(&ExplainedArm, &ExplainedFamily)], stage: Stage) -> bool {
    let parts = pairs.iter().flat_map(|(_, family)| family.all.parts.iter().chain(&family.slowest.parts));
    parts.into_iter().any(|part| part.segment.stage == stage)
}

fn pair(arm: &ExplainedArm, family: &ExplainedFamily, top: f64, hatch: &str) -> Markup {
    let title = if arm.label.is_empty() {
        family.operation()
    } else {
        format!("{} · {}", family.operation(), arm.label)
    };
    let size = (WIDTH / (title.chars().count() as f64 * TITLE_ASPECT)).clamp(TITLE_SIZE_MIN, TITLE_SIZE);
    let slowest = format!("slowest 1 % ({} of {})", family.slowest.operations, family.all.operations);
    markup! {
        text x="0" y=(number(top + 12.0)) font-size=(number(size)) font-weight="600" fill="var(--ink)" { (printable(&title)) }
        (bar(&format!("mean of {}", family.all.operations), &family.all, top + 18.0, hatch))
        (bar(&slowest, &family.slowest, top + 18.0 + BAR + 22.0, hatch))
    }
}

/// The segments in the order in which an operation passes them.
fn bar(name: &str, shares: &Shares, top: f64, hatch: &str) -> Markup {
    let mut parts: Vec<&Part> = shares.parts.iter().collect();
    parts.sort_by_key(|part| part.segment);
    let mut from = 0.0;
    let placed: Vec<(f64, f64, &Part)> = parts
        .into_iter()
        .map(|part| {
            let (x, width) = (from, part.share * WIDTH);
            from += width;
            (x, width, part)
        })
        .collect();
    markup! {
        @for (x, width, part) in placed {
            g {
                title { (said(part)) }
                @let (fill, opacity) = colour(part.segment.stage);
                rect x=(number(x)) y=(number(top)) width=(number(width)) height=(number(BAR)) fill=(fill) fill-opacity=(opacity) {}
                @if part.segment.journal {
                    rect x=(number(x)) y=(number(top)) width=(number(width)) height=(number(BAR)) fill={ "url(#" (hatch) ")" } {}
                }
                @if width >= LABEL_WIDTH_MIN {
                    text x=(number(x + width / 2.0)) y=(number(top + 15.0)) font-size="11" text-anchor="middle"
                        fill=(ink(part.segment.stage)) font-weight="600" { (format!("{:.0} %", part.share * 100.0)) }
                }
            }
        }
        text x="0" y=(number(top + BAR + 11.0)) font-size="11" fill="var(--quiet)" {
            (name) ": " (elapsed(shares.traced_mean_us)) " each"
        }
    }
}

fn said(part: &Part) -> String {
    let Part { segment, mean_us, share, .. } = part;
    format!("{}: {:.1} %, {}", segment.name(), share * 100.0, elapsed(*mean_us))
}

fn number(value: f64) -> String {
    format!("{value:.1}")
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
    use model::traced::Segment;
    use std::collections::BTreeSet;

    fn part(stage: Stage, share: f64) -> Part {
        let segment = Segment { stage, journal: stage == Stage::Device };
        Part { segment, mean_us: share * 100.0, share, share_min: share, share_max: share }
    }

    fn shares(parts: Vec<Part>) -> Shares {
        Shares { operations: 500, traced_mean_us: 100.0, foreign_requests_per_operation: 0.0, parts }
    }

    #[test]
    fn every_stage_looks_different() {
        let looks: BTreeSet<_> = Stage::ALL.into_iter().map(colour).collect();
        assert_eq!(looks.len(), Stage::ALL.len());
    }

    #[test]
    fn a_bar_is_as_wide_as_its_operation_is_long() {
        let parts = [(Stage::RunQueue, 0.5), (Stage::Device, 0.3), (Stage::Program, 0.2)];
        let shares = shares(parts.map(|(stage, share)| part(stage, share)).to_vec());
        let drawn = bar("mean", &shares, 0.0, "hatch").into_string();
        let plain = drawn.split("<rect ").skip(1).filter(|rect| !rect.contains("url(#hatch)"));
        let number = |rect: &str, name: &str| -> f64 {
            let (_, rest) = rect.split_once(&format!(" {name}=\"")).unwrap();
            rest.split_once('"').unwrap().0.parse().unwrap()
        };
        let placed: Vec<(f64, f64)> = plain
            .map(|rect| format!(" {rect}"))
            .map(|rect| (number(&rect, "x"), number(&rect, "width")))
            .collect();
        assert_eq!(placed, [(0.0, 128.0), (128.0, 192.0), (320.0, 320.0)], "in the order of an operation");
        assert_eq!(drawn.matches("url(#hatch)").count(), 1);
    }

    #[test]
    fn nothing_is_drawn_of_a_study_without_operations() {
        let explanation = Explanation { study: "commit".to_owned(), unsupported: None, arms: Vec::new() };
        assert!(draw(&explanation).is_none());
    }
}
