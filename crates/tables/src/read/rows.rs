//! The rows of a grid: every cell by the role of its column.

use super::columns::Columns;
use super::error::ReadError;
use super::grid::{Grid, Misfits, is_empty};
use crate::cell::Cell;
use crate::guess::Side;
use crate::hint;
use crate::mapping::Mapping;
use crate::number::{Quantity, interval};
use crate::role::Role;
use laws::{Arrivals, Claim, Direction, Estimate, Figure, Median, Spread, SpreadKind};
use model::excerpt;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Cells that are named as left out.
const MISFITS_TOLD: usize = 3;

/// What was read of a grid.
pub(super) struct ReadGrid {
    /// Each column's name and the role it plays.
    pub(super) columns: Vec<(String, String)>,
    pub(super) unknown_columns: Vec<String>,
    pub(super) remarks: Vec<String>,
    pub(super) rows: Vec<Claim>,
    /// Whether any column is a result.
    pub(super) is_measured: bool,
    /// Whether a role was guessed.
    pub(super) has_guesses: bool,
}

impl Grid {
    /// Its rows.
    ///
    /// # Errors
    /// [`ReadError`] with line and column: columns that contradict each other or `mapping`, and in a CSV file cells
    /// that do not fit.
    pub(super) fn read(&self, source: &str, mapping: &Mapping) -> Result<ReadGrid, ReadError> {
        let columns = Columns::resolve(source, self, mapping)?;
        let mut reader = Reader {
            source,
            grid: self,
            mapping,
            columns: &columns,
            misfits: Vec::new(),
            hints: BTreeMap::new(),
            hinted: Vec::new(),
        };
        let mut rows = Vec::new();
        let sides = columns.sides();
        for (line, cells) in &self.lines {
            for (side, header) in &sides {
                let mut row = reader.row(*line, cells, *side)?;
                if sides.len() > 1 {
                    let both = [row.label.as_str(), &side.name()].join(" ");
                    both.trim().clone_into(&mut row.label);
                }
                // What the header says: `Random read (4K)`.
                if *side != Side::WHOLE {
                    row.setting.fill(hint::of_label(header));
                }
                if sides.len() == 1 || has_result(&row) {
                    reader.tell_hints();
                    rows.push(row);
                }
                reader.hinted.clear();
            }
        }
        let remarks = reader.remarks();
        let known = columns.list.iter().filter(|column| column.role.is_some());
        let unknown = columns.list.iter().filter(|column| column.role.is_none());
        Ok(ReadGrid {
            columns: known.map(|column| (column.name.clone(), column.role_name.clone())).collect(),
            unknown_columns: unknown.map(|column| excerpt(&column.name)).collect(),
            is_measured: columns.is_measured,
            has_guesses: !columns.guessed().is_empty(),
            remarks,
            rows,
        })
    }
}

struct Reader<'a> {
    source: &'a str,
    grid: &'a Grid,
    mapping: &'a Mapping,
    columns: &'a Columns,
    /// What did not fit and was left out: sentences.
    misfits: Vec<String>,
    /// Settings from labels, and how many rows have them.
    hints: BTreeMap<&'static str, usize>,
    /// Those of the row that is being read.
    hinted: Vec<&'static str>,
}

impl Reader<'_> {
    fn row(&mut self, line: u64, cells: &[String], side: Side) -> Result<Claim, ReadError> {
        let columns = self.columns;
        let mut row = Claim { place: format!("line {line}"), ..Claim::default() };
        let mut label: Vec<&str> = Vec::new();
        self.mapping.say_of(&mut row).map_err(|what| ReadError::whole(self.source, what))?;
        row.setting.direction = row.setting.direction.or(side.direction);
        for (index, (column, cell)) in columns.list.iter().zip(cells).enumerate() {
            let Some(role) = column.role.as_ref().filter(|_| columns.belongs(index, side)) else { continue };
            if is_empty(cell) && !role.is_level(cell) {
                continue;
            }
            if let Err(what) = role.apply(&mut row, self.cell(cells, index)) {
                self.misfit(line, index, what)?;
            }
            if *role == Role::Label {
                label.push(cell);
            }
            if role.is_knob() {
                Arc::make_mut(&mut row.setting.knobs).insert(column.name.clone(), cell.clone());
            }
        }
        row.estimates = self.estimates(line, cells, side)?;
        // `Throughput (n=3)`
        let stated = columns.list.iter().find_map(|column| hint::stated_n(&column.name));
        row.n = row.n.or(stated);
        let has = |is: &dyn Fn(&str) -> bool| columns.list.iter().any(|column| is(&column.name));
        // A table about page reads (page 000) has no pattern column; its rates are of reads.
        if row.setting.direction.is_none() && has(&|name| name == "read_iops_mean") {
            row.setting.direction = Some(Direction::Read);
        }
        if row.setting.arrivals.is_none() && columns.list.iter().any(|column| column.role_name == "rate_iops")
        {
            row.setting.arrivals = Some(Arrivals::Closed);
        }
        self.label(&mut row, &label);
        Ok(row)
    }

    fn label(&mut self, row: &mut Claim, label: &[&str]) {
        if label.is_empty() {
            row.label = settings_label(row);
            return;
        }
        row.label = label.join(" ");
        if self.grid.misfits == Misfits::Remark {
            self.hinted = row.setting.fill(hint::of_label(&row.label));
        }
    }

    fn tell_hints(&mut self) {
        for name in &self.hinted {
            *self.hints.entry(name).or_default() += 1;
        }
    }

    fn cell<'a>(&self, cells: &'a [String], index: usize) -> Cell<'a> {
        Cell { text: &cells[index], decimal: self.columns.decimals[index] }
    }

    /// A cell that does not fit: an error in a column that somebody named, and a remark elsewhere.
    fn misfit(&mut self, line: u64, index: usize, what: String) -> Result<(), ReadError> {
        let name = excerpt(&self.columns.list[index].name);
        if self.grid.misfits == Misfits::Refuse && !self.columns.is_guessed(index) {
            return Err(ReadError::at(self.source, line, what).in_column(name));
        }
        self.misfits.push(format!("line {line}, column {name}: {what}"));
        Ok(())
    }

    /// Figures without a field of their own, and every figure that has a spread.
    fn estimates(&mut self, line: u64, cells: &[String], side: Side) -> Result<Vec<Estimate>, ReadError> {
        let columns = self.columns;
        let mut estimates = Vec::new();
        for (index, column) in columns.list.iter().enumerate() {
            let figure = columns.figures.iter().find(|figure| figure.column == index);
            let is_result =
                column.role.as_ref().is_some_and(|role| *role == Role::Figure || role.is_measured());
            if !(is_result || figure.is_some()) || !columns.belongs(index, side) {
                continue;
            }
            let found = if is_result { self.number(line, cells, index)? } else { None };
            let beside = found.and_then(|found| found.spread).map(|spread| Spread {
                column: format!("± of {}", column.name),
                kind: SpreadKind::HalfWidth,
                figure: spread,
            });
            if figure.is_none() && beside.is_none() {
                continue;
            }
            let spread = match figure.and_then(|figure| figure.spread) {
                Some((place, kind)) => self.spread(line, cells, place, kind)?,
                None => beside,
            };
            let median = match figure.and_then(|figure| figure.median) {
                Some(place) => self
                    .number(line, cells, place)?
                    .map(|found| Median { column: columns.list[place].name.clone(), figure: found.printed }),
                None => None,
            };
            let found = if is_result { found } else { self.number(line, cells, index)? };
            estimates.push(Estimate {
                column: column.name.clone(),
                same_as: column
                    .role
                    .as_ref()
                    .filter(|role| **role != Role::Figure)
                    .map(|role| role.number().unwrap_or_else(|| column.role_name.clone())),
                figure: found.map(|found| found.printed),
                spread,
                median,
            });
        }
        Ok(estimates)
    }

    fn number(&mut self, line: u64, cells: &[String], index: usize) -> Result<Option<Quantity>, ReadError> {
        if is_empty(&cells[index]) {
            return Ok(None);
        }
        match self.cell(cells, index).quantity() {
            Ok(found) => Ok(Some(found)),
            Err(what) => {
                let is_told = self.columns.list[index].role.as_ref().is_some_and(Role::is_measured);
                if !is_told {
                    self.misfit(line, index, what)?;
                }
                Ok(None)
            }
        }
    }

    fn spread(
        &mut self,
        line: u64,
        cells: &[String],
        place: usize,
        kind: SpreadKind,
    ) -> Result<Option<Spread>, ReadError> {
        let column = &self.columns.list[place];
        let of = |figure| Spread { column: column.name.clone(), kind, figure };
        if matches!(column.role, Some(Role::IntervalOf(_))) {
            let ends = interval(&cells[place], self.columns.decimals[place]);
            let width = |(low, high): (Figure, Figure)| Figure {
                value: (high.value - low.value) / 2.0,
                uncertainty: low.uncertainty.max(high.uncertainty),
            };
            return Ok(ends.map(width).filter(|width| width.value >= 0.0).map(of));
        }
        Ok(self.number(line, cells, place)?.map(|found| of(found.printed)))
    }

    /// What was guessed and what was left out: sentences.
    fn remarks(self) -> Vec<String> {
        let mut remarks = Vec::new();
        let guessed = self.columns.guessed();
        if !guessed.is_empty() {
            remarks.push(format!("Guessed from header and cells: {}.", guessed.join(", ")));
        }
        if !self.hints.is_empty() {
            let told: Vec<String> = self
                .hints
                .iter()
                .map(|(name, rows)| format!("{name} ({rows} rows)").replace("(1 rows)", "(1 row)"))
                .collect();
            remarks.push(format!("Taken from the rows' labels: {}.", told.join(", ")));
        }
        if !self.misfits.is_empty() {
            let told = self.misfits.iter().take(MISFITS_TOLD).cloned().collect::<Vec<_>>().join("; ");
            let more = self.misfits.len().saturating_sub(MISFITS_TOLD);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            remarks.push(format!("Left out as no figures: {told}{more}."));
        }
        remarks
    }
}

/// Whether a row measured anything: a test of reads has zeros in the columns of writes.
fn has_result(row: &Claim) -> bool {
    let figures = [row.operations_per_s, row.bandwidth_bytes_per_s, row.commits_per_s];
    let is_idle =
        figures.iter().flatten().all(|figure| *figure == 0.0) && figures.iter().any(Option::is_some);
    !is_idle && !row.numbers().is_empty()
}

/// A label from what tells rows apart, if none is given.
fn settings_label(row: &Claim) -> String {
    let setting = &row.setting;
    let knobs = setting.knobs.iter().map(|(name, value)| format!("{name}={value}"));
    let mode = setting.mode.map(|mode| mode.name().to_owned());
    let sync = setting.sync.map(|sync| format!("sync={}", sync.name()));
    let durability = setting.durability.map(|class| format!("durability={class}"));
    let parts = setting.pattern.clone().into_iter().chain(mode).chain(sync).chain(durability).chain(knobs);
    let parts: Vec<String> = parts.collect();
    parts.join(" ")
}
