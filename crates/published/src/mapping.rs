//! Which column plays which role: as it was typed, or by the header's own names.

use crate::cell::Cell;
use crate::number::Decimal;
use crate::role::Role;
use crate::table::{Row, SpreadKind};
use model::excerpt;
use model::suggestion;
use std::collections::BTreeMap;

/// What `--columns` said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    columns: Vec<(Role, String, String)>,
    constants: Vec<(Role, String, String)>,
    /// The mark before decimals, where the table does not show it.
    decimal: Option<Decimal>,
}

/// The fact `decimal:point` or `decimal:comma`.
const DECIMAL: &str = "decimal";

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

impl Mapping {
    /// Reads `ROLE=COLUMN,…`. `ROLE:VALUE` says something of every row that the table has no column for, such as
    /// `in_flight:32`; fio's JSON, which has no columns, takes nothing else, and what is typed counts more than
    /// what they say. An empty text leaves everything to the header.
    ///
    /// # Errors
    /// A sentence: an unknown role with its nearest neighbour, or what is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut mapping = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let place = part.find(['=', ':']);
            let (name, rest) = place.map(|place| part.split_at(place)).unwrap_or_default();
            let target = rest.get(1..).unwrap_or_default().trim();
            if name.trim().is_empty() || target.is_empty() {
                return Err(format!("--columns: \"{}\": write ROLE=COLUMN or ROLE:VALUE", excerpt(part)));
            }
            if name.trim() == DECIMAL && rest.starts_with(':') {
                mapping.decimal = Some(decimal(target)?);
                continue;
            }
            let role = Role::parse(name.trim())?;
            let entry = (role, name.trim().to_owned(), target.to_owned());
            if rest.starts_with(':') && !matches!(entry.0, Role::Field(..) | Role::Latency(..)) {
                return Err(format!(
                    "--columns: \"{}\": a {} is a column's: write ROLE=COLUMN",
                    excerpt(part),
                    entry.1
                ));
            }
            if rest.starts_with('=') { &mut mapping.columns } else { &mut mapping.constants }.push(entry);
        }
        Ok(mapping)
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// The mark before decimals that was stated.
    pub(crate) const fn decimal(&self) -> Option<Decimal> {
        self.decimal
    }

    /// Whether a column was given its role: only a table with a header can take that.
    pub(crate) fn names_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Whether this column was given its role.
    pub(crate) fn names(&self, column: &str) -> bool {
        self.columns.iter().any(|(_, _, name)| name == column)
    }

    /// What of it concerns a table with this header; a page has several.
    pub(crate) fn of_header(&self, header: &[String]) -> Self {
        let has = |name: &String| header.contains(name);
        let columns = self.columns.iter().filter(|(_, _, name)| has(name)).cloned().collect();
        Self { columns, ..self.clone() }
    }

    /// A sentence about a column that none of these is.
    pub(crate) fn missing<'a>(&self, headers: impl Iterator<Item = &'a String>) -> Option<String> {
        let columns: Vec<Column> =
            headers.map(|name| Column { name: name.clone(), role: None, role_name: String::new() }).collect();
        let is_there = |name: &String| columns.iter().any(|column| column.name == *name);
        let (_, _, name) = self.columns.iter().find(|(_, _, name)| !is_there(name))?;
        Some(unknown_column(name, &columns))
    }

    /// Gives one column its role: `NAME=ROLE`, for a name that may hold commas and more.
    ///
    /// # Errors
    /// A sentence: an unknown role with its nearest neighbour, or what is missing.
    pub fn add_column(&mut self, text: &str) -> Result<(), String> {
        let written = text.rsplit_once('=').map(|(name, role)| (name.trim(), role.trim()));
        let Some((name, role)) = written.filter(|(name, role)| !name.is_empty() && !role.is_empty()) else {
            return Err(format!("--column: \"{}\": write NAME=ROLE", excerpt(text)));
        };
        self.columns.push((Role::parse(role)?, role.to_owned(), name.to_owned()));
        Ok(())
    }

    /// Puts what was stated about every row into one.
    ///
    /// # Errors
    /// A sentence with the role: a value that does not fit it.
    pub(crate) fn say_of(&self, row: &mut Row) -> Result<(), String> {
        for (role, name, value) in &self.constants {
            role.apply(row, Cell::plain(value)).map_err(|what| format!("--columns {name}: {what}"))?;
        }
        Ok(())
    }

    /// Gives every column of a header its role.
    pub(crate) fn resolve(&self, header: &[String]) -> Result<Vec<Column>, String> {
        let has = |name: &str| header.iter().any(|column| column == name);
        let page_000 = PAGE_000.iter().all(|(name, _)| has(name));
        let mut columns: Vec<Column> = header.iter().map(|name| automatic(name, page_000)).collect();
        for (index, name) in header.iter().enumerate() {
            if let Some((role, figure)) = partner_of(header, index).filter(|_| columns[index].role.is_none())
            {
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
        for (role, role_name, name) in &self.columns {
            let found = columns.iter().position(|column| column.name == *name);
            let Some(index) = found else {
                return Err(unknown_column(name, &columns));
            };
            if !matches!(role, Role::Label | Role::Knob | Role::Figure) {
                columns
                    .iter_mut()
                    .filter(|column| column.role.as_ref() == Some(role))
                    .for_each(|column| column.role = None);
            }
            columns[index] =
                Column { name: name.clone(), role: Some(role.clone()), role_name: role_name.clone() };
        }
        check(&columns)?;
        Ok(columns)
    }
}

fn decimal(name: &str) -> Result<Decimal, String> {
    match name {
        "point" => Ok(Decimal::Point),
        "comma" => Ok(Decimal::Comma),
        _ => Err(suggestion::unknown("decimal mark", name, ["point", "comma"])),
    }
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

/// The role of a column that ends like a spread or a median, and the column it belongs to: the stem itself, or the first
/// that begins with it (`commits_ci` belongs to `commits_mean`).
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
fn unknown_column(name: &str, columns: &[Column]) -> String {
    let names: Vec<String> = columns.iter().take(COLUMNS_TOLD).map(|column| excerpt(&column.name)).collect();
    let sentence =
        suggestion::unknown("column", &excerpt(name), names.iter().map(String::as_str).collect::<Vec<_>>());
    format!("--columns: {sentence}")
}

/// Refuses two columns of one field, and spreads of columns that are not there.
fn check(columns: &[Column]) -> Result<(), String> {
    for (index, column) in columns.iter().enumerate() {
        match &column.role {
            Some(role @ (Role::Field(..) | Role::Latency(..))) => {
                let same =
                    |other: &&Column| other.role.as_ref().is_some_and(|other| other.is_same_place(role));
                if let Some(twice) = columns[..index].iter().find(same) {
                    return Err(format!(
                        "the columns \"{}\" and \"{}\" both give {}: choose one with --columns",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    fn roles(mapping: &str, names: &str) -> Result<Vec<String>, String> {
        let columns = Mapping::parse(mapping)?.resolve(&header(names))?;
        Ok(columns
            .into_iter()
            .map(|column| column.role.map_or("-".to_owned(), |_| column.role_name))
            .collect())
    }

    #[test]
    fn headers_tell_what_they_can() {
        assert_eq!(roles("", "name,iops,iops_ci,colour").unwrap(), ["name", "iops", "spread of iops", "-"]);
        assert_eq!(roles("", "commits_mean,commits_ci").unwrap(), ["figure", "spread of commits_mean"]);
        assert_eq!(roles("latency_mean_us=avg", "iops,avg").unwrap(), ["iops", "latency_mean_us"]);
        assert_eq!(roles("iops=mine", "iops,mine").unwrap(), ["-", "iops"]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (mapping, names, message) in [
            ("iosp=x", "x", "did you mean \"iops\"?"),
            ("iops=far", "x", "unknown column \"far\"; there are: x"),
            ("iops", "x", "write ROLE=COLUMN or ROLE:VALUE"),
            ("=x", "x", "write ROLE=COLUMN or ROLE:VALUE"),
            ("label:x", "x", "a label is a column's: write ROLE=COLUMN"),
            ("", "latency_mean_us,latency_mean_ms", "both give latency_mean_ms: choose one"),
            ("half_width_of_far=x", "x", "unknown column \"far\""),
        ] {
            let error = roles(mapping, names).unwrap_err();
            assert!(error.contains(message), "{mapping}: {error}");
        }
    }
}
