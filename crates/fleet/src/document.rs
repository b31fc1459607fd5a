//! The statement as a document: who is slow, how each question is distributed, and a row for each disk.

use crate::distribution::Distribution;
use crate::gap::{MissingRanks, Overlap, Unread};
use crate::question::Question;
use crate::rule::rules;
use crate::standing::DiskStatus;
use crate::statement::{Difference, DiskResult, RunOfDisk, Statement};
use model::figure::{count, round_figure};
use page::{Block, Cell, Column, Document, Figure, Item, List, Section, Table, quantity};
use std::collections::BTreeSet;

/// Suspicions of a disk that are not folded.
const SUSPICIONS_MAX: usize = 3;
/// Disks of one standing that are not folded.
const DISKS_MAX: usize = 20;
/// Notes about what is missing or not used that are not folded.
const GAPS_MAX: usize = 20;
/// Rows of the table of the questions that matter most.
const ROWS_MAX: usize = 16;

/// The drawings of a page.
pub struct Plots<'a> {
    /// How to read them.
    pub legend: Option<Figure>,
    /// Draws the distributions of a question, a stratum below the other.
    pub distributions: &'a dyn Fn(&Statement, &[&Distribution]) -> Option<Figure>,
}

impl Plots<'_> {
    /// No drawings, for a form without them.
    pub const NONE: Plots<'static> = Plots { legend: None, distributions: &|_, _| None };
}

impl Statement {
    /// The statement in words, with these drawings.
    pub fn document(&self, plots: Plots<'_>) -> Document {
        Document {
            title: self.title().into(),
            lead: vec![self.summary().into()],
            sections: vec![
                suspects(self),
                first_measurements(self, plots),
                disks(self).on_a_page(),
                strata(self),
                Section::new(
                    "rules",
                    "What a name requires",
                    vec![Block::List(List::of(rules(self.tests).map(Item::of).to_vec()))],
                ),
            ],
            footer: concat!(
                "Syncline ",
                env!("CARGO_PKG_VERSION"),
                " · median and MAD over disks · Holm's procedure"
            )
            .into(),
            ..Document::default()
        }
    }
}

fn suspects(statement: &Statement) -> Section {
    let mut blocks = Vec::new();
    if statement.suspects.is_empty() {
        blocks.push(Block::paragraph("No first measurement lies beyond a limit."));
    }
    for standing in [DiskStatus::Slow, DiskStatus::Suspect, DiskStatus::NotChecked, DiskStatus::NotConfirmed]
    {
        let found = statement.disks.iter().enumerate().filter(|(_, disk)| disk.standing == standing);
        let items: Vec<Item> = found.map(|(index, result)| suspect(statement, index, result)).collect();
        if !items.is_empty() {
            let more = |disks| format!("{}: {}", count(disks, "more disk"), standing.badge().word);
            blocks.extend(Block::first(items, DISKS_MAX, more));
        }
    }
    let gaps = statement.missing_ranks.iter().map(MissingRanks::text);
    let gaps = gaps.chain(statement.overlaps.iter().map(Overlap::text));
    let mut gaps: Vec<String> = gaps.chain(statement.unread.iter().map(Unread::text)).collect();
    let rest = gaps.split_off(gaps.len().min(GAPS_MAX));
    blocks.extend(gaps.into_iter().map(Block::remark));
    if !rest.is_empty() {
        let summary = count(rest.len(), "more note").into();
        blocks.push(Block::Details(page::Details {
            summary,
            blocks: rest.into_iter().map(Block::remark).collect(),
        }));
    }
    Section::new("suspects", "Slow, suspected and unchecked disks", blocks)
}

/// A disk with its suspicions, and what distinguishes it from the others.
fn suspect(statement: &Statement, index: usize, result: &DiskResult) -> Item {
    let mut below = Vec::new();
    if result.standing == DiskStatus::NotChecked || result.failed.count > 0 {
        below.push(Block::paragraph(page::sentence(&result.lacks())));
    }
    let suspicions: Vec<Item> = statement
        .suspicions_of(index)
        .map(|suspect| {
            let distribution = &statement.distributions[suspect.distribution];
            Item::of(suspect.text(distribution, &statement.questions[distribution.question]))
        })
        .collect();
    if !suspicions.is_empty() {
        below.extend(Block::first(suspicions, SUSPICIONS_MAX, |questions| count(questions, "more question")));
    }
    if !result.differences.is_empty() {
        let differences: Vec<String> = result.differences.iter().map(Difference::text).collect();
        below.push(Block::paragraph(format!(
            "Differs from most disks of its stratum: {}.",
            differences.join(", ")
        )));
    }
    let stratum = statement.strata[result.stratum].stratum.to_string();
    Item::labelled(result.disk.to_string(), stratum).with_badge(result.standing.badge()).with_below(below)
}

/// The questions that matter most in one table, and each question by itself.
fn first_measurements(statement: &Statement, plots: Plots<'_>) -> Section {
    let shown = questions_first(statement);
    let mut table = Table::new("The first measurements", columns("Question"));
    table.columns.insert(1, Column::Figures("Stratum".into()));
    for distribution in &shown {
        let asked = &statement.questions[distribution.question];
        let mut cells = vec![Cell::of(asked.title()), Cell::of((distribution.stratum + 1).to_string())];
        cells.extend(figures(distribution, asked));
        table.row(cells);
    }
    let latencies = shown.iter().filter_map(|distribution| {
        let title = statement.questions[distribution.question].title();
        Some(Block::note(format!("{title}: {}.", distribution.quantiles()?)))
    });
    let mut blocks: Vec<Block> = if shown.is_empty() { Vec::new() } else { vec![Block::Table(table)] };
    blocks.extend(latencies);
    blocks.extend(plots.legend.map(Block::Figure));
    let of = |place: usize| statement.distributions.iter().filter(move |it| it.question == place).collect();
    let parts = statement.questions.iter().enumerate().map(|(place, asked)| (place, asked, of(place)));
    let parts = parts.filter(|(_, _, distributions): &(_, _, Vec<&Distribution>)| !distributions.is_empty());
    let parts = parts.enumerate().map(|(place, (_, asked, distributions))| {
        let plot = (plots.distributions)(statement, &distributions);
        question(statement, asked, &distributions, plot, place)
    });
    Section::new("distributions", "The first measurement of every disk", blocks)
        .with_sections(parts.collect())
}

/// Distributions of the questions of suspects, then the first metric of each configuration.
fn questions_first(statement: &Statement) -> Vec<&Distribution> {
    let of_suspects = statement.suspects.iter().map(|suspect| suspect.distribution);
    let is_first = |place: &usize| {
        let distribution = &statement.distributions[*place];
        let asked = &statement.questions[distribution.question];
        let before = statement.questions[..distribution.question].iter();
        !before.rev().any(|other| other.study == asked.study && other.parameters == asked.parameters)
    };
    let mut seen = BTreeSet::new();
    of_suspects
        .chain((0..statement.distributions.len()).filter(is_first))
        .filter(|place| seen.insert(*place))
        .take(ROWS_MAX)
        .map(|place| &statement.distributions[place])
        .collect()
}

fn columns(first: &str) -> Vec<Column> {
    let figures = ["Disks", "Slowest", "Median", "Fastest", "Limit"];
    let figures = figures.map(|heading| Column::Figures(heading.into()));
    [Column::Words(first.into())].into_iter().chain(figures).collect()
}

/// Disks, slowest, median, fastest and limit.
fn figures(distribution: &Distribution, asked: &Question) -> [Cell; 5] {
    let unit = quantity::named(&asked.metric).unit;
    let show = |value: f64| round_figure(value, unit);
    let (slow, fast) = distribution.ends(asked);
    [
        distribution.figures.len().to_string(),
        show(slow),
        show(distribution.median),
        show(fast),
        distribution.limit.map_or_else(|| "–".to_owned(), show),
    ]
    .map(Cell::of)
}

/// A question: its strata on one axis, as a plot and as a table.
fn question(
    statement: &Statement,
    asked: &Question,
    distributions: &[&Distribution],
    plot: Option<Figure>,
    place: usize,
) -> Section {
    let title = asked.title();
    let direction = quantity::named(&asked.metric).direction();
    let mut table = Table::new(title.as_str(), columns("Stratum"));
    for distribution in distributions {
        let mut cells = vec![Cell::of(statement.strata[distribution.stratum].stratum.to_string())];
        cells.extend(figures(distribution, asked));
        table.row(cells);
    }
    let latencies = distributions.iter().filter_map(|distribution| {
        let latencies = distribution.quantiles()?;
        Some(Block::note(format!("Stratum {}, histograms added: {latencies}.", distribution.stratum + 1)))
    });
    let table = [Block::Table(table)];
    let blocks = plot.map(Block::Figure).into_iter().chain(table).chain(latencies).collect();
    let heading = if direction.is_empty() { title.clone() } else { format!("{title} ({direction})") };
    Section::new(format!("question-{place}"), heading, blocks).with_short(title).on_a_page()
}

fn disks(statement: &Statement) -> Section {
    let mut columns = ["Host", "Directory", "Standing"].map(|heading| Column::Words(heading.into())).to_vec();
    columns.extend(["Slowest question", "Stratum", "Runs"].map(|heading| Column::Figures(heading.into())));
    let mut table = Table::new("Every disk", columns);
    table.is_sortable = true;
    for result in &statement.disks {
        let slowest = result.slowest(statement).unwrap_or_else(|| "–".to_owned());
        let runs: Vec<String> = result.runs.iter().map(RunOfDisk::text).collect();
        table.row(vec![
            Cell::of(result.disk.host.as_str()),
            Cell::of(result.disk.directory.as_str()),
            Cell::badge(result.standing.badge()).ordered(Some(f64::from(result.standing as u8))),
            Cell::of(slowest).ordered(result.slowest.map(|(_, times)| times)),
            number(result.stratum + 1),
            number(result.runs.len()).with_hint(runs.join("\n")),
        ]);
    }
    let note = "The slowest question is the one in which the disk's first measurement is the furthest from the median \
        of its stratum.";
    Section::new("disks", "Every disk", vec![Block::note(note), Block::Table(table)])
}

fn number(number: usize) -> Cell {
    Cell::of(number.to_string()).ordered(Some(number as f64))
}

fn strata(statement: &Statement) -> Section {
    let items = statement.strata.iter().map(|result| Item::of(result.text())).collect();
    Section::new("strata", "Strata", vec![Block::List(List { is_numbered: true, items })])
}
