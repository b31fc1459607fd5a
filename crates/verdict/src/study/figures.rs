//! The figures of a study as tables: what it asks about, each configuration against the best, every metric, every
//! trial.

use super::classes::groups;
use super::shown;
use crate::quantity::{PlusMinus, cut, plus_minus, ratio_with_bounds, reason, with_interval};
use crate::verdict::{AgainstReference, Cell as Configuration, Figure as Measured, StudyVerdict};
use model::figure::{count, figure as text_of};
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::{TrialOutcome, TrialRecord};
use page::quantity::{Named, named};
use page::{Block, Cell, Column, Details, Figure, Forms, Section, Span, Table, Text};

/// The maximum number of metrics with a column of ratios to the best.
const RELATIVE_MAX: usize = 4;
/// Configurations of a study among several.
const ROWS_MAX: usize = 8;

const PLUS_MINUS: &str =
    "Arithmetic mean ± half the width of its 95 % t interval over n trials (never over operations).";
const GEOMETRIC: &str = "The figures of answers and findings are geometric means.";
const AGAINST_REFERENCE: &str =
    "ratio to the reference of the same durability class, paired within rounds, with its 95 % t interval";
const SKEWED: &str = "the trials behind it are skewed or fall into two groups, so that the interval of their \
    mean covers less than stated: prefer the median";

/// What the study asks about, and the figures that a reader wants of any disk.
pub(super) fn asked(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Section {
    let names = shown::all(study, plan);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut blocks = tables(study, &names, "Figures by configuration");
    let mut notes = vec![PLUS_MINUS.to_owned()];
    notes.extend(has_geometric(study).then(|| GEOMETRIC.to_owned()));
    notes.extend(in_brackets(study, &names));
    if study.cells.iter().any(|cell| !cell.against_reference.is_empty()) {
        notes.push(format!("÷ is the {AGAINST_REFERENCE}."));
    }
    blocks.push(Block::note(notes.join(" ")));
    Section::new("", "Figures", blocks).folded("what the study asks about, by configuration")
}

/// Whether a finding has figures beside those of the tables.
fn has_geometric(study: &StudyVerdict) -> bool {
    study.findings.iter().any(|finding| finding.figures.is_some())
}

/// The first configurations with a few figures.
pub(super) fn few(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Vec<Block> {
    let names = shown::few(study, plan);
    if names.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let cells: Vec<&Configuration> = study.cells.iter().take(ROWS_MAX).collect();
    let left_out = study.cells.len() - cells.len();
    let more = (left_out > 0)
        .then(|| Block::note(format!("{} in the report.", count(left_out, "more configuration"))));
    [Block::Table(table(study, &cells, &names, "Figures"))].into_iter().chain(more).collect()
}

/// Each configuration relative to the best: the first metric of the asks in full, the first few as ratios.
pub(super) fn against_best(study: &StudyVerdict) -> Option<Section> {
    let has_mean = |cell: &Configuration, name: &String| {
        cell.figures.get(name).is_some_and(|figure| figure.mean.point.is_some())
    };
    let has_ratio = |name: &&String| study.cells.iter().any(|cell| cell.against_best.contains_key(*name));
    let relative: Vec<&str> =
        study.asked.iter().filter(has_ratio).take(RELATIVE_MAX).map(String::as_str).collect();
    let measured = study.asked.iter().find(|name| study.cells.iter().any(|cell| has_mean(cell, name)));
    // The metric of the first ratio is shown in full, so that the best has a figure.
    let first = relative.first().copied().or(measured.map(String::as_str))?;
    let mut blocks = Vec::new();
    for (heading, cells) in groups(study) {
        blocks.extend(heading);
        let mut table = configurations(study, "Every configuration against the best");
        table.columns.push(column(&named(first)));
        let ratios = relative.iter().map(|name| format!("{} ÷ best", named(name).title));
        table.columns.extend(ratios.map(|heading| Column::Figures(heading.into())));
        for cell in cells {
            let mut row = levels(study, cell);
            row.push(figure(&mut table, cell.figures.get(first), &named(first)));
            row.extend(relative.iter().map(|name| against(cell, name)));
            table.row(row);
        }
        blocks.push(Block::Table(table));
    }
    let mut notes = vec![PLUS_MINUS];
    notes.extend(has_geometric(study).then_some(GEOMETRIC));
    if !relative.is_empty() {
        notes.push(
            "÷ best is the ratio to the best mean of the same durability class, paired within rounds, with its \
             95 % t interval. The best of many looks better than it is.",
        );
    }
    blocks.push(Block::note(notes.join(" ")));
    Some(Section::new("", "Every configuration against the best", blocks).only(Forms::Pages))
}

fn against(cell: &Configuration, name: &str) -> Cell {
    let Some(against) = cell.against_best.get(name) else {
        return Cell::of("–").with_hint("compared with no other configuration");
    };
    match &against.ratio {
        None => Cell::of(Text::default().strong("best")),
        Some(ratio) => Cell { hint: ratio.reason.clone(), ..Cell::of(ratio_with_bounds(ratio)) },
    }
}

/// The counters behind the figures: flushes, device bytes, faults, cached pages.
pub(super) fn counters(study: &StudyVerdict, drawing: Option<Figure>, names: &[&str]) -> Option<Section> {
    let mut blocks: Vec<Block> = drawing.map(Block::Figure).into_iter().collect();
    if !names.is_empty() {
        let mut counters = tables(study, names, "Counters by configuration");
        counters.extend(in_brackets(study, names).map(Block::note));
        blocks
            .push(Block::Details(Details { summary: "Counters by configuration".into(), blocks: counters }));
    }
    let section = || Section::new("", "Mechanism evidence", blocks.clone()).folded("device counters, faults");
    (!blocks.is_empty()).then(|| section().only(Forms::Html))
}

/// Every metric by family, medians, every trial.
pub(super) fn every(study: &StudyVerdict, run: &Run, plan: Option<&StudyPlan>) -> Section {
    let mut families: Vec<(String, Vec<&str>)> = Vec::new();
    for name in &study.metrics {
        let named = named(name);
        let family = if named.statistic.is_empty() { "Rates and counts".to_owned() } else { named.family };
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, members)) => members.push(name),
            None => families.push((family, vec![name])),
        }
    }
    let of_family = |(family, names): (String, Vec<&str>)| {
        let mut blocks = tables(study, &names, &family);
        blocks.extend(in_brackets(study, &names).map(Block::note));
        let summary = format!("{family}: mean ± half width, all {} metrics", names.len()).into();
        Block::Details(Details { summary, blocks })
    };
    let mut blocks: Vec<Block> = families.into_iter().map(of_family).collect();
    blocks.extend([medians(study), trials(study, run, plan)]);
    let section = Section::new("", "Every figure", blocks);
    section.folded("every metric, medians, every trial").only(Forms::Html)
}

fn medians(study: &StudyVerdict) -> Block {
    let mut table = configurations(study, "Medians of the main metrics");
    let titles = study.asked.iter().map(|name| named(name).title);
    table.columns.extend(titles.map(|title| Column::Figures(title.into())));
    for cell in &study.cells {
        let median = |name: &String| {
            let figure = cell.figures.get(name);
            Cell::of(figure.map_or_else(|| "–".to_owned(), |it| with_interval(&it.median, named(name).unit)))
        };
        let row = levels(study, cell).into_iter().chain(study.asked.iter().map(median));
        table.row(row.collect());
    }
    let summary = "Medians with order-statistic intervals".into();
    Block::Details(Details { summary, blocks: vec![Block::Table(table)] })
}

/// Every trial with the metrics of the asks, including warm-ups and failures.
fn trials(study: &StudyVerdict, run: &Run, plan: Option<&StudyPlan>) -> Block {
    let of_plan = |plan: &'_ StudyPlan, record: &&TrialRecord| plan.has(&record.key);
    let records: Vec<&TrialRecord> = plan
        .map_or_else(Vec::new, |plan| run.records.iter().filter(|record| of_plan(plan, record)).collect());
    let figures = |heading: &str| Column::Figures(heading.into());
    let words = |heading: &str| Column::Words(heading.into());
    let columns = vec![words("configuration"), figures("round"), figures("position"), words("outcome")];
    let mut table = Table::new("All trials", columns);
    table.columns.extend(study.asked.iter().map(|name| column(&named(name))));
    for record in &records {
        let label = plan.map(|plan| plan.label(record.key.configuration)).unwrap_or_default();
        let duplicate = if record.key.duplicate { " (A/A)" } else { "" };
        let figure = |name: &String| {
            Cell::of(
                record.figure(name).map_or_else(|| "–".to_owned(), |value| text_of(value, named(name).unit)),
            )
        };
        let known = [
            format!("{label}{duplicate}"),
            record.key.round.to_string(),
            record.position.to_string(),
            outcome(record),
        ];
        table.row(known.into_iter().map(Cell::of).chain(study.asked.iter().map(figure)).collect());
    }
    let note = "One value per trial: no interval belongs to it. syncline export has every metric.";
    let summary = format!("All {} trials", records.len()).into();
    Block::Details(Details { summary, blocks: vec![Block::Table(table), Block::note(note)] })
}

fn outcome(record: &TrialRecord) -> String {
    match &record.outcome {
        TrialOutcome::Ok if record.warmup => "warm-up".to_owned(),
        TrialOutcome::Ok => "ok".to_owned(),
        TrialOutcome::Failed(why) => format!("failed: {why}"),
        TrialOutcome::Unsupported(why) => format!("unsupported: {why}"),
        TrialOutcome::Killed(seconds) => format!("killed after {seconds:.1} s"),
    }
}

/// A table of these metrics; arms that promise different things are tabled apart.
fn tables(study: &StudyVerdict, names: &[&str], title: &str) -> Vec<Block> {
    let of_group = |(heading, cells): (Option<Block>, Vec<&Configuration>)| {
        let table = Block::Table(table(study, &cells, names, title));
        heading.into_iter().chain([table]).collect::<Vec<Block>>()
    };
    groups(study).into_iter().flat_map(of_group).collect()
}

fn table(study: &StudyVerdict, cells: &[&Configuration], names: &[&str], title: &str) -> Table {
    let mut table = configurations(study, title);
    let has_ratio = |name: &str| study.cells.iter().any(|cell| cell.against_reference.contains_key(name));
    let names: Vec<(&str, Named, bool)> =
        names.iter().map(|name| (*name, named(name), has_ratio(name))).collect();
    for (_, named, has_ratio) in &names {
        table.columns.push(column(named));
        let heading = || Column::Figures(format!("{} ÷ reference of the class", named.title).into());
        table.columns.extend(has_ratio.then(heading));
    }
    for cell in cells {
        let mut row = levels(study, cell);
        for (name, named, has_ratio) in &names {
            row.push(figure(&mut table, cell.figures.get(*name), named));
            row.extend(has_ratio.then(|| against_reference(&mut table, cell, name)));
        }
        table.row(row);
    }
    table
}

/// A table with the columns that name a configuration.
fn configurations(study: &StudyVerdict, title: &str) -> Table {
    let is_number = |index: usize| {
        let mut levels = study.cells.iter().filter_map(|cell| cell.levels.get(index));
        levels.all(|level| level.starts_with(|first: char| first.is_ascii_digit()))
    };
    let level = |(index, factor): (usize, &String)| {
        let heading = factor.as_str().into();
        if is_number(index) { Column::Figures(heading) } else { Column::Words(heading) }
    };
    let mut columns: Vec<Column> = study.factors.iter().enumerate().map(level).collect();
    if columns.is_empty() {
        columns.push(Column::Words("configuration".into()));
    }
    let keys = columns.len();
    columns.push(Column::Figures("n".into()));
    Table::new(title, columns).with_keys(keys)
}

fn levels(study: &StudyVerdict, cell: &Configuration) -> Vec<Cell> {
    let level = |index: usize| Cell::of(cell.levels.get(index).map_or("", String::as_str));
    let mut cells: Vec<Cell> = (0..study.factors.len()).map(level).collect();
    if cells.is_empty() {
        cells.push(Cell::of("the one configuration"));
    }
    cells.push(Cell::of(cell.n.to_string()));
    cells
}

fn column(named: &Named) -> Column {
    let hint = named.help.to_owned();
    let heading = named.heading();
    Column::Figures(if hint.is_empty() {
        heading.into()
    } else {
        Span::Hinted { text: heading, hint }.into()
    })
}

/// A mean with its half width; a footnote has the reason why there is no interval.
fn figure(table: &mut Table, figure: Option<&Measured>, named: &Named) -> Cell {
    let Some(figure) = figure else {
        let note = table.footnote("not measured by this configuration");
        return Cell::of("–").with_footnote(Some(note));
    };
    let PlusMinus { point, spread, suffix } = plus_minus(&figure.mean, named.unit);
    let unknown = || figure.unsupported.as_deref().unwrap_or(reason(&figure.mean)).to_owned();
    let why =
        spread.is_none().then(unknown).or_else(|| figure.shape_warning.is_some().then(|| SKEWED.to_owned()));
    let footnote = why.map(|why| table.footnote(why));
    Cell { spread, suffix, footnote, hint: figure.shape_warning.clone(), ..Cell::of(point) }
}

/// A metric relative to the reference of its durability class: `0.42 (0.41–0.43) × pwrite`.
fn against_reference(table: &mut Table, cell: &Configuration, name: &str) -> Cell {
    match cell.against_reference.get(name) {
        None => Cell::of("–").with_footnote(Some(table.footnote("compared with no reference"))),
        Some(AgainstReference { ratio: None, .. }) => Cell::of("reference"),
        Some(AgainstReference { ratio: Some(ratio), reference }) => {
            let why = ratio.interval.is_none().then(|| table.footnote(reason(ratio)));
            Cell::of(format!("{} × {reference}", ratio_with_bounds(ratio))).with_footnote(why)
        }
    }
}

/// The meaning of the brackets.
fn in_brackets(study: &StudyVerdict, names: &[&str]) -> Option<String> {
    let figures = study.cells.iter().flat_map(|cell| names.iter().filter_map(|name| cell.figures.get(*name)));
    cut(figures.map(|figure| &figure.mean)).map(|cut| format!("In brackets {cut}."))
}
