//! SQLite: its journal, and what a commit waits for.
//!
//! Meanings and defaults: <https://www.sqlite.org/pragma.html#pragma_journal_mode>,
//! <https://www.sqlite.org/pragma.html#pragma_synchronous>.

use super::evidence::{Arms, Draft, Evidence, Held};
use super::setting::{Alternative, Silence};
use super::{Database, DefaultValue, Hazard, Kind, Rule, Syntax};

pub(super) const DATABASE: Database = Database {
    name: "SQLite 3",
    fragment: "sqlite.sql",
    syntax: Syntax::SqlitePragmas,
    rules: &[
        Rule {
            setting: "journal_mode",
            kind: Kind::Name,
            default: DefaultValue::Always("DELETE"),
            study: "append",
            audits: &["durability-class", "volatile-cache"],
            comparisons: 1,
            decide: journal_mode,
        },
        Rule {
            setting: "synchronous",
            kind: Kind::Name,
            default: DefaultValue::Always("FULL"),
            study: "append",
            audits: &["durability-class", "volatile-cache"],
            comparisons: 1,
            decide: synchronous,
        },
    ],
    hazards: &[
        Hazard {
            setting: "synchronous",
            values: &["OFF"],
            loses: "a power loss or a crash of the kernel can corrupt the database",
        },
        Hazard {
            setting: "journal_mode",
            values: &["OFF", "MEMORY"],
            loses: "a transaction that is killed half way can corrupt the database",
        },
    ],
};

const SQLITE: &[Held<'static>] = &[("engine", "sqlite"), ("filesystem", "host")];

/// Every arm of ours has the write-ahead log, so nothing can be said of a rollback journal.
fn journal_mode(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    evidence.cells("append", SQLITE)?;
    Err(Silence::undecided(
        "every arm of SQLite ran with journal_mode = WAL: no rollback journal was measured beside it",
    ))
}

/// FULL keeps what was acknowledged when the power fails. What NORMAL would save is told, with what it loses.
fn synchronous(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let arms = Arms {
        workload: "append",
        held: SQLITE,
        base: &[("durability", "full")],
        other: &[("durability", "normal")],
        across_classes: true,
    };
    let normal = evidence.contrast(arms, "entries_per_s")?;
    Ok(Draft {
        value: "FULL".to_owned(),
        loadable: true,
        statement: "it keeps what SQLite acknowledged when the power fails, if the drive honours a flush".to_owned(),
        stronger: &["EXTRA"],
        alternatives: vec![Alternative {
            value: "NORMAL".to_owned(),
            statement: normal.words("NORMAL", "FULL"),
            loses: "the last transactions when the power fails or the kernel crashes; the database stays whole, and a killed \
                    process loses nothing"
                .to_owned(),
        }],
        grounds: vec![normal.ground],
        caveats: vec![
            "Measured with journal_mode = WAL, one entry a transaction. With a rollback journal NORMAL can corrupt the \
             database on power loss."
                .to_owned(),
        ],
        ..Draft::default()
    })
}
