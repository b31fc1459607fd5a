//! The findings of a study: statement, evidence, the kernel's counters, limits.

use super::in_numbers::findings_in_numbers;
use super::precision::{dependences, noise_floors};
use crate::conditions::Conditions;
use crate::finding::{Answer, Finding, NOISE_FLOOR_LEVEL};
use crate::quantity::with_interval;
use crate::verdict::StudyVerdict;
use model::figure::{count, elapsed, elapsed_change, exact_percent};
use model::metric::Unit;
use page::{Badge, Block, Cell, Column, Details, Figure, Forms, Item, List, Section, Table, Text, Tone};
use std::collections::BTreeSet;

/// The part with all findings.
pub(super) fn part(
    study: &StudyVerdict,
    legend: Option<Figure>,
    ratios: &dyn Fn(usize) -> Option<Figure>,
) -> Section {
    let first = study.findings.first();
    let is_open = |finding: &Finding| {
        finding.answer().is_decided() || first.is_some_and(|first| finding.is_of_topic(first))
    };
    let mut said = BTreeSet::new();
    let (mut open, mut further) = (Vec::new(), Vec::new());
    for (place, finding) in study.findings.iter().enumerate() {
        let item = item(study, finding, ratios(place), &mut said);
        if is_open(finding) { open.push(item) } else { further.push(item) }
    }
    let mut blocks = if study.findings.is_empty() {
        vec![Block::paragraph("There are no findings.")]
    } else {
        legend.map(Block::Figure).into_iter().chain([Block::List(List::of(open))]).collect()
    };
    if !further.is_empty() {
        let summary = format!("Further undecided questions: {}", count(further.len(), "finding")).into();
        blocks.push(Block::Folded(Details { summary, blocks: vec![Block::List(List::of(further))] }));
    }
    blocks.extend(conditions(study));
    let has_own =
        |finding: &Finding| finding.proof.noise_floor_level.is_some_and(|level| level > NOISE_FLOOR_LEVEL);
    let own = if study.findings.iter().any(has_own) {
        " (a finding with a higher confidence has a floor of its own)"
    } else {
        ""
    };
    let about = format!(
        " at {}{own}, the baseline against itself; no difference inside it is claimed: ",
        exact_percent(NOISE_FLOOR_LEVEL)
    );
    blocks.extend(clauses("Noise floor", &about, &noise_floors(study)));
    blocks.extend(clauses("Dependence between rounds", ": ", &dependences(study)));
    Section::new("", "Findings", blocks).folded(findings_in_numbers(&study.findings))
}

/// What every finding holds for.
pub(super) fn conditions(study: &StudyVerdict) -> Option<Block> {
    let conditions = study.conditions.as_ref().map(Conditions::text).unwrap_or_default();
    clauses("Conditions of every finding", ": ", &conditions)
}

fn clauses(name: &str, between: &str, clauses: &[String]) -> Option<Block> {
    let text = || Text::default().strong(name).plain(format!("{between}{}.", clauses.join("; ")));
    (!clauses.is_empty()).then(|| Block::note(text()))
}

/// A finding. A sentence that explains or limits several findings is printed with the first of them.
fn item(
    study: &StudyVerdict,
    finding: &Finding,
    ratios: Option<Figure>,
    said: &mut BTreeSet<String>,
) -> Item {
    let reasons = finding.counters().into_iter().map(|sentence| ("why", sentence));
    let traced = finding.time_difference().map(|sentences| ("traced", sentences));
    let is_traced_first = traced.as_ref().is_some_and(|(_, sentences)| !said.contains(sentences));
    let limits = finding.limits().into_iter().map(|sentence| ("but", sentence));
    let new = reasons.chain(traced).chain(limits).filter(|(_, sentence)| said.insert(sentence.clone()));
    let facts: Vec<(Text, Text)> = new.map(|(name, sentence)| (name.into(), sentence.into())).collect();
    let mut below = vec![Block::note(finding.evidence())];
    if !facts.is_empty() {
        below.push(Block::Facts(facts));
    }
    below.extend(is_traced_first.then(|| segments(finding)).flatten());
    below.extend(cells(finding));
    below.extend(ratios.map(Block::Figure));
    Item::of(finding.statement()).with_badge(badge(study, finding)).with_below(below)
}

fn badge(study: &StudyVerdict, finding: &Finding) -> Badge {
    match finding.answer() {
        Answer::Different | Answer::Equivalent if study.failed_for(finding).next().is_some() => {
            Badge::new(Tone::Bad, "doubtful")
        }
        Answer::Different | Answer::Equivalent if study.unproven(finding).next().is_some() => {
            Badge::new(Tone::Warn, "not proven").with_symbol("?")
        }
        Answer::Different => Badge::new(Tone::Good, "different").with_symbol("≠"),
        Answer::Equivalent => Badge::new(Tone::Good, "equivalent").with_symbol("="),
        Answer::Undecided => Badge::new(Tone::Warn, "undecided").with_symbol("~"),
        Answer::NotAssessable => Badge::new(Tone::Faint, "not assessable"),
    }
}

/// Every segment of both sides.
fn segments(finding: &Finding) -> Option<Block> {
    let (traced, (level, baseline)) = finding.traced.as_ref().zip(finding.sides())?;
    let columns = vec![
        Column::Words("Segment".into()),
        Column::Figures(level.into()),
        Column::Figures(baseline.into()),
        Column::Figures("Difference (interval)".into()),
    ];
    let mut table = Table::new("Segments of the mean operation", columns);
    for segment in &traced.segments {
        let (level, baseline) = (elapsed(segment.level_us), elapsed(segment.baseline_us));
        table.row([segment.segment.name(), level, baseline, segment.in_words()].map(Cell::of).to_vec());
    }
    let others = elapsed_change(traced.others_us);
    table.row(["all others", "", "", &others].map(Cell::of).to_vec());
    let details = Details { summary: "Where the time differs".into(), blocks: vec![Block::Table(table)] };
    Some(Block::Only(Forms::Html, vec![Block::Details(details)]))
}

/// The ratios of single cells, for readers without the drawing.
fn cells(finding: &Finding) -> Option<Block> {
    finding.part_estimates().next()?;
    let columns = vec![Column::Words("Cell".into()), Column::Figures("Ratio (interval)".into())];
    let mut table = Table::new("Ratios cell by cell", columns);
    for (label, ratio) in finding.parts() {
        let label = if label.is_empty() { "all".to_owned() } else { label };
        table.row(vec![Cell::of(label), Cell::of(with_interval(ratio, Unit::Count))]);
    }
    let details = Details { summary: "Ratios cell by cell".into(), blocks: vec![Block::Table(table)] };
    Some(Block::Only(Forms::Html, vec![Block::Details(details)]))
}
