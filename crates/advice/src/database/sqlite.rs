//! SQLite: its journal, and what a commit waits for.
//!
//! Meanings and defaults: <https://www.sqlite.org/pragma.html#pragma_journal_mode>,
//! <https://www.sqlite.org/pragma.html#pragma_synchronous>, <https://www.sqlite.org/wal.html>.

use crate::caveat::Caveat;
use crate::comparison::Comparison;
use crate::decision::{Alternative, Loss};
use crate::evidence::{Arms, Evidence};
use crate::level::Level;
use crate::measured_on::OfItself;
use crate::no_advice::{NoAdvice, Why};
use crate::rule::{Database, Decide, Hazard, Rule, Values};
use crate::setting::{DefaultValue, Facts, Kind, Syntax, TakesEffect};
use crate::source::Source;
use crate::statement::{Arm, Compared, Statement, Survives};
use crate::weighed::{Choose, Weighed};

/// A note on `journal_mode`.
pub(crate) const DELETE_WITH_EXTRA: Caveat = Caveat::Note(
    "Measured with one entry per transaction and one writing connection. DELETE was measured with synchronous = \
     EXTRA: with FULL it saves the sync of a directory, and may lose the last transaction if the power \
    fails.",
);

pub(super) const DATABASE: Database = Database {
    name: "SQLite 3",
    id: "sqlite",
    fragment: "sqlite.sql",
    syntax: Syntax::SqlitePragmas,
    families: &[RULES],
    of_itself: &[OfItself { workload: "append", held: &[("engine", "sqlite")] }],
    hazards: &[
        Hazard {
            setting: "synchronous",
            values: Values::These(&["OFF"]),
            loses: "a power loss or a kernel crash can corrupt the database",
        },
        Hazard {
            setting: "synchronous",
            values: Values::These(&["NORMAL"]),
            loses: "the last transactions can be lost in a power loss or a kernel crash, and a commit does not wait for the disk",
        },
        Hazard {
            setting: "journal_mode",
            values: Values::These(&["OFF", "MEMORY"]),
            loses: "a process that is killed during a transaction can corrupt the database",
        },
    ],
};

const RULES: &[Rule] = &[
    Rule {
        facts: Facts::new(
            "journal_mode",
            Kind::Name,
            DefaultValue::Always("DELETE"),
            TakesEffect::AtOnce,
            "https://www.sqlite.org/pragma.html#pragma_journal_mode",
        )
        .requires(&["for WAL: no connection from another host, because it needs shared memory"])
        .trying(&["WAL", "TRUNCATE", "PERSIST"])
        .provable(),
        source: Some(SOURCE),
        comparisons: ROLLBACK.len(),
        decide: Decide::Study(journal_mode),
    },
    Rule {
        facts: Facts::new(
            "synchronous",
            Kind::Name,
            DefaultValue::Always("FULL"),
            TakesEffect::Session,
            "https://www.sqlite.org/pragma.html#pragma_synchronous",
        ),
        source: Some(SOURCE),
        comparisons: 1,
        decide: Decide::Study(synchronous),
    },
];

/// SQLite's arms of the study.
const SOURCE: Source = Source {
    study: "append",
    vary: &[("arm", &["sqlite_full", "sqlite_normal", "sqlite_delete", "sqlite_truncate", "sqlite_persist"])],
    minutes: 1,
};
const ENTRIES: &str = "entries_per_s";
const SQLITE: &[Level<'static>] = &[("engine", "sqlite"), ("filesystem", "host")];

/// Rollback journals, each with the level of Syncline's adapter at which a commit survives a power loss.
const ROLLBACK: &[(&str, &str)] = &[("DELETE", "delete"), ("TRUNCATE", "truncate"), ("PERSIST", "persist")];

/// A commit through the write-ahead log compared with a commit through each measured rollback journal, all of class power.
/// DELETE keeps the last transaction through a power loss with EXTRA only, the others with FULL
/// (<https://www.sqlite.org/pragma.html#pragma_synchronous>).
fn journal_mode(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let mut compared: Vec<(&str, Comparison)> = Vec::new();
    let mut missing = None;
    for (mode, level) in ROLLBACK {
        let arms = Arms {
            workload: "append",
            held: SQLITE,
            base: &[("durability", level)],
            other: &[("durability", "full")],
            across_classes: false,
        };
        match evidence.contrast(arms, ENTRIES) {
            Ok(contrast) => compared.push((mode, contrast)),
            Err(none) if none.why == Why::NotMeasured => drop(missing.get_or_insert(none)),
            Err(none) => return Err(none),
        }
    }
    let name = |mode: &str| Arm::RollbackJournal(mode.to_owned());
    let pair = |(mode, contrast): &(&str, Comparison)| contrast.pair(Arm::WriteAheadLog, name(mode));
    let pairs: Vec<Compared> = compared.iter().map(pair).collect();
    if let Some(none) = missing.filter(|_| compared.is_empty()) {
        return Err(none);
    }
    Ok(Weighed {
        effects: compared.iter().map(|(mode, contrast)| contrast.effect("WAL", mode)).collect(),
        needs: compared.iter().find_map(|(_, contrast)| contrast.needs.clone()),
        grounds: compared.into_iter().map(|(_, contrast)| contrast.ground).collect(),
        caveats: vec![
            DELETE_WITH_EXTRA,
            Caveat::Note(
                "A write-ahead log needs shared memory, so it does not work on network file systems.",
            ),
        ],
        ..Weighed::new(Choose::Compared, Statement::of_pairs(pairs))
    })
}

/// With FULL, acknowledged transactions survive a power loss. The advice states what NORMAL would gain and lose.
fn synchronous(evidence: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    let arms = Arms {
        workload: "append",
        held: SQLITE,
        base: &[("durability", "full")],
        other: &[("durability", "normal")],
        across_classes: true,
    };
    let normal = evidence.contrast(arms, ENTRIES)?;
    let value = |name: &str| Arm::Value(name.to_owned());
    Ok(Weighed {
        stronger: &["EXTRA"],
        alternatives: vec![Alternative {
            value: "NORMAL".to_owned(),
            statement: Statement::of_pair(normal.pair(value("NORMAL"), value("FULL"))),
            loses: Some(Loss::Note(
                "the last transactions if the power fails or the kernel crashes; the database stays intact, \
                 and a killed process loses nothing",
            )),
        }],
        grounds: vec![normal.ground],
        caveats: vec![Caveat::Note(
            "Measured with journal_mode = WAL, one entry per transaction. With a rollback journal NORMAL can \
             corrupt the database in a power loss, and with journal_mode = DELETE only EXTRA keeps the last \
             transaction.",
        )],
        ..Weighed::new(Choose::Guaranteed("FULL"), Statement::Keeps(Survives::SqlitePower))
    })
}
