//! The series of a history as CSV: a line for each point, for data frames.

use crate::csv_long::Table;
use verdict::history::{DiskHistory, History, Relation, Series};

const COLUMNS: [&str; 14] = [
    "host",
    "place",
    "device",
    "study",
    "metric",
    "relation",
    "configuration",
    "run",
    "began_at",
    "figure",
    "low",
    "high",
    "level",
    "change",
];

/// Renders every point of every series as CSV (RFC 4180). `relation` is `absolute`, `to_anchor` or `control`; the
/// figure of the last two is a ratio. `low` and `high` bound its 95 % interval over the rounds of the run, `level` is
/// the mean of the runs between two changes, and `change` is the ratio of a change that begins with this run. What
/// does not exist is empty; values are printed so that they read back exactly.
pub fn csv_history(history: &History) -> String {
    let mut table = Table::new(COLUMNS);
    for disk in &history.disks {
        for series in &disk.series {
            add(&mut table, disk, series);
        }
    }
    table.finish()
}

fn add(table: &mut Table, disk: &DiskHistory, series: &Series) {
    let relation = match series.question.relation {
        Relation::Absolute => "absolute",
        Relation::ToAnchor { .. } => "to_anchor",
        Relation::Control => "control",
    };
    let text = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for point in &series.points {
        let (run, began_at) =
            disk.runs.get(point.run).map_or(("", ""), |run| (run.run.as_str(), run.began_at.as_str()));
        let level = series.levels.iter().find(|level| (level.first..=level.last).contains(&point.run));
        let change = series.changes.iter().find(|change| change.run == point.run);
        let interval = point.figure.interval;
        let figures = [
            point.figure.point,
            interval.map(|(low, _)| low),
            interval.map(|(_, high)| high),
            level.and_then(|level| level.mean.point),
            change.and_then(|change| change.ratio.point),
        ];
        let names = [
            disk.disk.host.as_str(),
            &disk.disk.directory,
            &disk.disk.device,
            &series.question.study,
            &series.question.metric,
            relation,
            &series.question.label,
            run,
            began_at,
        ];
        let figures = figures.map(text);
        table.row(names.into_iter().chain(figures.iter().map(String::as_str)));
    }
}
