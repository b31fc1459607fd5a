//! Where the time of operations went, as sections of a document.

use super::sentence::{self, percent};
use crate::explained::{ExplainedArm, ExplainedFamily, Explanation, Part, Shares};
use model::figure::{count, elapsed};
use model::traced::{Segment, Stage};
use page::{Block, Cell, Column, Details, Figure, Item, List, Role, Section, Table, Text};

/// Configurations whose sentences a terminal prints.
const SHOWN_MAX: usize = 6;
/// A page names a step of the slowest operation if it took this share of the time.
const STEP_MIN: f64 = 0.01;

/// Draws the arms of a study; `None` for a form without drawings.
pub type Draw<'a> = &'a dyn Fn(&Explanation) -> Option<Figure>;

/// A section for each study with traced trials.
pub fn sections(found: &[Explanation], draw: Draw<'_>) -> Vec<Section> {
    let traced = found.iter().filter(|explanation| !explanation.arms.is_empty());
    let mut sections: Vec<Section> = traced.map(|explanation| section(explanation, draw)).collect();
    // One reason is enough: it is that of the machine.
    if let Some(why) = found.iter().find_map(|explanation| explanation.unsupported.as_ref()) {
        let blocks = vec![Block::remark(format!("Not traced: {why}"))];
        sections.push(Section::new("trace", "Where the time went", blocks).with_kicker("Traced trials"));
    }
    sections
}

fn section(explanation: &Explanation, draw: Draw<'_>) -> Section {
    let trials = explanation.arms.iter().map(|arm| arm.trials).sum::<usize>();
    let lead = format!(
        "Source: {}, run after all others while the kernel's tracepoints were recorded. A trace costs time, so no other \
         figure of this report comes from traced trials. The segments of an operation sum to its latency.",
        count(trials, "traced trial")
    );
    let mut blocks = vec![Block::note(lead)];
    let items: Vec<Item> = explanation.arms.iter().map(item).collect();
    blocks.extend(Block::first(items, SHOWN_MAX, |others| format!("{others} more configurations")));
    blocks.extend(draw(explanation).map(Block::Figure));
    let families =
        explanation.arms.iter().flat_map(|arm| arm.families.iter().map(move |family| (arm, family)));
    let tables = families.flat_map(|(arm, family)| {
        let name = named(arm, family);
        let heading = Block::Paragraph(Role::Plain, Text::default().strong(name.clone()));
        [heading, Block::Table(table(&name, family)), slowest_operation(family)]
    });
    let details =
        Details { summary: "Every segment, and the slowest operations".into(), blocks: tables.collect() };
    blocks.push(Block::Details(details));
    let meanings = Stage::ALL.into_iter().map(|stage| Item::labelled(stage.name(), stage.meaning()));
    let meanings = vec![Block::List(List::of(meanings.collect()))];
    blocks.push(Block::Details(Details { summary: "What the segments are".into(), blocks: meanings }));
    let heading = format!("Where the time went: {}", explanation.study);
    Section::new(format!("trace-{}", explanation.study), heading, blocks).with_kicker("Traced trials")
}

fn of_label(arm: &ExplainedArm) -> String {
    if arm.label.is_empty() { String::new() } else { format!(": {}", arm.label) }
}

fn named(arm: &ExplainedArm, family: &ExplainedFamily) -> String {
    format!("Where the time of a {} went{}", family.operation(), of_label(arm))
}

/// The sentences of a configuration, below its name.
fn item(arm: &ExplainedArm) -> Item {
    let said = sentence::sentences(arm);
    if arm.label.is_empty() {
        return Item::of(said.join(" "));
    }
    let below = vec![Block::List(List::of(said.into_iter().map(Item::of).collect()))];
    Item::of(Text::default().strong(arm.label.clone())).with_below(below)
}

/// Each segment of the mean operation and of the slowest ones.
fn table(name: &str, family: &ExplainedFamily) -> Table {
    let slowest = format!("slowest 1 % ({} of {})", family.slowest.operations, family.all.operations);
    let mean = format!("mean {}", family.operation());
    let columns = vec![
        Column::Words("segment".into()),
        Column::Figures(mean.into()),
        Column::Figures("share".into()),
        Column::Figures("in single trials".into()),
        Column::Figures(slowest.into()),
        Column::Figures("share".into()),
    ];
    let mut table = Table::new(name, columns);
    let mut segments: Vec<Segment> = family.all.parts.iter().map(|part| part.segment).collect();
    let more =
        family.slowest.parts.iter().map(|part| part.segment).filter(|segment| !segments.contains(segment));
    let more: Vec<Segment> = more.collect();
    segments.extend(more);
    for segment in segments {
        let (all, slowest) = (part(&family.all, segment), part(&family.slowest, segment));
        let (all_time, all_share) = cells(all);
        let (slowest_time, slowest_share) = cells(slowest);
        let range = all.map_or_else(String::new, |part| {
            let (low, high) = (percent(part.share_min), percent(part.share_max));
            if low == high { low } else { format!("{} to {high}", low.trim_end_matches(" %")) }
        });
        table.row(
            [segment.name(), all_time, all_share, range, slowest_time, slowest_share].map(Cell::of).to_vec(),
        );
    }
    let whole = |shares: &Shares| elapsed(shares.traced_mean_us);
    let sum = ["sum", &whole(&family.all), "100 %", "", &whole(&family.slowest), "100 %"];
    table.row(sum.map(Cell::of).to_vec());
    table
}

fn part(shares: &Shares, segment: Segment) -> Option<&Part> {
    shares.parts.iter().find(|part| part.segment == segment)
}

fn cells(part: Option<&Part>) -> (String, String) {
    part.map_or_else(|| ("–".to_owned(), "–".to_owned()), |part| (elapsed(part.mean_us), percent(part.share)))
}

/// The slowest operation, segment by segment.
fn slowest_operation(family: &ExplainedFamily) -> Block {
    let whole: f64 = family.slowest_operation.iter().map(|time| time.duration_ns as f64).sum();
    let steps = family.slowest_operation.iter().filter(|step| step.duration_ns as f64 >= STEP_MIN * whole);
    let steps =
        steps.map(|step| format!("{} {}", step.segment.name(), elapsed(step.duration_ns as f64 / 1e3)));
    let steps: Vec<String> = steps.collect();
    Block::paragraph(format!(
        "The slowest {} took {}, in this order (without steps below 1 %): {}.",
        family.operation(),
        elapsed(whole / 1e3),
        steps.join(", ")
    ))
}
