//! Tables of names and values, `Metric | Before | After`: turned, so that what is a row becomes a column with a role.

use super::columns::Columns;
use super::grid::Grid;
use crate::mapping::Mapping;

/// Columns and lines beyond which a table is not of names and values.
const COLUMNS_MAX: usize = 8;
const LINES_MAX: usize = 60;
/// Roles that it takes to turn a table.
const ROLES_MIN: usize = 2;

impl Grid {
    /// The table, or it turned if its first column's cells have more roles than its header.
    pub(super) fn upright(self) -> Self {
        if self.header.len() > COLUMNS_MAX || self.lines.len() > LINES_MAX {
            return self;
        }
        let turned = self.turned();
        let roles = |grid: &Self| {
            let columns = Columns::resolve("", grid, &Mapping::default()).ok();
            columns.filter(|columns| columns.is_measured).map_or(0, |columns| columns.roles())
        };
        let (own, other) = (roles(&self), roles(&turned));
        if other >= ROLES_MIN && other > own { turned } else { self }
    }

    fn turned(&self) -> Self {
        let names = self.lines.iter().map(|(_, cells)| cells.first().cloned().unwrap_or_default());
        let header = self.header.iter().take(1).cloned().chain(names).collect();
        let line = |(index, name): (usize, &String)| {
            let cells = self.lines.iter().map(|(_, cells)| cells.get(index).cloned().unwrap_or_default());
            (self.header_line, std::iter::once(name.clone()).chain(cells).collect())
        };
        let lines = self.header.iter().enumerate().skip(1).map(line).collect();
        Self { header_line: self.header_line, header, lines, misfits: self.misfits, around: self.around }
    }
}
