//! Columns by their headers' own names.

use crate::role::Role;
use laws::SpreadKind;
use model::{excerpt, suggestion};
use std::collections::BTreeMap;

/// A column of a file with its role.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) role: Option<Role>,
    pub(crate) role_name: String,
}

/// Endings of columns that hold half widths, and of columns that hold standard deviations between runs.
const HALF_WIDTH_ENDINGS: &[&str] = &["_half_width", "_ci95", "_ci", "_pm"];
const DEVIATION_ENDINGS: &[&str] = &["_stddev", "_stdev", "_sd"];
const MEDIAN_ENDINGS: &[&str] = &["_median"];

/// Headers of page 000, which Syncline's own table of a commit study has too: what the general rules cannot know.
const PAGE_000: &[(&str, &str)] = &[
    ("rpc", "reads_per_commit"),
    ("gs", "knob"),
    ("mode", "mode"),
    ("commits_mean", "commits_per_s"),
    ("sync_p50_us", "sync_latency_p50_us"),
    ("sync_p99_us", "sync_latency_p99_us"),
    ("grp_p50_us", "commit_latency_p50_us"),
    ("grp_p99_us", "commit_latency_p99_us"),
    ("read_iops_mean", "iops"),
    ("read_p50_us", "latency_p50_us"),
];

/// Columns that a message lists or compares a mistyped name with.
const COLUMNS_TOLD: usize = 40;

/// A column whose spread another column may hold, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Figure {
    pub(crate) column: usize,
    pub(crate) spread: Option<(usize, SpreadKind)>,
    pub(crate) median: Option<usize>,
}

/// The columns that become estimates: figures without a field of their own, and every column with a spread.
pub(crate) fn figures(columns: &[Column]) -> Vec<Figure> {
    let spreads: BTreeMap<&str, (usize, SpreadKind)> = columns
        .iter()
        .enumerate()
        .filter_map(|(place, column)| match &column.role {
            Some(Role::HalfWidthOf(of) | Role::IntervalOf(of)) => {
                Some((of.as_str(), (place, SpreadKind::HalfWidth)))
            }
            Some(Role::DeviationOf(of)) => Some((of.as_str(), (place, SpreadKind::StandardDeviation))),
            _ => None,
        })
        .collect();
    let median_of = |name: &str| {
        columns.iter().position(|column| matches!(&column.role, Some(Role::MedianOf(of)) if of == name))
    };
    let figure = |(index, column): (usize, &Column)| {
        let spread = spreads.get(column.name.as_str()).copied();
        let median = median_of(&column.name);
        let is_estimate = column.role == Some(Role::Figure) || spread.is_some() || median.is_some();
        is_estimate.then_some(Figure { column: index, spread, median })
    };
    columns.iter().enumerate().filter_map(figure).collect()
}

/// The columns of a header, with the roles that their own names give.
pub(super) fn by_names(header: &[String]) -> Vec<Column> {
    let has = |name: &str| header.iter().any(|column| column == name);
    let page_000 = PAGE_000.iter().all(|(name, _)| has(name));
    let mut columns: Vec<Column> = header.iter().map(|name| automatic(name, page_000)).collect();
    for (index, name) in header.iter().enumerate() {
        if let Some((role, figure)) = partner_of(header, index).filter(|_| columns[index].role.is_none()) {
            let what = if matches!(role, Role::MedianOf(_)) { "median" } else { "spread" };
            columns[index] = Column {
                name: name.clone(),
                role: Some(role),
                role_name: format!("{what} of {}", header[figure]),
            };
            if columns[figure].role.is_none() {
                columns[figure].role = Some(Role::Figure);
                "figure".clone_into(&mut columns[figure].role_name);
            }
        }
    }
    columns
}

fn automatic(name: &str, page_000: bool) -> Column {
    let known = PAGE_000.iter().find(|(column, _)| page_000 && *column == name);
    let role = match known {
        Some((_, role)) => Role::parse(role).ok(),
        None => Role::of_header(name),
    };
    let role_name = known.map_or_else(|| name.to_owned(), |(_, role)| (*role).to_owned());
    Column { name: name.to_owned(), role, role_name }
}

/// The role of a column that ends like a spread or a median, and the column it belongs to: the stem itself, or the
/// first that begins with it (`commits_ci` belongs to `commits_mean`).
fn partner_of(header: &[String], index: usize) -> Option<(Role, usize)> {
    let name = &header[index];
    let of = |endings: &[&str], role: fn(String) -> Role| {
        endings.iter().find_map(|ending| Some((name.strip_suffix(ending)?, role)))
    };
    let (stem, role) = of(HALF_WIDTH_ENDINGS, Role::HalfWidthOf)
        .or_else(|| of(DEVIATION_ENDINGS, Role::DeviationOf))
        .or_else(|| of(MEDIAN_ENDINGS, Role::MedianOf))?;
    let begins = |column: &String| column.strip_prefix(stem).is_some_and(|rest| rest.starts_with('_'));
    let exact = header.iter().position(|column| column == stem);
    let figure = exact.or_else(|| header.iter().position(|column| column != name && begins(column)))?;
    Some((role(header[figure].clone()), figure))
}

/// A sentence that names the nearest column, or the first of those there are.
pub(super) fn unknown_column(name: &str, columns: &[Column]) -> String {
    let names: Vec<String> = columns.iter().take(COLUMNS_TOLD).map(|column| excerpt(&column.name)).collect();
    suggestion::unknown("column", &excerpt(name), names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Refuses two columns of one field, and spreads of columns that are not there.
pub(super) fn check(columns: &[Column]) -> Result<(), String> {
    for (index, column) in columns.iter().enumerate() {
        match &column.role {
            Some(role @ (Role::Field(..) | Role::Latency(..))) => {
                let same =
                    |other: &&Column| other.role.as_ref().is_some_and(|other| other.is_same_place(role));
                if let Some(twice) = columns[..index].iter().find(same) {
                    return Err(format!(
                        "the columns \"{}\" and \"{}\" both give {}: state which one does",
                        excerpt(&twice.name),
                        excerpt(&column.name),
                        column.role_name
                    ));
                }
            }
            Some(
                Role::HalfWidthOf(of) | Role::DeviationOf(of) | Role::IntervalOf(of) | Role::MedianOf(of),
            ) if !columns.iter().any(|other| other.name == *of) => {
                return Err(unknown_column(of, columns));
            }
            Some(
                Role::Label
                | Role::Knob
                | Role::Figure
                | Role::HalfWidthOf(_)
                | Role::DeviationOf(_)
                | Role::IntervalOf(_)
                | Role::MedianOf(_),
            )
            | None => {}
        }
    }
    Ok(())
}
