//! The results of jobs as a table for people, a row for what each job read, wrote and synced, as fio's text has them.

use fio::json::{JobResult, Latencies};
use model::units::{format_bytes_approximate, format_significant};
use page::{Block, Cell, Column, Section, Table};

/// The percentiles with a column. fio prints more; the records have the whole histogram.
const PERCENTILES: [f64; 4] = [50.0, 95.0, 99.0, 99.9];

/// What the trials of one job did in one way.
#[derive(Debug, Default)]
struct Row {
    /// Sections of different configurations may have the same name.
    configuration: usize,
    job: String,
    what: &'static str,
    trials: u64,
    operations: u64,
    /// `None` for syncs, which move nothing.
    bytes: Option<u64>,
    seconds: f64,
    latencies: Latencies,
}

/// The table. Figures of several trials are those of all their operations.
pub(super) fn section(results: &[(usize, JobResult)]) -> Section {
    let mut rows: Vec<Row> = Vec::new();
    for (configuration, result) in results {
        for row in rows_of(*configuration, result) {
            let is_same = |known: &&mut Row| {
                (known.configuration, &known.job, known.what) == (row.configuration, &row.job, row.what)
            };
            match rows.iter_mut().find(is_same) {
                Some(known) => add(known, &row),
                None => rows.push(row),
            }
        }
    }
    let percentile = |percent: &f64| Column::Figures(format!("p{percent}, µs").into());
    let heads = [Column::Words("job".into()), Column::Words("".into())];
    let figures = ["trials", "IOPS", "bandwidth", "mean, µs"].map(|head| Column::Figures(head.into()));
    let columns = heads.into_iter().chain(figures).chain(PERCENTILES.iter().map(percentile)).collect();
    let mut table = Table::new("Jobs", columns).with_keys(2);
    for row in &rows {
        let cells = cells(&mut table, row);
        table.row(cells);
    }
    let note = "Latencies are from the submission of an operation to its completion (fio's lat); with a rate, from \
        when it was due.";
    Section::new("", "Jobs", vec![Block::Table(table), Block::note(note)])
}

fn rows_of(configuration: usize, result: &JobResult) -> impl Iterator<Item = Row> {
    let row = |what, bytes, latencies: &Latencies| Row {
        configuration,
        job: result.name.clone(),
        what,
        trials: 1,
        operations: latencies.operations(),
        bytes,
        seconds: result.runtime_ms as f64 / 1e3,
        latencies: latencies.clone(),
    };
    let read = result.read.as_ref().map(|read| row("read", Some(read.bytes), &read.latencies));
    let write = result.write.as_ref().map(|write| row("write", Some(write.bytes), &write.latencies));
    let trim = result.trim.as_ref().map(|trim| row("trim", Some(trim.bytes), &trim.latencies));
    let sync = result.sync.as_ref().map(|sync| row("sync", None, sync));
    read.into_iter().chain(write).chain(trim).chain(sync)
}

fn add(known: &mut Row, row: &Row) {
    known.trials += row.trials;
    known.operations += row.operations;
    known.bytes = known.bytes.zip(row.bytes).map(|(known, more)| known + more);
    known.seconds += row.seconds;
    let all = known.latencies.counts().iter().chain(row.latencies.counts());
    known.latencies = Latencies::from_counts(all.copied());
}

fn cells(table: &mut Table, row: &Row) -> Vec<Cell> {
    let per_s = |figure: u64| (row.seconds > 0.0).then(|| figure as f64 / row.seconds);
    let figure = |figure: Option<String>| Cell::of(figure.unwrap_or_else(|| "–".to_owned()));
    let us = |ns: f64| format_significant(ns / 1e3);
    let mut cells = vec![
        Cell::of(row.job.as_str()),
        Cell::of(row.what),
        Cell::of(row.trials.to_string()),
        figure(per_s(row.operations).map(format_significant)),
        figure(row.bytes.and_then(per_s).map(|rate| format!("{}/s", format_bytes_approximate(rate)))),
        figure(row.latencies.mean_ns().map(us)),
    ];
    for percent in PERCENTILES {
        let at = row.latencies.percentile_ns(percent).map(|ns| us(ns as f64));
        let too_few = at.is_none().then(|| {
            let needed = (10.0 / (1.0 - percent / 100.0)).round();
            table.footnote(format!("{} operations; p{percent} needs {needed}", row.operations))
        });
        cells.push(figure(at).with_footnote(too_few));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use fio::json::DirectionResult;

    fn result(name: &str, operations: u64) -> JobResult {
        let latencies = Latencies::from_counts([(100_000, operations)]);
        JobResult {
            name: name.to_owned(),
            runtime_ms: 2000,
            read: Some(DirectionResult {
                operations,
                bytes: operations * 4096,
                latencies,
                ..DirectionResult::default()
            }),
            ..JobResult::default()
        }
    }

    /// Two trials of one job are one row, and syncs have a row of their own.
    #[test]
    fn a_job_has_a_row_for_each_way() {
        let synced = JobResult { sync: Some(Latencies::from_counts([(1_000_000, 5)])), ..result("b", 10) };
        let section = section(&[(0, result("a", 1000)), (0, result("a", 3000)), (1, synced)]);
        let Block::Table(table) = &section.blocks[0] else { panic!("the table is first") };
        let text = |row: usize| -> Vec<String> {
            table.rows[row].cells.iter().map(|cell| cell.text.words()).collect()
        };
        assert_eq!(
            text(0),
            ["a", "read", "2", "1\u{2009}000", "3.91 MiB/s", "100", "100", "100", "100", "–"]
        );
        assert_eq!(text(1)[..6], ["b", "read", "1", "5.00", "20.0 KiB/s", "100"]);
        assert_eq!(text(2), ["b", "sync", "1", "2.50", "–", "1\u{2009}000", "–", "–", "–", "–"]);
    }
}
