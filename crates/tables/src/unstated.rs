//! Facts about rows that checks need, and that neither a column nor the text of a page states: a reader can add them.

use crate::table::Table;
use laws::{Claim, Direction};
use model::IoMode;

/// A fact: its role's name, the rows that it matters for, and whether a row states it.
type Fact = (&'static str, fn(&Claim) -> bool, fn(&Claim) -> bool);

const FACTS: &[Fact] = &[
    ("n", |_| true, |row| row.n.is_some()),
    ("runtime_s", |_| true, |row| row.runtime_s.is_some() || row.operations.is_some()),
    (
        "in_flight",
        |row| row.operations_per_s.is_some() && !row.latency.is_empty(),
        |row| {
            let setting = &row.setting;
            setting.in_flight_possible().or(setting.iodepth).or(setting.numjobs).is_some()
        },
    ),
    (
        "block_bytes",
        |row| row.operations_per_s.is_some() && row.bandwidth_bytes_per_s.is_some(),
        |row| row.setting.block_bytes.is_some(),
    ),
    ("mode", |_| true, |row| row.setting.mode.is_some()),
    ("sync", writes, |row| row.setting.is_synced().is_some() || row.setting.durability.is_some()),
    ("system", |row| writes(row) && row.setting.sync.is_some(), |row| row.setting.system.is_some()),
    ("file_bytes", can_be_cached, |row| row.setting.file_bytes.is_some()),
    ("memory_bytes", can_be_cached, |row| row.setting.cache_bytes().is_some()),
    ("passes", can_be_cached, |row| row.setting.passes.is_some()),
    ("cache_drops", can_be_cached, |row| row.setting.cache_drops.is_some()),
];

fn writes(row: &Claim) -> bool {
    row.setting.writes() == Some(true)
}

fn can_be_cached(row: &Claim) -> bool {
    row.setting.direction == Some(Direction::Read) && row.setting.mode != Some(IoMode::Direct)
}

/// Names of the roles that a reader of the page could add.
pub(crate) fn roles(table: &Table) -> Vec<&'static str> {
    let is_unstated =
        |(_, matters, states): &&Fact| table.rows.iter().any(matters) && !table.rows.iter().any(states);
    FACTS.iter().filter(is_unstated).map(|(name, ..)| *name).collect()
}
