//! The headline table of a study: levels, n, and the metrics of the asks as mean ± half width.

use crate::quantity::{self, Named, PlusMinus, Spread};
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use model::printable;
use verdict::study::class_heading;
use verdict::{AgainstReference, Figure, StudyVerdict};

/// The maximum width of a line of a heading.
const HEADING_WIDTH: usize = 18;
/// The same for a factor, whose levels are usually short.
const LEVEL_WIDTH: usize = 10;

/// The same for a ratio, whose interval is printed beside it.
const RATIO_WIDTH: usize = 26;

/// One column, ready to be laid out.
struct Column {
    heading: String,
    cells: Vec<String>,
}

impl Column {
    /// Columns on the screen, including the gap to the next.
    fn width(&self) -> usize {
        let longest = self.heading.lines().chain(self.cells.iter().map(String::as_str));
        longest.map(|line| line.chars().count()).max().unwrap_or(0) + 2
    }
}

/// The reasons why cells have no interval, numbered in order of appearance.
#[derive(Default)]
pub(super) struct Footnotes(pub(super) Vec<String>);

impl Footnotes {
    fn mark(&mut self, reason: &str) -> String {
        let index = self.0.iter().position(|known| known == reason).unwrap_or_else(|| {
            self.0.push(reason.to_owned());
            self.0.len() - 1
        });
        format!("[{}]", index + 1)
    }
}

/// Renders the table of these metrics, folded into several where they do not fit beside each other, and its footnotes. Arms
/// that promise different things are tabled apart.
pub(super) fn headline(
    study: &StudyVerdict,
    metrics: &[String],
    width: usize,
    colour: bool,
) -> (String, Footnotes) {
    let mut footnotes = Footnotes::default();
    let mut text = String::new();
    let groups = study.by_durability();
    for (index, group) in groups.iter().enumerate() {
        if groups.len() > 1 {
            let gap = if index > 0 { "\n" } else { "" };
            let heading = page::terminal::wrap(&printable(&class_heading(group)), width).join("\n");
            text.extend([gap, &heading, "\n"]);
        }
        text.push_str(&table(study, &group.cells, metrics, &mut footnotes, width, colour));
    }
    (text, footnotes)
}

/// Configurations that the short table has at most.
const ROWS_MAX: usize = 8;

/// The figures of a study among several: the first configurations and as many metrics as fit beside each other. Says how many
/// configurations are left out.
pub(super) fn short(study: &StudyVerdict, metrics: &[String], width: usize, colour: bool) -> (String, usize) {
    let cells: Vec<&verdict::Cell> = study.cells.iter().take(ROWS_MAX).collect();
    let levels = level_columns(study, &cells);
    let fixed: usize = levels.iter().map(Column::width).sum();
    let columns: Vec<Column> =
        metrics.iter().map(|name| metric_column(&cells, name, &mut Footnotes::default())).collect();
    let taken = fitting(&columns, width.saturating_sub(fixed));
    let columns: Vec<&Column> = levels.iter().chain(columns.iter().take(taken)).collect();
    (render(&columns, study.factors.len(), width, colour), study.cells.len() - cells.len())
}

fn table(
    study: &StudyVerdict,
    cells: &[&verdict::Cell],
    names: &[String],
    footnotes: &mut Footnotes,
    width: usize,
    colour: bool,
) -> String {
    let levels = level_columns(study, cells);
    let mut metrics: Vec<Column> = Vec::new();
    for name in names {
        metrics.push(metric_column(cells, name, footnotes));
        metrics.extend(ratio_column(cells, name, footnotes));
    }
    let fixed: usize = levels.iter().map(Column::width).sum();
    let mut text = String::new();
    let mut rest = metrics.as_slice();
    while !rest.is_empty() {
        let taken = fitting(rest, width.saturating_sub(fixed));
        let (now, later) = rest.split_at(taken);
        let columns: Vec<&Column> = levels.iter().chain(now).collect();
        text.push_str(&render(&columns, study.factors.len(), width, colour));
        text.push('\n');
        if !later.is_empty() {
            text.push('\n');
        }
        rest = later;
    }
    text
}

/// How many of the columns fit; at least one.
fn fitting(columns: &[Column], room: usize) -> usize {
    let mut used = 0;
    let fits = columns.iter().take_while(|column| {
        used += column.width();
        used <= room
    });
    fits.count().max(1)
}

fn level_columns(study: &StudyVerdict, cells: &[&verdict::Cell]) -> Vec<Column> {
    let mut columns: Vec<Column> = study
        .factors
        .iter()
        .enumerate()
        .map(|(index, factor)| Column {
            heading: fold(&factor.replace('_', " "), LEVEL_WIDTH),
            cells: cells
                .iter()
                .map(|cell| printable(cell.levels.get(index).map_or("", String::as_str)).into_owned())
                .collect(),
        })
        .collect();
    columns.push(Column {
        heading: "n".to_owned(),
        cells: cells.iter().map(|cell| cell.n.to_string()).collect(),
    });
    columns
}

fn metric_column(cells: &[&verdict::Cell], name: &str, footnotes: &mut Footnotes) -> Column {
    let named = quantity::named(name);
    let shown: Vec<(PlusMinus, String)> =
        cells.iter().map(|cell| shown(cell.figures.get(name), &named, footnotes)).collect();
    let half = |parts: &PlusMinus| match &parts.spread {
        Some(Spread::HalfWidth(half)) => half.chars().count(),
        Some(Spread::Bounds(_)) | None => 0,
    };
    let half_width = shown.iter().map(|(parts, _)| half(parts)).max().unwrap_or(0);
    let spread = |parts: &PlusMinus| match &parts.spread {
        Some(Spread::HalfWidth(half)) => format!(" ± {half:>half_width$}"),
        Some(Spread::Bounds(bounds)) => format!(" {bounds}"),
        None => String::new(),
    };
    let spreads: Vec<String> = shown.iter().map(|(parts, _)| spread(parts)).collect();
    let point_width = widest(shown.iter().map(|(parts, _)| parts.point.as_str()));
    let spread_width = widest(spreads.iter().map(String::as_str));
    let cells = shown.iter().zip(&spreads).map(|((parts, mark), spread)| {
        let mark = if mark.is_empty() { String::new() } else { format!(" {mark}") };
        format!("{:>point_width$}{spread:>spread_width$}{}{mark}", parts.point, parts.suffix)
    });
    Column { heading: heading(&named), cells: cells.collect() }
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// A metric relative to the reference of the durability class, if the study asks for that.
fn ratio_column(cells: &[&verdict::Cell], name: &str, footnotes: &mut Footnotes) -> Option<Column> {
    let against = |cell: &&verdict::Cell| cell.against_reference.get(name).cloned();
    let reference = cells.iter().find_map(against)?.reference;
    let cells = cells.iter().map(|cell| match against(cell) {
        None => footnotes.mark("compared with no reference"),
        Some(AgainstReference { ratio: None, .. }) => "reference".to_owned(),
        Some(AgainstReference { ratio: Some(ratio), .. }) => match ratio.interval {
            Some(_) => quantity::ratio_with_bounds(&ratio),
            None => format!(
                "{} {}",
                quantity::ratio_with_bounds(&ratio),
                footnotes.mark(quantity::reason(&ratio))
            ),
        },
    });
    let heading = fold(&format!("{} ÷ {reference}", quantity::named(name).title), RATIO_WIDTH);
    Some(Column { heading, cells: cells.collect() })
}

/// The parts of one cell, and the footnote that explains a missing interval or value.
fn shown(figure: Option<&Figure>, named: &Named, footnotes: &mut Footnotes) -> (PlusMinus, String) {
    let Some(figure) = figure else {
        let empty = PlusMinus { point: "–".to_owned(), spread: None, suffix: "" };
        return (empty, footnotes.mark("not measured by this configuration"));
    };
    let parts = quantity::plus_minus(&figure.mean, named.unit);
    let mark = match (&parts.spread, &figure.unsupported) {
        (Some(_), _) => String::new(),
        (None, Some(why)) => footnotes.mark(why),
        (None, None) => footnotes.mark(quantity::reason(&figure.mean)),
    };
    (parts, mark)
}

/// `commit latency` above `p99, µs`: the statistic and the unit on a line of their own.
fn heading(named: &Named) -> String {
    let unit = named.unit_in_heading();
    match (named.statistic.as_str(), unit) {
        ("", "") => fold(&named.title, HEADING_WIDTH),
        ("", unit) => format!("{}\n{unit}", fold(&named.title, HEADING_WIDTH)),
        (statistic, "") => format!("{}\n{statistic}", fold(&named.family, HEADING_WIDTH)),
        (statistic, unit) => format!("{}\n{statistic}, {unit}", fold(&named.family, HEADING_WIDTH)),
    }
}

fn fold(text: &str, width: usize) -> String {
    page::terminal::wrap(&printable(text), width).join("\n")
}

fn render(columns: &[&Column], factors: usize, width: usize, colour: bool) -> String {
    let mut table = Table::new();
    table.load_style(style()).set_content_arrangement(ContentArrangement::Dynamic);
    table.force_no_tty().set_width(u16::try_from(width).unwrap_or(u16::MAX));
    if colour {
        table.enforce_styling();
    }
    let alignment = |index: usize| {
        let numeric = columns[index].cells.iter().all(|cell| !cell.starts_with(char::is_alphabetic));
        if index >= factors || numeric { CellAlignment::Right } else { CellAlignment::Left }
    };
    table.set_header(columns.iter().enumerate().map(|(index, column)| {
        Cell::new(&column.heading).set_alignment(alignment(index)).add_attribute(Attribute::Bold)
    }));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        table.add_row(
            columns
                .iter()
                .enumerate()
                .map(|(index, column)| Cell::new(&column.cells[row]).set_alignment(alignment(index))),
        );
    }
    table.trim_fmt()
}

/// Only a rule below the headings: the eye follows the columns.
pub(super) fn style() -> TableStyle {
    TableStyle::new().header_separator(LineStyle::none().fill('─'))
}
