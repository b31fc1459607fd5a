//! Rows measured once, or a few times: no interval can be given, so no difference between rows can be distinguished from noise. The
//! figures themselves may be right.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::Table;
use stats::TRIALS_MIN;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let mut readings = Readings::default();
    for (index, row) in table.rows.iter().enumerate() {
        let Some(n) = row.n else { continue };
        let status = if n < TRIALS_MIN as u64 { Status::Warn } else { Status::Pass };
        let has_spread = row.estimates.iter().any(|estimate| estimate.spread.is_some());
        let text = match (n, has_spread) {
            (1, _) => "one run: the spread between runs is unknown.".to_owned(),
            (_, false) => format!("n = {n}."),
            (_, true) => format!("n = {n}, too few for the ± that is given."),
        };
        readings.add(table, Reading { row: index, concern: Concern::Comparison, status, text });
    }
    let words = Words {
        pass: format!("{TRIALS_MIN} runs or more are behind {}.", readings.read()),
        off: format!("Fewer than {TRIALS_MIN} runs are behind {}.", readings.share()),
        advice: "Repeat every row six times or more, in random order; until then read differences below the usual scatter \
                 of a disk (10 %) as none.",
        missing: "No row states how often it was measured.",
    };
    let uneven = uneven(table);
    Judgement::from_readings(readings, words).with(uneven)
}

/// A sentence if only some rows give n.
fn uneven(table: &Table) -> Option<String> {
    let without = table.rows.iter().filter(|row| row.n.is_none()).count();
    (without > 0 && without < table.rows.len()).then(|| {
        format!("{} do not state how often they were measured.", super::readings::count(without, "row"))
    })
}
