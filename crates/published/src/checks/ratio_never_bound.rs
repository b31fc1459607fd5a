//! A ratio that was set and never held: on page 000 the reads went on while a commit was synced, so 1 and 8 reads per commit
//! both gave about 600 (direct) or 9,000 (buffered), and the effect of the ratio was never measured.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Row, Table};
use model::units::format_significant;
use verdict::Status;

/// Factor between set and realised up to which the ratio held.
const HELD_WITHIN: f64 = 1.10;
/// Factor beyond which the column names something else.
const FAIL_BEYOND: f64 = 2.0;

pub(super) fn check(table: &Table) -> Judgement {
    let mut readings = Readings::default();
    for (index, row) in table.rows.iter().enumerate() {
        if let Some((status, text)) = read(row) {
            readings.add(table, Reading { row: index, concern: Concern::Comparison, status, text });
        }
    }
    let words = Words {
        pass: format!("Reads per commit equal the setting in {}.", readings.read()),
        off: format!("Reads per commit differ from the setting in {}.", readings.share()),
        advice: "Conclude nothing from that column, least of all that it has no effect: hold the ratio (pace the reads by the \
                 commits) and measure again.",
        missing: "No row gives the intended reads per commit and the rates of both.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let set = row.setting.reads_per_commit.filter(|set| *set > 0.0)?;
    let (reads, commits) = (row.operations_per_s?, row.commits_per_s.filter(|commits| *commits > 0.0)?);
    let realised = reads / commits;
    let rounding = row.rounding("iops", reads) + row.rounding("commits", commits);
    let off = (realised / set).ln().abs() - rounding;
    let status = if !off.is_finite() || off > FAIL_BEYOND.ln() {
        Status::Fail
    } else if off > HELD_WITHIN.ln() {
        Status::Warn
    } else {
        Status::Pass
    };
    let text = format!(
        "{} reads per commit were set, but {}/s ÷ {}/s are {}.",
        format_significant(set),
        format_significant(reads),
        format_significant(commits),
        format_significant(realised)
    );
    Some((status, text))
}
