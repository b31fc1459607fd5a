//! What became of the acknowledged rows.

use crate::load::Written;
use serde::{Deserialize, Serialize};
use server::Row;
use std::collections::HashMap;
use std::time::Instant;

/// What a database had after a crash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// Every acknowledged row, whole.
    Kept,
    /// Not every one, or not whole, or rows that nobody requested.
    Lost(Loss),
    /// It started and did not hand over its rows.
    Unreadable {
        /// What it said.
        why: String,
    },
    /// The server does not start on what the disk kept.
    DoesNotStart {
        /// What it said.
        why: String,
    },
    /// The file system below the database cannot be mounted.
    DoesNotMount {
        /// The kernel's error.
        why: String,
    },
}

/// Rows that are not as they were acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// Acknowledged and not there.
    pub lost_rows: u64,
    /// From the first acknowledgement of a lost row to the crash, in ms.
    pub lost_over_ms: f64,
    /// Lost rows whose writer has a later row that is there.
    pub holes: u64,
    /// There with a text that is not theirs.
    pub damaged_rows: u64,
    /// There, and nobody requested them.
    pub strange_rows: u64,
    /// The table that was created after the start is not there, and so is none of its rows.
    #[serde(default)]
    pub table_is_gone: bool,
}

impl Loss {
    fn is_none(&self) -> bool {
        self.lost_rows + self.damaged_rows + self.strange_rows == 0 && !self.table_is_gone
    }
}

/// The fate of rows whose table is gone.
pub(crate) fn without_table(written: &[Written], moment: Instant) -> Fate {
    Fate::Lost(Loss { table_is_gone: true, ..loss(written, moment, &HashMap::new()) })
}

/// Compares what was acknowledged before the moment with what is there: each row with whether it is whole.
pub(crate) fn fate(written: &[Written], moment: Instant, found: &HashMap<Row, bool>) -> Fate {
    let loss = loss(written, moment, found);
    if loss.is_none() { Fate::Kept } else { Fate::Lost(loss) }
}

fn loss(written: &[Written], moment: Instant, found: &HashMap<Row, bool>) -> Loss {
    let mut loss = Loss {
        damaged_rows: found.values().filter(|is_whole| !**is_whole).count() as u64,
        ..Loss::default()
    };
    let asked = |row: &Row| {
        let of = written.iter().find(|written| written.writer == row.writer);
        // The row after the last acknowledged one was requested.
        of.is_some_and(|written| row.sequence <= written.acknowledged.len() as u64)
    };
    loss.strange_rows = found.keys().filter(|row| !asked(row)).count() as u64;
    for of in written {
        let last_found = found.keys().filter(|row| row.writer == of.writer).map(|row| row.sequence).max();
        for (sequence, at) in acknowledged(of, moment) {
            if found.contains_key(&Row { writer: of.writer, sequence }) {
                continue;
            }
            loss.lost_rows += 1;
            loss.holes += u64::from(last_found > Some(sequence));
            loss.lost_over_ms = loss.lost_over_ms.max((moment - at).as_secs_f64() * 1e3);
        }
    }
    loss
}

/// The rows of a writer that were acknowledged before the moment, with when.
pub(crate) fn acknowledged(of: &Written, moment: Instant) -> impl Iterator<Item = (u64, Instant)> {
    (0..).zip(of.acknowledged.iter().copied()).take_while(move |(_, at)| *at < moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Ten rows of writer 3, a millisecond apart; the crash is between the eighth and the ninth.
    fn ten() -> (Vec<Written>, Instant) {
        let begun = Instant::now();
        let acknowledged = (0..10).map(|place| begun + Duration::from_millis(place)).collect();
        let moment = begun + Duration::from_micros(7500);
        (vec![Written { writer: 3, acknowledged, refused: None }], moment)
    }

    fn found(sequences: impl Iterator<Item = u64>) -> HashMap<Row, bool> {
        sequences.map(|sequence| (Row { writer: 3, sequence }, true)).collect()
    }

    #[test]
    fn what_was_acknowledged_before_the_crash_must_be_there() {
        let (written, moment) = ten();
        for there in [8, 9, 11] {
            assert_eq!(fate(&written, moment, &found(0..there)), Fate::Kept, "{there}");
        }
        let Fate::Lost(loss) = fate(&written, moment, &found(0..5)) else { panic!("three are lost") };
        assert_eq!((loss.lost_rows, loss.holes, loss.damaged_rows, loss.strange_rows), (3, 0, 0, 0));
        assert!((loss.lost_over_ms - 2.5).abs() < 1e-9, "{loss:?}");
    }

    #[test]
    fn a_table_that_is_gone_takes_every_row_with_it() {
        let (written, moment) = ten();
        let Fate::Lost(loss) = without_table(&written, moment) else { panic!("all are lost") };
        assert_eq!((loss.lost_rows, loss.holes, loss.table_is_gone), (8, 0, true));
        let Fate::Lost(loss) = without_table(&[], moment) else { panic!("the table is lost") };
        assert_eq!((loss.lost_rows, loss.table_is_gone), (0, true));
    }

    #[test]
    fn holes_damage_and_strangers_are_seen() {
        let (written, moment) = ten();
        let Fate::Lost(loss) = fate(&written, moment, &found((0..8).filter(|row| *row != 4))) else {
            panic!("one is lost")
        };
        assert_eq!((loss.lost_rows, loss.holes), (1, 1));
        let mut rows = found(0..8);
        rows.insert(Row { writer: 3, sequence: 2 }, false);
        rows.insert(Row { writer: 3, sequence: 11 }, true);
        rows.insert(Row { writer: 4, sequence: 0 }, true);
        let Fate::Lost(loss) = fate(&written, moment, &rows) else { panic!("two are strange") };
        assert_eq!((loss.lost_rows, loss.damaged_rows, loss.strange_rows), (0, 1, 2));
    }
}
