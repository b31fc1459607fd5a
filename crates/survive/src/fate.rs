//! What became of the acknowledged transactions.

use crate::load::Written;
use serde::{Deserialize, Serialize};
use server::{Row, Write};
use std::collections::HashMap;
use std::time::Instant;

/// What a database had after a crash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// Every acknowledged transaction, whole.
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

/// What is not as it was acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// Acknowledged transactions of which a write is not there.
    pub lost_commits: u64,
    /// From the first acknowledgement of a lost transaction to the crash, in ms.
    pub lost_over_ms: f64,
    /// Lost transactions whose writer has a later one that is there.
    pub holes: u64,
    /// Transactions that are there in part.
    pub torn_commits: u64,
    /// Rows that were flushed before the load began, and are not there.
    pub missing_rows: u64,
    /// Rows with a text that was never theirs.
    pub damaged_rows: u64,
    /// Rows that nobody requested, or not in this version.
    pub strange_rows: u64,
    /// The table that was created after the start is not there, and so is none of its rows.
    #[serde(default)]
    pub table_is_gone: bool,
    /// Transactions that were acknowledged, repeated by their client after the restart, and are there twice.
    #[serde(default)]
    pub doubled_commits: u64,
}

impl Loss {
    fn is_none(&self) -> bool {
        !self.table_is_gone && self.lost_commits + self.doubled_commits == 0 && !self.is_inconsistent()
    }

    /// Whether what is there is not a state that the database had between two transactions.
    pub(crate) fn is_inconsistent(&self) -> bool {
        [self.holes, self.torn_commits, self.missing_rows, self.damaged_rows, self.strange_rows] != [0; 5]
    }
}

/// The rows that are there: each with its version, `None` if its text is of none.
pub(crate) type Found = HashMap<Row, Option<u32>>;

/// The fate of transactions whose table is gone.
pub(crate) fn without_table(written: &[Written], moment: Instant) -> Fate {
    Fate::Lost(Loss { table_is_gone: true, ..loss(written, moment, &Found::new()) })
}

/// Compares what was acknowledged before the moment with what is there.
pub(crate) fn fate(written: &[Written], moment: Instant, found: &Found) -> Fate {
    let loss = loss(written, moment, found);
    if loss.is_none() { Fate::Kept } else { Fate::Lost(loss) }
}

/// The last transaction of each writer that was acknowledged before the moment.
pub(crate) fn last_acknowledged(written: &[Written], moment: Instant) -> Vec<&[Write]> {
    let last = written.iter().filter_map(|of| {
        let commit = of.commits.iter().rfind(|commit| commit.is_acknowledged_before(moment))?;
        Some(of.of(commit))
    });
    last.collect()
}

/// The fate of transactions that were there and were repeated: a row that is there twice has no version.
pub(crate) fn after_repeats(repeated: &[&[Write]], found: &Found) -> Fate {
    let is_doubled = |writes: &&&[Write]| writes.iter().any(|write| found.get(&write.row) == Some(&None));
    match repeated.iter().filter(is_doubled).count() as u64 {
        0 => Fate::Kept,
        doubled_commits => Fate::Lost(Loss { doubled_commits, ..Loss::default() }),
    }
}

fn loss(written: &[Written], moment: Instant, found: &Found) -> Loss {
    let mut loss = Loss {
        damaged_rows: found.values().filter(|version| version.is_none()).count() as u64,
        strange_rows: strange(written, found),
        ..Loss::default()
    };
    for of in written {
        let loaded = (0..of.loaded).map(|sequence| Row { writer: of.writer, sequence });
        loss.missing_rows += loaded.filter(|row| !found.contains_key(row)).count() as u64;
        let states: Vec<State> = of.commits.iter().map(|commit| State::of(of.of(commit), found)).collect();
        let last = states.iter().rposition(|state| state.is_seen);
        for (place, (commit, state)) in of.commits.iter().zip(&states).enumerate() {
            loss.torn_commits += u64::from(state.is_seen && state.lacks);
            if let Some(at) = commit.acknowledged.filter(|at| *at < moment && state.lacks) {
                loss.lost_commits += 1;
                loss.holes += u64::from(last > Some(place));
                loss.lost_over_ms = loss.lost_over_ms.max((moment - at).as_secs_f64() * 1e3);
            }
        }
    }
    loss
}

/// What is there of a transaction.
struct State {
    /// A row has the version that it wrote.
    is_seen: bool,
    /// A row is not there, or is older.
    lacks: bool,
}

impl State {
    fn of(writes: &[Write], found: &Found) -> Self {
        let version = |write: &Write| found.get(&write.row).copied();
        Self {
            is_seen: writes.iter().any(|write| version(write) == Some(Some(write.version))),
            // A damaged row is counted as such.
            lacks: writes.iter().any(|write| match version(write) {
                None => true,
                Some(version) => version.is_some_and(|version| version < write.version),
            }),
        }
    }
}

/// Counts rows that nobody requested in the version that they have.
fn strange(written: &[Written], found: &Found) -> u64 {
    let mut requested: HashMap<Row, u32> = HashMap::new();
    for write in written.iter().flat_map(Written::writes) {
        let last = requested.entry(write.row).or_default();
        *last = write.version.max(*last);
    }
    let is_loaded = |row: &Row| written.iter().any(|of| of.writer == row.writer && row.sequence < of.loaded);
    let is_strange = |(row, version): &(&Row, &Option<u32>)| match requested.get(row) {
        Some(last) => version.is_some_and(|version| version > *last),
        None => !is_loaded(row) || version.is_some_and(|version| version > 0),
    };
    found.iter().filter(is_strange).count() as u64
}

/// Transactions of a writer that were acknowledged before the moment.
pub(crate) fn acknowledged(of: &Written, moment: Instant) -> u64 {
    of.commits.iter().filter(|commit| commit.is_acknowledged_before(moment)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const WRITER: u32 = 3;

    fn row(sequence: u64) -> Row {
        Row { writer: WRITER, sequence }
    }

    /// A hundred rows from before, and ten transactions of writer 3, a millisecond apart: each inserts a row and
    /// updates the row 7. The crash is between the eighth and the ninth.
    fn ten() -> (Vec<Written>, Instant) {
        let begun = Instant::now();
        let mut written = Written::by(WRITER, 100);
        for place in 0..10 {
            written.request(&[row(100 + place).first(), Write { row: row(7), version: place as u32 + 1 }]);
            written.acknowledge(begun + Duration::from_millis(place));
        }
        (vec![written], begun + Duration::from_micros(7500))
    }

    /// What is there if this number of transactions is.
    fn after(commits: u64) -> Found {
        let mut found: Found = (0..100 + commits).map(|sequence| (row(sequence), Some(0))).collect();
        found.insert(row(7), Some(commits as u32));
        found
    }

    fn lost_of(found: &Found) -> Loss {
        let (written, moment) = ten();
        match fate(&written, moment, found) {
            Fate::Kept => Loss::default(),
            Fate::Lost(loss) => loss,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_acknowledged_before_the_crash_must_be_there() {
        let (written, moment) = ten();
        assert_eq!(acknowledged(&written[0], moment), 8);
        for kept in 8..=10 {
            assert_eq!(fate(&written, moment, &after(kept)), Fate::Kept, "{kept}");
        }
        let lost = lost_of(&after(6));
        assert_eq!((lost.lost_commits, lost.holes, lost.torn_commits), (2, 0, 0));
        assert!((lost.lost_over_ms - 1.5).abs() < 1e-9);
        assert!(!lost.is_inconsistent());
    }

    #[test]
    fn what_no_order_of_transactions_leaves_is_inconsistent() {
        let mut found = after(8);
        found.remove(&row(102));
        let hole = lost_of(&found);
        assert_eq!((hole.lost_commits, hole.holes, hole.torn_commits), (1, 1, 0));

        let mut found = after(8);
        found.insert(row(7), Some(7));
        let torn = lost_of(&found);
        assert_eq!((torn.lost_commits, torn.torn_commits), (1, 1));

        // The transaction after the last acknowledged one is there in part: lost it is not.
        let mut found = after(8);
        found.insert(row(108), Some(0));
        assert_eq!(lost_of(&found), Loss { torn_commits: 1, ..Loss::default() });

        let mut found = after(8);
        found.remove(&row(42));
        found.insert(row(43), None);
        found.insert(row(44), Some(1));
        found.insert(row(120), Some(0));
        found.insert(Row { writer: 4, sequence: 0 }, Some(0));
        let expected = Loss { missing_rows: 1, damaged_rows: 1, strange_rows: 3, ..Loss::default() };
        assert_eq!(lost_of(&found), expected);
        assert!([hole, torn, expected].iter().all(Loss::is_inconsistent));
    }

    #[test]
    fn a_transaction_that_is_repeated_must_be_there_once() {
        let (written, moment) = ten();
        let repeated = last_acknowledged(&written, moment);
        let eighth = [row(107).first(), Write { row: row(7), version: 8 }];
        assert_eq!(repeated, [&eighth[..]]);
        let mut found = after(8);
        assert_eq!(after_repeats(&repeated, &found), Fate::Kept);
        found.insert(row(107), None);
        let twice = Fate::Lost(Loss { doubled_commits: 1, ..Loss::default() });
        assert_eq!(after_repeats(&repeated, &found), twice);
        assert!(last_acknowledged(&[Written::by(WRITER, 100)], moment).is_empty());
    }

    #[test]
    fn a_table_that_is_gone_takes_every_row_with_it() {
        let begun = Instant::now();
        let mut written = Written::by(WRITER, 0);
        written.request(&[row(0).first()]);
        written.acknowledge(begun);
        let moment = begun + Duration::from_millis(1);
        let Fate::Lost(lost) = without_table(&[written], moment) else { panic!("all is lost") };
        assert_eq!((lost.lost_commits, lost.holes, lost.table_is_gone), (1, 0, true));
        let Fate::Lost(lost) = without_table(&[], moment) else { panic!("the table is lost") };
        assert_eq!((lost.lost_commits, lost.table_is_gone), (0, true));
    }
}
