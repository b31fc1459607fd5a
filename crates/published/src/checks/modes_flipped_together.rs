//! One column of I/O modes for two kinds of work: page 000's `mode` turned the data's reads and the log's writes at once, so
//! what either of them does is unknown.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Row, Table};
use model::IoMode;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let rows: Vec<(usize, Modes)> =
        table.rows.iter().enumerate().filter_map(|(index, row)| Some((index, modes(row)?))).collect();
    let mut all: Vec<Modes> = Vec::new();
    for (_, modes) in &rows {
        if !all.contains(modes) {
            all.push(*modes);
        }
    }
    let mut readings = Readings::default();
    for (row, (data, log)) in rows.iter().copied().filter(|_| all.len() > 1) {
        // One of the two was held while the other changed.
        let is_apart = all.iter().any(|other| (other.0 == data) != (other.1 == log));
        let status = if is_apart { Status::Pass } else { Status::Warn };
        let text = format!(
            "reads of the data are {data} and the log's writes {log}: no row changes one of them alone."
        );
        readings.add(table, Reading { row, concern: Concern::Comparison, status, text });
    }
    let words = Words {
        pass: format!(
            "The data's I/O mode changes without the log's, or the log's without the data's, in {}.",
            readings.read()
        ),
        off: format!("The I/O mode of data and log change together in {}.", readings.share()),
        advice: "Measure the two missing arms: direct data with a buffered log, and buffered data with a direct log.",
        missing: "No two rows that read data and commit beside it differ in their I/O modes.",
    };
    Judgement::from_readings(readings, words)
}

/// The modes of the data and of the log.
type Modes = (IoMode, IoMode);

/// The modes of a row that does both; a log of which nothing is reported has that of the data.
fn modes(row: &Row) -> Option<Modes> {
    let reads = row.operations_per_s.is_some();
    let commits = row.commits_per_s.is_some() || !row.sync.is_empty() || !row.commit.is_empty();
    let data = row.setting.mode.filter(|_| reads && commits)?;
    // fio's syncs are those of the very writes that its rate counts.
    let is_one_stream = row.commits_per_s.is_none() && row.setting.writes() == Some(true);
    (!is_one_stream).then(|| (data, row.setting.log_mode.unwrap_or(data)))
}
