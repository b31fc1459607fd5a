//! The roles of a table's columns: as they were typed, by their names, and where both are silent by a guess from the
//! header's words, its unit and the cells.

use super::error::ReadError;
use super::grid::{Grid, Misfits, is_empty};
use crate::cell::Cell;
use crate::guess::{Guess, Seen, Side};
use crate::mapping::{Column, Figure, Mapping, figures};
use crate::number::{Decimal, Shown, interval};
use crate::role::{Field, Role};
use laws::{Claim, Timed, is_engine};
use model::excerpt;
use std::collections::BTreeSet;

/// Words of a header that is about the figure of another column.
const MEDIAN: &[&str] = &["median"];
const INTERVAL: &[&str] = &["ci", "confidence", "interval"];
const MEAN: &[&str] = &["mean", "average", "avg"];

/// A table's columns, and how their cells are read.
pub(super) struct Columns {
    pub(super) list: Vec<Column>,
    pub(super) figures: Vec<Figure>,
    /// The decimal mark of each column.
    pub(super) decimals: Vec<Option<Decimal>>,
    /// Which columns were guessed, and what operations they are about.
    guesses: Vec<Option<Side>>,
    /// Whether any of them is a result.
    pub(super) is_measured: bool,
}

impl Columns {
    /// Gives every column its role.
    ///
    /// # Errors
    /// [`ReadError`] at the header: two columns of one role, a column that is not there.
    pub(super) fn resolve(source: &str, grid: &Grid, mapping: &Mapping) -> Result<Self, ReadError> {
        let mut list =
            mapping.resolve(&grid.header).map_err(|what| ReadError::at(source, grid.header_line, what))?;
        let cells: Vec<Vec<&str>> = (0..grid.header.len()).map(|index| grid.column(index)).collect();
        let seen: Vec<Seen<'_>> =
            grid.header.iter().zip(&cells).map(|(header, cells)| Seen::new(header, cells)).collect();
        if grid.misfits == Misfits::Remark {
            for (column, cells) in
                list.iter_mut().zip(&cells).filter(|(column, _)| !mapping.names(&column.name))
            {
                column.role.take_if(|role| !fits(role, cells));
            }
        }
        let mut columns = Self {
            guesses: vec![None; list.len()],
            decimals: decimals(&seen, &cells, mapping.decimal(), grid.around),
            figures: Vec::new(),
            is_measured: false,
            list,
        };
        columns.guess(&seen);
        columns.percentiles(&seen);
        columns.partners(&cells);
        columns.others(&seen, grid.misfits);
        columns.figures = figures(&columns.list);
        columns.is_measured = columns.list.iter().zip(&seen).any(|(column, seen)| {
            column.role.as_ref().is_some_and(|role| {
                role.is_measured() || role.is_partner() || *role == Role::Figure && seen.has_measured_unit()
            })
        });
        Ok(columns)
    }

    /// Whether a column's role was neither typed nor the header's own name.
    pub(super) fn is_guessed(&self, index: usize) -> bool {
        self.guesses[index].is_some()
    }

    /// Columns that have a role of their own.
    pub(super) fn roles(&self) -> usize {
        let is_own = |column: &&Column| {
            column.role.as_ref().is_some_and(|role| !matches!(role, Role::Label | Role::Figure | Role::Knob))
        };
        self.list.iter().filter(is_own).count()
    }

    /// The rows into which each line falls, by what its results are about, with a header that says so: one, unless
    /// there are results of several kinds.
    pub(super) fn sides(&self) -> Vec<(Side, &str)> {
        let is_result = |column: &Column| column.role.as_ref().is_some_and(Role::is_measured);
        let results = self.list.iter().enumerate().filter(|(_, column)| is_result(column));
        let results = results.map(|(index, column)| (self.side(index), column.name.as_str()));
        let mut sides: Vec<(Side, &str)> = Vec::new();
        for (side, name) in results {
            if !sides.iter().any(|(known, _)| *known == side) {
                sides.push((side, name));
            }
        }
        if sides.len() > 1 {
            sides.retain(|(side, _)| *side != Side::WHOLE);
        }
        if sides.is_empty() { vec![(Side::WHOLE, "")] } else { sides }
    }

    /// Whether a column says something of a line's row of this kind.
    pub(super) fn belongs(&self, index: usize, side: Side) -> bool {
        matches!(self.side(index), own if own == Side::WHOLE || own == side)
    }

    fn side(&self, index: usize) -> Side {
        self.guesses[index].unwrap_or(Side::WHOLE)
    }

    /// `"Throughput (GiB/s)" is bandwidth_gib_per_s`, for each guessed column except labels.
    pub(super) fn guessed(&self) -> Vec<String> {
        let guessed = self.list.iter().enumerate().filter(|(index, _)| self.is_guessed(*index));
        let told =
            guessed.filter(|(_, column)| column.role.as_ref().is_some_and(|role| *role != Role::Label));
        told.map(|(_, column)| format!("\"{}\" is {}", excerpt(&column.name), column.role_name)).collect()
    }

    fn set(&mut self, index: usize, role: Role, role_name: String, side: Side) {
        self.list[index].role = Some(role);
        self.list[index].role_name = role_name;
        self.guesses[index] = Some(side);
    }

    fn guess(&mut self, seen: &[Seen<'_>]) {
        for (index, seen) in seen.iter().enumerate() {
            if self.list[index].role.is_some() {
                continue;
            }
            let Some(Guess { role: name, side }) = seen.guess() else { continue };
            let Ok(role) = Role::parse(&name) else { continue };
            let is_taken = self.list.iter().enumerate().any(|(other, column)| {
                let same = column.role.as_ref().is_some_and(|known| known.is_same_place(&role));
                same && (side == Side::WHOLE || [Side::WHOLE, side].contains(&self.side(other)))
            });
            if is_taken {
                continue;
            }
            self.set(index, role, name, side);
        }
    }

    /// `p50 p99` behind a latency that has a unit: they have the same.
    fn percentiles(&mut self, seen: &[Seen<'_>]) {
        let units = self.list.iter().enumerate().filter_map(|(index, column)| match column.role {
            Some(Role::Latency(Timed::Operation, ..)) => {
                Some((self.side(index), column.role_name.rsplit('_').next()?.to_owned()))
            }
            Some(_) | None => None,
        });
        let units: BTreeSet<String> =
            units.filter(|(side, _)| *side == Side::WHOLE).map(|(_, unit)| unit).collect();
        let (Some(unit), 1) = (units.first(), units.len()) else { return };
        for (index, seen) in seen.iter().enumerate() {
            let Some(percentile) = seen.bare_percentile().filter(|_| self.list[index].role.is_none()) else {
                continue;
            };
            let name = format!("latency_{percentile}_{unit}");
            let Ok(role) = Role::parse(&name) else { continue };
            if !self
                .list
                .iter()
                .any(|column| column.role.as_ref().is_some_and(|known| known.is_same_place(&role)))
            {
                self.set(index, role, name, Side::WHOLE);
            }
        }
    }

    /// Medians and intervals of means in other columns.
    fn partners(&mut self, cells: &[Vec<&str>]) {
        let stems: Vec<(Vec<String>, Vec<String>)> =
            self.list.iter().map(|column| stem(&column.name)).collect();
        let means: Vec<usize> = (0..stems.len())
            .filter(|index| stems[*index].1.iter().any(|word| MEAN.contains(&word.as_str())))
            .filter(|index| self.list[*index].role.is_none())
            .collect();
        for index in 0..stems.len() {
            let (stem, kind) = &stems[index];
            let of = |words: &[&str]| kind.iter().any(|word| words.contains(&word.as_str()));
            let is_free = self.list[index].role.is_none() && !means.contains(&index);
            let mean = means.iter().copied().find(|mean| stems[*mean].0 == *stem);
            let mean =
                mean.or_else(|| means.first().copied().filter(|_| stem.is_empty() && means.len() == 1));
            let Some(mean) = mean.filter(|_| is_free) else { continue };
            let name = self.list[mean].name.clone();
            let is_interval = cells[index].iter().any(|cell| interval(cell, self.decimals[index]).is_some());
            let (role, prefix) = if of(MEDIAN) {
                (Role::MedianOf(name.clone()), "median_of_")
            } else if of(INTERVAL) && is_interval {
                (Role::IntervalOf(name.clone()), "interval_of_")
            } else {
                continue;
            };
            self.set(index, role, format!("{prefix}{name}"), Side::WHOLE);
            self.set(mean, Role::Figure, "figure".to_owned(), Side::WHOLE);
        }
    }

    /// What is left: columns before the first result tell rows apart, numbers behind it are figures.
    fn others(&mut self, seen: &[Seen<'_>], misfits: Misfits) {
        let is_result = |index: usize| {
            let role = self.list[index].role.as_ref();
            role.is_some_and(|role| role.is_measured() || role.is_partner())
                || role.is_none() && seen[index].has_measured_unit()
        };
        let first = (0..seen.len()).find(|index| is_result(*index)).unwrap_or(usize::from(seen.len() > 1));
        // RocksDB's script names the test in the last column.
        let last = seen.len().saturating_sub(1);
        let is_page = misfits == Misfits::Remark && first == 0 && last > 0;
        if is_page && self.list[last].role.is_none() && !seen[last].is_numeric() {
            self.set(last, Role::Label, "label".to_owned(), Side::WHOLE);
        }
        for (index, seen) in seen.iter().enumerate() {
            if self.list[index].role.is_some() {
                continue;
            }
            if index < first && seen.is_numeric() && seen.has_unit() {
                // A size or a share is neither a name nor a result.
                continue;
            }
            if index < first {
                self.set(index, Role::Label, "label".to_owned(), Side::WHOLE);
            } else if seen.is_numeric() {
                self.set(index, Role::Figure, "figure".to_owned(), Side::WHOLE);
            }
        }
    }
}

/// Whether most cells of a column can be what its name says.
fn fits(role: &Role, cells: &[&str]) -> bool {
    let mut scratch = Claim::default();
    let is_fit = |cell: &&&str| {
        let is_known = !matches!(role, Role::Field(Field::Engine, _)) || is_engine(cell);
        is_known && role.apply(&mut scratch, Cell::plain(cell)).is_ok()
    };
    2 * cells.iter().filter(is_fit).count() >= cells.len()
}

/// The words of a header without those that say what of a distribution it is, and these.
fn stem(header: &str) -> (Vec<String>, Vec<String>) {
    let plain = header.to_lowercase();
    let words = plain.split(|c: char| !(c.is_alphanumeric() || c == '%')).filter(|word| !word.is_empty());
    let words = words.filter(|word| !word.ends_with('%') && !word.chars().all(|c| c.is_ascii_digit()));
    let is_kind = |word: &String| [MEDIAN, INTERVAL, MEAN].iter().any(|list| list.contains(&word.as_str()));
    let (kinds, stem) = words.map(str::to_owned).partition(is_kind);
    (stem, kinds)
}

/// Each column's decimal mark: as it was stated, or by its own numbers, the table's, and the page's.
fn decimals(
    seen: &[Seen<'_>],
    cells: &[Vec<&str>],
    stated: Option<Decimal>,
    around: Shown,
) -> Vec<Option<Decimal>> {
    let shown = marks(seen, cells);
    let table = shown.iter().fold(Shown::default(), |all, column| all.and(*column));
    let of_column = |column: &Shown| {
        stated.or_else(|| Decimal::of_column(*column, table)).or_else(|| Decimal::of_column(*column, around))
    };
    shown.iter().map(of_column).collect()
}

/// What the numbers of each column show.
fn marks(seen: &[Seen<'_>], cells: &[Vec<&str>]) -> Vec<Shown> {
    let of_column = |(seen, cells): (&Seen<'_>, &Vec<&str>)| {
        if seen.is_numeric() { Shown::of_cells(cells.iter().copied()) } else { Shown::default() }
    };
    seen.iter().zip(cells).map(of_column).collect()
}

impl Grid {
    /// What its numbers show of decimal marks.
    pub(super) fn marks(&self) -> Shown {
        let cells: Vec<Vec<&str>> = (0..self.header.len()).map(|index| self.column(index)).collect();
        let seen: Vec<Seen<'_>> =
            self.header.iter().zip(&cells).map(|(header, cells)| Seen::new(header, cells)).collect();
        marks(&seen, &cells).into_iter().fold(Shown::default(), Shown::and)
    }

    /// The cells of a column that are not empty.
    fn column(&self, index: usize) -> Vec<&str> {
        let cells = self.lines.iter().filter_map(|(_, cells)| cells.get(index).map(String::as_str));
        cells.filter(|cell| !is_empty(cell)).collect()
    }
}
