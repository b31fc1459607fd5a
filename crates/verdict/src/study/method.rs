//! How a study was carried out: its design, every parameter, and the files as they were verified.

use model::figure::count;
use model::mechanism::Measured;
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::FileFacts;
use model::units::{format_bytes, format_bytes_approximate};
use page::{Block, Cell, Column, Forms, Item, List, Section, Table, Text};
use std::collections::BTreeMap;

/// The part with the method.
pub(super) fn part(run: &Run, plan: &StudyPlan) -> Section {
    let mut levels: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, value) in plan.configurations.iter().flat_map(|configuration| &configuration.0) {
        let known = levels.entry(name).or_default();
        let text = value.to_string();
        if !known.contains(&text) {
            known.push(text);
        }
    }
    let is_varied = |(name, levels): &(&str, Vec<String>)| plan.factor(name).is_some() || levels.len() > 1;
    let (varied, fixed): (Vec<_>, Vec<_>) = levels.into_iter().partition(is_varied);
    let mut blocks = vec![Block::Facts(design(plan))];
    for (name, parameters) in [("Varied", varied), ("Fixed", fixed)] {
        let fact =
            |(name, levels): (&str, Vec<String>)| (Text::default().code(name), levels.join(", ").into());
        let facts: Vec<(Text, Text)> = parameters.into_iter().map(fact).collect();
        if !facts.is_empty() {
            blocks.extend([Block::paragraph(Text::default().strong(name)), Block::Facts(facts)]);
        }
    }
    if !plan.excluded.is_empty() {
        blocks.push(Block::paragraph(Text::default().strong("Left out")));
        let excluded = plan.excluded.iter().map(|reason| Item::of(reason.as_str())).collect();
        blocks.push(Block::List(List::of(excluded)));
    }
    blocks.extend(files(run, plan));
    let hint =
        format!("{}, files", count(plan.configurations.first().map_or(0, |it| it.0.len()), "parameter"));
    Section::new("", "Method", blocks).folded(hint).only(Forms::Pages)
}

fn design(plan: &StudyPlan) -> Vec<(Text, Text)> {
    let files = if plan.fresh_placement { "made again each round" } else { "made once, reused" };
    let design = [
        ("Workload", plan.workload.clone()),
        ("Profile", plan.profile.clone()),
        ("Rounds", rounds(plan)),
        ("Baseline", plan.baseline.to_string()),
        ("A/A arm", plan.label(plan.duplicate)),
        ("Files", files.to_owned()),
    ];
    let known = design.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| (name.into(), value.into())).collect()
}

fn rounds(plan: &StudyPlan) -> String {
    let warmup = plan.warmup_rounds;
    if plan.looks.is_empty() {
        return format!("{} analysed, {warmup} warm-up", plan.rounds);
    }
    let looks: Vec<String> = plan.looks.iter().map(u32::to_string).collect();
    format!("analysed until decided, looked at after {}; {warmup} warm-up", looks.join(", "))
}

/// The files as they were verified before the trials, over all trials.
fn files(run: &Run, plan: &StudyPlan) -> Option<Block> {
    let mut groups: BTreeMap<(&str, &str, u64), Vec<&FileFacts>> = BTreeMap::new();
    let records = run.records.iter().filter(|record| plan.has(&record.key));
    for file in records.filter_map(|record| record.measurement.as_ref()).flat_map(|found| &found.files) {
        groups.entry((&file.role, &file.layout, file.size_bytes)).or_default().push(file);
    }
    let words =
        ["File as verified", "Configured layout", "Size"].map(|heading| Column::Words(heading.into()));
    let figures =
        ["Extents", "Unwritten", "Holes", "In page cache"].map(|heading| Column::Figures(heading.into()));
    let columns = words.into_iter().chain(figures).collect();
    let mut table = Table::new("Files as verified before the trials", columns);
    for ((role, layout, size), files) in &groups {
        let bytes = |of: fn(&FileFacts) -> Measured<f64>| span(files, of, format_bytes_approximate);
        table.row(vec![
            Cell::of(*role),
            Cell::of(*layout),
            Cell::of(format_bytes(*size)),
            Cell::of(span(
                files,
                |file| file.extents.map(|extents| extents.count as f64),
                |count| format!("{count:.0}"),
            )),
            Cell::of(bytes(|file| file.extents.map(|extents| extents.unwritten_bytes as f64))),
            Cell::of(bytes(|file| file.extents.map(|extents| extents.hole_bytes as f64))),
            Cell::of(span(
                files,
                |file| file.cached_share_before.clone(),
                |share| format!("{:.1} %", share * 100.0),
            )),
        ]);
    }
    (!groups.is_empty()).then_some(Block::Table(table))
}

/// Smallest and largest of a fact over files, or the reason why it is unknown.
fn span(
    files: &[&FileFacts],
    fact: impl Fn(&FileFacts) -> Measured<f64>,
    show: impl Fn(f64) -> String,
) -> String {
    let facts: Vec<Measured<f64>> = files.iter().map(|file| fact(file)).collect();
    let values: Vec<f64> = facts.iter().filter_map(|fact| fact.value().copied()).collect();
    let Some(low) = values.iter().copied().reduce(f64::min) else {
        return facts.first().and_then(Measured::reason).unwrap_or("unknown").to_owned();
    };
    let high = values.iter().copied().fold(low, f64::max);
    let (low, high) = (show(low), show(high));
    if low == high { low } else { format!("{low} … {high}") }
}
