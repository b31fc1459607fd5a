//! The files: by what they are to their database, and those with most operations.

use super::cells::NONE;
use crate::observation::{FileFigures, Observation};
use model::figure::{round, round_figure};
use model::metric::Unit;
use page::{Block, Cell, Column, Section, Table};

/// Files that have a line.
const FILES_MAX: usize = 10;

pub(super) fn section(seen: &Observation) -> Option<Section> {
    if seen.roles.is_empty() {
        return None;
    }
    let figures = ["reads/s", "read", "writes/s", "written", "syncs/s"];
    let figures = figures.into_iter().map(|heading| Column::Figures(heading.into()));
    let columns = [Column::Words("files".into()), Column::Figures("number".into())];
    let mut table = Table::new("files by role", columns.into_iter().chain(figures).collect());
    for of in &seen.roles {
        let name = match of.database.as_str() {
            "" => "other files".to_owned(),
            database => format!("{database}: {}", of.role.word()),
        };
        table.row(vec![
            Cell::of(name),
            Cell::of(of.files.to_string()),
            Cell::of(round(of.reads_per_s)),
            Cell::of(round_figure(of.bytes_read_per_s, Unit::BytesPerSecond)),
            Cell::of(round(of.writes_per_s)),
            Cell::of(round_figure(of.bytes_written_per_s, Unit::BytesPerSecond)),
            Cell::of(round(of.syncs_per_s)),
        ]);
    }
    let columns = vec![
        Column::Words("file".into()),
        Column::Words("role".into()),
        Column::Figures("reads/s".into()),
        Column::Figures("writes/s".into()),
        Column::Figures("written".into()),
        Column::Figures("syncs/s".into()),
    ];
    let mut files = Table::new("files with most operations", columns);
    for of in seen.files.iter().take(FILES_MAX) {
        files.row(cells(seen, of));
    }
    let estimates = "Rates of reads and writes are estimates from the windows in which calls were recorded.";
    let estimates = seen.is_sampled().then(|| Block::note(estimates));
    let blocks = [Block::Table(table), Block::Table(files)].into_iter().chain(estimates).collect();
    Some(Section::new("files", "Files", blocks))
}

fn cells(seen: &Observation, of: &FileFigures) -> Vec<Cell> {
    let how = if of.direct { " (direct)" } else { "" };
    vec![
        Cell::of(format!("{}{how}", short(seen, &of.path))),
        Cell::of(if of.database.is_empty() { NONE } else { of.role.word() }),
        Cell::of(round(of.reads_per_s)),
        Cell::of(round(of.writes_per_s)),
        Cell::of(round_figure(of.bytes_written_per_s, Unit::BytesPerSecond)),
        Cell::of(round(of.syncs_per_s)),
    ]
}

/// A path below the directory of its database is as short as its reader knows it.
pub(super) fn short<'a>(seen: &Observation, path: &'a str) -> &'a str {
    let mut roots = seen.databases.iter().map(|(_, root)| root);
    roots.find_map(|root| path.strip_prefix(root)?.strip_prefix('/')).unwrap_or(path)
}
