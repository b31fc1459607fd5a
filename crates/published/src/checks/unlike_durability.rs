//! Writes in one table that promise different things: one that loses what it acknowledged when the process dies is faster
//! than one that does not, and no better. Page 003 has `O_SYNC`, one fsync at the end and a log in the process's memory in one
//! ranking.

use super::judgement::Judgement;
use super::readings::{Concern, Reading, Readings};
use crate::table::{Comparison, Direction, Row, Table};
use model::durability::DurabilityClass;
use std::collections::BTreeMap;
use verdict::Status;

const ADVICE: &str = "Compare rows of one class with each other. What a stronger promise costs is the distance between classes, \
                      and no merit of either.";

pub(super) fn check(table: &Table) -> Judgement {
    let mut groups: BTreeMap<Comparison<'_>, Vec<(usize, DurabilityClass)>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate() {
        if let Some(class) = class(row) {
            groups.entry(row.comparison()).or_default().push((index, class));
        }
    }
    let mut readings = Readings::default();
    for rows in groups.values().filter(|rows| rows.len() > 1) {
        let Some((first, class)) = rows.first().copied() else { continue };
        for (row, other) in rows.iter().copied() {
            let status = if other == class { Status::Pass } else { Status::Warn };
            let text = format!(
                "an acknowledged write {}; one of {} {}.",
                survives(other),
                table.rows[first].name(),
                survives(class)
            );
            readings.add(table, Reading { row, concern: Concern::Comparison, status, text });
        }
    }
    let what = match readings.status() {
        Status::Pass => format!("One durability class in {} that write.", readings.read()),
        Status::NotAssessable | Status::NotApplicable => {
            "No two rows that write say what an acknowledged write survives, or how it is synced.".to_owned()
        }
        Status::Warn | Status::Fail => {
            format!(
                "One table has writes of different durability: {} have another class than the first.",
                readings.share()
            )
        }
    };
    let evidence = readings.evidence();
    let status = readings.status();
    Judgement { readings: readings.into_list(), ..Judgement::new(status, what, ADVICE).with(evidence) }
}

fn class(row: &Row) -> Option<DurabilityClass> {
    let class = row.setting.survives()?;
    (row.setting.direction != Some(Direction::Read)).then_some(class)
}

const fn survives(class: DurabilityClass) -> &'static str {
    match class {
        DurabilityClass::None => "is lost when the process dies",
        DurabilityClass::Process => "survives the process but not a power loss",
        DurabilityClass::Power => "survives a power loss",
    }
}
